//! A plan for times that were promised.

use super::order;
use crate::allocation::is_met;
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
    let in_time = plan.end.iter().zip(promised).all(|(&end, &due)| is_met(end, due));
    // Reservations know nothing of a highest number of sites at once.
    if in_time || problem.at_once.is_some_and(|most| most < problem.sites.len()) {
        return plan;
    }
    let someone_comes_later = problem.sites.iter().any(|site| site.release > 0.0);
    let (reserved, _) = if someone_comes_later {
        flow::most_in_time(&problem.sites, promised, &problem.cap)
    } else {
        level::latest(&problem.sites, promised, &problem.cap)
    };
    steal::serve(problem, order, &reserved)
}
