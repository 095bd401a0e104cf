//! As many sites in time as can be.

use std::collections::BinaryHeap;

use super::{Aim, Effort, allocate_for, order};
use crate::list::Time;
use crate::verdict::possible;
use crate::{Allocation, Goal, Problem};

/// The fewest late sites (exact if all can take the whole cap); the late ones come after, as if
/// they had no deadline.
pub fn fewest_late(problem: &Problem, effort: Effort) -> Allocation {
    let mut due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    for site in to_give_up(problem) {
        due[site] = f64::INFINITY;
    }
    // With highest rates more may have to go: the largest first, since it makes the most room.
    while !possible(&problem.cap, &problem.sites, &due) {
        let kept = (0..due.len()).filter(|&site| due[site].is_finite());
        let Some(site) = kept.max_by(|&a, &b| worth_giving_up(problem, a, b)) else { break };
        due[site] = f64::INFINITY;
    }
    allocate_for(problem, &due, Aim { goal: Goal::Sum, effort, in_time: true })
}

fn worth_giving_up(problem: &Problem, a: usize, b: usize) -> std::cmp::Ordering {
    let (a, b) = (&problem.sites[a], &problem.sites[b]);
    let hopeless =
        |site: &crate::Site| site.size > site.max_rate * (site.due() - site.release).max(0.0);
    hopeless(a).cmp(&hopeless(b)).then(a.size.total_cmp(&b.size))
}

/// By deadline; whenever one would be late, the largest so far is given up (Moore and Hodgson).
fn to_give_up(problem: &Problem) -> Vec<usize> {
    let sites = &problem.sites;
    let due: Vec<f64> = sites.iter().map(|site| site.due()).collect();
    let mut kept: BinaryHeap<(Time, usize)> = BinaryHeap::new();
    let (mut volume, mut given_up) = (0.0, Vec::new());
    for site in order::by_deadline(&due) {
        if !due[site].is_finite() {
            break;
        }
        volume += sites[site].size;
        kept.push((Time(sites[site].size), site));
        let room = problem.cap.volume_until(due[site].max(0.0));
        if volume > room * (1.0 + 1e-12)
            && let Some((Time(size), largest)) = kept.pop()
        {
            volume -= size;
            given_up.push(largest);
        }
    }
    given_up
}
