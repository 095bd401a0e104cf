//! Sites that are crawled again and again: which round it is, and when the next one begins.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

/// By the name of the site; kept in the frontier, so that a kill neither skips nor repeats one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    sites: BTreeMap<String, Round>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Round {
    /// Counted from 1.
    pub number: u32,
    pub began: Timestamp,
    /// When the next one begins, if this one is done by then.
    pub next: Timestamp,
    /// As it was written then.
    every: Duration,
    /// Deadlines of the rounds before this one.
    pub met: u32,
    pub missed: u32,
}

/// Whoever starts weir by the clock is not always there to the second: a round may begin earlier by
/// this part of its period...
const EARLY_PART: i32 = 20;
/// ...but no more than this.
const EARLY: SignedDuration = SignedDuration::from_secs(60);

impl Rounds {
    /// The round that a site is in; the first one begins when somebody asks.
    pub fn of(&mut self, name: &str, every: Duration, now: Timestamp) -> Round {
        let first =
            Round { number: 1, began: now, next: after(now, every), every, met: 0, missed: 0 };
        let round = self.sites.entry(name.to_owned()).or_insert(first);
        if round.every != every {
            (round.every, round.next) = (every, after(round.began, every));
        }
        *round
    }

    /// Begins the next one. What was missed while nobody was there is not made up for: rounds stay where
    /// the first one put them.
    pub fn begin(&mut self, name: &str, met: Option<bool>, now: Timestamp) -> Option<Round> {
        let round = self.sites.get_mut(name)?;
        let early = early(round.every);
        let mut next = after(round.next, round.every);
        if next <= after_signed(now, early) {
            let late = now.duration_since(round.next).as_secs_f64();
            let periods = (late / round.every.as_secs_f64()).floor() as u32;
            next = after(round.next, round.every.saturating_mul(periods.saturating_add(1)));
            if next <= after_signed(now, early) {
                next = after(next, round.every);
            }
        }
        round.met += u32::from(met == Some(true));
        round.missed += u32::from(met == Some(false));
        (round.number, round.began, round.next) = (round.number + 1, now, next);
        Some(*round)
    }

    /// Deadlines of all rounds that are past, met and missed.
    pub fn deadlines(&self) -> (u64, u64) {
        self.sites.values().fold((0, 0), |(met, missed), round| {
            (met + u64::from(round.met), missed + u64::from(round.missed))
        })
    }
}

impl Round {
    pub fn is_over(&self, now: Timestamp) -> bool {
        after_signed(now, early(self.every)) >= self.next
    }
}

fn early(every: Duration) -> SignedDuration {
    (signed(every) / EARLY_PART).min(EARLY)
}

fn signed(length: Duration) -> SignedDuration {
    SignedDuration::try_from(length).unwrap_or(SignedDuration::MAX)
}

fn after(at: Timestamp, length: Duration) -> Timestamp {
    after_signed(at, signed(length))
}

fn after_signed(at: Timestamp, length: SignedDuration) -> Timestamp {
    at.checked_add(length).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Duration = Duration::from_secs(3600);

    fn at(text: &str) -> Timestamp {
        format!("2026-11-16T{text}Z").parse().unwrap()
    }

    #[test]
    fn rounds_stay_where_the_first_one_put_them() {
        let mut rounds = Rounds::default();
        let first = rounds.of("a", HOUR, at("12:00:00"));
        assert_eq!((first.number, first.next), (1, at("13:00:00")));
        assert!(!first.is_over(at("12:58:00")) && first.is_over(at("12:59:30")), "a minute early");
        let second = rounds.begin("a", Some(true), at("13:00:01")).unwrap();
        assert_eq!((second.number, second.next), (2, at("14:00:00")));
        let third = rounds.begin("a", Some(false), at("13:59:30")).unwrap();
        assert_eq!((third.number, third.next), (3, at("15:00:00")), "not at 14:00 once more");
        // The machine was off for half a day.
        let fourth = rounds.begin("a", None, at("23:20:00")).unwrap();
        assert_eq!((fourth.number, fourth.began), (4, at("23:20:00")));
        assert_eq!(fourth.next, "2026-11-17T00:00:00Z".parse().unwrap());
        assert_eq!(rounds.deadlines(), (1, 1));
    }

    #[test]
    fn a_round_is_known_after_a_restart_and_follows_what_is_written() {
        let mut rounds = Rounds::default();
        rounds.of("a", HOUR, at("12:00:00"));
        let kept = serde_json::to_vec(&rounds).unwrap();
        let mut again: Rounds = serde_json::from_slice(&kept).unwrap();
        assert_eq!(again.of("a", HOUR, at("12:30:00")).next, at("13:00:00"));
        let shorter = again.of("a", HOUR / 4, at("12:30:00"));
        assert_eq!((shorter.number, shorter.next), (1, at("12:15:00")));
        assert!(shorter.is_over(at("12:30:00")));
        assert_eq!(again.begin("b", None, at("12:30:00")), None);
    }
}
