//! What the paper says of how its allocations come about: no figure shows it, but the plans do.

use weir_plan::{Options, Policy, Problem, allocate};

use super::Verdict;
use crate::figures::six::{Deadlines, SETS};

/// "Other websites shared the remaining bandwidth and ended simultaneously" (M-MAXT).
pub fn the_rest_ends_together() -> Verdict {
    over_sets(Policy::MMaxt, 760.0, |problem, end| {
        let last = end.iter().copied().fold(0.0, f64::max);
        let pegged = |(site, end): (&weir_plan::Site, &f64)| (end / site.due() - 1.0).abs() < 1e-6;
        let odd = problem
            .sites
            .iter()
            .zip(end)
            .find(|&(site, end)| !pegged((site, end)) && (end / last - 1.0).abs() > 1e-6);
        odd.map(|(_, end)| {
            format!("a site ends at {end:.1}, neither due then nor last ({last:.1})")
        })
    })
}

/// "The execution times of all websites were greater than or equal to the time constraints" (M-STET).
pub fn nobody_is_early() -> Verdict {
    over_sets(Policy::MStet, 1260.0, |problem, end| {
        let early = |(site, end): &(&weir_plan::Site, &f64)| **end < site.due() * (1.0 - 1e-9);
        let found = problem.sites.iter().zip(end).find(early);
        found.map(|(site, end)| format!("a site due at {:.1} ends at {end:.1}", site.due()))
    })
}

/// "Some websites completed crawling much earlier than their time constraints" (PROBandwidth): all of
/// these by the same part, since bandwidth that is not needed is shared like that which is.
pub fn proportional_shares_end_early() -> Verdict {
    over_sets(Policy::ProBandwidth, 760.0, |problem, end| {
        let much = |(site, end): &(&weir_plan::Site, &f64)| **end < site.due() * 0.8;
        let none = !problem.sites.iter().zip(end).any(|pair| much(&pair));
        none.then(|| "no site ends a fifth before its deadline".to_owned())
    })
}

/// Looks for an odd plan at 1000 kb/s over all sets of deadlines.
fn over_sets(
    policy: Policy,
    needed: f64,
    odd: impl Fn(&Problem, &[f64]) -> Option<String>,
) -> Verdict {
    for set in 0..SETS {
        let problem = Deadlines::of_all(set).problem(1000.0, 125_000.0, needed, 125_000.0);
        match allocate(&problem, policy, &Options::default()) {
            Err(why) => return Verdict::Not(why.to_string()),
            Ok(plan) => {
                if let Some(why) = odd(&problem, &plan.end) {
                    return Verdict::Not(format!("set {set}: {why}"));
                }
            }
        }
    }
    Verdict::Holds
}
