//! A constant cap, and all sites there from the start.

use super::booking::Need;
use super::search::{Effort, Task};
use super::{Aim, keep, order, serial};
use crate::rank::least_first;
use crate::{Allocation, Cap, Goal, Problem, Site, list, needed};

pub fn allocate(problem: &Problem, due: &[f64], cap: f64, aim: Aim) -> Allocation {
    let sites: Vec<Site> = with_deadlines(&problem.sites, due, cap);
    if sites.iter().all(|site| site.max_rate >= cap) {
        one_after_another(problem, &sites, aim)
    } else if !are_many(&sites, aim) {
        beside_each_other(problem, &sites, cap, aim)
    } else {
        many_beside_each_other(problem, &sites, cap, aim)
    }
}

fn with_deadlines(sites: &[Site], due: &[f64], cap: f64) -> Vec<Site> {
    let change = |(site, &due): (&Site, &f64)| Site {
        max_rate: site.max_rate.min(cap),
        ..site.with_due(due)
    };
    sites.iter().zip(due).map(change).collect()
}

/// Nobody is slower than the cap: nothing is gained by serving two at a time.
fn one_after_another(problem: &Problem, sites: &[Site], aim: Aim) -> Allocation {
    let mut due: Vec<f64> = sites.iter().map(Site::due).collect();
    if !aim.in_time {
        make_deadlines_later(sites, &problem.cap, aim.effort, &mut due);
    }
    keep::with_order(problem, &due, &order::largest_last(sites, &due, &problem.cap))
}

/// Not all can be kept: little lateness, and that as the new deadlines.
pub fn make_deadlines_later(sites: &[Site], cap: &Cap, effort: Effort, due: &mut [f64]) {
    // In the time that the cap makes, so that it may change.
    let by_volume: Vec<Site> = sites
        .iter()
        .map(|site| Site {
            deadline: site
                .deadline
                .map(|due| cap.volume_until(due.max(0.0)) + due.min(0.0) * cap.at(0.0)),
            max_rate: 1.0,
            ..site.clone()
        })
        .collect();
    let mut order = order::least_modified_due(&by_volume, 1.0);
    let dated = order.iter().take_while(|&&site| sites[site].deadline.is_some()).count();
    let order = &mut order[..dated];
    if dated * dated <= effort.0 as usize {
        serial::improve(sites, cap, order, effort.0);
    }
    let mut volume = 0.0;
    for &mut site in order {
        volume += sites[site].size;
        due[site] = due[site].max(cap.time_for(volume) * (1.0 + 1e-13));
    }
}

fn beside_each_other(problem: &Problem, sites: &[Site], cap: f64, aim: Aim) -> Allocation {
    let needs: Vec<Need> =
        sites.iter().map(|site| Need { size: site.size, rate: site.max_rate }).collect();
    let mut due: Vec<f64> = sites.iter().map(Site::due).collect();
    if !aim.in_time {
        due = least_lateness(sites, &needs, cap, aim.effort);
    }
    if aim.goal == Goal::Last {
        end_early(sites, cap, &mut due);
    }
    let nothing = vec![0.0; sites.len()];
    let alike = vec![1.0; sites.len()];
    let task = Task { cap, needs: &needs, due: &due, wanted: &nothing, weight: &alike };
    let found = task.search(&first_orders(sites, &due, cap), aim.effort);
    keep::promises(problem, &found.promised)
}

/// Promises with little weighted lateness; none for sites without a deadline.
fn least_lateness(sites: &[Site], needs: &[Need], cap: f64, effort: Effort) -> Vec<f64> {
    let none = vec![f64::INFINITY; sites.len()];
    let wanted: Vec<f64> =
        sites.iter().map(|site| site.deadline.map_or(0.0, |due| due.max(0.0))).collect();
    let weight: Vec<f64> = sites.iter().map(|site| site.weight).collect();
    let task = Task { cap, needs, due: &none, wanted: &wanted, weight: &weight };
    let dated = |mut order: Vec<usize>| {
        order.retain(|&site| sites[site].deadline.is_some() && sites[site].size > 0.0);
        order
    };
    let due: Vec<f64> = sites.iter().map(Site::due).collect();
    let orders = [
        dated(order::least_modified_due(sites, cap)),
        dated(order::by_deadline(&due)),
        dated(by_latest_start(sites)),
        dated(by_size(sites)),
    ];
    task.search(&orders, effort).promised
}

/// Makes all deadlines as early as the earliest possible end of the last site.
fn end_early(sites: &[Site], cap: f64, due: &mut [f64]) {
    let total: f64 = sites.iter().map(|site| site.size).sum();
    let all_by = |end: f64| {
        let with_end: Vec<f64> = due.iter().map(|due| due.min(end)).collect();
        needed::least_cap(&with_deadlines(sites, &with_end, cap)) <= cap
    };
    let slowest = sites.iter().map(|site| site.size / site.max_rate).fold(total / cap, f64::max);
    // Surely enough: the time of all, one after another, behind the last deadline.
    let one_by_one: f64 = sites.iter().map(|site| site.size / site.max_rate).sum();
    let latest = due.iter().copied().filter(|due| due.is_finite()).fold(one_by_one, f64::max);
    let (mut low, mut high) = (slowest, latest + slowest);
    if all_by(low) {
        high = low;
    }
    for _ in 0..80 {
        let middle = low + (high - low) / 2.0;
        if all_by(middle) { high = middle } else { low = middle }
    }
    for due in due.iter_mut() {
        *due = due.min(high);
    }
}

fn first_orders(sites: &[Site], due: &[f64], cap: f64) -> Vec<Vec<usize>> {
    let served = |mut order: Vec<usize>| {
        order.retain(|&site| sites[site].size > 0.0);
        order
    };
    let smith = order::largest_last(sites, due, &Cap::constant(cap));
    vec![
        served(smith),
        served(by_size(sites)),
        served(by_time(sites)),
        served(order::by_deadline(due)),
    ]
}

pub fn by_size(sites: &[Site]) -> Vec<usize> {
    sorted(sites, |site| site.size)
}

fn by_time(sites: &[Site]) -> Vec<usize> {
    sorted(sites, |site| site.size / site.max_rate)
}

fn by_latest_start(sites: &[Site]) -> Vec<usize> {
    sorted(sites, |site| site.due() - site.size / site.max_rate)
}

fn sorted(sites: &[Site], key: impl Fn(&Site) -> f64) -> Vec<usize> {
    least_first(sites.len(), |site| key(&sites[site]))
}

/// Whether there are too many to go through one by one.
pub fn are_many(sites: &[Site], aim: Aim) -> bool {
    Task::cost_of(sites.len()) * 2 > aim.effort.0
}

fn many_beside_each_other(problem: &Problem, sites: &[Site], cap: f64, aim: Aim) -> Allocation {
    if !aim.in_time {
        return list::serve(problem, &order::least_modified_due(sites, cap));
    }
    let mut due: Vec<f64> = sites.iter().map(Site::due).collect();
    if aim.goal == Goal::Last {
        // Whoever must start first starts first; exact promises for so many would take too long.
        let own = due.clone();
        end_early(sites, cap, &mut due);
        let plan = list::serve(
            problem,
            &least_first(sites.len(), |site| due[site] - sites[site].size / sites[site].max_rate),
        );
        if plan.meets(&own) {
            return plan;
        }
        due = own;
    }
    keep::with_order(problem, &due, &order_of_many(sites, &due, cap))
}

/// The order that would be right if all could take the whole cap, with deadlines as much earlier
/// as a site's own rate makes it slower.
pub fn order_of_many(sites: &[Site], due: &[f64], cap: f64) -> Vec<usize> {
    let earlier =
        |(site, due): (&Site, &f64)| due - site.size / site.max_rate.min(cap) + site.size / cap;
    let earlier: Vec<f64> = sites.iter().zip(due).map(earlier).collect();
    order::largest_last(sites, &earlier, &Cap::constant(cap))
}
