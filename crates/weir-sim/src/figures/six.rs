//! The paper's six sites. It gives the sizes of these as ratios, and no deadlines at all.

use fastrand::Rng;
use weir_plan::{Cap, Problem, Site};

/// wiki, pear video, huanqiu, sinanews, huitu, chinanews.
const RATIOS: [f64; 6] = [1.0, 1.3, 1.6, 1.9, 2.2, 2.5];
/// How many sets of deadlines a point is the mean of.
pub const SETS: u64 = 20;
/// Sites without a deadline in the sweep over tightness.
const FREE: usize = 2;

/// One set of deadlines in proportion to each other; `None` where there is none.
pub struct Deadlines([Option<f64>; 6]);

impl Deadlines {
    /// All six have one.
    pub fn of_all(set: u64) -> Deadlines {
        let mut rng = Rng::with_seed(0x5171_0000 + set);
        Deadlines(RATIOS.map(|_| Some(spread(&mut rng))))
    }

    /// Two of the six, drawn by lot, have none.
    pub fn of_four(set: u64) -> Deadlines {
        let mut rng = Rng::with_seed(0x4f0f_0000 + set);
        let mut deadlines = RATIOS.map(|_| Some(spread(&mut rng)));
        let free = rng.choose_multiple(0..6, FREE);
        free.into_iter().for_each(|site| deadlines[site] = None);
        Deadlines(deadlines)
    }

    /// Sites of `total` in all, whose deadlines need `needed` in constant rates (the paper's
    /// tightness) when they have `reference` in all.
    pub fn problem(&self, cap: f64, total: f64, needed: f64, reference: f64) -> Problem {
        let sum: f64 = RATIOS.iter().sum();
        let need = |index: usize| self.0[index].map_or(0.0, |due| RATIOS[index] / sum / due);
        let unit = reference * (0..6).map(need).sum::<f64>() / needed;
        let site = |index: usize| {
            Site::new(total * RATIOS[index] / sum, self.0[index].map(|due| due * unit))
        };
        Problem { cap: Cap::constant(cap), at_once: None, sites: (0..6).map(site).collect() }
    }
}

fn spread(rng: &mut Rng) -> f64 {
    0.8 + 1.7 * rng.f64()
}

/// The words for it.
pub fn words(needed: &str) -> String {
    format!(
        "Six sites, sizes 1:1.3:1.6:1.9:2.2:2.5. Mean of {SETS} sets of deadlines, each in proportion \
         to numbers drawn between 0.8 and 2.5, {needed}."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needed(problem: &Problem) -> f64 {
        problem.sites.iter().filter_map(|site| Some(site.size / site.deadline?)).sum()
    }

    #[test]
    fn deadlines_are_as_tight_as_asked_for() {
        for set in 0..SETS {
            let all = Deadlines::of_all(set).problem(1000.0, 125e3, 760.0, 125e3);
            assert!((needed(&all) - 760.0).abs() < 1e-6);
            let four = Deadlines::of_four(set).problem(1000.0, 150e3, 950.0, 100e3);
            assert!((needed(&four) - 1425.0).abs() < 1e-6);
            assert_eq!(four.sites.iter().filter(|site| site.deadline.is_none()).count(), FREE);
        }
    }
}
