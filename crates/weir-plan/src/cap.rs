//! The cap on all sites together: one rate, or one that changes at given times.

/// Rates from given times on. The first step starts at time 0, the last one lasts for ever.
#[derive(Clone, Debug, PartialEq)]
pub struct Cap {
    steps: Vec<Step>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Step {
    from: f64,
    rate: f64,
    /// What may pass from time 0 until `from`.
    passed: f64,
}

impl Cap {
    pub fn constant(rate: f64) -> Cap {
        Cap { steps: vec![Step { from: 0.0, rate, passed: 0.0 }] }
    }

    /// Steps as `(from, rate)`, in order of time; before the first one nothing may pass.
    pub fn steps(given: &[(f64, f64)]) -> Cap {
        let mut steps: Vec<Step> = Vec::with_capacity(given.len() + 1);
        if given.first().is_none_or(|&(from, _)| from > 0.0) {
            steps.push(Step { from: 0.0, rate: 0.0, passed: 0.0 });
        }
        for &(from, rate) in given {
            let passed =
                steps.last().map_or(0.0, |last| last.passed + last.rate * (from - last.from));
            steps.push(Step { from, rate, passed });
        }
        Cap { steps }
    }

    /// The same cap with all rates times `factor`.
    pub fn scaled(&self, factor: f64) -> Cap {
        let scale =
            |step: &Step| Step { rate: step.rate * factor, passed: step.passed * factor, ..*step };
        Cap { steps: self.steps.iter().map(scale).collect() }
    }

    /// The rate, if it is the same at all times.
    pub fn fixed(&self) -> Option<f64> {
        match self.steps.as_slice() {
            [only] => Some(only.rate),
            _ => None,
        }
    }

    pub fn at(&self, time: f64) -> f64 {
        self.step_at(time).rate
    }

    pub fn highest(&self) -> f64 {
        self.steps.iter().map(|step| step.rate).fold(0.0, f64::max)
    }

    /// When the rate changes next after `time`.
    pub fn next_change(&self, time: f64) -> Option<f64> {
        self.steps.iter().map(|step| step.from).find(|&from| from > time)
    }

    /// When the rate changes, time 0 not counted.
    pub fn changes(&self) -> impl Iterator<Item = f64> + '_ {
        self.steps[1..].iter().map(|step| step.from)
    }

    /// How much may pass from time 0 until `time`.
    pub fn volume_until(&self, time: f64) -> f64 {
        let step = self.step_at(time);
        step.passed + step.rate * (time - step.from)
    }

    /// When `volume` has passed, at the earliest; infinite if it never does.
    pub fn time_for(&self, volume: f64) -> f64 {
        let after = self.steps.partition_point(|step| step.passed < volume);
        let Some(step) = after.checked_sub(1).map(|index| self.steps[index]) else { return 0.0 };
        step.from + (volume - step.passed) / step.rate
    }

    fn step_at(&self, time: f64) -> Step {
        let after = self.steps.partition_point(|step| step.from <= time);
        self.steps[after.saturating_sub(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volume_and_time_are_each_others_inverse() {
        let cap = Cap::steps(&[(0.0, 10.0), (5.0, 0.0), (8.0, 20.0)]);
        for (time, volume) in [(0.0, 0.0), (2.0, 20.0), (5.0, 50.0), (9.0, 70.0)] {
            assert_eq!(cap.volume_until(time), volume);
            assert_eq!(cap.time_for(volume), time);
        }
        assert_eq!(cap.volume_until(7.0), 50.0);
        assert_eq!(cap.time_for(50.1), 8.0 + 0.1 / 20.0 * (50.1 - 50.0) / 0.1);
    }

    #[test]
    fn nothing_passes_before_the_first_step() {
        let cap = Cap::steps(&[(4.0, 10.0)]);
        assert_eq!((cap.at(3.9), cap.at(4.0), cap.volume_until(4.0)), (0.0, 10.0, 0.0));
        assert_eq!(cap.next_change(0.0), Some(4.0));
    }

    #[test]
    fn a_cap_that_ends_at_zero_never_lets_the_rest_pass() {
        assert_eq!(Cap::steps(&[(0.0, 1.0), (3.0, 0.0)]).time_for(4.0), f64::INFINITY);
    }
}
