//! How much longer a site takes than its bytes and its rate say: the paper's factor xi, with
//! elapsed = xi * bytes / rate (its equation 17), fitted to measured runs.

use thiserror::Error;

/// A run that took less than this part of bytes / rate, or more than this many times as long,
/// tells of a broken clock or a wrong rate rather than of the site.
const LEAST: f64 = 0.1;
const MOST: f64 = 1000.0;

/// One measured run of a site.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub bytes: f64,
    /// The rate the site was given.
    pub rate: f64,
    /// From the first request to the last byte.
    pub elapsed: f64,
}

#[derive(Clone, Copy, Debug, Error, PartialEq)]
#[error("{} bytes at rate {} in {} is no run to learn from; leave it out", .0.bytes, .0.rate, .0.elapsed)]
pub struct Absurd(pub Run);

/// The runs of one site so far, as sums: any number of runs takes no more room than one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    runs: u32,
    /// Sums over the runs, with x = bytes / rate and y = elapsed.
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Fit {
    pub fn add(&mut self, run: Run) -> Result<(), Absurd> {
        let Run { bytes, rate, elapsed } = run;
        let counts = |x: f64| x > 0.0 && x.is_finite();
        let ideal = bytes / rate;
        let sound = [bytes, rate, elapsed, ideal].into_iter().all(counts);
        if !sound || !(LEAST..=MOST).contains(&(elapsed / ideal)) {
            return Err(Absurd(run));
        }
        self.runs += 1;
        self.xx += ideal * ideal;
        self.xy += ideal * elapsed;
        self.yy += elapsed * elapsed;
        Ok(())
    }

    /// The factor with the least sum of squared errors; none before the first run.
    pub fn xi(&self) -> Option<f64> {
        (self.runs > 0).then(|| self.xy / self.xx)
    }

    /// How far single runs lie from the fit, as a part of it (a standard deviation); none before
    /// the second run.
    pub fn spread(&self) -> Option<f64> {
        if self.runs < 2 {
            return None;
        }
        let errors = f64::max(self.yy - self.xy * self.xy / self.xx, 0.0);
        let explained = self.xy * self.xy / self.xx;
        let runs = f64::from(self.runs);
        Some((errors / (runs - 1.0) * runs / explained).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(runs: &[(f64, f64, f64)]) -> Fit {
        let mut fit = Fit::default();
        for &(bytes, rate, elapsed) in runs {
            fit.add(Run { bytes, rate, elapsed }).expect("a sound run");
        }
        fit
    }

    #[test]
    fn runs_that_agree_give_their_factor_and_no_spread() {
        let fit = fit(&[(100.0, 10.0, 12.0), (500.0, 50.0, 12.0), (1000.0, 20.0, 60.0)]);
        assert_eq!((fit.runs, fit.xi()), (3, Some(1.2)));
        assert!(fit.spread().is_some_and(|spread| spread < 1e-7));
    }

    #[test]
    fn runs_that_differ_are_fitted_by_least_squares_through_the_origin() {
        // x = 1, 2 and y = 1, 4: (1 + 8) / (1 + 4); errors 0.8 and 0.4, explained 16.2.
        let fit = fit(&[(10.0, 10.0, 1.0), (20.0, 10.0, 4.0)]);
        assert_eq!(fit.xi(), Some(1.8));
        let spread = fit.spread().expect("two runs");
        assert!((spread - (0.8_f64 / 1.0 * 2.0 / 16.2).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn absurd_runs_are_refused_and_change_nothing() {
        let mut fit = fit(&[(100.0, 10.0, 12.0)]);
        let before = fit;
        for (bytes, rate, elapsed) in [
            (100.0, 0.0, 12.0),
            (0.0, 10.0, 12.0),
            (100.0, 10.0, 0.0),
            (100.0, 10.0, f64::NAN),
            (-100.0, -10.0, 12.0),
            (100.0, f64::INFINITY, 12.0),
            (1e300, 1e-300, 12.0),
            (100.0, 10.0, 0.5),
            (100.0, 10.0, 1e6),
        ] {
            let run = Run { bytes, rate, elapsed };
            assert!(fit.add(run).is_err(), "{run:?}");
        }
        assert_eq!(fit, before);
    }

    #[test]
    fn nothing_is_told_that_was_not_measured() {
        let once = fit(&[(10.0, 10.0, 1.2)]);
        assert_eq!((Fit::default().xi(), once.spread()), (None, None));
    }
}
