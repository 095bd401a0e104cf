//! Everyone at once, by weight: needs neither sizes nor deadlines.

use crate::{Allocation, Piece, Problem};

/// Splits the cap by weight among all that are there, again whenever one is done or comes; what a
/// site cannot take goes to the others.
pub fn serve(problem: &Problem) -> Allocation {
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
            left[site] = if rest <= sites[site].size * 1e-12 { 0.0 } else { rest };
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
