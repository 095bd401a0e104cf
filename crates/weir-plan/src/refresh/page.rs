use super::belief::Belief;

/// A page to come back to: what is believed of it, what its freshness is worth, what a visit costs.
///
/// With S(a) for the probability that a copy of age a is still equal to the page, a visit every a days
/// makes the page fresh for the part (1/a) ∫ S of the time, and costs check + (fetch - check) (1 - S(a)) bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    pub belief: Belief,
    pub weight: f64,
    /// Bytes of a visit that finds nothing new: a 304 and its headers, or the whole page again where the
    /// server does not answer conditional requests.
    pub check: f64,
    /// Bytes of a visit that finds the page changed.
    pub fetch: f64,
}

impl Page {
    /// What one byte more for this page would bring, if it were visited at this age every time: weighted
    /// days of freshness for a byte. It grows with age.
    ///
    /// It is the derivative of the freshness by the frequency over that of the cost, so the best
    /// schedule visits each page when it reaches the same price (the Lagrange condition). For a known rate,
    /// with x = rate * age and g = 1 - (1 + x) e^-x, it is weight * g / rate / (check + (fetch - check) g).
    pub fn gain(&self, age: f64) -> f64 {
        self.weight * self.freshened(age) / self.dearer(age)
    }

    /// At which age a visit is worth this price; infinite if it never is, because the page changes so quickly
    /// that a copy is soon worth nothing whatever one does.
    pub fn interval(&self, price: f64) -> f64 {
        if !(self.weight > 0.0 && price < self.most_gain()) {
            return f64::INFINITY;
        }
        if price <= 0.0 {
            0.0
        } else if self.gain(OLDEST) <= price {
            f64::INFINITY
        } else {
            self.reaches(price)
        }
    }

    /// The part of the time that a copy is equal to the page if it is visited so often.
    pub fn freshness(&self, interval: f64) -> f64 {
        if interval.is_infinite() {
            0.0
        } else if interval <= 0.0 {
            1.0
        } else {
            (self.belief.fresh_days(interval) / interval).min(1.0)
        }
    }

    /// Bytes of a visit at this age, on average.
    pub fn cost(&self, age: f64) -> f64 {
        self.check + self.more() * (1.0 - self.belief.same_after(age))
    }

    /// Bytes a day, on average, if it is visited so often.
    pub fn spends(&self, interval: f64) -> f64 {
        if interval.is_infinite() { 0.0 } else { self.cost(interval) / interval }
    }

    fn more(&self) -> f64 {
        (self.fetch - self.check).max(0.0)
    }

    /// What the gain comes to if nobody ever comes back.
    fn most_gain(&self) -> f64 {
        self.weight * self.belief.fresh_for_ever() / (self.check + self.more())
    }

    /// Fresh days since the visit, less those there would be if the copy had been as good all the time
    /// as it is now.
    fn freshened(&self, age: f64) -> f64 {
        let Belief { changes, days } = self.belief;
        let steepness = (changes + 1.0) * age / days;
        if steepness < 1e-4 {
            // The difference of two numbers that are nearly equal, by its series.
            return self.belief.rate() * age * age * (0.5 - steepness / 3.0);
        }
        self.belief.fresh_days(age) - age * self.belief.same_after(age)
    }

    /// The cost of one visit more, as opposed to that of a visit: coming earlier, each finds less.
    fn dearer(&self, age: f64) -> f64 {
        let changed = 1.0 - self.belief.same_after(age);
        self.check + self.more() * (changed - age * self.belief.first_change_at(age)).max(0.0)
    }

    /// Solves gain = price by Newton's method for the logarithms of both, of which the gain is nearly a
    /// straight line, between bounds that close in on the solution.
    fn reaches(&self, price: f64) -> f64 {
        // A young page gains as the square of its age; no page gains more.
        let young = (2.0 * self.check * price / (self.weight * self.belief.rate())).sqrt();
        let (mut low, mut high) = (young, OLDEST);
        let mut age = young;
        for _ in 0..STEPS {
            let off = (self.gain(age) / price).ln();
            if off.abs() < CLOSE {
                return age;
            }
            if off < 0.0 {
                low = age
            } else {
                high = age
            }
            let next = age * (-off / self.steepness(age)).exp();
            age = if next > low && next < high { next } else { (low * high).sqrt() };
        }
        age
    }

    /// By how many percent the gain grows when the age grows by one.
    fn steepness(&self, age: f64) -> f64 {
        let Belief { changes, days } = self.belief;
        let dense = age * age * self.belief.first_change_at(age);
        let dearer = self.more() * dense * (changes + 1.0) / (days + age);
        dense / self.freshened(age) - dearer / self.dearer(age)
    }
}

/// In days. Who would wait longer will not come back.
const OLDEST: f64 = 1e6;
const STEPS: usize = 80;
const CLOSE: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    fn page(belief: Belief) -> Page {
        Page { belief, weight: 2.0, check: 400.0, fetch: 30_000.0 }
    }

    const BELIEFS: [Belief; 5] = [
        Belief { changes: 0.2, days: 0.01 },
        Belief { changes: 1.0, days: 30.0 },
        Belief { changes: 3.0, days: 0.5 },
        Belief { changes: 50.0, days: 9000.0 },
        Belief { changes: 1e9, days: 1e8 },
    ];

    #[test]
    fn the_gain_of_a_known_rate_is_the_formula() {
        let (rate, age) = (0.3, 2.0);
        let x: f64 = rate * age;
        let g = 1.0 - (1.0 + x) * (-x).exp();
        let formula = 2.0 * g / rate / (400.0 + 29_600.0 * g);
        assert!((page(Belief::known(rate)).gain(age) / formula - 1.0).abs() < 1e-7);
    }

    #[test]
    fn the_gain_is_what_one_byte_more_brings() {
        for page in BELIEFS.map(page) {
            for age in [0.001, 0.1, 3.0, 200.0] {
                let (sooner, later) = (age * (1.0 - 1e-4), age * (1.0 + 1e-4));
                let fresher = page.weight * (page.freshness(sooner) - page.freshness(later));
                let dearer = page.spends(sooner) - page.spends(later);
                // Where next to nothing is gained, so is the difference.
                if fresher > 1e-9 {
                    assert!(
                        (fresher / dearer / page.gain(age) - 1.0).abs() < 1e-3,
                        "{page:?} {age}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_gain_grows_with_age() {
        for page in BELIEFS.map(page) {
            let mut before = 0.0;
            for step in 0..600 {
                let gain = page.gain(1e-9 * 1.05_f64.powi(step));
                assert!(gain >= before * (1.0 - 1e-9), "{page:?}: {before} {gain}");
                before = gain;
            }
        }
    }

    #[test]
    fn a_page_is_due_when_it_gains_the_price() {
        for page in BELIEFS.map(page) {
            for power in -120..20 {
                let price = 10_f64.powf(f64::from(power) / 10.0);
                let age = page.interval(price);
                if age.is_finite() {
                    assert!((page.gain(age) / price - 1.0).abs() < 1e-6, "{page:?} {price} {age}");
                } else {
                    assert!(page.gain(1e6) <= price, "{page:?} {price}");
                }
            }
        }
    }

    #[test]
    fn a_page_that_changes_too_quickly_is_left_and_a_doubtful_one_is_not() {
        let price = 1e-4;
        assert!(page(Belief::known(1.0)).interval(price).is_infinite());
        let doubtful = Belief { changes: 0.3, days: 0.3 };
        assert!(page(doubtful).interval(price).is_finite());
    }

    #[test]
    fn nobody_comes_back_for_nothing_and_what_costs_nothing_is_done_at_once() {
        let worthless = Page { weight: 0.0, ..page(Belief::known(1.0)) };
        assert!(worthless.interval(1e-9).is_infinite());
        assert_eq!(page(Belief::known(1.0)).interval(0.0), 0.0);
    }
}
