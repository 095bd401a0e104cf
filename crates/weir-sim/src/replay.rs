//! A crawl that was recorded, once more in virtual time with another limit or policy.
//!
//! The sizes are those that came of the crawl, and every policy knows them from the start. So a
//! replay says what a limit could do, and a crawl that has to find out does a little worse.

mod recorded;
mod told;

pub use recorded::{Recorded, RecordedSite};

use thiserror::Error;
use weir_plan::{Allocation, Options, Policy, Problem, Refused, Site, allocate, judge, needed};

/// What is to be different.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Bytes a second; the limit of the crawl if not given.
    pub limit: Option<f64>,
    /// Sites at a time, at the most.
    pub at_once: Option<usize>,
    pub policies: Vec<Policy>,
    /// For the policies that throw dice.
    pub seed: u64,
    /// The plans are to be drawn, so who gets what when is needed and not only when all end.
    pub drawn: bool,
}

/// The recorded crawl as a problem, and what each policy makes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Replay {
    /// Those with bytes, numbered as in the problem.
    pub sites: Vec<RecordedSite>,
    /// Sites without a byte that came or is expected. Nothing can be said of them.
    pub left_out: usize,
    /// What came over the wire for each byte of pages.
    pub overhead: f64,
    pub problem: Problem,
    pub outcomes: Vec<(Policy, Result<Allocation, Refused>)>,
    /// The least limit that keeps every deadline, if all sites may run at a time: infinite if none
    /// does, 0 without deadlines.
    pub least_limit: f64,
}

#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReplayError {
    #[error(
        "no site has any bytes, neither any that came nor any that are expected; crawl for longer, or \
         take another crawl"
    )]
    Nothing,
    /// A report that somebody spoiled.
    #[error(transparent)]
    Wrong(#[from] weir_plan::Wrong),
}

pub fn replay(recorded: &Recorded, what_if: &WhatIf) -> Result<Replay, ReplayError> {
    let (sites, empty): (Vec<_>, Vec<_>) =
        recorded.sites.iter().cloned().partition(|site| site.bytes() > 0.0);
    if sites.is_empty() {
        return Err(ReplayError::Nothing);
    }
    let overhead = recorded.overhead();
    let problem = recorded.problem(&sites, what_if);
    problem.check()?;
    let options = Options { seed: what_if.seed, ends_only: !what_if.drawn, ..Options::default() };
    let outcome = |&policy: &Policy| (policy, allocate(&problem, policy, &options));
    let outcomes = what_if.policies.iter().map(outcome).collect();
    let least_limit = judge(&problem).least_cap.expect("the cap is one rate");
    Ok(Replay { sites, left_out: empty.len(), overhead, problem, outcomes, least_limit })
}

impl Replay {
    pub fn limit(&self) -> f64 {
        self.problem.cap.highest()
    }

    /// Sites whose size is a prediction, since the crawl was not done with them.
    pub fn predicted(&self) -> usize {
        self.sites.iter().filter(|site| site.end.is_none()).count()
    }

    /// Sites that cannot give their bytes in time, whatever the limit is.
    pub fn too_slow(&self) -> impl Iterator<Item = &str> {
        let alone = |site: &Site| needed::least_cap(std::slice::from_ref(site));
        let all = self.problem.sites.iter().zip(&self.sites);
        all.filter(move |(site, _)| alone(site).is_infinite()).map(|(_, one)| one.name.as_str())
    }

    pub fn with_deadline(&self) -> usize {
        self.sites.iter().filter(|site| site.deadline.is_some()).count()
    }
}

#[cfg(test)]
mod tests;
