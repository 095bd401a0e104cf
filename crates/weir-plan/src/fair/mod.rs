//! Everyone at once, by weight: needs neither sizes nor deadlines.

mod ends;

use crate::{Allocation, Piece, Policy, Problem, Refused};

/// For more sites than this a plan would be larger than anybody could read.
const MOST_WITH_PLAN: usize = 4096;

/// With a plan, or only with the ends, which can be had for many more sites.
pub fn allocate(problem: &Problem, ends_only: bool) -> Result<Allocation, Refused> {
    let Problem { cap, at_once, sites } = problem;
    let all_there = sites.iter().all(|site| site.release <= 0.0);
    match cap.fixed().filter(|_| all_there && at_once.is_none_or(|most| most >= sites.len())) {
        Some(cap) if ends_only => {
            let end = ends::ends(sites, cap);
            Ok(Allocation { start: vec![0.0; sites.len()], end, ..Allocation::default() })
        }
        _ if sites.len() <= MOST_WITH_PLAN => Ok(serve(problem)),
        Some(_) => Err(unfit("a plan for more than 4,096 sites", "--no-plan, or another policy")),
        None => Err(unfit(
            "more than 4,096 sites that come later, a changing cap or m",
            "another policy",
        )),
    }
}

fn unfit(with: &'static str, instead: &'static str) -> Refused {
    Refused::Unfit { policy: Policy::Fair, with, instead }
}

/// Splits the cap by weight among all that are there, again whenever one is done or comes; what a
/// site cannot take goes to the others.
fn serve(problem: &Problem) -> Allocation {
    let sites = &problem.sites;
    let mut left: Vec<f64> = sites.iter().map(|site| site.size).collect();
    let mut pieces = Vec::new();
    let mut open: Vec<usize> = (0..sites.len()).filter(|&site| left[site] > 0.0).collect();
    let mut now = 0.0;
    while !open.is_empty() {
        let there: Vec<usize> =
            open.iter().copied().filter(|&site| sites[site].release <= now).collect();
        let there = first(there, problem.at_once);
        let wants: Vec<(f64, f64)> =
            there.iter().map(|&s| (sites[s].weight, sites[s].max_rate)).collect();
        let rates = by_weight(&wants, problem.cap.at(now));
        let ends = there.iter().zip(&rates).map(|(&site, rate)| now + left[site] / rate);
        let release = open.iter().map(|&site| sites[site].release).filter(|&release| release > now);
        let next =
            ends.chain(release).chain(problem.cap.next_change(now)).fold(f64::INFINITY, f64::min);
        if next == f64::INFINITY {
            break;
        }
        for (&site, &rate) in there.iter().zip(&rates).filter(|(_, rate)| **rate > 0.0) {
            // Whoever is done within a rounding of the same moment is done now.
            let rest = left[site] - rate * (next - now);
            let rounding = sites[site].size * 1e-12 + rate * next * 4.0 * f64::EPSILON;
            left[site] = if rest <= rounding { 0.0 } else { rest };
            pieces.push(Piece { site, from: now, to: next, rate });
        }
        now = next;
        open.retain(|&site| left[site] > 0.0);
    }
    Allocation::from_pieces(sites, pieces)
}

fn first(mut there: Vec<usize>, at_once: Option<usize>) -> Vec<usize> {
    there.truncate(at_once.unwrap_or(usize::MAX));
    there
}

/// Rates in proportion to weight, none above its highest; `wants` is (weight, highest rate).
pub fn by_weight(wants: &[(f64, f64)], cap: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wants.len()).collect();
    order.sort_by(|&a, &b| (wants[a].1 / wants[a].0).total_cmp(&(wants[b].1 / wants[b].0)));
    let mut weight: f64 = wants.iter().map(|want| want.0).sum();
    let mut free = cap;
    let mut rates = vec![0.0; wants.len()];
    for site in order {
        let (own, highest) = wants[site];
        rates[site] = highest.min(free.max(0.0) * own / weight);
        free -= rates[site];
        weight -= own;
    }
    rates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cap, Site};

    #[test]
    fn ends_alone_are_those_of_the_plan() {
        let mut random = fastrand::Rng::with_seed(7);
        for count in [1, 2, 5, 40, 300] {
            let mut site = || Site {
                max_rate: if random.bool() { f64::INFINITY } else { 1.0 + 60.0 * random.f64() },
                weight: 0.5 + random.f64(),
                ..Site::new(if random.u8(..9) == 0 { 0.0 } else { 500.0 * random.f64() }, None)
            };
            let sites: Vec<Site> = (0..count).map(|_| site()).collect();
            let problem = Problem { cap: Cap::constant(100.0), at_once: None, sites };
            let (ends, plan) = (ends::ends(&problem.sites, 100.0), serve(&problem));
            for (a, b) in ends.iter().zip(&plan.end) {
                assert!((a - b).abs() <= 1e-9 * (1.0 + b), "{a} {b}");
            }
        }
    }
}
