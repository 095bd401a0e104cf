use super::gamma::{gap, shape_of};

/// What is believed of the rate at which a page changes: a Gamma distribution.
///
/// Read it as `changes` seen in `days`. Both are above nought, so the rate is never nought nor infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Belief {
    /// The shape: the more, the surer.
    pub changes: f64,
    pub days: f64,
}

impl Belief {
    /// As good as known: so many changes a day, without doubt.
    pub fn known(rate: f64) -> Belief {
        let rate = rate.clamp(SLOWEST, QUICKEST);
        Belief { changes: SURE, days: SURE / rate }
    }

    /// The belief with this mean, and this mean of the logarithm so much below the mean's logarithm.
    pub(super) fn of(mean: f64, gap: f64) -> Belief {
        let (mean, changes) = (mean.clamp(SLOWEST, QUICKEST), shape_of(gap));
        Belief { changes, days: changes / mean }
    }

    /// Changes a day, on average over what is believed.
    pub fn rate(&self) -> f64 {
        self.changes / self.days
    }

    /// How far the mean of the logarithm is below the logarithm of the mean.
    pub(super) fn gap(&self) -> f64 {
        gap(self.changes)
    }

    /// How likely a copy of this age is still equal to the page.
    pub fn same_after(&self, age: f64) -> f64 {
        (-self.changes * self.log_growth(age)).exp()
    }

    /// For how many of this many days after a visit the copy is equal to the page, on average.
    pub fn fresh_days(&self, age: f64) -> f64 {
        self.days
            * self.log_growth(age)
            * relative_expm1((1.0 - self.changes) * self.log_growth(age))
    }

    /// How dense the first change after a visit lies at this age.
    pub fn first_change_at(&self, age: f64) -> f64 {
        self.rate() * (-(self.changes + 1.0) * self.log_growth(age)).exp()
    }

    /// The days of freshness that the rate itself would leave if nobody came back; infinite as long as
    /// a page that hardly ever changes is likely enough.
    pub(super) fn fresh_for_ever(&self) -> f64 {
        if self.changes > 1.0 { self.days / (self.changes - 1.0) } else { f64::INFINITY }
    }

    /// What is believed when a visit after `elapsed` days has found a change, of which nothing more is
    /// known.
    ///
    /// The exact answer is a difference of two Gamma distributions. The one taken here has the same
    /// mean and the same mean of the logarithm, which makes it the nearest of all Gamma
    /// distributions to it (the least relative entropy).
    pub(super) fn changed_within(&self, elapsed: f64) -> Belief {
        let growth = self.log_growth(elapsed);
        let more = (-(self.changes + 1.0) * growth).exp_m1() / (-self.changes * growth).exp_m1();
        let log_more = growth / (self.changes * growth).exp_m1();
        Belief::of(self.rate() * more, self.gap() + more.ln() - log_more)
    }

    fn log_growth(&self, age: f64) -> f64 {
        (age / self.days).ln_1p()
    }
}

/// (e^x - 1) / x, also where x is nought.
fn relative_expm1(x: f64) -> f64 {
    if x.abs() < 1e-9 { 1.0 + 0.5 * x } else { x.exp_m1() / x }
}

/// Once in three thousand years, and ten times a second.
const SLOWEST: f64 = 1e-6;
const QUICKEST: f64 = 1e6;
const SURE: f64 = 1e9;

#[cfg(test)]
mod tests {
    use super::*;

    const DOUBTFUL: Belief = Belief { changes: 0.4, days: 3.0 };

    /// The mean over what is believed, by adding up a hundred thousand slices of ln(rate).
    fn mean(belief: Belief, of: impl Fn(f64) -> f64) -> f64 {
        let (mut sum, mut weight) = (0.0, 0.0);
        for slice in 0..100_000 {
            let log = -60.0 + 70.0 * f64::from(slice) / 100_000.0;
            let rate = log.exp();
            let density = (belief.changes * log - belief.days * rate).exp();
            sum += density * of(rate);
            weight += density;
        }
        sum / weight
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-6 * a.abs().max(b.abs())
    }

    #[test]
    fn what_is_expected_is_the_mean_over_all_rates_that_may_be() {
        for belief in
            [DOUBTFUL, Belief { changes: 1.0, days: 9.0 }, Belief { changes: 6.0, days: 2.0 }]
        {
            for age in [0.01, 1.0, 30.0] {
                let exact = mean(belief, |rate| (-rate * age).exp());
                assert!(close(belief.same_after(age), exact));
                let exact = mean(belief, |rate| -(-rate * age).exp_m1() / rate);
                assert!(close(belief.fresh_days(age), exact), "{belief:?} {age}");
                let exact = mean(belief, |rate| rate * (-rate * age).exp());
                assert!(close(belief.first_change_at(age), exact));
            }
        }
    }

    #[test]
    fn a_change_raises_the_mean_exactly_and_the_mean_of_the_logarithm_too() {
        for elapsed in [0.001, 0.5, 10.0, 1000.0] {
            let after = DOUBTFUL.changed_within(elapsed);
            let likely = mean(DOUBTFUL, |rate| -(-rate * elapsed).exp_m1());
            let rate = mean(DOUBTFUL, |rate| -(-rate * elapsed).exp_m1() * rate) / likely;
            let log = mean(DOUBTFUL, |rate| -(-rate * elapsed).exp_m1() * rate.ln()) / likely;
            assert!(close(after.rate(), rate), "{elapsed}: {after:?}");
            assert!((after.rate().ln() - after.gap() - log).abs() < 1e-6, "{elapsed}: {after:?}");
        }
    }

    #[test]
    fn a_change_in_no_time_is_one_change_more_and_one_in_long_time_tells_nothing() {
        let soon = DOUBTFUL.changed_within(1e-9);
        assert!((soon.changes - 1.4).abs() < 1e-4 && (soon.days - 3.0).abs() < 1e-3, "{soon:?}");
        let sure = Belief { changes: 30.0, days: 3.0 };
        let late = sure.changed_within(1000.0);
        assert!((late.changes - 30.0).abs() < 1e-6 && (late.days - 3.0).abs() < 1e-6, "{late:?}");
    }

    #[test]
    fn a_known_rate_is_an_exponential() {
        let known = Belief::known(2.0);
        assert!(close(known.same_after(0.7), (-1.4_f64).exp()));
        assert!(close(known.fresh_days(0.7), (1.0 - (-1.4_f64).exp()) / 2.0));
        assert!(close(known.fresh_for_ever(), 0.5));
        assert!(Belief::known(0.0).rate() > 0.0 && Belief::known(f64::INFINITY).rate().is_finite());
    }
}
