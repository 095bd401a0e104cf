//! What one downloader receives, as its pulses tell it: by its own clock, since on their way some are held
//! up and then come together.

use std::time::{Duration, Instant};

/// A running total at a moment.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: Instant,
    bytes: f64,
}

#[derive(Debug)]
pub struct Intake {
    /// Received by earlier processes of this downloader.
    before: f64,
    last: Mark,
    previous: Mark,
    /// Where our clock was when its own was at the stamp, for the pulse that took the shortest way.
    origin: Option<Instant>,
    rate: f64,
}

/// Rates are told over about this time.
const SMOOTH_S: f64 = 1.0;

impl Intake {
    pub fn new(now: Instant) -> Intake {
        let mark = Mark { at: now, bytes: 0.0 };
        Intake { before: 0.0, last: mark, previous: mark, origin: None, rate: 0.0 }
    }

    /// Its process is another one, which counts from zero.
    pub fn begin_anew(&mut self) {
        self.before = self.last.bytes;
        self.previous = self.last;
        self.origin = None;
    }

    pub fn heard(&mut self, received: f64, stamp_ms: u64, now: Instant) {
        if !received.is_finite() {
            return;
        }
        let bytes = (self.before + received.max(0.0)).max(self.last.bytes);
        let at = self.place(stamp_ms, now).max(self.last.at);
        let passed = at.duration_since(self.last.at).as_secs_f64();
        if passed > 0.0 {
            let part = (passed / SMOOTH_S).min(1.0);
            self.rate += ((bytes - self.last.bytes) / passed - self.rate) * part;
            self.previous = self.last;
        }
        self.last = Mark { at, bytes };
    }

    /// The moment of a stamp, by our clock.
    fn place(&mut self, stamp_ms: u64, now: Instant) -> Instant {
        let since = Duration::from_millis(stamp_ms);
        let Some(origin) = now.checked_sub(since) else { return now };
        let origin = self.origin.map_or(origin, |known| known.min(origin));
        self.origin = Some(origin);
        (origin + since).min(now)
    }

    /// All that has come.
    pub fn bytes(&self) -> f64 {
        self.last.bytes
    }

    /// What had come by `at`, a moment ago.
    pub fn bytes_at(&self, at: Instant) -> f64 {
        let Mark { at: from, bytes: first } = self.previous;
        let span = self.last.at.saturating_duration_since(from).as_secs_f64();
        let part = at.saturating_duration_since(from).as_secs_f64();
        if span <= 0.0 || part >= span {
            return self.last.bytes;
        }
        first + (self.last.bytes - first) * part / span
    }

    pub fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pulses each 200 ms of its clock; some are held up on their way.
    #[test]
    fn bytes_that_come_evenly_are_told_evenly_though_pulses_come_by_fits_and_starts() {
        let begun = Instant::now() + Duration::from_secs(100);
        let mut intake = Intake::new(begun);
        let mut told: Vec<f64> = Vec::new();
        for (step, delay) in [5, 120, 10, 190, 5, 60, 150, 5, 90, 30].into_iter().enumerate() {
            let stamp_ms = 50_000 + step as u64 * 200;
            let sent = begun + Duration::from_millis(step as u64 * 200);
            let arrived = sent + Duration::from_millis(delay);
            intake.heard(step as f64 * 2000.0, stamp_ms, arrived);
            let looked = sent + Duration::from_millis(200);
            told.push(intake.bytes_at(looked - Duration::from_millis(250)));
        }
        for pair in told[3..].windows(2) {
            let step = pair[1] - pair[0];
            assert!((1900.0..=2100.0).contains(&step), "{told:?}");
        }
        assert!((8000.0..=10_500.0).contains(&intake.rate()), "{}", intake.rate());
    }

    #[test]
    fn a_process_that_counts_from_zero_takes_nothing_back() {
        let now = Instant::now();
        let mut intake = Intake::new(now);
        intake.heard(5000.0, 1000, now + Duration::from_millis(200));
        intake.begin_anew();
        intake.heard(100.0, 40, now + Duration::from_millis(400));
        assert_eq!(intake.bytes(), 5100.0);
        intake.heard(f64::NAN, 240, now + Duration::from_millis(600));
        intake.heard(50.0, 440, now + Duration::from_millis(800));
        assert_eq!(intake.bytes(), 5100.0, "what cannot be is not believed");
    }
}
