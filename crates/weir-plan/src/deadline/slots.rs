//! Only so many sites at once, and some of them slow: the cap may stay unused if the wrong ones are
//! served. Nothing exact is known for that, so several orders are tried.

use super::order;
use crate::rank::least_first;
use crate::{Allocation, Goal, Problem, list};

/// Whether the number of sites at once can matter beside the rates.
pub fn bind(problem: &Problem) -> bool {
    let slow = |most: usize| {
        problem.sites.iter().any(|site| site.max_rate < problem.cap.highest() / most as f64)
    };
    problem.at_once.is_some_and(|most| most < problem.sites.len() && slow(most))
}

/// The best of several orders, `plan` (made as if any number could be served) among them.
pub fn best(problem: &Problem, due: &[f64], plan: &Allocation, goal: Goal) -> Allocation {
    let sites = &problem.sites;
    let orders = [
        least_first(sites.len(), |site| plan.end[site]),
        order::by_deadline(due),
        order::least_modified_due(sites, problem.cap.highest()),
        least_first(sites.len(), |site| due[site] - sites[site].size / sites[site].max_rate),
        least_first(sites.len(), |site| sites[site].size / sites[site].max_rate),
    ];
    let plans = orders
        .iter()
        .flat_map(|order| [list::serve(problem, order), list::serve_fast_first(problem, order)]);
    let worth = |plan: &Allocation| {
        let late = plan.end.iter().zip(due).zip(sites).map(|((end, due), site)| {
            if due.is_finite() { site.weight * (end - due).max(0.0) } else { 0.0 }
        });
        let score = plan.score(sites);
        let end = if goal == Goal::Last { score.max_end } else { score.sum_end };
        (late.sum::<f64>(), end)
    };
    let better = |a: &Allocation, b: &Allocation| {
        let ((late_a, end_a), (late_b, end_b)) = (worth(a), worth(b));
        late_a.total_cmp(&late_b).then(end_a.total_cmp(&end_b))
    };
    plans.min_by(better).expect("there are orders")
}
