//! As many sites in time as can be.

use std::collections::BinaryHeap;

use super::{Aim, Effort, allocate_for, order};
use crate::list::Time;
use crate::verdict::holds_for;
use crate::{Allocation, Cap, Goal, Problem, Site};

/// The fewest late sites (exact if all can take the whole cap); the late ones come after, as if
/// they had no deadline.
pub fn fewest_late(problem: &Problem, effort: Effort) -> Allocation {
    let mut due: Vec<f64> = problem.sites.iter().map(|site| site.due()).collect();
    for site in to_give_up(problem) {
        due[site] = f64::INFINITY;
    }
    give_up_more(problem, &mut due);
    allocate_for(problem, &due, Aim { goal: Goal::Sum, effort, in_time: true })
}

/// With highest rates more may have to go: the largest first, since it makes the most room, and no
/// more than needed.
fn give_up_more(problem: &Problem, due: &mut [f64]) {
    let kept: Vec<usize> = (0..due.len()).filter(|&site| due[site].is_finite()).collect();
    let mut order = kept.clone();
    order.sort_by(|&a, &b| problem.sites[b].size.total_cmp(&problem.sites[a].size));
    let without = |count: usize| {
        let mut due = due.to_vec();
        order[..count].iter().for_each(|&site| due[site] = f64::INFINITY);
        due
    };
    // Giving up more never makes the rest harder.
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if holds_for(&problem.cap, &problem.sites, &without(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    let rest = without(low);
    due.copy_from_slice(&rest);
}

/// Those that cannot make it even alone, and the fewest others: by deadline; whenever one would be
/// late, the largest so far (Moore and Hodgson).
fn to_give_up(problem: &Problem) -> Vec<usize> {
    let sites = &problem.sites;
    let due: Vec<f64> = sites.iter().map(|site| site.due()).collect();
    let mut kept: BinaryHeap<(Time, usize)> = BinaryHeap::new();
    let (mut volume, mut given_up) = (0.0, Vec::new());
    for site in order::by_deadline(&due) {
        if !due[site].is_finite() {
            break;
        }
        if is_hopeless(&sites[site], &problem.cap) {
            given_up.push(site);
            continue;
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

fn is_hopeless(site: &Site, cap: &Cap) -> bool {
    let time = (site.due() - site.release).max(0.0);
    let volume = cap.volume_until(site.due().max(0.0)) - cap.volume_until(site.release);
    site.size > (site.max_rate * time).min(volume.max(0.0)) * (1.0 + 1e-12)
}
