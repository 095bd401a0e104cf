//! How fast bytes came: the fastest second, and all of them.

use std::collections::VecDeque;

use super::throttle::Micros;

/// Notes taken several times a second.
#[derive(Debug, Default)]
pub struct Meter {
    /// The last second's notes: when, and how many bytes by then.
    notes: VecDeque<(Micros, f64)>,
    peak: f64,
}

/// What was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Bytes on the wire, packet headers included.
    pub bytes: f64,
    /// In the fastest second, in bytes a second.
    pub peak_1s: f64,
    /// In the last second.
    pub now: f64,
}

const SECOND: Micros = 1_000_000;

impl Meter {
    pub fn note(&mut self, now: Micros, bytes: f64) {
        self.notes.push_back((now, bytes));
        // The window begins at the last note that is at least a second old.
        while self.notes.get(1).is_some_and(|(at, _)| now - at >= SECOND) {
            self.notes.pop_front();
        }
        self.peak = self.peak.max(self.last_second(now, bytes));
    }

    pub fn rates(&self, bytes: f64) -> Rates {
        let last = self.notes.back().copied();
        let now = last.map_or(0.0, |(at, bytes)| self.last_second(at, bytes));
        Rates { bytes, peak_1s: self.peak, now }
    }

    /// On the straight line between the notes around the beginning of that second.
    fn last_second(&self, now: Micros, bytes: f64) -> f64 {
        let from = now.saturating_sub(SECOND);
        let Some((first_at, first)) = self.notes.front().copied() else { return 0.0 };
        let before = match self.notes.get(1) {
            Some((next_at, next)) if first_at < from && *next_at > first_at => {
                let part = (from - first_at) as f64 / (next_at - first_at) as f64;
                first + part * (next - first)
            }
            _ => first,
        };
        bytes - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_second_is_found_wherever_it_begins() {
        let mut meter = Meter::default();
        let mut bytes = 0.0;
        for step in 0..100u64 {
            // 1000 bytes a second, and 5000 in the half second from 2.25 s on.
            bytes += if (45..55).contains(&step) { 250.0 } else { 50.0 };
            meter.note((step + 1) * 50_000, bytes);
        }
        let rates = meter.rates(bytes);
        assert_eq!((rates.peak_1s, rates.now, rates.bytes), (3000.0, 1000.0, bytes));
    }

    #[test]
    fn less_than_a_second_is_not_made_more_of() {
        let mut meter = Meter::default();
        meter.note(10_000, 100.0);
        meter.note(60_000, 700.0);
        assert_eq!(meter.rates(700.0).peak_1s, 600.0);
    }
}
