//! A plan for times that were promised.

use super::order;
use crate::allocation::is_met;
use crate::level::Interval;
use crate::rank::ordered;
use crate::{Allocation, Problem, flow, level, list, steal};

/// Every site is done at its promised time or earlier, if the promises can be kept together.
///
/// The order of the promises alone mostly does it, with the fewest changes of rates; where it does
/// not, since a slow site must run all the time, parts are reserved.
pub fn promises(problem: &Problem, promised: &[f64]) -> Allocation {
    with_order(problem, promised, &order::by_deadline(promised))
}

/// The same, with another order for what no promise needs.
pub fn with_order(problem: &Problem, promised: &[f64], order: &[usize]) -> Allocation {
    let plan = list::serve(problem, order);
    // Reservations know nothing of a highest number of sites at once.
    if plan.meets(promised) || problem.at_once.is_some_and(|most| most < problem.sites.len()) {
        return plan;
    }
    if problem.sites.len() > FEW {
        let plan = hurried(problem, promised, order, plan);
        if problem.sites.len() > RESERVABLE || plan.meets(promised) {
            return plan;
        }
    }
    let reserved = match someone_comes_later(problem) {
        true => flow::most_in_time(&problem.sites, promised, &problem.cap).0,
        false => level::latest(&problem.sites, promised, &problem.cap).0,
    };
    steal::serve(problem, order, &reserved)
}

/// What has to be reserved until something changes first (a deadline, the cap, a site that comes):
/// with that and anything more for anyone, all promises can be kept afterwards.
pub fn first_reserved(problem: &Problem, promised: &[f64]) -> Option<Interval> {
    match someone_comes_later(problem) {
        true => flow::most_in_time(&problem.sites, promised, &problem.cap).0.into_iter().next(),
        false => level::first(&problem.sites, promised, &problem.cap),
    }
}

fn someone_comes_later(problem: &Problem) -> bool {
    problem.sites.iter().any(|site| site.release > 0.0)
}

/// For more sites than this something quicker than reservations is tried first.
const FEW: usize = 5000;
/// Reservations for more than this take gigabytes.
const RESERVABLE: usize = 20_000;
/// How often an order is mended.
const MENDED: usize = 24;

/// Whoever would be late is moved to the front, by when it must start, until nobody is; the best
/// plan if that does not come to pass.
fn hurried(problem: &Problem, promised: &[f64], order: &[usize], plan: Allocation) -> Allocation {
    let start =
        |site: usize| promised[site] - problem.sites[site].size / problem.sites[site].max_rate;
    let late = |plan: &Allocation| -> Vec<usize> {
        (0..promised.len()).filter(|&site| !is_met(plan.end[site], promised[site])).collect()
    };
    let mut in_front = vec![false; promised.len()];
    let (mut fewest, mut best) = (late(&plan), plan);
    let mut missed = fewest.clone();
    for _ in 0..MENDED {
        missed.iter().for_each(|&site| in_front[site] = true);
        let (mut mended, rest): (Vec<usize>, Vec<usize>) =
            order.iter().partition(|&&site| in_front[site]);
        mended.sort_by_key(|&site| ordered(start(site)));
        mended.extend(rest);
        let plan = list::serve(problem, &mended);
        missed = late(&plan);
        if missed.len() < fewest.len() {
            (fewest, best) = (missed.clone(), plan);
        }
        if fewest.is_empty() {
            break;
        }
    }
    best
}
