//! The default policy: every deadline that can be kept is kept; where not all can be, the least
//! (weighted) sum of lateness; and among those plans the least sum of finish times, or the
//! earliest end of the last site.
//!
//! Rates change over time, and what a finished site leaves is used at once. `plain` has the common
//! case (a constant cap, all sites there from the start), `general` the others. Both find times
//! that can be promised to each site first, then a plan that keeps them (`keep`).

mod booking;
mod climb;
mod general;
mod keep;
mod late;
mod order;
mod plain;
mod search;
mod serial;
mod slots;
mod stretch;

use crate::verdict::least_scale;
use crate::{Allocation, Goal, Problem, list};

pub(crate) use keep::first_reserved;
pub use late::fewest_late;
pub use order::by_deadline;
pub use search::Effort;
pub use stretch::least_stretch;

/// What the search for better plans may cost: about 30 ms.
pub const THOROUGH: Effort = Effort(6_000_000);
/// About 2 ms, for plans that are made every second.
pub const QUICK: Effort = Effort(400_000);

/// What is aimed at, and what is known already.
#[derive(Clone, Copy, Debug)]
pub struct Aim {
    pub goal: Goal,
    pub effort: Effort,
    /// Whether all deadlines can be kept.
    pub in_time: bool,
}

pub fn allocate(problem: &Problem, goal: Goal, effort: Effort) -> Allocation {
    // No rounding is forgiven: who is late by a hair is best served by the least lateness.
    let in_time = least_scale(&problem.cap, &problem.sites) <= 1.0 + 1e-12;
    let due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    allocate_for(problem, &due, Aim { goal, effort, in_time })
}

/// The same for other deadlines than the sites' own; infinite for none.
pub fn allocate_for(problem: &Problem, due: &[f64], aim: Aim) -> Allocation {
    let plan = for_any_number(problem, due, aim);
    if slots::bind(problem) { slots::best(problem, due, &plan, aim.goal) } else { plan }
}

fn for_any_number(problem: &Problem, due: &[f64], aim: Aim) -> Allocation {
    let everyone_is_there = problem.sites.iter().all(|site| site.release <= 0.0);
    match problem.cap.fixed() {
        Some(cap) if everyone_is_there => plain::allocate(problem, due, cap, aim),
        _ => general::allocate(problem, due, aim),
    }
}

/// Deadline order and nothing else: needs no sizes.
pub fn earliest_deadline_first(problem: &Problem) -> Allocation {
    let due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    list::serve(problem, &order::by_deadline(&due))
}

/// Whether there are more slow sites, all in time, than can be planned one by one. An order and
/// `guard` keep their deadlines then.
pub fn are_many(problem: &Problem, aim: Aim) -> bool {
    let Some(cap) = problem.cap.fixed() else { return false };
    let slow = problem.sites.iter().any(|site| site.max_rate < cap);
    let later = problem.sites.iter().any(|site| site.release > 0.0);
    aim.in_time && slow && !later && plain::are_many(&problem.sites, aim)
}

/// The order for many.
pub fn order_of_many(problem: &Problem, due: &[f64]) -> Vec<usize> {
    plain::order_of_many(&problem.sites, due, problem.cap.at(0.0))
}
