use weir_plan::{
    Allocation, FLOOR, Family, Goal, Options, Policy, Problem, RESERVE, Refused, Shares, State,
    allocate, deadline, replan_with,
};

use super::rounds::Rounds;
use super::state::View;
use crate::world::World;

/// What a policy says: rates by site, who takes what is free, and until when.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    pub rates: Vec<(usize, f64)>,
    pub order: Vec<usize>,
    pub until: f64,
}

/// Asks a policy in the way it is meant to be used.
pub struct Driver {
    policy: Policy,
    options: Options,
    kind: Kind,
}

enum Kind {
    /// Ours: from the state as it is now, every time.
    Live,
    /// The paper's instant allocation: rates for those who are there, kept until somebody comes.
    Constant { rates: Vec<(usize, f64)> },
    /// The paper's task scheduling.
    Rounds(Rounds),
}

impl Driver {
    pub fn new(policy: Policy, seed: u64) -> Driver {
        let kind = match policy.family() {
            Family::Ours => Kind::Live,
            Family::Constant => Kind::Constant { rates: Vec::new() },
            Family::Rounds => Kind::Rounds(Rounds::new(policy)),
        };
        Driver { policy, options: Options { goal: Goal::Sum, seed, ends_only: false }, kind }
    }

    pub fn decide(&mut self, view: &View, world: &World) -> Result<Decision, Refused> {
        match &mut self.kind {
            Kind::Live => live(self.policy, &self.options, view, world),
            Kind::Constant { rates } => {
                let newcomer =
                    view.sites.iter().any(|site| rates.iter().all(|rate| rate.0 != *site));
                if newcomer {
                    *rates = rates_now(self.policy, &self.options, view, &view.sites, world)?;
                }
                let here = |&(site, _): &(usize, f64)| view.sites.contains(&site);
                let rates = rates.iter().copied().filter(here).collect();
                Ok(Decision { rates, order: Vec::new(), until: f64::INFINITY })
            }
            Kind::Rounds(rounds) => rounds.decide(&self.options, view, world),
        }
    }
}

fn live(
    policy: Policy,
    options: &Options,
    view: &View,
    world: &World,
) -> Result<Decision, Refused> {
    let state = State {
        cap: world.cap_from(view.now),
        at_once: world.at_once,
        floor: FLOOR,
        reserve: RESERVE,
        goal: options.goal,
        effort: deadline::QUICK,
        period: world.replan,
        used: 1.0,
        sites: view.known.clone(),
    };
    let Shares { rates, order, valid_for, .. } = replan_with(policy, &state, options)?;
    let rates = view.sites.iter().copied().zip(rates);
    Ok(Decision {
        rates: rates.filter(|(_, rate)| *rate > 0.0).collect(),
        order: order.into_iter().map(|index| view.sites[index]).collect(),
        until: view.now + valid_for.min(world.replan),
    })
}

/// The rates with which a policy would begin if only `which` of the sites were there.
pub fn rates_now(
    policy: Policy,
    options: &Options,
    view: &View,
    which: &[usize],
    world: &World,
) -> Result<Vec<(usize, f64)>, Refused> {
    let site = |&site: &usize| {
        let index = view.sites.iter().position(|here| *here == site);
        view.known[index.expect("who is asked for is there")].site.clone()
    };
    let problem = Problem {
        cap: weir_plan::Cap::constant(world.cap_at(view.now)),
        at_once: world.at_once,
        sites: which.iter().map(site).collect(),
    };
    let plan = allocate(&problem, policy, options)?;
    Ok(which.iter().copied().zip(first_rates(&plan, which.len())).collect())
}

fn first_rates(plan: &Allocation, sites: usize) -> Vec<f64> {
    let mut rates = vec![0.0; sites];
    for piece in plan.pieces.iter().filter(|piece| piece.from <= 0.0) {
        rates[piece.site] = piece.rate;
    }
    rates
}
