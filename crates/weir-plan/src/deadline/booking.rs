//! Times that sites are promised to be done by, and how early one more site could be.
//!
//! For a constant cap and sites that are there from the start. Promises can be kept if and only if
//! at every time `a` the cap lets pass what cannot wait beyond `a` (THEORY.md, theorem 2). The
//! difference, the slack, is a broken line over `a`: a promise bends it down by the site's highest
//! rate where it must start at the latest, and up again where it is due.

#[derive(Clone, Debug, Default)]
pub struct Booking {
    cap: f64,
    /// The bends of the slack, in order of time: when, and by how much the slope changes.
    bends: Vec<(f64, f64)>,
}

/// What one site needs: its size, and its highest rate (the cap, if it can take all of it).
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub size: f64,
    pub rate: f64,
}

/// The part of a volume that is not told from nothing.
const ROUNDING: f64 = 1e-12;

impl Booking {
    pub fn new(cap: f64) -> Booking {
        Booking { cap, bends: Vec::new() }
    }

    /// Promises a site for `due`. An infinite time is no promise.
    pub fn add(&mut self, need: Need, due: f64) {
        if due.is_finite() {
            self.bend(due - need.size / need.rate, -need.rate);
            self.bend(due, need.rate);
        }
    }

    /// Takes a promise back; the arguments must be those it was made with.
    pub fn remove(&mut self, need: Need, due: f64) {
        if due.is_finite() {
            self.unbend(due - need.size / need.rate, -need.rate);
            self.unbend(due, need.rate);
        }
    }

    fn bend(&mut self, at: f64, turn: f64) {
        let index = self.bends.partition_point(|&(other, _)| other < at);
        self.bends.insert(index, (at, turn));
    }

    fn unbend(&mut self, at: f64, turn: f64) {
        let from = self.bends.partition_point(|&(other, _)| other < at);
        let same = self.bends[from..].iter().position(|&bend| bend == (at, turn));
        self.bends.remove(from + same.expect("the promise was made with the same figures"));
    }

    /// The earliest time this site can be promised without breaking a promise.
    ///
    /// From that time on its whole size must fit in the slack, and before it whatever it cannot
    /// get afterwards.
    pub fn earliest(&self, need: Need) -> f64 {
        let Need { size, rate } = need;
        let (mut at, mut slack, mut slope) = (0.0, 0.0, self.cap);
        let mut best = size / rate;
        // Where the size fits for good: after the last bend at which it does not.
        let mut fits = size / self.cap;
        for &(bend, turn) in &self.bends {
            slack += slope * (bend - at);
            at = bend;
            slope += turn;
            // What is missing by rounding is not missing: else a hair decides where a site fits.
            if slack < size - (size + self.cap * at) * ROUNDING {
                best = best.max(at + (size - slack) / rate);
                fits = at + (size - slack) / slope;
            }
        }
        best.max(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need(size: f64, rate: f64) -> Need {
        Need { size, rate }
    }

    #[test]
    fn alone_a_site_is_done_as_fast_as_it_can() {
        let booking = Booking::new(10.0);
        assert_eq!(booking.earliest(need(100.0, 10.0)), 10.0);
        assert_eq!(booking.earliest(need(100.0, 4.0)), 25.0);
    }

    #[test]
    fn a_promise_is_kept_and_its_slack_is_used() {
        let mut booking = Booking::new(1.0);
        booking.add(need(3.0, 1.0), 4.0);
        // One unit fits before the promise, two do not: they wait until it is kept.
        assert_eq!(booking.earliest(need(1.0, 1.0)), 1.0);
        assert_eq!(booking.earliest(need(2.0, 1.0)), 5.0);
        booking.remove(need(3.0, 1.0), 4.0);
        assert_eq!(booking.earliest(need(2.0, 1.0)), 2.0);
    }

    #[test]
    fn slow_sites_run_beside_each_other() {
        let mut booking = Booking::new(10.0);
        booking.add(need(60.0, 6.0), 10.0);
        // Four are free until time 10, then all ten.
        assert_eq!(booking.earliest(need(40.0, 10.0)), 10.0);
        assert_eq!(booking.earliest(need(60.0, 10.0)), 12.0);
        assert_eq!(booking.earliest(need(60.0, 5.0)), 14.0);
    }
}
