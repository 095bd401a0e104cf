//! Which cap holds when: rates by the hour and the day of the week, in a time zone.
//!
//! A rate depends on nothing but what the clock on the wall shows. So when clocks are set back, an
//! hour is passed twice and has the same rate both times; when they are set forward, what lay in the
//! missing hour does not come about.

mod span;

use jiff::civil::{Date, DateTime, Time, date};
use jiff::tz::{AmbiguousOffset, TimeZone};
use jiff::{SignedDuration, Timestamp, ToSpan};
use weir_types::Rate;

pub use span::Span;

#[derive(Clone, Debug, PartialEq)]
pub struct Calendar {
    entries: Vec<Entry>,
    zone: TimeZone,
}

/// A rate and when it holds, unless an entry before it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub at: Span,
    pub rate: Rate,
}

/// Days to look ahead for a change. All is over after a week, but for what lies in an hour that
/// clocks skip, and that comes back the week after.
const AHEAD: i64 = 16;

impl Calendar {
    pub fn new(entries: Vec<Entry>, zone: TimeZone) -> Calendar {
        Calendar { entries, zone }
    }

    /// The same rate at all times.
    pub fn constant(rate: Rate) -> Calendar {
        Calendar::new(vec![Entry { at: Span::ALWAYS, rate }], TimeZone::UTC)
    }

    pub fn rate_at(&self, now: Timestamp) -> Rate {
        self.rate_of(self.entry_at(self.zone.to_datetime(now)))
    }

    /// The first moment after `now` with another rate than the one at `now`.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        let rate = self.rate_at(now);
        if self.is_constant() {
            return None;
        }
        let mut moments = self.clock_changes(now);
        let mut day = self.zone.to_datetime(now).date().yesterday().ok()?;
        for _ in 0..AHEAD {
            self.edges_of(day, &mut moments);
            let Ok(tomorrow) = day.tomorrow() else { break };
            day = tomorrow;
        }
        moments.retain(|moment| *moment > now);
        moments.sort_unstable();
        moments.into_iter().find(|moment| self.rate_at(*moment) != rate)
    }

    /// The highest rate of the week.
    pub fn highest(&self) -> Rate {
        self.week().into_iter().map(|entry| self.rate_of(entry)).max().unwrap_or(Rate::Unlimited)
    }

    /// Whether anything is limited at any time.
    pub fn limits(&self) -> bool {
        self.week().into_iter().any(|entry| self.rate_of(entry) != Rate::Unlimited)
    }

    pub fn is_constant(&self) -> bool {
        let week = self.week();
        week.iter().all(|entry| self.rate_of(*entry) == self.rate_of(week[0]))
    }

    /// The first entry that never comes to hold, as those before it hold whenever it would.
    pub fn hidden_entry(&self) -> Option<usize> {
        let week = self.week();
        (0..self.entries.len()).find(|entry| !week.contains(&Some(*entry)))
    }

    /// Whether there are times for which no entry says anything.
    pub fn has_gaps(&self) -> bool {
        self.week().contains(&None)
    }

    fn rate_of(&self, entry: Option<usize>) -> Rate {
        entry.map_or(Rate::Unlimited, |entry| self.entries[entry].rate)
    }

    fn entry_at(&self, wall: DateTime) -> Option<usize> {
        self.entries.iter().position(|entry| entry.at.holds(wall))
    }

    /// What holds after each edge of each day of a week without any change of clocks.
    fn week(&self) -> Vec<Option<usize>> {
        let monday = date(2024, 1, 1);
        let days = (0..7).map(|day| monday.saturating_add(day.days()));
        let edges = self.edges();
        days.flat_map(|day| edges.iter().map(move |edge| on(day, *edge)))
            .map(|wall| self.entry_at(wall))
            .collect()
    }

    /// The times of day at which the rate may change.
    fn edges(&self) -> Vec<u32> {
        let mut edges = vec![0];
        edges.extend(self.entries.iter().flat_map(|entry| entry.at.edges()));
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// When clocks are set, in the days to come.
    fn clock_changes(&self, now: Timestamp) -> Vec<Timestamp> {
        let end = now.saturating_add(SignedDuration::from_hours(24 * AHEAD)).unwrap_or(now);
        let changes = self.zone.following(now).map(|change| change.timestamp());
        changes.take_while(|change| *change <= end).collect()
    }

    /// The moments of a day at which an edge is on the wall: none or two where clocks are set.
    fn edges_of(&self, day: Date, moments: &mut Vec<Timestamp>) {
        for edge in self.edges() {
            let wall = on(day, edge);
            let offsets = match self.zone.to_ambiguous_timestamp(wall).offset() {
                AmbiguousOffset::Unambiguous { offset } => [Some(offset), None],
                AmbiguousOffset::Gap { .. } => [None, None],
                AmbiguousOffset::Fold { before, after } => [Some(before), Some(after)],
            };
            let found = offsets.into_iter().flatten();
            moments.extend(found.filter_map(|offset| offset.to_timestamp(wall).ok()));
        }
    }
}

fn on(day: Date, second: u32) -> DateTime {
    day.to_datetime(Time::midnight()).saturating_add(SignedDuration::from_secs(second.into()))
}

#[cfg(test)]
mod tests;
