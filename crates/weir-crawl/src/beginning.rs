use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a run leaves of its limit when it begins, for bytes that no account of ours can see.
///
/// Servers may not know that the run before this one is gone: it was killed, or its farewell was lost on a wire that was
/// cut. What they had sent to it and was not acknowledged they send once more, to ports that nobody listens on, each when
/// its own time has come. And where all connections are new at once, how much comes with them is a guess.
pub struct Beginning {
    received: Arc<AtomicU64>,
    left: f64,
    lasts: Duration,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    /// Nothing has come yet: perhaps the wire is cut, and all of it is still to come.
    Silent,
    Since(Instant),
    Over,
}

/// In a chaos run, up to 0.08 of a second's bytes were for a run that was gone.
const LEFT_AFTER_ANOTHER: f64 = 0.1;
/// A server whose wire was cut for 20 s waits for up to 25 s before it tries again.
const LASTS_AFTER_ANOTHER: Duration = Duration::from_secs(25);
/// A first second had up to 1.02 times the limit.
const LEFT: f64 = 0.03;
const LASTS: Duration = Duration::from_secs(1);

impl Beginning {
    /// `received` is counted by who receives; `after_another` run of the same crawl.
    pub fn new(received: Arc<AtomicU64>, after_another: bool) -> Beginning {
        let (left, lasts) = match after_another {
            true => (LEFT_AFTER_ANOTHER, LASTS_AFTER_ANOTHER),
            false => (LEFT, LASTS),
        };
        Beginning { received, left, lasts, stage: Stage::Silent }
    }

    /// The part of the limit that may be used now.
    pub fn part(&mut self, now: Instant) -> f64 {
        self.stage = match self.stage {
            Stage::Silent if self.received.load(Ordering::Relaxed) > 0 => Stage::Since(now),
            Stage::Since(begin) if now.duration_since(begin) >= self.lasts => Stage::Over,
            other => other,
        };
        if self.is_over() { 1.0 } else { 1.0 - self.left }
    }

    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(after_another: bool, at_s: [u64; 4]) -> [f64; 4] {
        let received = Arc::new(AtomicU64::new(0));
        let mut beginning = Beginning::new(received.clone(), after_another);
        let start = Instant::now();
        let unanswered = beginning.part(start + Duration::from_secs(60));
        assert_eq!(unanswered, beginning.part(start), "the wire may be cut");
        received.store(1, Ordering::Relaxed);
        at_s.map(|s| beginning.part(start + Duration::from_secs(61 + s)))
    }

    #[test]
    fn a_crawl_goes_on_with_less_until_the_web_has_answered_for_a_while() {
        assert_eq!(parts(true, [0, 24, 25, 26]), [0.9, 0.9, 1.0, 1.0]);
    }

    #[test]
    fn a_new_one_has_all_of_it_after_its_first_second() {
        assert_eq!(parts(false, [0, 0, 1, 2]), [0.97, 0.97, 1.0, 1.0]);
    }
}
