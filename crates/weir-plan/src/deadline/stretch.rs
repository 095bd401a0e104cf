//! Everyone late by the same factor, and that as small as can be.

use super::keep;
use crate::rank::least_first;
use crate::verdict::holds_for;
use crate::{Allocation, Problem};

/// Deadlines times the least factor that makes them possible; a factor below 1 means that all are
/// early by it.
///
/// A deadline that has passed cannot be stretched: such a site comes first, the latest one before all.
pub fn least_stretch(problem: &Problem) -> Allocation {
    let promised = stretched(problem, factor(problem));
    let order = least_first(promised.len(), |site| match problem.sites[site].deadline {
        Some(due) if due <= problem.sites[site].release => due.min(0.0) - 1.0,
        _ => promised[site],
    });
    keep::with_order(problem, &promised, &order)
}

fn stretched(problem: &Problem, factor: f64) -> Vec<f64> {
    let each = problem.sites.iter().map(|site| match site.deadline {
        Some(due) if due > site.release => site.release + (due - site.release) * factor,
        _ => f64::INFINITY,
    });
    each.collect()
}

fn factor(problem: &Problem) -> f64 {
    let fits = |factor: f64| holds_for(&problem.cap, &problem.sites, &stretched(problem, factor));
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        if fits(high) {
            break;
        }
        (low, high) = (high, high * 2.0);
    }
    for _ in 0..60 {
        let middle = low + (high - low) / 2.0;
        if fits(middle) { high = middle } else { low = middle }
    }
    // A hair more, so that no rounding at the end of an interval is paid for with the next one.
    high * (1.0 + 1e-10)
}
