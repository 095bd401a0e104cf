//! From a plan to the rates of this moment.

use super::outlook::Needs;
use super::{HAIR, Known, Outlook, Plan, Shares, State, is_limited};
use crate::rank::least_first;
use crate::{Allocation, Site, fair, guard};

/// What sites without a deadline get in any case. Deadlines that can be kept are not given up for it.
pub fn base(state: &State, outlook: Outlook, needs: &Needs) -> Vec<f64> {
    let floor = match outlook {
        Outlook::Holds if needs.fit(1.0 - state.floor) => state.floor,
        Outlook::Holds => 0.0,
        Outlook::Unsure | Outlook::Overload => state.floor * IN_OVERLOAD,
    };
    if floor <= 0.0 || is_limited(state) {
        return vec![0.0; state.sites.len()];
    }
    let takes = |known: &Known| {
        let Site { size, deadline, release, max_rate, .. } = known.site;
        if size > 0.0 && deadline.is_none() && release <= 0.0 { max_rate } else { 0.0 }
    };
    let wants: Vec<(f64, f64)> =
        state.sites.iter().map(|known| (known.site.weight, takes(known))).collect();
    fair::by_weight(&wants, state.cap.at(0.0) * floor)
}

/// Every late site is made later by the floor, and each one after it: 5 % for two sites without a
/// deadline nearly doubled the lateness of twelve others in simulated runs.
const IN_OVERLOAD: f64 = 0.2;

/// The rates of the default policy.
pub fn shares(
    state: &State,
    plan: Plan,
    base: Vec<f64>,
    finish: Vec<f64>,
    outlook: Outlook,
) -> Shares {
    // An order alone has the urgent ones in it already.
    let with_care = outlook == Outlook::Holds && plan.begin.is_some();
    let urgent = if with_care { urgent(state) } else { Vec::new() };
    let begin = plan.begin.unwrap_or_default();
    let planned = at_the_start(&begin, base.len());
    let rates = fill(state, base, &urgent, &planned, &plan.order);
    let mut valid_for = until_first_change(state, &begin, &rates).min(plan.right_for);
    if begin.pieces.is_empty() {
        valid_for = until_one_cannot_wait(state, &rates).min(valid_for);
    }
    Shares { rates, order: plan.order, valid_for, outlook, is_roomy: false, finish }
}

/// When the first site with a deadline has to run at its highest rate to keep it.
fn until_one_cannot_wait(state: &State, rates: &[f64]) -> f64 {
    let cap = state.cap.at(0.0);
    let waits = state.sites.iter().zip(rates).map(|(known, rate)| {
        let highest = known.site.max_rate.min(cap);
        let wait = known.site.due() - known.site.size / highest;
        let idle = 1.0 - rate / highest;
        if known.site.size > 0.0 && wait > 0.0 && idle > 1e-9 { wait / idle } else { f64::INFINITY }
    });
    waits.fold(f64::INFINITY, f64::min)
}

/// The rates of a plan just as they are.
pub fn as_planned(state: &State, plan: &Allocation, outlook: Outlook) -> Shares {
    let rates = at_the_start(plan, state.sites.len());
    let order = least_first(plan.end.len(), |site| plan.end[site]);
    let valid_for = until_first_change(state, plan, &rates);
    Shares { rates, order, valid_for, outlook, is_roomy: false, finish: plan.end.clone() }
}

fn at_the_start(plan: &Allocation, sites: usize) -> Vec<f64> {
    let mut rates = vec![0.0; sites];
    for piece in plan.pieces.iter().filter(|piece| piece.from <= 0.0) {
        rates[piece.site] = piece.rate;
    }
    rates
}

/// Slow sites that would have to start before the next plan is made start now: a plan that starts
/// them at the last moment is lost by a rounding.
fn urgent(state: &State) -> Vec<usize> {
    let sites = state.sites.iter().map(|known| &known.site);
    guard::urgent(sites, state.cap.highest(), state.period)
}

/// The base rates; the planned ones of sites with a deadline, which the plan relies on; those that are
/// urgent; the other planned rates; and in the order what is left.
fn fill(
    state: &State,
    base: Vec<f64>,
    urgent: &[usize],
    planned: &[f64],
    order: &[usize],
) -> Vec<f64> {
    let most = state.at_once.unwrap_or(usize::MAX);
    let cap = state.cap.at(0.0);
    let mut free = cap - base.iter().sum::<f64>();
    let mut served = base.iter().filter(|rate| **rate > 0.0).count();
    let mut rates = base;
    let all = |site: &usize| (*site, f64::INFINITY);
    let as_planned = |site: &usize| (*site, planned[*site]);
    let (dated, others): (Vec<usize>, Vec<usize>) = order
        .iter()
        .filter(|site| planned[**site] > 0.0)
        .partition(|site| state.sites[**site].site.deadline.is_some());
    let first = dated.iter().map(as_planned).chain(urgent.iter().map(all));
    for (site, rate) in first.chain(others.iter().map(as_planned)).chain(order.iter().map(all)) {
        if free <= cap * 1e-12 {
            break;
        }
        let Site { size, release, max_rate, .. } = state.sites[site].site;
        let is_new = rates[site] == 0.0;
        let more = (rate.min(max_rate) - rates[site]).min(free);
        if size > 0.0 && release <= 0.0 && more > 0.0 && (!is_new || served < most) {
            served += usize::from(is_new);
            rates[site] += more;
            free -= more;
        }
    }
    rates
}

/// When one is done at these rates, one comes, the cap changes, or the plan changes a rate although
/// nobody is done. (Who is done when depends on the base rates, which the plan does not know.)
fn until_first_change(state: &State, plan: &Allocation, rates: &[f64]) -> f64 {
    let served = state.sites.iter().zip(rates).filter(|(_, rate)| **rate > 0.0);
    let ends = served.map(|(known, rate)| known.site.size / rate);
    let releases = state.sites.iter().map(|known| known.site.release).filter(|at| *at > 0.0);
    let first =
        ends.chain(releases).chain(state.cap.next_change(0.0)).fold(f64::INFINITY, f64::min);
    let planned_ends: Vec<f64> = plan.end.iter().copied().filter(|end| *end < first).collect();
    let changes = plan.pieces.iter().flat_map(|piece| [piece.from, piece.to]);
    // What the plan changes a rounding before the end of a site is that end: else a crumb of it is left over.
    let before = first - state.period * HAIR;
    let changes = changes.filter(|at| *at > 0.0 && *at < before && !planned_ends.contains(at));
    changes.fold(first, f64::min)
}
