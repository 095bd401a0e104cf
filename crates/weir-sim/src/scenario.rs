//! A web described by a user: the keys of `scenario.toml`, checked, and drawn into worlds by seeds.

mod draw;
mod keys;
mod values;

use thiserror::Error;
use weir_plan::Policy;

use crate::world::Daily;
use values::{Amount, Range};

/// What is to be simulated. `docs/simulate.md` explains each key.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    pub policies: Vec<Policy>,
    /// The first seed, and how many runs there are, each with a seed of its own.
    pub seed: u64,
    pub runs: u64,
    cap: Daily,
    starts_at: f64,
    at_once: Option<usize>,
    replan: f64,
    speeds_known: bool,
    until: f64,
    sites: Vec<Sites>,
}

/// One `[[site]]`: a site, or several of a kind.
#[derive(Clone, Debug, PartialEq)]
struct Sites {
    name: String,
    count: usize,
    size: Range,
    /// As predicted, where that is not left to chance.
    predicted: Option<f64>,
    sigma: f64,
    converges: bool,
    within: Option<Range>,
    by: Option<f64>,
    release: Range,
    weight: f64,
    max_rate: f64,
    speed: Amount,
    latency: f64,
    ramp_up: f64,
}

#[derive(Clone, Debug, Error, PartialEq)]
pub enum ScenarioError {
    #[error("{0}")]
    Syntax(String),
    #[error("there is no key `{key}`{place}{hint}")]
    UnknownKey { key: String, place: &'static str, hint: String },
    #[error("{key} = {value}: {remedy}")]
    Value { key: String, value: String, remedy: String },
    #[error("{key} is missing: {remedy}")]
    Missing { key: String, remedy: &'static str },
}

impl Scenario {
    /// One seed for each run.
    pub fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..self.runs).map(move |run| first.wrapping_add(run))
    }
}

#[cfg(test)]
mod tests;
