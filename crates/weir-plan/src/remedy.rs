//! What would have to change for a site to be done in time.

use crate::verdict::{SURE, holds, least_scale};
use crate::{Allocation, Problem, Site};

/// For one site that is late in a plan: each of these alone would do, if the other late sites are
/// done when the plan says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Remedy {
    pub site: usize,
    /// The cap times this; infinite if no cap helps, because the site itself is too slow.
    pub scale: f64,
    /// A deadline that can be kept.
    pub due: f64,
    /// A size that can be had in time; zero if even the least cannot.
    pub size: f64,
}

/// Up to so many late sites; more nobody reads, and each takes a while.
const MOST: usize = 100;

/// A remedy for each site that is late, the latest first.
pub fn remedies(problem: &Problem, plan: &Allocation) -> Vec<Remedy> {
    let sites = &problem.sites;
    let is_late = |at: &usize| plan.end[*at] > sites[*at].due() * SURE + 1e-6;
    let mut late: Vec<usize> = (0..sites.len()).filter(is_late).collect();
    late.sort_by(|a, b| {
        let by = |at: usize| plan.end[at] - sites[at].due();
        by(*b).total_cmp(&by(*a))
    });
    // With these all can be kept, but for rounding.
    let mut eased = sites.clone();
    for at in &late {
        eased[*at] = sites[*at].with_due(plan.end[*at] * (1.0 + 1e-6));
    }
    late.truncate(MOST);
    late.into_iter().map(|at| remedy(problem, &mut eased, plan, at)).collect()
}

fn remedy(problem: &Problem, eased: &mut [Site], plan: &Allocation, at: usize) -> Remedy {
    let kept = std::mem::replace(&mut eased[at], problem.sites[at].clone());
    let scale = least_scale(&problem.cap, eased);
    let size = largest(problem, eased, at);
    eased[at] = kept;
    Remedy { site: at, scale, due: plan.end[at], size }
}

/// The largest size of a site with which all deadlines hold, by halving.
fn largest(problem: &Problem, sites: &mut [Site], at: usize) -> f64 {
    let whole = sites[at].size;
    let mut fits = |size: f64| {
        sites[at].size = size;
        holds(&problem.cap, sites)
    };
    let (mut low, mut high) = (0.0, whole);
    if !fits(low) {
        return 0.0;
    }
    for _ in 0..30 {
        let middle = low + (high - low) / 2.0;
        if fits(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cap, Options, Policy, allocate};

    fn problem(sites: Vec<Site>) -> Problem {
        Problem { cap: Cap::constant(10.0), at_once: None, sites }
    }

    fn plan(problem: &Problem) -> Allocation {
        allocate(problem, Policy::Deadline, &Options::default()).unwrap()
    }

    #[test]
    fn each_remedy_alone_brings_a_late_site_in_time() {
        let mut lot = fastrand::Rng::with_seed(3);
        let mut seen = 0;
        for _ in 0..200 {
            let sites = (0..6)
                .map(|_| Site {
                    max_rate: 2.0 + 10.0 * lot.f64(),
                    ..Site::new(1000.0 * lot.f64(), Some(20.0 + 300.0 * lot.f64()))
                })
                .collect();
            let problem = problem(sites);
            let plan = plan(&problem);
            let all = remedies(&problem, &plan);
            let mut eased = problem.sites.clone();
            for remedy in &all {
                eased[remedy.site] = eased[remedy.site].with_due(remedy.due * (1.0 + 1e-6));
            }
            for remedy in &all {
                seen += 1;
                assert!(remedy.scale > 1.0 && remedy.size < problem.sites[remedy.site].size);
                let mut sites = eased.clone();
                sites[remedy.site] = problem.sites[remedy.site].clone();
                if remedy.scale.is_finite() {
                    assert!(holds(&problem.cap.scaled(remedy.scale * 1.000001), &sites));
                    assert!(!holds(&problem.cap.scaled(remedy.scale * 0.999), &sites));
                }
                if remedy.size > 0.0 {
                    sites[remedy.site].size = remedy.size * 0.999999;
                    assert!(holds(&problem.cap, &sites), "{remedy:?}");
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn no_cap_helps_a_site_that_is_too_slow_itself() {
        let slow = Site { max_rate: 2.0, ..Site::new(100.0, Some(25.0)) };
        let problem = problem(vec![slow, Site::new(10.0, Some(30.0))]);
        let all = remedies(&problem, &plan(&problem));
        assert_eq!(all.len(), 1);
        assert!(all[0].scale.is_infinite() && (all[0].due - 50.0).abs() < 1e-6, "{all:?}");
        assert!((all[0].size - 50.0).abs() < 1e-3, "{all:?}");
    }

    #[test]
    fn where_all_hold_nothing_has_to_change() {
        let problem = problem(vec![Site::new(100.0, Some(25.0)), Site::new(10.0, None)]);
        assert!(remedies(&problem, &plan(&problem)).is_empty());
    }
}
