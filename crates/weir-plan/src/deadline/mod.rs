//! The default policy: every deadline that can be kept is kept; where not all can be, the least
//! (weighted) sum of lateness; and among those plans the least sum of finish times, or the
//! earliest end of the last site.
//!
//! Rates change over time, and what a finished site leaves is used at once. `plain` has the common
//! case (a constant cap, all sites there from the start), `general` the others. Both find times
//! that can be promised to each site first, then a plan that keeps them (`keep`).

mod booking;
mod general;
mod keep;
mod late;
mod order;
mod plain;
mod search;
mod serial;
mod stretch;

use crate::{Allocation, Goal, Problem, list};

pub use general::possible;
pub use late::fewest_late;
pub use order::by_deadline;
pub use search::Effort;
pub use stretch::least_stretch;

/// What the search for better plans may cost: about 30 ms.
pub const THOROUGH: Effort = Effort(6_000_000);
/// About 2 ms, for plans that are made every second.
pub const QUICK: Effort = Effort(400_000);

pub fn allocate(problem: &Problem, goal: Goal, effort: Effort) -> Allocation {
    let due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    allocate_for(problem, &due, goal, effort)
}

/// The same for other deadlines than the sites' own; infinite for none.
pub fn allocate_for(problem: &Problem, due: &[f64], goal: Goal, effort: Effort) -> Allocation {
    let everyone_is_there = problem.sites.iter().all(|site| site.release <= 0.0);
    match problem.cap.fixed() {
        Some(cap) if everyone_is_there => plain::allocate(problem, due, cap, goal, effort),
        _ => general::allocate(problem, due, goal, effort),
    }
}

/// Deadline order and nothing else: needs no sizes.
pub fn earliest_deadline_first(problem: &Problem) -> Allocation {
    let due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    list::serve(problem, &order::by_deadline(&due))
}
