//! How fast one host may be asked. Times are milliseconds on one clock; whoever calls has it.

use std::time::Duration;

/// What is under way at a host and when it may be asked again.
#[derive(Clone, Copy, Debug)]
pub struct HostPace {
    in_flight: usize,
    most: usize,
    delay_ms: u64,
    not_before_ms: u64,
    /// Failures in a row that were the host's and not a page's.
    failures: u32,
}

/// After so many failures in a row a host is given up.
const MOST_FAILURES: u32 = 4;
const FIRST_REST_MS: u64 = 500;
const LONGEST_REST_MS: u64 = 60_000;

impl HostPace {
    pub fn new(most: usize, delay: Duration) -> Self {
        let delay_ms = delay.as_millis() as u64;
        HostPace { in_flight: 0, most, delay_ms, not_before_ms: 0, failures: 0 }
    }

    /// When the next request may start; `None` until one that is under way has ended.
    pub fn next_start_ms(&self) -> Option<u64> {
        (self.in_flight < self.most).then_some(self.not_before_ms)
    }

    pub fn started(&mut self, now_ms: u64) {
        self.in_flight += 1;
        self.not_before_ms = self.not_before_ms.max(now_ms + self.delay_ms);
    }

    /// The pause is counted from the end, so that the server sees it whole.
    pub fn ended(&mut self, now_ms: u64) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.delay_ms > 0 {
            self.not_before_ms = self.not_before_ms.max(now_ms + self.delay_ms);
        }
    }

    pub fn answered(&mut self) {
        self.failures = 0;
    }

    /// Leaves the host alone for `rest`, or for a time that doubles with each failure in a row.
    /// Returns when it may be asked again, or `None` if it is time to give it up.
    pub fn rest(&mut self, now_ms: u64, rest: Option<Duration>) -> Option<u64> {
        // Requests that were under way together fail together: they count once.
        if now_ms >= self.not_before_ms || self.failures == 0 {
            self.failures += 1;
        }
        if self.failures > MOST_FAILURES {
            return None;
        }
        let rest_ms = match rest {
            Some(rest) => rest.as_millis() as u64,
            None => backoff_ms(self.failures - 1),
        };
        self.not_before_ms = self.not_before_ms.max(now_ms + rest_ms);
        Some(self.not_before_ms)
    }

    /// The host asks for a longer pause than we were told to make.
    pub fn slow_down(&mut self, delay: Duration) {
        self.delay_ms = self.delay_ms.max(delay.as_millis() as u64);
    }
}

/// 0.5 s, 1 s, 2 s, ... up to a minute.
pub fn backoff_ms(failures: u32) -> u64 {
    (FIRST_REST_MS << failures.min(16)).min(LONGEST_REST_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_most_are_under_way_and_the_pause_is_kept() {
        let mut pace = HostPace::new(1, Duration::from_secs(2));
        assert_eq!(pace.next_start_ms(), Some(0));
        pace.started(100);
        assert_eq!(pace.next_start_ms(), None);
        pace.ended(150);
        assert_eq!(pace.next_start_ms(), Some(2150));
    }

    #[test]
    fn a_host_rests_longer_each_time_and_is_given_up_in_the_end() {
        let mut pace = HostPace::new(1, Duration::ZERO);
        let (mut now, mut rests) = (1000, Vec::new());
        while let Some(until) = pace.rest(now, None) {
            rests.push(until - now);
            now = until;
        }
        assert_eq!(rests, [500, 1000, 2000, 4000]);
        let mut pace = HostPace::new(1, Duration::ZERO);
        assert_eq!(pace.rest(0, Some(Duration::from_secs(9))), Some(9000));
    }

    #[test]
    fn requests_that_fail_together_count_as_one_failure() {
        let mut pace = HostPace::new(8, Duration::ZERO);
        for _ in 0..8 {
            assert!(pace.rest(1000, None).is_some());
        }
        pace.answered();
        assert_eq!(pace.rest(5000, None), Some(5500));
    }
}
