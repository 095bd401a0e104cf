//! More sites than may run at once: rates are set for the first ones, and whoever follows in a
//! slot takes over its rate until the round ends. The paper's Algorithm 4 and its relatives.

mod slots;

use std::collections::VecDeque;

use crate::constant::{auto, fixed_cap, pro_bandwidth, pro_data};
use crate::{Allocation, Goal, Policy, Problem, Refused, Site};
use slots::Slots;

/// A plan by rounds.
#[derive(Clone, Debug)]
pub struct Rounds {
    pub allocation: Allocation,
    /// The sites of the first round and their rates.
    pub first: Vec<(usize, f64)>,
}

/// How the rates of a round are set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The paper's choice between M-MAXT or M-SUMT, and M-STET.
    Auto(Goal),
    /// PROBandwidth.
    ProBandwidth,
}

/// Sets the rates anew in each round; a round lasts until the last of those it was set for is
/// done. (ReAlloc-MAXT, ReAlloc-SUMT, ReAlloc-PROBandwidth.)
pub fn anew_each_round(sites: &[Site], cap: f64, at_once: Option<usize>, rule: Rule) -> Rounds {
    let mut slots = Slots::new(sites);
    let mut queue = by_deadline(sites);
    let (mut rounds, mut first) = (0, Vec::new());
    let mut running = Vec::new();
    while refill(&mut running, &mut queue, at_once, sites) {
        let rates = rates_now(&running, &slots, cap, rule);
        let length = longest(&running, &rates, &slots);
        if !length.is_finite() {
            break;
        }
        rounds += 1;
        if rounds == 1 {
            first = running.iter().copied().zip(rates.iter().copied()).collect();
        }
        running = slots.run(running.into_iter().zip(rates), &mut queue, length);
    }
    Rounds { allocation: slots.finish(rounds), first }
}

/// Sets the rates once; each slot keeps its rate to the end. (AllocOnce.)
pub fn set_once(sites: &[Site], cap: f64, at_once: Option<usize>, rule: Rule) -> Rounds {
    let mut slots = Slots::new(sites);
    let mut queue = by_deadline(sites);
    let mut running = Vec::new();
    let any = refill(&mut running, &mut queue, at_once, sites);
    let rates = rates_now(&running, &slots, cap, rule);
    let first: Vec<(usize, f64)> = running.into_iter().zip(rates).collect();
    slots.run(first.iter().copied(), &mut queue, f64::INFINITY);
    Rounds { allocation: slots.finish(usize::from(any)), first }
}

/// One group after another, each with shares in proportion to size. (ReAlloc-PRODataAmount.)
pub fn in_groups(sites: &[Site], cap: f64, at_once: Option<usize>) -> Rounds {
    let mut slots = Slots::new(sites);
    let mut queue = by_deadline(sites);
    let (mut rounds, mut first) = (0, Vec::new());
    let mut group = Vec::new();
    while refill(&mut group, &mut queue, at_once, sites) {
        let rates = pro_data(&slots.left(&group), cap);
        let length = longest(&group, &rates, &slots);
        rounds += 1;
        if rounds == 1 {
            first = group.iter().copied().zip(rates.iter().copied()).collect();
        }
        group = slots.run(group.into_iter().zip(rates), &mut VecDeque::new(), length);
    }
    Rounds { allocation: slots.finish(rounds), first }
}

/// What the round policy of this name gives each site.
pub(crate) fn allocate(problem: &Problem, policy: Policy) -> Result<Allocation, Refused> {
    let cap = fixed_cap(problem, policy)?;
    let (sites, at_once) = (problem.sites.as_slice(), problem.at_once);
    let plan = match policy {
        Policy::ReallocMaxt => anew_each_round(sites, cap, at_once, Rule::Auto(Goal::Last)),
        Policy::ReallocSumt => anew_each_round(sites, cap, at_once, Rule::Auto(Goal::Sum)),
        Policy::ReallocProbandwidth => anew_each_round(sites, cap, at_once, Rule::ProBandwidth),
        Policy::AllocOnceMaxt => set_once(sites, cap, at_once, Rule::Auto(Goal::Last)),
        Policy::AllocOnceSumt => set_once(sites, cap, at_once, Rule::Auto(Goal::Sum)),
        Policy::ReallocProdata => in_groups(sites, cap, at_once),
        other => unreachable!("{other} does not go by rounds"),
    };
    Ok(plan.allocation)
}

/// Who waits, the most urgent first.
fn by_deadline(sites: &[Site]) -> VecDeque<usize> {
    let mut waiting: Vec<usize> = (0..sites.len()).filter(|&i| sites[i].size > 0.0).collect();
    sort_by_deadline(&mut waiting, sites);
    waiting.into()
}

fn sort_by_deadline(which: &mut [usize], sites: &[Site]) {
    which.sort_unstable_by(|&a, &b| sites[a].due().total_cmp(&sites[b].due()).then(a.cmp(&b)));
}

/// Fills the free places from the queue; false if there is nothing left to do. Whoever was in the
/// queue is less urgent than those already running, who are put in order among themselves.
fn refill(
    running: &mut Vec<usize>,
    queue: &mut VecDeque<usize>,
    at_once: Option<usize>,
    sites: &[Site],
) -> bool {
    sort_by_deadline(running, sites);
    let free = at_once.unwrap_or(usize::MAX).saturating_sub(running.len());
    running.extend(queue.drain(..free.min(queue.len())));
    !running.is_empty()
}

fn rates_now(running: &[usize], slots: &Slots, cap: f64, rule: Rule) -> Vec<f64> {
    let mut left = slots.left(running);
    match rule {
        Rule::Auto(goal) => auto(&left, cap, goal),
        Rule::ProBandwidth => {
            // The paper leaves open what a deadline that has passed needs; one second is as near
            // as any comes.
            for due in left.iter_mut().filter_map(|site| site.deadline.as_mut()) {
                *due = due.max(1.0);
            }
            pro_bandwidth(&left, cap)
        }
    }
}

/// How long the slowest needs.
fn longest(running: &[usize], rates: &[f64], slots: &Slots) -> f64 {
    let times = running.iter().zip(rates).map(|(&site, rate)| slots.left_of(site) / rate);
    times.fold(0.0, f64::max)
}
