//! How fast one host may be asked. Times are milliseconds on one clock; whoever calls has it.

use std::time::Duration;

/// What a host is asked with at the most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PaceLimits {
    /// Requests at a time.
    pub most: usize,
    /// Between two requests.
    pub delay: Duration,
    /// A pause after a slow answer, as a multiple of the time it took beyond [`QUICK`].
    pub slow_down: f64,
}

/// An answer that takes no longer than this needs no pause after it.
pub const QUICK: Duration = Duration::from_millis(200);
/// No server is so slow that it needs a longer pause.
const LONGEST_PAUSE_MS: u64 = 10_000;

/// What is under way at a host and when it may be asked again.
#[derive(Clone, Copy, Debug)]
pub struct HostPace {
    in_flight: usize,
    most: usize,
    delay_ms: u64,
    slow_down: f32,
    /// How long the server lately took to begin an answer.
    usual_ms: f32,
    not_before_ms: u64,
    /// Failures in a row that were the host's and not a page's.
    failures: u32,
    /// When the last of them was, and the one before.
    failed_ms: [u64; 2],
    /// Requests in a row that got no whole answer.
    stumbles: u32,
}

/// Why a host is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// It asked for it, for so long.
    Asked(Duration),
    /// It answers, but not now.
    Busy,
    /// It cannot be reached.
    Gone,
    /// It can, and gives no whole answer.
    Mute,
}

/// So many requests without a whole answer, one after the other, are the host's fault.
const MOST_STUMBLES: u32 = 5;
const LONGEST_REST_MS: u64 = 60_000;
/// See [`backoff_ms`].
pub const LONGEST_BACKOFF_MS: u64 = LONGEST_REST_MS + LONGEST_REST_MS / 2;

impl Rest {
    /// After so many failures in a row a host is given up.
    fn most_failures(self) -> u32 {
        match self {
            Rest::Asked(_) | Rest::Busy => 6,
            Rest::Gone | Rest::Mute => 4,
        }
    }
}

impl HostPace {
    pub fn new(limits: &PaceLimits) -> Self {
        HostPace {
            in_flight: 0,
            most: limits.most,
            delay_ms: limits.delay.as_millis() as u64,
            slow_down: limits.slow_down as f32,
            usual_ms: 0.0,
            not_before_ms: 0,
            failures: 0,
            failed_ms: [0; 2],
            stumbles: 0,
        }
    }

    /// When the next request may start; `None` until one that is under way has ended.
    pub fn next_start_ms(&self) -> Option<u64> {
        (self.in_flight < self.most).then_some(self.not_before_ms)
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    pub fn started(&mut self, now_ms: u64) {
        self.in_flight += 1;
        let ease_ms = self.ease_ms();
        let spread_ms = match ease_ms {
            0 => 0,
            _ => (self.usual_ms as u64 + ease_ms) / self.most as u64,
        };
        self.wait_from(now_ms, spread_ms);
    }

    /// `took` is the time to the first byte of the answer, if there was one. The pause is counted
    /// from the end, so that the server sees it whole.
    pub fn ended(&mut self, now_ms: u64, took: Option<Duration>) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(took) = took {
            self.usual_ms += (took.as_secs_f32() * 1000.0 - self.usual_ms) / 4.0;
        }
        // Several at a time are spread by their starts; the end of one says nothing of the others.
        let ease_ms = if self.most == 1 { self.ease_ms() } else { 0 };
        self.wait_from(now_ms, ease_ms);
    }

    pub fn answered(&mut self) {
        self.failures = 0;
        self.stumbles = 0;
    }

    /// A request got no whole answer. True if this is no longer the page's fault.
    pub fn stumbled(&mut self) -> bool {
        self.stumbles += 1;
        self.stumbles >= MOST_STUMBLES
    }

    /// Leaves the host alone for as long as it asked, or for a time that doubles with each failure
    /// in a row. Returns when it may be asked again, or `None` if it is time to give it up.
    pub fn rest(&mut self, now_ms: u64, rest: Rest) -> Option<u64> {
        // Requests that were under way together fail together: they count once.
        if now_ms >= self.not_before_ms || self.failures == 0 {
            self.failures += 1;
            self.failed_ms = [now_ms, self.failed_ms[0]];
        }
        if self.failures > rest.most_failures() {
            return None;
        }
        // Who says that it is too much gets less from now on.
        if !matches!(rest, Rest::Gone | Rest::Mute) {
            self.most = (self.most / 2).max(1);
        }
        let rest_ms = match rest {
            Rest::Asked(asked) => (asked.as_millis() as u64).max(backoff_ms(self.failures - 1)),
            Rest::Busy | Rest::Gone | Rest::Mute => backoff_ms(self.failures - 1),
        };
        self.rest_until(now_ms.saturating_add(rest_ms));
        Some(self.not_before_ms)
    }

    /// It is not given up yet, and is asked again soon. Returns when.
    pub fn hold(&mut self, now_ms: u64) -> u64 {
        self.failures = Rest::Gone.most_failures();
        self.rest_until(now_ms.saturating_add(backoff_ms(self.failures - 1)));
        self.not_before_ms
    }

    /// When it failed the time before the last one.
    pub fn failed_before_ms(&self) -> u64 {
        self.failed_ms[1]
    }

    pub fn rest_until(&mut self, until_ms: u64) {
        self.not_before_ms = self.not_before_ms.max(until_ms);
    }

    /// The host asks for a longer pause than we were told to make.
    pub fn slow_down(&mut self, delay: Duration) {
        self.delay_ms = self.delay_ms.max(delay.as_millis() as u64);
    }

    pub fn one_at_a_time(&mut self) {
        self.most = 1;
    }

    fn wait_from(&mut self, now_ms: u64, ease_ms: u64) {
        let pause_ms = self.delay_ms.max(ease_ms);
        if pause_ms > 0 {
            self.not_before_ms = self.not_before_ms.max(now_ms + pause_ms);
        }
    }

    /// The pause that a slow server gets after each answer.
    fn ease_ms(&self) -> u64 {
        let slow_ms = self.usual_ms - QUICK.as_millis() as f32;
        ((slow_ms.max(0.0) * self.slow_down) as u64).min(LONGEST_PAUSE_MS)
    }
}

/// 0.5 s, 1 s, 2 s, ... up to a minute, and up to half as long again, so that hosts that failed
/// together do not come back together.
pub fn backoff_ms(failures: u32) -> u64 {
    let rest_ms = (500 << failures.min(16)).min(LONGEST_REST_MS);
    rest_ms + fastrand::u64(0..=rest_ms / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(most: usize, delay_ms: u64) -> HostPace {
        let delay = Duration::from_millis(delay_ms);
        HostPace::new(&PaceLimits { most, delay, slow_down: 1.0 })
    }

    #[test]
    fn no_more_than_the_most_are_under_way_and_the_pause_is_kept() {
        let mut pace = pace(1, 2000);
        assert_eq!(pace.next_start_ms(), Some(0));
        pace.started(100);
        assert_eq!(pace.next_start_ms(), None);
        pace.ended(150, None);
        assert_eq!(pace.next_start_ms(), Some(2150));
    }

    #[test]
    fn a_host_rests_longer_each_time_and_is_given_up_in_the_end() {
        for (rest, most) in [(Rest::Gone, 4), (Rest::Busy, 6)] {
            let mut pace = pace(1, 0);
            let (mut now, mut rests) = (1000, 0);
            while let Some(until) = pace.rest(now, rest) {
                let least = 500 << rests;
                assert!((least..=least * 3 / 2).contains(&(until - now)), "{}", until - now);
                now = until;
                rests += 1;
            }
            assert_eq!(rests, most);
        }
        assert_eq!(pace(1, 0).rest(0, Rest::Asked(Duration::from_secs(9))), Some(9000));
    }

    #[test]
    fn requests_that_fail_together_count_as_one_failure() {
        let mut pace = pace(8, 0);
        for _ in 0..8 {
            assert!(pace.rest(1000, Rest::Gone).is_some());
        }
        pace.answered();
        assert!(pace.rest(5000, Rest::Gone).is_some_and(|until| until <= 5750));
    }

    #[test]
    fn a_slow_server_is_given_time_and_a_quick_one_is_not() {
        let mut pace = pace(1, 0);
        for now in 0..20 {
            pace.started(now);
            pace.ended(now, Some(Duration::from_millis(150)));
        }
        assert_eq!(pace.next_start_ms(), Some(0));
        let ask = |pace: &mut HostPace, start: u64, took: u64| {
            pace.started(start);
            pace.ended(start + took, Some(Duration::from_millis(took)));
            pace.next_start_ms().unwrap() - start - took
        };
        let pauses: Vec<u64> = (1..21).map(|n| ask(&mut pace, n * 100_000, 2000)).collect();
        assert!((1700..=1800).contains(&pauses[19]), "{pauses:?}");
        let pauses: Vec<u64> = (1..21).map(|n| ask(&mut pace, n * 10_000_000, 60_000)).collect();
        assert_eq!(pauses[19], LONGEST_PAUSE_MS);
    }

    #[test]
    fn several_requests_at_a_time_to_a_slow_server_are_spread() {
        let mut pace = pace(4, 0);
        for n in 1..41 {
            pace.started(n * 100_000);
            pace.ended(n * 100_000 + 1000, Some(Duration::from_secs(1)));
        }
        pace.started(5_000_000);
        let gap = pace.next_start_ms().unwrap() - 5_000_000;
        assert!((440..=450).contains(&gap), "{gap}: 4 in the 1.8 s that one and its pause take");
    }

    #[test]
    fn a_host_that_stumbles_again_and_again_is_at_fault() {
        let mut pace = pace(1, 0);
        assert!((1..MOST_STUMBLES).all(|_| !pace.stumbled()));
        assert!(pace.stumbled());
        pace.answered();
        assert!(!pace.stumbled());
    }
}
