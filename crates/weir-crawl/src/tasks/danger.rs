//! Deadlines in danger: said as soon as it is seen, with the reason and with what would help.

use std::cell::LazyCell;
use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use weir_types::{Bandwidth, Size, show_duration};

use super::{Expected, Steer, Task, TaskId, Tasks};

/// What was said of each site.
pub struct Dangers {
    zone: TimeZone,
    sites: Vec<Said>,
}

#[derive(Clone, Copy, Default)]
struct Said {
    /// Since when it looks as if it will be late.
    since: Option<Timestamp>,
    warned: bool,
    missed: bool,
}

/// Why a site is late.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Reason {
    /// It is larger than was thought at the start.
    Grew { from: f64, to: f64 },
    /// Its own limit is too low.
    Limit(f64),
    /// The pause between two requests.
    Pause(f64),
    /// The server gives no more than this.
    Server(f64),
    /// There is not enough for all.
    Cap,
}

/// A prediction that comes and goes is no warning.
const STEADY: SignedDuration = SignedDuration::from_secs(2);
/// Less than this part of the time that is left is not worth a word.
const LITTLE: f64 = 0.02;
/// A site that is so much larger than predicted has grown.
const GROWN: f64 = 1.25;

impl Dangers {
    pub fn new(zone: TimeZone) -> Dangers {
        Dangers { zone, sites: Vec::new() }
    }

    /// Nothing was said of a site yet, since a new round of it begins.
    pub fn forget(&mut self, id: TaskId) {
        if let Some(said) = self.sites.get_mut(id.0 as usize) {
            *said = Said::default();
        }
    }

    /// What is to be said now. `needed` is asked for the limit that would hold all deadlines, where
    /// one would.
    pub fn look(
        &mut self,
        tasks: &Tasks,
        steer: &Steer,
        needed: impl FnOnce() -> Option<f64>,
        now: Timestamp,
    ) -> Vec<String> {
        self.sites.resize(tasks.all.len().max(self.sites.len()), Said::default());
        let mut warnings = Vec::new();
        // Takes a while with many sites, and is the same for all of them.
        let needed = LazyCell::new(needed);
        for (at, (task, expected)) in tasks.all.iter().zip(&steer.expected).enumerate() {
            let Some(due) = task.due.filter(|_| !task.is_done()) else { continue };
            let said = &mut self.sites[at];
            if now > due && !said.missed {
                said.missed = true;
                said.warned = true;
                let finish = steer.moment(expected.finish);
                warnings.push(missed(task, due, finish, &self.zone));
            }
            if said.warned
                || task.is_paused
                || !task.is_rate_known()
                || !is_late(expected, due, now)
            {
                said.since = None;
                continue;
            }
            let since = *said.since.get_or_insert(now);
            if now.duration_since(since) >= STEADY.min(due.duration_since(since) / 20) {
                said.warned = true;
                let finish = steer.moment(expected.finish);
                warnings.push(warning(task, due, finish, *needed, now, &self.zone));
            }
        }
        warnings
    }
}

fn is_late(expected: &Expected, due: Timestamp, now: Timestamp) -> bool {
    let left = due.duration_since(now).as_secs_f64().max(0.0);
    expected.slack < -(left * LITTLE).max(0.5)
}

fn missed(task: &Task, due: Timestamp, finish: Option<Timestamp>, zone: &TimeZone) -> String {
    let finish =
        finish.map_or(String::new(), |at| format!(", it will be done at {}", clock(at, zone)));
    format!(
        "{}: the deadline of {} has passed and {} URLs are left{finish}",
        task.name,
        clock(due, zone),
        task.open
    )
}

fn warning(
    task: &Task,
    due: Timestamp,
    finish: Option<Timestamp>,
    needed: Option<f64>,
    now: Timestamp,
    zone: &TimeZone,
) -> String {
    let (late, until) = match finish {
        Some(at) => (
            format!("{} late", length(at.duration_since(due).as_secs_f64())),
            format!("more time, until {}", clock(at, zone)),
        ),
        None => ("never done".to_owned(), "fewer pages (max-pages)".to_owned()),
    };
    let reason = reason(task, due, now);
    let needed = needed.map(|rate| Bandwidth(rate.ceil() as u64));
    let (why, help) = match reason {
        Reason::Grew { from, to } => (
            format!(
                "it has about {} rather than the {} that were expected",
                Size(to as u64),
                Size(from as u64)
            ),
            needed.map(|needed| format!("a limit of {needed}")),
        ),
        Reason::Limit(rate) => (
            format!("its own limit of {} is too low", Bandwidth(rate as u64)),
            Some("a higher limit for it".to_owned()),
        ),
        Reason::Pause(seconds) => (
            format!("it is asked only once in {}", length(seconds)),
            Some("a shorter delay, where its robots.txt allows one".to_owned()),
        ),
        Reason::Server(rate) => (
            format!("its server gives no more than {}", Bandwidth(rate as u64)),
            Some(format!("more requests at a time (per-host, now {})", task.manners().most)),
        ),
        Reason::Cap => (
            "the limit is not enough for all".to_owned(),
            needed.map(|needed| format!("a limit of {needed}")),
        ),
    };
    let help = help.map_or(until.clone(), |help| format!("{help}, or {until}"));
    format!(
        "{}: will be {late} for its deadline of {}: {why}; what would help: {help}",
        task.name,
        clock(due, zone),
    )
}

fn reason(task: &Task, due: Timestamp, now: Timestamp) -> Reason {
    let forecast = task.forecast();
    let left = (forecast.bytes - task.seen.fetched.bytes).max(0.0);
    let time = due.duration_since(now).as_secs_f64().max(0.0);
    if let Some(start) = task.at_start
        && forecast.bytes > start.bytes * GROWN
    {
        return Reason::Grew { from: start.bytes, to: forecast.bytes };
    }
    let Some(rate) = task.max_rate().filter(|rate| left > rate * time) else { return Reason::Cap };
    if task.own_limit().is_some_and(|limit| limit <= rate) {
        return Reason::Limit(rate);
    }
    match task.pace.turn(&task.manners(), task.pause) {
        Some((took, pause)) if pause > took => Reason::Pause(took + pause),
        _ => Reason::Server(rate),
    }
}

fn clock(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string()
}

/// To the second, or to a tenth where that is much.
fn length(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{:.1}s", seconds.max(0.0)),
        _ => show_duration(Duration::from_secs(seconds as u64)),
    }
}
