//! What a site really gives while it is asked for all it can: servers answer later the more they are asked, and
//! what others get is in the way. A plan that does not know this lets sites begin too late.

/// The bytes that came, beside those that were to come, while a site was to give all it can.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    planned: f64,
    came: f64,
    /// What had come when the plan that holds was made.
    before: f64,
}

/// What was planned is forgotten by this part with each plan.
const FADE: f64 = 0.85;
/// Little was ever less than this part of what was planned for a reason that stays.
const LEAST: f64 = 0.4;

impl Measure {
    /// A plan was made when so much had come.
    pub fn begin(&mut self, came: f64) {
        self.before = came;
    }

    /// `planned` bytes were all that it could give since then, and so much has come by now.
    pub fn learn(&mut self, planned: f64, came: f64) {
        self.planned = self.planned * FADE + planned;
        self.came = self.came * FADE + (came - self.before);
    }

    /// The part that comes; `usual` where little is known, which is as if `doubt` bytes had come so.
    pub fn part(&self, usual: f64, doubt: f64) -> f64 {
        ((self.came + usual * doubt) / (self.planned + doubt).max(1.0)).clamp(LEAST, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_counts_the_more_the_more_was_planned() {
        let mut measure = Measure::default();
        assert_eq!(measure.part(0.9, 100.0), 0.9);
        for plan in 0..20 {
            measure.begin(f64::from(plan) * 500.0);
            measure.learn(1000.0, f64::from(plan) * 500.0 + 500.0);
        }
        assert!((measure.part(0.9, 100.0) - 0.5).abs() < 0.01);
        measure.begin(0.0);
        measure.learn(1e9, 1.0);
        assert_eq!(measure.part(0.9, 100.0), LEAST);
    }
}
