//! A cap that changes, or sites that come later: the same aims, by trying several orders.

use super::climb::climb;
use super::{Aim, keep, order, plain};
use crate::rank::least_first;
use crate::verdict::possible;
use crate::{Allocation, Goal, Problem, Site, list};

/// Up to so many sites and intervals times are made earlier one by one with exact tests.
const TIGHTEN: usize = 24;

/// The part of all sizes that a test may overlook, with some room.
const CRUMB: f64 = 1e-9;

/// Plans made in search of a better order, at the most.
const TRIES: usize = 300;

pub fn allocate(problem: &Problem, due: &[f64], aim: Aim) -> Allocation {
    let sites: Vec<Site> =
        problem.sites.iter().zip(due).map(|(site, &due)| site.with_due(due)).collect();
    let mut promised = due.to_vec();
    let anyone_later = sites.iter().any(|site| site.release > 0.0);
    let highest = problem.cap.highest();
    if !anyone_later && sites.iter().all(|site| site.max_rate >= highest) {
        if !aim.in_time {
            plain::make_deadlines_later(&sites, &problem.cap, aim.effort, &mut promised);
        }
        return keep::with_order(
            problem,
            &promised,
            &order::largest_last(&sites, &promised, &problem.cap),
        );
    }
    let oracle = Oracle { problem, sites: &sites };
    if !aim.in_time {
        promised = oracle.little_lateness(due);
    }
    if aim.goal == Goal::Last {
        oracle.end_early(&mut promised);
    }
    oracle.little_sum(promised)
}

struct Oracle<'a> {
    problem: &'a Problem,
    sites: &'a [Site],
}

impl Oracle<'_> {
    fn possible(&self, due: &[f64]) -> bool {
        possible(&self.problem.cap, &self.problem.sites, due)
    }

    /// Plans that may be made in search of a better order.
    fn tries(&self) -> usize {
        if self.sites.len() <= TIGHTEN { TRIES } else { 0 }
    }

    /// Orders worth trying.
    fn orders(&self, due: &[f64]) -> [Vec<usize>; 6] {
        let rate = self.problem.cap.highest();
        [
            order::largest_last(self.sites, due, &self.problem.cap),
            order::least_modified_due(self.sites, rate),
            order::by_deadline(due),
            order::least_left(self.sites, &self.problem.cap),
            least_first(self.sites.len(), |site| self.sites[site].release),
            plain::by_size(self.sites),
        ]
    }

    /// The best of the orders, its ends as promises; then each made earlier where that can be.
    fn little_lateness(&self, due: &[f64]) -> Vec<f64> {
        let cost =
            |order: &[usize]| list::serve(self.problem, order).score(self.sites).weighted_tardiness;
        let orders = self.orders(due);
        let best = orders.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let best = climb(best.unwrap_or_default(), self.tries(), cost);
        let best = list::serve(self.problem, &best).end;
        let mut promised: Vec<f64> = (0..best.len())
            .map(
                |site| {
                    if due[site].is_finite() { best[site].max(due[site]) } else { f64::INFINITY }
                },
            )
            .collect();
        let mut latest_first: Vec<usize> =
            (0..best.len()).filter(|&s| promised[s] > due[s]).collect();
        latest_first.sort_by(|&a, &b| promised[b].total_cmp(&promised[a]));
        self.tighten(&mut promised, due, &latest_first);
        promised
    }

    /// Makes promises earlier, one after another, by exact tests; down to `wanted` at the most.
    fn tighten(&self, promised: &mut [f64], wanted: &[f64], order: &[usize]) {
        if self.sites.len() > TIGHTEN {
            return;
        }
        // Less than the test forgives could be promised for any time, and would then be served never.
        let crumb = self.sites.iter().map(|site| site.size).sum::<f64>() * CRUMB;
        for &site in order.iter().filter(|&&site| self.sites[site].size > crumb) {
            let Site { size, max_rate, release, .. } = self.sites[site];
            let soonest = release + size / max_rate.min(self.problem.cap.highest());
            let (mut low, mut high) = (soonest.max(wanted[site]), promised[site]);
            if !high.is_finite() || low >= high {
                continue;
            }
            promised[site] = low;
            for _ in 0..40 {
                if self.possible(promised) {
                    high = promised[site];
                } else {
                    low = promised[site];
                }
                if high - low <= high * 1e-10 {
                    break;
                }
                promised[site] = low + (high - low) / 2.0;
            }
            promised[site] = high;
        }
    }

    fn end_early(&self, promised: &mut [f64]) {
        let last = keep::promises(self.problem, promised).score(self.sites).max_end;
        if !last.is_finite() {
            return;
        }
        let with_end = |end: f64| -> Vec<f64> { promised.iter().map(|due| due.min(end)).collect() };
        let (mut low, mut high) = (0.0, last);
        for _ in 0..50 {
            let middle = low + (high - low) / 2.0;
            if self.possible(&with_end(middle)) { high = middle } else { low = middle }
        }
        let earlier = with_end(high);
        promised.copy_from_slice(&earlier);
    }

    /// The order with the least sum of ends, all promises kept; then made earlier site by site.
    fn little_sum(&self, promised: Vec<f64>) -> Allocation {
        let sum = |plan: &Allocation| plan.score(self.sites).sum_end;
        let missed = |plan: &Allocation| {
            plan.end
                .iter()
                .zip(&promised)
                .filter(|&(&end, &due)| !crate::allocation::is_met(end, due))
                .count()
        };
        let plan = |order: &[usize]| keep::with_order(self.problem, &promised, order);
        let worth = |order: &[usize]| {
            let plan = plan(order);
            (missed(&plan), sum(&plan))
        };
        let better = |a: &(usize, f64), b: &(usize, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
        let orders = self.orders(&promised).map(|order| (worth(&order), order));
        let best = orders.into_iter().min_by(|a, b| better(&a.0, &b.0));
        let best = climb(best.map_or_else(Vec::new, |best| best.1), self.tries(), worth);
        let best = plan(&best);
        if self.sites.len() > TIGHTEN || self.problem.at_once.is_some() {
            return best;
        }
        let mut ends: Vec<f64> =
            best.end.iter().zip(&promised).map(|(end, due)| end.min(*due)).collect();
        let by_size = plain::by_size(self.sites);
        self.tighten(&mut ends, &vec![0.0; promised.len()], &by_size);
        let tighter = keep::promises(self.problem, &ends);
        if missed(&tighter) <= missed(&best) && sum(&tighter) < sum(&best) { tighter } else { best }
    }
}
