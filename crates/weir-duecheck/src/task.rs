//! Deadlines and a cap for sites whose sizes and speeds are known here, and nowhere else.

use clap::ValueEnum;
use fastrand::Rng;
use weir_plan::deadline::{self, Effort};
use weir_plan::{Cap, Goal, Problem, Site, judge};

/// What a site has, in bytes on the wire, and bytes a second that it can give.
#[derive(Clone, Debug)]
pub struct Truth {
    pub bytes: Vec<f64>,
    pub rates: Vec<f64>,
    pub listed: Vec<bool>,
}

/// How much more the cap is than the least that holds all deadlines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Load {
    /// 40 % more.
    Easy,
    /// 10 % more.
    Spare10,
    /// 2 % more.
    Spare2,
    /// A fifth less: not all can be held.
    Over,
}

impl Load {
    pub fn factor(self) -> f64 {
        match self {
            Load::Easy => 1.4,
            Load::Spare10 => 1.10,
            Load::Spare2 => 1.02,
            Load::Over => 0.8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Load::Easy => "40 % to spare",
            Load::Spare10 => "10 % to spare",
            Load::Spare2 => "2 % to spare",
            Load::Over => "a fifth too little",
        }
    }
}

pub struct Task {
    pub load: Load,
    pub cap: f64,
    pub due: Vec<f64>,
    pub truth: Truth,
    /// The least sum of lateness that a plan has that knows all this, and when each site is done in it.
    pub least_lateness: f64,
    pub best_end: Vec<f64>,
}

/// Requests at a time to one site.
pub const REQUESTS: u32 = 4;
/// No site is asked for more than this part of its own speed.
const OWN_SPARE: f64 = 2.0;
const THOROUGH: Effort = Effort(200_000_000);

impl Task {
    /// The same deadlines for every load; the cap is what differs.
    pub fn new(truth: &Truth, load: Load, seconds: f64, seed: u64) -> Task {
        let mut lot = Rng::with_seed(seed + 1000);
        let due: Vec<f64> = (0..truth.bytes.len())
            .map(|at| {
                let own = truth.bytes[at] / truth.rates[at] * OWN_SPARE + 1.0;
                own.max(seconds * (0.15 + 0.85 * lot.f64()))
            })
            .collect();
        let problem = |cap: f64| Problem {
            cap: Cap::constant(cap),
            at_once: None,
            sites: (0..due.len())
                .map(|at| Site {
                    max_rate: under(cap, truth.rates[at]),
                    ..Site::new(truth.bytes[at], Some(due[at]))
                })
                .collect(),
        };
        // What a site can give depends on the cap, and the cap that is needed on that.
        let mut needed = truth.bytes.iter().sum::<f64>() / seconds;
        for _ in 0..20 {
            let least = judge(&problem(needed * load.factor())).least_cap;
            needed = least.unwrap_or(f64::INFINITY).min(needed * 2.0);
        }
        let cap = (needed * load.factor()).round();
        let problem = problem(cap);
        let best = deadline::allocate(&problem, Goal::Sum, THOROUGH);
        let least_lateness = best.score(&problem.sites).sum_tardiness;
        Task { load, cap, due, truth: truth.clone(), least_lateness, best_end: best.end }
    }
}

/// What a site can give under a cap: while bytes come they come no faster, and between two pages none
/// come on a connection.
fn under(cap: f64, rate: f64) -> f64 {
    (1.0 / (1.0 / rate + 1.0 / (cap * f64::from(REQUESTS)))).min(cap)
}
