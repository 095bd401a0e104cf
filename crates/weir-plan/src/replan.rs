//! Rates for this moment, from what is known now. Made again every second, and whenever something
//! changes: a prediction, a speed, the cap, a site done, a new one.

use crate::allocation::is_met;
use crate::deadline::{self, Aim, Effort};
use crate::rank::least_first;
use crate::verdict::{SURE, holds, quick_scale};
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
    let exact = state.sites.iter().all(|known| known.low == 1.0 && known.high == 1.0);
    let cautious = if exact { expected.clone() } else { sites(state, |known| known.high) };
    let spread = state.sites.iter().map(|known| known.high).fold(1.0, f64::max);
    let needs = Needs::new(&state.cap, &cautious);
    let (outlook, due) = outlook(state, exact, &cautious, &needs);
    let problem =
        |sites: Vec<Site>| Problem { cap: state.cap.clone(), at_once: state.at_once, sites };
    let aim = Aim { goal: state.goal, effort: state.effort, in_time: outlook == Outlook::Holds };
    let base = base_rates(state, floor(state, outlook, &needs));
    let plan = match outlook {
        Outlook::Holds if spread <= TRUSTED => {
            let problem = problem(cautious);
            if let Some(order) = deadline::order_of_many(&problem, &due, aim) {
                return many(state, &problem, &due, base, order);
            }
            deadline::allocate_for(&problem, &due, aim)
        }
        Outlook::Overload => deadline::allocate_for(&problem(expected.clone()), &due, aim),
        _ => deadline::by_deadline_with_care(&problem(expected.clone())),
    };
    let order = least_first(plan.end.len(), |site| plan.end[site]);
    let finish = if exact { plan.end.clone() } else { list::serve(&problem(expected), &order).end };
    shares(state, plan, base, order, finish, outlook)
}

/// What is to be expected, and the deadlines to plan for: a little earlier than the sites' own
/// where that can be, because a plan that is right to the last moment is lost by a rounding.
fn outlook(state: &State, exact: bool, cautious: &[Site], needs: &Needs) -> (Outlook, Vec<f64>) {
    let early = |site: &Site| Site {
        deadline: site.deadline.map(|due| due - state.period.min(due.max(0.0) * EARLY)),
        ..site.clone()
    };
    let dues = |sites: &[Site]| sites.iter().map(Site::due).collect();
    if needs.fit(1.0) {
        let earlier: Vec<Site> = cautious.iter().map(early).collect();
        let possible = holds(&state.cap, &earlier);
        return (Outlook::Holds, dues(if possible { &earlier } else { cautious }));
    }
    let due = dues(cautious);
    if exact || !holds(&state.cap, &sites(state, |known| known.low)) {
        (Outlook::Overload, due)
    } else {
        (Outlook::Unsure, due)
    }
}

/// No more of the time to a deadline than this is set aside.
const EARLY: f64 = 0.02;

/// An order for many sites, and what the deadlines ask for just now put before it.
fn many(
    state: &State,
    problem: &Problem,
    due: &[f64],
    base: Vec<f64>,
    order: Vec<usize>,
) -> Shares {
    let mut plan = list::serve(problem, &order);
    if plan.end.iter().zip(due).all(|(&end, &due)| is_met(end, due)) {
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
    shares.valid_for = shares.valid_for.min(state.period);
    shares
}

fn sites(state: &State, factor: impl Fn(&Known) -> f64) -> Vec<Site> {
    let scaled =
        |known: &Known| Site { size: known.site.size * factor(known), ..known.site.clone() };
    state.sites.iter().map(scaled).collect()
}

/// Deadlines that can be kept are not given up for the floor.
fn floor(state: &State, outlook: Outlook, needs: &Needs) -> f64 {
    if outlook != Outlook::Holds || needs.fit(1.0 - state.floor) { state.floor } else { 0.0 }
}

/// What the deadlines need of the cap: worked out once where that is quick.
struct Needs<'a> {
    cap: &'a Cap,
    sites: &'a [Site],
    scale: Option<f64>,
}

impl Needs<'_> {
    fn new<'a>(cap: &'a Cap, sites: &'a [Site]) -> Needs<'a> {
        Needs { cap, sites, scale: quick_scale(cap, sites) }
    }

    /// Whether this part of the cap is enough.
    fn fit(&self, part: f64) -> bool {
        match self.scale {
            Some(scale) => scale <= part * SURE,
            None => holds(&self.cap.scaled(part), self.sites),
        }
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
    let mut planned = vec![0.0; base.len()];
    for piece in plan.pieces.iter().filter(|piece| piece.from <= 0.0) {
        planned[piece.site] = piece.rate;
    }
    let rates = with_base(state, base, &urgent(state, outlook), &planned, &order);
    let valid_for = until_first_change(state, &plan, &rates);
    Shares { rates, order, valid_for, outlook, finish }
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
    let changes = changes.filter(|at| *at > 0.0 && *at < first && !planned_ends.contains(at));
    changes.fold(first, f64::min)
}

/// Whoever would have to start before the next plan is made starts now: a plan that starts it at the
/// last moment is lost by a rounding.
fn urgent(state: &State, outlook: Outlook) -> Vec<usize> {
    if outlook != Outlook::Holds {
        return Vec::new();
    }
    let sites = state.sites.iter().map(|known| &known.site);
    guard::urgent(sites, state.cap.at(0.0), state.period)
}

/// The base rates; then those that are urgent, the planned rates, and in the order what is left.
fn with_base(
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
    let as_planned = order.iter().map(|&site| (site, planned[site])).filter(|one| one.1 > 0.0);
    for (site, rate) in urgent.iter().map(all).chain(as_planned).chain(order.iter().map(all)) {
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
