//! The paper's fifty sites, five at once. It says no more of these than their number.

use fastrand::Rng;
use weir_plan::{Cap, Problem, Site};

pub const SITES: usize = 50;
pub const AT_ONCE: usize = 5;
/// How many sets of sizes and deadlines a point is the mean of.
pub const SETS: u64 = 10;
/// The middle of the paper's axis, for which the deadlines are made.
const MIDDLE: f64 = 530.0;

/// Sizes between 1000 and 5000 kb; the deadline of each is when its group of five would be done, one
/// group after the other at 530 kb/s, give or take a few percent.
pub fn in_groups(cap: f64, set: u64) -> Problem {
    let mut rng = Rng::with_seed(0x6e0f_0000 + set);
    let sizes = sizes(&mut rng);
    let mut before = 0.0;
    let mut sites = Vec::with_capacity(SITES);
    for group in sizes.chunks(AT_ONCE) {
        before += group.iter().sum::<f64>();
        for &size in group {
            let due = before / MIDDLE * (0.955 + 0.1 * rng.f64());
            sites.push(Site::new(size, Some(due)));
        }
    }
    problem(cap, sites)
}

/// The same sizes with deadlines that know nothing of each other, scaled so that 530 kb/s is the
/// least bandwidth that keeps them all.
pub fn independent(cap: f64, set: u64) -> Problem {
    let mut rng = Rng::with_seed(0x19d0_0000 + set);
    let sizes = sizes(&mut rng);
    let mut sites: Vec<Site> =
        sizes.into_iter().map(|size| Site::new(size, Some(0.1 + rng.f64()))).collect();
    let scale = least(&sites) / MIDDLE;
    for due in sites.iter_mut().filter_map(|site| site.deadline.as_mut()) {
        *due *= scale;
    }
    problem(cap, sites)
}

fn sizes(rng: &mut Rng) -> Vec<f64> {
    (0..SITES).map(|_| 1000.0 + 4000.0 * rng.f64()).collect()
}

fn problem(cap: f64, sites: Vec<Site>) -> Problem {
    Problem { cap: Cap::constant(cap), at_once: Some(AT_ONCE), sites }
}

/// The least bandwidth that keeps all deadlines, rates being free to change.
fn least(sites: &[Site]) -> f64 {
    let mut order: Vec<&Site> = sites.iter().collect();
    order.sort_by(|a, b| a.due().total_cmp(&b.due()));
    let (mut before, mut least) = (0.0, 0.0_f64);
    for site in order {
        before += site.size;
        least = least.max(before / site.due());
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn independent_deadlines_can_just_be_kept_at_the_middle() {
        for set in 0..SETS {
            let found = least(&independent(500.0, set).sites);
            assert!((found - MIDDLE).abs() < 1e-6, "{found}");
        }
    }

    #[test]
    fn deadlines_in_groups_need_about_the_middle() {
        for set in 0..SETS {
            let found = least(&in_groups(500.0, set).sites);
            assert!((510.0..560.0).contains(&found), "{found}");
        }
    }
}
