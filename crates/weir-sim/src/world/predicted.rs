/// How wrong the predicted size of a site is, and how that changes as the site is crawled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// The logarithm of predicted to true size, at the start.
    pub error: f64,
    /// The spread of these errors, which the planner knows.
    pub sigma: f64,
    /// The error shrinks as the site is crawled, and is gone at its end.
    pub converges: bool,
}

/// What is thought to be left of a site, and how far off that may be, as factors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guess {
    pub left: f64,
    pub low: f64,
    pub high: f64,
}

/// Of a normal distribution, one in ten lies beyond on either side.
const TENTH: f64 = 1.28;
/// A site that has delivered more than was predicted is taken to have this part of it still left.
const SOME_MORE: f64 = 0.02;

impl Prediction {
    pub fn exact() -> Prediction {
        Prediction { error: 0.0, sigma: 0.0, converges: true }
    }

    /// What is thought of a site of `size` of which `got` has come.
    pub fn guess(&self, size: f64, got: f64) -> Guess {
        if self.sigma == 0.0 && self.error == 0.0 {
            return Guess { left: size - got, low: 1.0, high: 1.0 };
        }
        let open = if self.converges { (1.0 - got / size).clamp(0.0, 1.0) } else { 1.0 };
        let whole = size * (self.error * open).exp();
        let more = (got * SOME_MORE).max(size * 1e-6);
        let left = (whole - got).max(more);
        let bound = |factor: f64| ((whole * factor - got).max(more) / left).max(0.0);
        let spread = TENTH * self.sigma * open;
        Guess { left, low: bound((-spread).exp()).min(1.0), high: bound(spread.exp()).max(1.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_gets_better_as_the_site_is_crawled() {
        let prediction = Prediction { error: 0.7, sigma: 0.5, converges: true };
        let off = |got: f64| (got + prediction.guess(100.0, got).left - 100.0).abs();
        assert!((off(0.0) - 101.4).abs() < 0.1);
        assert!(off(50.0) < off(20.0) && off(99.0) < 1.0);
        let (early, late) = (prediction.guess(100.0, 0.0), prediction.guess(100.0, 90.0));
        assert!(early.low < 0.6 && early.high > 1.8, "{early:?}");
        assert!(late.low <= 1.0 && late.high >= 1.0, "{late:?}");
    }

    #[test]
    fn a_site_that_goes_on_beyond_its_prediction_has_always_a_little_left() {
        let prediction = Prediction { error: -2.0, sigma: 1.0, converges: false };
        for got in [0.0, 10.0, 20.0, 99.9] {
            let guess = prediction.guess(100.0, got);
            assert!(guess.left > 0.0 && guess.low <= 1.0 && guess.high >= 1.0, "{guess:?}");
        }
    }

    #[test]
    fn what_is_known_has_no_spread() {
        let guess = Prediction::exact().guess(100.0, 40.0);
        assert_eq!(guess, Guess { left: 60.0, low: 1.0, high: 1.0 });
    }
}
