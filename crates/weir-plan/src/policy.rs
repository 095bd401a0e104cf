//! The policies by name, and the one door to all of them.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Allocation, Problem, Wrong, constant, deadline, fair, rounds};

/// Who gets how much: ours first, then the paper's, then what the paper compares itself with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    Deadline,
    Edf,
    Fair,
    MinLate,
    Stretch,
    MMaxt,
    MSumt,
    MStet,
    MStetPure,
    MAuto,
    ReallocMaxt,
    ReallocSumt,
    ProBandwidth,
    ProData,
    Random,
    Ga,
    De,
    AllocOnceMaxt,
    AllocOnceSumt,
    ReallocProbandwidth,
    ReallocProdata,
}

impl Policy {
    pub const ALL: [Policy; 21] = [
        Policy::Deadline,
        Policy::Edf,
        Policy::Fair,
        Policy::MinLate,
        Policy::Stretch,
        Policy::MMaxt,
        Policy::MSumt,
        Policy::MStet,
        Policy::MStetPure,
        Policy::MAuto,
        Policy::ReallocMaxt,
        Policy::ReallocSumt,
        Policy::ProBandwidth,
        Policy::ProData,
        Policy::Random,
        Policy::Ga,
        Policy::De,
        Policy::AllocOnceMaxt,
        Policy::AllocOnceSumt,
        Policy::ReallocProbandwidth,
        Policy::ReallocProdata,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Policy::Deadline => "deadline",
            Policy::Edf => "edf",
            Policy::Fair => "fair",
            Policy::MinLate => "min-late",
            Policy::Stretch => "stretch",
            Policy::MMaxt => "m-maxt",
            Policy::MSumt => "m-sumt",
            Policy::MStet => "m-stet",
            Policy::MStetPure => "m-stet-pure",
            Policy::MAuto => "m-auto",
            Policy::ReallocMaxt => "realloc-maxt",
            Policy::ReallocSumt => "realloc-sumt",
            Policy::ProBandwidth => "pro-bandwidth",
            Policy::ProData => "pro-data",
            Policy::Random => "random",
            Policy::Ga => "ga",
            Policy::De => "de",
            Policy::AllocOnceMaxt => "alloc-once-maxt",
            Policy::AllocOnceSumt => "alloc-once-sumt",
            Policy::ReallocProbandwidth => "realloc-probandwidth",
            Policy::ReallocProdata => "realloc-prodata",
        }
    }

    pub fn family(self) -> Family {
        match self {
            Policy::Deadline | Policy::Edf | Policy::Fair | Policy::MinLate | Policy::Stretch => {
                Family::Ours
            }
            Policy::MMaxt
            | Policy::MSumt
            | Policy::MStet
            | Policy::MStetPure
            | Policy::MAuto
            | Policy::ProBandwidth
            | Policy::ProData
            | Policy::Random
            | Policy::Ga
            | Policy::De => Family::Constant,
            Policy::ReallocMaxt
            | Policy::ReallocSumt
            | Policy::AllocOnceMaxt
            | Policy::AllocOnceSumt
            | Policy::ReallocProbandwidth
            | Policy::ReallocProdata => Family::Rounds,
        }
    }
}

/// How a policy works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Rates that change over time.
    Ours,
    /// One rate a site until it is done.
    Constant,
    /// Rates by rounds, for more sites than slots.
    Rounds,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no policy `{0}`; there are {names}", names = names())]
pub struct UnknownPolicy(pub String);

fn names() -> String {
    Policy::ALL.map(Policy::name).join(", ")
}

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(name: &str) -> Result<Policy, UnknownPolicy> {
        let found = Policy::ALL.into_iter().find(|policy| policy.name() == name);
        found.ok_or_else(|| UnknownPolicy(name.to_owned()))
    }
}

/// What a policy aims at beyond the deadlines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Goal {
    /// The least sum of finish times: each site done as early as can be, on average.
    #[default]
    Sum,
    /// The last site done as early as can be.
    Last,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    pub goal: Goal,
    /// For `random`, `ga` and `de`.
    pub seed: u64,
    /// Only when each site is done, not who gets what until then, where that is much less work.
    pub ends_only: bool,
}

/// Why a policy gives no allocation for a problem that is sound in itself.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refused {
    #[error(transparent)]
    Wrong(#[from] Wrong),
    /// Constant rates that keep every deadline need more than the cap.
    #[error("needs {needed} and the cap is {cap}")]
    Overbooked { needed: f64, cap: f64 },
    #[error("{policy} cannot be used with {with}; use {instead}")]
    Unfit { policy: Policy, with: &'static str, instead: &'static str },
}

/// Refuses a policy that cannot be used with such a problem, as [`allocate`] would, but without
/// working anything out.
pub fn suits(problem: &Problem, policy: Policy) -> Result<(), Refused> {
    match policy.family() {
        Family::Constant => constant::cap_if_suited(problem, policy).map(drop),
        Family::Rounds => constant::fixed_cap(problem, policy).map(drop),
        Family::Ours => Ok(()),
    }
}

pub fn allocate(
    problem: &Problem,
    policy: Policy,
    options: &Options,
) -> Result<Allocation, Refused> {
    problem.check()?;
    match policy.family() {
        Family::Constant => return constant::allocate(problem, policy, options),
        Family::Rounds => return rounds::allocate(problem, policy),
        Family::Ours => {}
    }
    let ours = match policy {
        Policy::Deadline => deadline::allocate(problem, options.goal, deadline::THOROUGH),
        Policy::Edf => deadline::earliest_deadline_first(problem),
        Policy::Fair => return fair::allocate(problem, options.ends_only),
        Policy::MinLate => deadline::fewest_late(problem, deadline::THOROUGH),
        Policy::Stretch => deadline::least_stretch(problem),
        _ => unreachable!("the other families have their own door"),
    };
    Ok(ours)
}
