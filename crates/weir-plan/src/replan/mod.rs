//! Rates for this moment, from what is known now. Made again every second, and whenever something
//! changes: a prediction, a speed, the cap, a site done, a new one.
//!
//! What is known may be wrong, and a site may come that nobody expected; so slack is spent on an
//! early finish of small sites only as far as there is plenty of it. `outlook` says how much there
//! is, `rates` makes rates of a plan.

mod outlook;
mod rates;

use self::outlook::{Needs, Reserve};
use crate::deadline::{self, Aim, Effort};
use crate::level::Interval;
use crate::rank::least_first;
use crate::verdict::holds;
use crate::{
    Allocation, Cap, Goal, Options, Piece, Policy, Problem, Refused, Site, allocate, guard, list,
};

pub use outlook::Outlook;

/// What is known now. Times count from now.
#[derive(Clone, Debug)]
pub struct State {
    pub cap: Cap,
    pub at_once: Option<usize>,
    /// The part of the cap that sites without a deadline share by weight whatever the others need,
    /// so that they do not starve. Deadlines that can just be kept come before it, and where not
    /// all can be kept it is a fifth of this.
    pub floor: f64,
    /// The part of the cap that has to be left over if small sites are to be served first.
    pub reserve: f64,
    pub goal: Goal,
    pub effort: Effort,
    /// When the next plan is made, at the latest.
    pub period: f64,
    /// The part of the cap that comes to be used. Where not all deadlines can be kept, who is given up
    /// depends on it: with a cap that nobody quite reaches, all the others would be late by a little.
    pub used: f64,
    pub sites: Vec<Known>,
}

/// The usual floor.
pub const FLOOR: f64 = 0.05;
/// The usual reserve: for sites that nobody announced, and for predictions that are wrong.
pub const RESERVE: f64 = 0.1;

/// A site as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub struct Known {
    /// What it wants, with the size as predicted.
    pub site: Site,
    /// The size is hardly less than `low` times the prediction, and hardly more than `high` times.
    pub low: f64,
    pub high: f64,
    /// Whether the highest rate is known, from measurement or because it was set. A site that turns
    /// out to be slow cannot catch up what it was made to wait.
    pub rate_is_known: bool,
}

impl Known {
    pub fn exactly(site: Site) -> Known {
        Known { site, low: 1.0, high: 1.0, rate_is_known: true }
    }
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
    /// There is so much slack that small sites are served first.
    pub is_roomy: bool,
    /// When each site is done, as predicted; infinite for never.
    pub finish: Vec<f64>,
}

/// The default policy, at this moment.
pub fn replan(state: &State) -> Shares {
    View::of(state).plan(state)
}

/// The same if all deadlines hold, and otherwise nothing: a plan for sites that cannot all be in time
/// takes far longer to make.
pub fn replan_if_holds(state: &State) -> Option<Shares> {
    let view = View::of(state);
    (view.outlook == Outlook::Holds).then(|| view.plan(state))
}

/// What can be said before there is a plan.
struct View {
    exact: bool,
    expected: Vec<Site>,
    cautious: Vec<Site>,
    outlook: Outlook,
    reserve: Reserve,
    base: Vec<f64>,
}

impl View {
    fn of(state: &State) -> View {
        let exact = is_exact(state);
        let expected = outlook::sites(state, |_| 1.0);
        let cautious =
            if exact { expected.clone() } else { outlook::sites(state, |known| known.high) };
        let forgiving = outlook::a_hair_later(&cautious, state.period);
        let needs = Needs::new(&state.cap, &forgiving);
        let (outlook, reserve) = outlook::of(state, exact, &needs);
        let base = rates::base(state, outlook, &needs);
        View { exact, expected, cautious, outlook, reserve, base }
    }

    fn plan(self, state: &State) -> Shares {
        let View { exact, expected, cautious, outlook, reserve, base } = self;
        let is_roomy = matches!(reserve, Reserve::Enough(_));
        let mut plan = match (outlook, reserve) {
            (Outlook::Holds, Reserve::Enough(cap)) => small_first(state, cap, cautious, &base),
            (Outlook::Holds, Reserve::Little) => {
                deadlines_first(state, beside(state, &base), cautious, &base)
            }
            (Outlook::Unsure, _) => perhaps_in_time(state, expected.clone(), &base),
            (Outlook::Overload, _) => least_late(state, expected.clone()),
        };
        // With sizes as planned, the plan may know it already.
        let known = plan.end.take().filter(|_| exact);
        let mut finish =
            known.unwrap_or_else(|| list::serve(&problem(state, expected), &plan.order).end);
        if outlook == Outlook::Holds {
            // What the order alone would miss, reservations and the guard keep.
            let due = state.sites.iter().map(|known| known.site.due());
            finish.iter_mut().zip(due).for_each(|(finish, due)| *finish = finish.min(due));
        }
        Shares { is_roomy, ..rates::shares(state, plan, base, finish, outlook) }
    }
}

fn is_exact(state: &State) -> bool {
    state.sites.iter().all(|known| known.low == 1.0 && known.high == 1.0)
}

fn problem(state: &State, sites: Vec<Site>) -> Problem {
    Problem { cap: state.cap.clone(), at_once: state.at_once, sites }
}

/// An order, rates to begin with where the order alone does not do, and when sites are done with the
/// whole cap, where that is known.
struct Plan {
    order: Vec<usize>,
    begin: Option<Allocation>,
    end: Option<Vec<f64>>,
    /// How long the order is right: who must be in front may change.
    right_for: f64,
}

impl Plan {
    fn whole(begin: Allocation) -> Plan {
        let order = least_first(begin.end.len(), |site| begin.end[site]);
        Plan { order, begin: Some(begin), end: None, right_for: f64::INFINITY }
    }
}

/// There is slack to spare: the least sum of finish times, planned with a part of the cap left over.
fn small_first(state: &State, cap: Cap, sites: Vec<Site>, base: &[f64]) -> Plan {
    let due: Vec<f64> = sites.iter().map(Site::due).collect();
    let aim = Aim { goal: state.goal, effort: state.effort, in_time: true };
    let problem = Problem { cap, at_once: state.at_once, sites };
    if deadline::are_many(&problem, aim) {
        let order = deadline::order_of_many(&problem, &due);
        return guarded(state, problem.sites, &due, order, base);
    }
    Plan::whole(deadline::allocate_for(&problem, &due, aim))
}

/// There is little slack: by deadline, so that it is left for what nobody foresees.
fn deadlines_first(state: &State, cap: Cap, sites: Vec<Site>, base: &[f64]) -> Plan {
    // A plan that is right to the last moment is lost by a rounding.
    let early = |site: &Site| Site {
        deadline: site.deadline.map(|due| due - state.period.min(due.max(0.0) * EARLY)),
        ..site.clone()
    };
    let earlier: Vec<Site> = sites.iter().map(early).collect();
    let sites = if holds(&cap, &earlier) { earlier } else { sites };
    let due: Vec<f64> = sites.iter().map(Site::due).collect();
    // Not a plan that is made to the end and reserves a part for each slow site: what it lets wait until the last
    // moment is late as soon as anything goes less well than planned, and in a crawl something always does.
    let order = deadline::by_deadline(&due);
    guarded(state, sites, &due, order, base)
}

/// Not all can be in time: the least sum of lateness. Who is late by that plan is promised the end that it has
/// there; all are then served by what they were promised, rather than as the plan has it, for the reason that
/// `deadlines_first` gives.
fn least_late(state: &State, expected: Vec<Site>) -> Plan {
    let aim = Aim { goal: state.goal, effort: state.effort, in_time: false };
    let due: Vec<f64> = expected.iter().map(Site::due).collect();
    let problem = Problem { cap: state.cap.scaled(state.used), ..problem(state, expected) };
    let plan = deadline::allocate_for(&problem, &due, aim);
    if !guard_knows(&problem) {
        let end = Some(plan.end.clone());
        return Plan { end, ..Plan::whole(plan) };
    }
    let promised = |(site, end): (Site, &f64)| Site {
        deadline: site.deadline.map(|due| due.max(*end)),
        ..site
    };
    let sites: Vec<Site> = problem.sites.into_iter().zip(&plan.end).map(promised).collect();
    let due: Vec<f64> = sites.iter().map(Site::due).collect();
    let nothing = vec![0.0; sites.len()];
    let order = deadline::by_deadline(&due);
    Plan { end: Some(plan.end), ..guarded(state, sites, &due, order, &nothing) }
}

/// It depends on the sizes: by deadline if all can be in time as it seems, and otherwise the least sum of lateness. By
/// deadline alone, slow sites waited behind large ones that were late in any case.
fn perhaps_in_time(state: &State, expected: Vec<Site>, base: &[f64]) -> Plan {
    if holds(&state.cap, &expected) {
        return deadlines_first(state, beside(state, base), expected, base);
    }
    least_late(state, expected)
}

/// The part of a period that is not told from nothing.
const HAIR: f64 = 1e-10;

/// No more of the time to a deadline than this is set aside.
const EARLY: f64 = 0.02;

/// What is left of the cap beside the base rates.
fn beside(state: &State, base: &[f64]) -> Cap {
    state.cap.scaled(1.0 - base.iter().sum::<f64>() / state.cap.at(0.0).max(f64::MIN_POSITIVE))
}

/// An order, with those in front that the deadlines ask for just now; and where the order alone would
/// miss one and the guard does not know why, with what must be reserved for each.
fn guarded(state: &State, sites: Vec<Site>, due: &[f64], order: Vec<usize>, base: &[f64]) -> Plan {
    let cap = beside(state, base);
    let order = guard::urgent_first(&sites, cap.at(0.0), &order, state.period);
    let problem = Problem { cap, at_once: state.at_once, sites };
    let plan = list::serve(&problem, &order);
    let in_time = plan.meets(due);
    let by_order = Plan { order, begin: None, end: Some(plan.end), right_for: state.period };
    if in_time {
        by_order
    } else if guard_knows(&problem) || is_limited(state) {
        let Problem { cap, sites, .. } = &problem;
        let (order, right_for) = guard::guarded(sites, cap.at(0.0), &by_order.order, state.period);
        Plan { order, right_for: right_for.min(state.period), ..by_order }
    } else {
        Plan { begin: Some(reserved(&problem, due)), ..by_order }
    }
}

/// The guard knows neither a cap that changes nor sites that come later.
fn guard_knows(problem: &Problem) -> bool {
    let all_there = problem.sites.iter().all(|site| site.release <= 0.0);
    all_there && problem.cap.next_change(0.0).is_none()
}

/// Whether some have to wait because of how many may be served at once. Reservations know nothing of that.
fn is_limited(state: &State) -> bool {
    state.at_once.is_some_and(|most| most < state.sites.len())
}

/// What each site must get before the next change: a slow one cannot catch up after the cap has fallen.
fn reserved(problem: &Problem, due: &[f64]) -> Allocation {
    let Some(Interval { from, to, rates }) = deadline::first_reserved(problem, due) else {
        return Allocation::default();
    };
    let piece = |(site, rate)| Piece { site, from, to, rate };
    Allocation { pieces: rates.into_iter().map(piece).collect(), ..Allocation::default() }
}

/// Any policy at this moment: what it would give if it were started now.
pub fn replan_with(policy: Policy, state: &State, options: &Options) -> Result<Shares, Refused> {
    if policy == Policy::Deadline {
        return Ok(replan(state));
    }
    let expected = outlook::sites(state, |_| 1.0);
    let outlook = if holds(&state.cap, &expected) { Outlook::Holds } else { Outlook::Overload };
    let plan = allocate(&problem(state, expected), policy, options)?;
    Ok(rates::as_planned(state, &plan, outlook))
}
