//! Rates for this moment, from what is known now. Made again every second, and whenever something
//! changes: a prediction, a speed, the cap, a site done, a new one.

use crate::allocation::is_met;
use crate::deadline::{self, Aim, Effort};
use crate::rank::least_first;
use crate::verdict::holds;
use crate::{Allocation, Cap, Goal, Policy, Problem, Site, fair, guard, list};

/// What is known now. Times count from now.
#[derive(Clone, Debug)]
pub struct State {
    pub cap: Cap,
    pub at_once: Option<usize>,
    /// The part of the cap that is shared by weight among all sites whatever their deadlines, so
    /// that nobody starves and a wrong prediction does not stop a site. Deadlines that can just be
    /// kept come before it.
    pub floor: f64,
    pub goal: Goal,
    pub effort: Effort,
    /// When the next plan is made, at the latest.
    pub period: f64,
    pub sites: Vec<Known>,
}

/// The usual floor.
pub const FLOOR: f64 = 0.05;

/// A site as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// What it wants, with the size as predicted.
    pub site: Site,
    /// The size is hardly less than `low` times the prediction, and hardly more than `high` times.
    pub low: f64,
    pub high: f64,
}

impl Known {
    pub fn exactly(site: Site) -> Known {
        Known { site, low: 1.0, high: 1.0 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// All deadlines hold, even if sizes are as large as they may be.
    Holds,
    /// It depends on the sizes.
    Unsure,
    /// Some are missed, even if sizes are as small as they may be.
    Overload,
}

/// What each site gets from now on.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    pub rates: Vec<f64>,
    /// Who takes what becomes free before the next plan, first to last.
    pub order: Vec<usize>,
    /// How long these rates are right if all goes as predicted.
    pub valid_for: f64,
    pub outlook: Outlook,
    /// When each site is done, as predicted; infinite for never.
    pub finish: Vec<f64>,
}

impl Shares {
    /// How much earlier than its deadline a site is done; below zero for late.
    pub fn slack(&self, site: usize, deadline: Option<f64>) -> f64 {
        deadline.unwrap_or(f64::INFINITY) - self.finish[site]
    }
}

/// Above this spread of sizes an order made from sizes is not to be trusted; deadlines are.
const TRUSTED: f64 = 1.5;

/// The default policy, at this moment.
pub fn replan(state: &State) -> Shares {
    let expected = sites(state, |_| 1.0);
    let in_time = holds(&state.cap, &expected);
    let exact = state.sites.iter().all(|known| known.low == 1.0 && known.high == 1.0);
    let cautious = if exact { expected.clone() } else { sites(state, |known| known.high) };
    let outlook = outlook(state, exact, in_time, &cautious);
    let spread = state.sites.iter().map(|known| known.high).fold(1.0, f64::max);
    let problem =
        |sites: Vec<Site>| Problem { cap: state.cap.clone(), at_once: state.at_once, sites };
    let due: Vec<f64> = expected.iter().map(Site::due).collect();
    let aim = |in_time| Aim { goal: state.goal, effort: state.effort, in_time };
    let base = base_rates(state, floor(state, in_time, &expected));
    let plan = match outlook {
        Outlook::Holds if spread <= TRUSTED => {
            let problem = problem(cautious);
            if let Some(order) = deadline::order_of_many(&problem, aim(true)) {
                return many(state, &problem, base, order);
            }
            deadline::allocate_for(&problem, &due, aim(true))
        }
        Outlook::Overload => deadline::allocate_for(&problem(expected.clone()), &due, aim(false)),
        _ => deadline::by_deadline_with_care(&problem(expected.clone())),
    };
    let order = least_first(plan.end.len(), |site| plan.end[site]);
    let finish = if exact { plan.end.clone() } else { list::serve(&problem(expected), &order).end };
    shares(state, plan, base, order, finish, outlook)
}

/// An order for many sites, and what the deadlines ask for just now put before it.
fn many(state: &State, problem: &Problem, base: Vec<f64>, order: Vec<usize>) -> Shares {
    let mut plan = list::serve(problem, &order);
    let missed = |(site, end): (&Site, &f64)| !is_met(*end, site.due());
    if !problem.sites.iter().zip(&plan.end).any(missed) {
        let finish = plan.end.clone();
        return shares(state, plan, base, order, finish, Outlook::Holds);
    }
    let cap = state.cap.at(0.0);
    let order = guard::guarded(&problem.sites, cap, &order, state.period);
    // The guard keeps every deadline that can be kept, whatever the list alone would do.
    let finish =
        plan.end.iter().zip(&problem.sites).map(|(end, site)| end.min(site.due())).collect();
    plan.pieces.clear();
    let mut shares = shares(state, plan, base, order, finish, Outlook::Holds);
    shares.valid_for = state.period;
    shares
}

fn outlook(state: &State, exact: bool, in_time: bool, cautious: &[Site]) -> Outlook {
    if in_time && (exact || holds(&state.cap, cautious)) {
        Outlook::Holds
    } else if !in_time && (exact || !holds(&state.cap, &sites(state, |known| known.low))) {
        Outlook::Overload
    } else {
        Outlook::Unsure
    }
}

fn sites(state: &State, factor: impl Fn(&Known) -> f64) -> Vec<Site> {
    let scaled =
        |known: &Known| Site { size: known.site.size * factor(known), ..known.site.clone() };
    state.sites.iter().map(scaled).collect()
}

/// Deadlines that can be kept are not given up for the floor.
fn floor(state: &State, in_time: bool, expected: &[Site]) -> f64 {
    if state.floor <= 0.0 || !in_time || holds(&state.cap.scaled(1.0 - state.floor), expected) {
        state.floor
    } else {
        0.0
    }
}

fn base_rates(state: &State, floor: f64) -> Vec<f64> {
    let open = |known: &Known| known.site.size > 0.0 && known.site.release <= 0.0;
    if floor <= 0.0 || state.at_once.is_some_and(|most| most < state.sites.len()) {
        return vec![0.0; state.sites.len()];
    }
    let wants: Vec<(f64, f64)> = state
        .sites
        .iter()
        .map(|known| (known.site.weight, if open(known) { known.site.max_rate } else { 0.0 }))
        .collect();
    fair::by_weight(&wants, state.cap.at(0.0) * floor)
}

fn shares(
    state: &State,
    plan: Allocation,
    base: Vec<f64>,
    order: Vec<usize>,
    finish: Vec<f64>,
    outlook: Outlook,
) -> Shares {
    let mut valid_for = f64::INFINITY;
    let mut planned = vec![0.0; base.len()];
    for piece in &plan.pieces {
        if piece.from <= 0.0 {
            planned[piece.site] = piece.rate;
            valid_for = valid_for.min(piece.to);
        } else {
            valid_for = valid_for.min(piece.from);
        }
    }
    let rates = with_base(state, base, &planned, &order);
    Shares { rates, order, valid_for, outlook, finish }
}

/// The base rates, then as much of the planned ones as fits, then in the order what is left.
fn with_base(state: &State, base: Vec<f64>, planned: &[f64], order: &[usize]) -> Vec<f64> {
    let mut free = state.cap.at(0.0) - base.iter().sum::<f64>();
    let mut rates = base;
    let room = |site: usize, rate: f64| state.sites[site].site.max_rate - rate;
    for &site in order.iter().filter(|&&site| planned[site] > 0.0) {
        let more =
            (planned[site] - rates[site]).min(room(site, rates[site])).clamp(0.0, free.max(0.0));
        rates[site] += more;
        free -= more;
    }
    let most = state.at_once.unwrap_or(usize::MAX);
    let mut served = rates.iter().filter(|rate| **rate > 0.0).count();
    for &site in order {
        if free <= state.cap.at(0.0) * 1e-12 {
            break;
        }
        let Site { size, release, .. } = state.sites[site].site;
        if size <= 0.0 || release > 0.0 || (rates[site] == 0.0 && served >= most) {
            continue;
        }
        served += usize::from(rates[site] == 0.0);
        let more = room(site, rates[site]).clamp(0.0, free);
        rates[site] += more;
        free -= more;
    }
    rates
}

/// Any policy at this moment: what it would give if it were started now.
pub fn replan_with(
    policy: Policy,
    state: &State,
    options: &crate::Options,
) -> Result<Shares, crate::Refused> {
    if policy == Policy::Deadline {
        return Ok(replan(state));
    }
    let expected = sites(state, |_| 1.0);
    let in_time = holds(&state.cap, &expected);
    let problem = Problem { cap: state.cap.clone(), at_once: state.at_once, sites: expected };
    let plan = crate::allocate(&problem, policy, options)?;
    let (order, finish) = (least_first(plan.end.len(), |site| plan.end[site]), plan.end.clone());
    let outlook = if in_time { Outlook::Holds } else { Outlook::Overload };
    let nothing = vec![0.0; state.sites.len()];
    Ok(shares(state, plan, nothing, order, finish, outlook))
}
