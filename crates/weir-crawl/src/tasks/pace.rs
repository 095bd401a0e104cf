use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::pace::{PaceLimits, QUICK};

/// How fast the pages of a site come when nothing of ours is in the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Pace {
    pages: f64,
    bytes: f64,
    seconds: f64,
    /// Of these, until the first byte.
    silent: f64,
}

/// The last so many pages count.
const PAGES: f64 = 30.0;
/// Fewer say little.
const FEW: f64 = 2.5;

impl Pace {
    /// `silent` is the part of the time until the first byte.
    pub fn learn(&mut self, bytes: f64, took: Duration, silent: Duration) {
        let keep = 1.0 - 1.0 / PAGES;
        self.pages = self.pages * keep + 1.0;
        self.bytes = self.bytes * keep + bytes;
        self.seconds = self.seconds * keep + took.as_secs_f64();
        self.silent = self.silent * keep + silent.min(took).as_secs_f64();
    }

    /// Bytes a second, with as many requests at a time as its settings allow, and with such pauses;
    /// `asked` is the pause that the site asks for.
    pub fn rate(&self, limits: &PaceLimits, asked: Duration) -> Option<f64> {
        let (took, pause) = self.turn(limits, asked)?;
        Some(self.bytes / self.pages / (took + pause).max(1e-6) * limits.most as f64)
    }

    /// What has to be had while bytes come, so that there are so many a second on average: between
    /// two pages none come. Infinite for as many as can be.
    pub fn while_they_come(&self, rate: f64, limits: &PaceLimits, asked: Duration) -> f64 {
        let Some((_, pause)) = self.turn(limits, asked) else { return rate };
        let idle = (self.silent / self.pages + pause) / (self.bytes / self.pages).max(1.0);
        let most = limits.most as f64;
        let each = most / rate.max(1e-9) - idle;
        if each > 0.0 { most / each } else { f64::INFINITY }
    }

    /// Enough pages have come to rely on it.
    pub fn is_known(&self) -> bool {
        self.pages >= FEW
    }

    /// Seconds that a page takes, and the pause after it.
    pub fn turn(&self, limits: &PaceLimits, asked: Duration) -> Option<(f64, f64)> {
        if self.pages <= 0.0 {
            return None;
        }
        let took = self.seconds / self.pages;
        let slow = (took - QUICK.as_secs_f64()).max(0.0) * limits.slow_down;
        Some((took, limits.delay.max(asked).as_secs_f64().max(slow)))
    }
}

/// What a site gives that could give `rate` with so many requests at a time, where all that comes passes
/// through a line of `cap`: its own answers wait for each other there (a closed queue, by mean values).
pub fn through(cap: f64, rate: f64, requests: usize) -> f64 {
    let (elsewhere, here) = (requests as f64 / rate.max(1e-3), 1.0 / cap.max(1e-3));
    let (mut waiting, mut through) = (0.0, 0.0);
    for number in 1..=requests.min(MOST_REQUESTS) {
        let wait = here * (1.0 + waiting);
        through = number as f64 / (elsewhere + wait);
        waiting = through * wait;
    }
    through.min(rate)
}

/// With more of them the line is all that counts.
const MOST_REQUESTS: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(bytes: f64, took_ms: u64) -> Pace {
        let mut pace = Pace::default();
        let silent = Duration::from_millis(took_ms / 2);
        (0..50).for_each(|_| pace.learn(bytes, Duration::from_millis(took_ms), silent));
        pace
    }

    fn limits(most: usize, delay_ms: u64, slow_down: f64) -> PaceLimits {
        PaceLimits { most, delay: Duration::from_millis(delay_ms), slow_down }
    }

    #[test]
    fn pauses_and_slow_answers_bound_what_a_site_can_give() {
        let near = |rate: Option<f64>, expected: f64| {
            let rate = rate.unwrap();
            assert!((rate / expected - 1.0).abs() < 1e-6, "{rate} {expected}");
        };
        let none = Duration::ZERO;
        near(pace(10_000.0, 100).rate(&limits(1, 0, 1.0), none), 100_000.0);
        near(pace(10_000.0, 100).rate(&limits(4, 0, 1.0), none), 400_000.0);
        near(pace(10_000.0, 100).rate(&limits(1, 900, 1.0), none), 10_000.0);
        near(pace(10_000.0, 100).rate(&limits(1, 0, 1.0), Duration::from_millis(900)), 10_000.0);
        // Half a second is 300 ms more than quick, and that long is the pause after it.
        near(pace(8_000.0, 500).rate(&limits(1, 0, 1.0), none), 10_000.0);
    }

    #[test]
    fn who_is_silent_half_of_the_time_needs_twice_as_much_in_the_other_half() {
        let pace = pace(10_000.0, 100);
        let needs = |rate| pace.while_they_come(rate, &limits(1, 0, 0.0), Duration::ZERO);
        assert!((needs(50_000.0) / 66_667.0 - 1.0).abs() < 1e-4, "{}", needs(50_000.0));
        assert!((needs(100_000.0) / 200_000.0 - 1.0).abs() < 1e-6, "{}", needs(100_000.0));
        assert!(needs(200_000.0).is_infinite() && needs(1.0) < 1.001);
        assert_eq!(Pace::default().while_they_come(7.0, &limits(1, 0, 0.0), Duration::ZERO), 7.0);
    }

    #[test]
    fn a_site_gives_less_through_a_narrow_line() {
        let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 0.01, "{a} {b}");
        near(through(1e9, 3.0, 4), 3.0);
        near(through(1.0, 1000.0, 4), 1.0);
        near(through(2.0, 2.0, 1), 1.0);
        assert!((1.2..1.6).contains(&through(2.0, 2.0, 4)), "{}", through(2.0, 2.0, 4));
    }

    #[test]
    fn a_few_pages_say_little_and_none_nothing() {
        let mut pace = Pace::default();
        let rate = |pace: &Pace| pace.rate(&limits(1, 0, 0.0), Duration::ZERO);
        assert_eq!((rate(&pace), pace.is_known()), (None, false));
        pace.learn(1000.0, Duration::from_millis(10), Duration::ZERO);
        assert!(rate(&pace).is_some() && !pace.is_known());
        pace.learn(1000.0, Duration::from_millis(10), Duration::ZERO);
        pace.learn(1000.0, Duration::from_millis(10), Duration::ZERO);
        assert!(pace.is_known());
    }
}
