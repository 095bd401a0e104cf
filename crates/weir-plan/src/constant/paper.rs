//! The best constant rates, by what they are best at: the paper's M-MAXT, M-SUMT and M-STET.

use super::split::{Part, split};
use crate::needed::at_constant_rates;
use crate::{Goal, Refused, Site};

/// What is asked for beyond the cap counts as rounding up to this part of it.
const ROUNDING: f64 = 1e-9;

/// Splits `cap` so that the last site finishes as early as possible, with all deadlines kept.
///
/// A site that would miss its deadline at the common finish time gets exactly size / deadline;
/// the others share the rest in proportion to size. (M-MAXT; the paper's D, t*, U and v.)
pub fn earliest_finish(sites: &[Site], cap: f64) -> Result<Vec<f64>, Refused> {
    keeping_deadlines(sites, cap, Goal::Last)
}

/// Splits `cap` so that the sum of all times is the least, with all deadlines kept.
///
/// As `earliest_finish`, with the root of the size in place of the size. (M-SUMT; the paper's
/// text says "proportionally to the amount of data", its formula has the root.)
pub fn least_sum(sites: &[Site], cap: f64) -> Result<Vec<f64>, Refused> {
    keeping_deadlines(sites, cap, Goal::Sum)
}

/// Splits a `cap` that is too small for all deadlines so that the sum of lateness is small.
///
/// Nobody gets more than size / deadline; up to that, rates follow the root of the size. A site
/// without a deadline has no such bound, as if it were due at once. That is what the printed
/// algorithm does, and it is not the least sum of lateness. (M-STET.)
pub fn least_lateness(sites: &[Site], cap: f64) -> Vec<f64> {
    up_to(sites, cap, f64::INFINITY)
}

/// The true least sum of lateness at constant rates: sites without a deadline get nothing.
pub fn least_lateness_of_due(sites: &[Site], cap: f64) -> Vec<f64> {
    up_to(sites, cap, 0.0)
}

/// `earliest_finish` or `least_sum` where all deadlines can be kept, else `least_lateness`: the
/// choice that the paper makes by its needed bandwidth.
pub fn auto(sites: &[Site], cap: f64, goal: Goal) -> Vec<f64> {
    keeping_deadlines(sites, cap, goal).unwrap_or_else(|_| least_lateness(sites, cap))
}

/// The rates that just keep each deadline, if the cap and the sites' highest rates allow them
/// and leave something for the sites without one.
pub(super) fn paces(sites: &[Site], cap: f64) -> Result<Vec<f64>, Refused> {
    let slow = |site: &&Site| pace(site) > site.max_rate * (1.0 + ROUNDING);
    if let Some(site) = sites.iter().find(slow) {
        return Err(Refused::Overbooked { needed: pace(site), cap: site.max_rate });
    }
    let needed = at_constant_rates(sites);
    let starves = || sites.iter().any(|site| site.size > 0.0 && site.deadline.is_none());
    if needed > cap * (1.0 + ROUNDING) || (needed >= cap && starves()) {
        return Err(Refused::Overbooked { needed, cap });
    }
    let fit = if needed > cap { cap / needed } else { 1.0 };
    Ok(sites.iter().map(|site| (pace(site) * fit).min(site.max_rate)).collect())
}

fn keeping_deadlines(sites: &[Site], cap: f64, goal: Goal) -> Result<Vec<f64>, Refused> {
    let paces = paces(sites, cap)?;
    let part = |(site, low): (&Site, f64)| {
        let pull = match goal {
            Goal::Last => site.size,
            Goal::Sum => site.size.sqrt(),
        };
        Part { pull, low, high: site.max_rate }
    };
    Ok(split(cap, &sites.iter().zip(paces).map(part).collect::<Vec<_>>()))
}

fn up_to(sites: &[Site], cap: f64, without_deadline: f64) -> Vec<f64> {
    let part = |site: &Site| {
        let bound = if site.deadline.is_some() { pace(site) } else { without_deadline };
        Part { pull: site.size.sqrt(), low: 0.0, high: bound.min(site.max_rate) }
    };
    split(cap, &sites.iter().map(part).collect::<Vec<_>>())
}

/// The constant rate that just keeps the deadline.
fn pace(site: &Site) -> f64 {
    match site.deadline {
        Some(due) if site.size > 0.0 && due <= 0.0 => f64::INFINITY,
        Some(due) if site.size > 0.0 => site.size / due,
        _ => 0.0,
    }
}
