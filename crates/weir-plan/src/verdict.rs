//! What can be said of a problem before any policy is chosen.

use crate::{Cap, Problem, Site, flow, level, needed};

#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Every deadline can be kept.
    pub feasible: bool,
    /// Every deadline can be kept by constant rates.
    pub sufficient: bool,
    /// What constant rates need (the paper's Ū).
    pub at_constant_rates: f64,
    /// The least constant cap that keeps every deadline; infinite if none does. Nothing if the
    /// cap changes over time.
    pub least_cap: Option<f64>,
    /// The least factor on the cap that keeps every deadline.
    pub least_scale: f64,
    /// The least that the latest site can be late by, below zero for early. Nothing without
    /// deadlines, or where there are too many sites to say it quickly.
    pub least_lateness: Option<f64>,
    /// The most that can be delivered by the deadlines.
    pub most_in_time: Option<f64>,
}

/// Up to so many sites the exact figures that take longer are given too.
const FEW: usize = 400;
/// The same where a single test is quick.
const QUICK: usize = 20_000;

pub fn judge(problem: &Problem) -> Verdict {
    let at_constant_rates = needed::at_constant_rates(&problem.sites);
    let scale = least_scale(&problem.cap, &problem.sites);
    let fixed = problem.cap.fixed();
    let quick = fixed.is_some() && problem.sites.iter().all(|site| site.release <= 0.0);
    let few = problem.sites.len() <= if quick { QUICK } else { FEW };
    Verdict {
        feasible: scale <= SURE,
        sufficient: fixed.is_some_and(|cap| at_constant_rates <= cap * (1.0 + 1e-9)),
        at_constant_rates,
        least_cap: fixed.map(|cap| cap * scale),
        least_scale: scale,
        least_lateness: few.then(|| least_lateness(problem)).flatten(),
        most_in_time: (problem.sites.len() <= FEW).then(|| {
            let due: Vec<f64> = problem.sites.iter().map(Site::due).collect();
            flow::most_in_time(&problem.sites, &due, &problem.cap).1
        }),
    }
}

/// The least factor on the cap that keeps every deadline.
pub fn least_scale(cap: &Cap, sites: &[Site]) -> f64 {
    quick_scale(cap, sites).unwrap_or_else(|| {
        let all_there = sites.iter().all(|site| site.release <= 0.0);
        if all_there && sites.len() > FLOW {
            return by_halving(cap, sites);
        }
        let due: Vec<f64> = sites.iter().map(Site::due).collect();
        flow::least_scale(sites, &due, cap)
    })
}

/// The same, where a sort is enough to know it.
pub fn quick_scale(cap: &Cap, sites: &[Site]) -> Option<f64> {
    if sites.iter().any(|site| site.release > 0.0) {
        None
    } else if let Some(cap) = cap.fixed() {
        Some(needed::least_cap(sites) / cap)
    } else if sites.iter().all(|site| site.max_rate == f64::INFINITY) {
        Some(needed::least_scale_without_max_rates(sites, cap))
    } else {
        None
    }
}

/// Whether every deadline can be kept.
pub fn holds(cap: &Cap, sites: &[Site]) -> bool {
    quick_scale(cap, sites).map_or_else(
        || {
            let due: Vec<f64> = sites.iter().map(Site::due).collect();
            possible(cap, sites, &due)
        },
        |scale| scale <= SURE,
    )
}

/// The same for other deadlines than the sites' own; infinite for none.
pub fn holds_for(cap: &Cap, sites: &[Site], due: &[f64]) -> bool {
    let sites: Vec<Site> = sites.iter().zip(due).map(|(site, &due)| site.with_due(due)).collect();
    holds(cap, &sites)
}

/// Rounding that is forgiven.
pub const SURE: f64 = 1.0 + 1e-9;

/// Up to so many sites the flow is quicker than many tests.
const FLOW: usize = 64;

fn by_halving(cap: &Cap, sites: &[Site]) -> f64 {
    let due: Vec<f64> = sites.iter().map(Site::due).collect();
    let slow = |site: &Site| {
        site.deadline.is_some_and(|due| site.size > site.max_rate * due.max(0.0) * SURE)
    };
    if sites.iter().any(slow) {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while !possible(&cap.scaled(high), sites, &due) {
        (low, high) = (high, high * 2.0);
        if high > 1e12 {
            return f64::INFINITY;
        }
    }
    while high - low > high * 1e-8 {
        let middle = low + (high - low) / 2.0;
        if possible(&cap.scaled(middle), sites, &due) { high = middle } else { low = middle }
    }
    high
}

/// By halving, on the exact test.
fn least_lateness(problem: &Problem) -> Option<f64> {
    let due: Vec<f64> =
        problem.sites.iter().filter(|site| site.size > 0.0).map(Site::due).collect();
    let dated = || due.iter().copied().filter(|due| due.is_finite());
    dated().next()?;
    let all_there = problem.sites.iter().all(|site| site.release <= 0.0);
    let fits = |late: f64| match problem.cap.fixed() {
        Some(cap) if all_there => {
            let moved = |site: &Site| Site {
                deadline: site.deadline.map(|due| due + late),
                ..site.clone()
            };
            let moved: Vec<Site> = problem.sites.iter().map(moved).collect();
            needed::least_slack(&moved, cap) >= 0.0
        }
        _ => {
            let due: Vec<f64> = problem.sites.iter().map(|site| site.due() + late).collect();
            possible(&problem.cap, &problem.sites, &due)
        }
    };
    let mut high = dated().fold(1.0, f64::max);
    let low = -dated().fold(f64::INFINITY, f64::min);
    for _ in 0..100 {
        if fits(high) {
            break;
        }
        high = high.abs() * 2.0;
        if high > 1e15 * dated().fold(1.0, f64::max) {
            return None; // what is late there never comes
        }
    }
    let mut low = low.min(high);
    for _ in 0..100 {
        let middle = low + (high - low) / 2.0;
        if fits(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Whether every site can be done by its time, which is infinite for none.
pub fn possible(cap: &Cap, sites: &[Site], due: &[f64]) -> bool {
    let wanted: f64 = (0..sites.len()).filter(|&s| due[s].is_finite()).map(|s| sites[s].size).sum();
    if sites.iter().any(|site| site.release > 0.0) {
        wanted - flow::most_in_time(sites, due, cap).1 <= wanted * 1e-10
    } else {
        level::missing(sites, due, cap) <= wanted * 1e-12
    }
}
