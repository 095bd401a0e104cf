//! What an allocation looks like as JSON. What does not apply is null, and so is what never ends.

use serde::Serialize;
use serde_json::Value;
use weir_plan::{Allocation, Options, Policy, Problem, allocate, judge};

#[derive(Serialize)]
pub struct Answer<'a> {
    id: &'a Value,
    policy: &'static str,
    feasible: bool,
    /// Whether constant rates can keep every deadline.
    sufficient: bool,
    #[serde(rename = "U_bar")]
    constant: Option<f64>,
    #[serde(rename = "U_min")]
    least: Option<f64>,
    min_scale: Option<f64>,
    #[serde(rename = "L_max")]
    least_lateness: Option<f64>,
    max_bytes_by_deadline: Option<f64>,
    v: Option<Vec<f64>>,
    start: Option<Vec<Option<f64>>>,
    end: Option<Vec<Option<f64>>>,
    max_end: Option<f64>,
    sum_end: Option<f64>,
    sum_exec: Option<f64>,
    sum_tardiness: Option<f64>,
    sum_weighted_tardiness: Option<f64>,
    n_met: Option<usize>,
    rounds: Option<usize>,
    plan: Option<Vec<Stretch>>,
    /// Why there is no allocation.
    refused: Option<String>,
}

#[derive(Serialize)]
struct Stretch {
    from: f64,
    to: f64,
    rates: Vec<(usize, f64)>,
}

pub fn to<'a>(
    id: &'a Value,
    problem: &Problem,
    policy: Policy,
    options: &Options,
    plan: bool,
) -> Answer<'a> {
    let (allocation, refused) = match allocate(problem, policy, options) {
        Ok(allocation) => (Some(allocation), None),
        Err(why) => (None, Some(why.to_string())),
    };
    answer(id, problem, policy, allocation, refused, plan)
}

fn answer<'a>(
    id: &'a Value,
    problem: &Problem,
    policy: Policy,
    allocation: Option<Allocation>,
    refused: Option<String>,
    plan: bool,
) -> Answer<'a> {
    let verdict = judge(problem);
    let score = allocation.as_ref().map(|allocation| allocation.score(&problem.sites));
    let times = |times: &Vec<f64>| times.iter().map(|&time| finite(time)).collect();
    let constant = allocation.as_ref().is_some_and(|allocation| allocation.rates.is_some());
    Answer {
        id,
        policy: policy.name(),
        feasible: verdict.feasible,
        sufficient: verdict.sufficient,
        constant: finite(verdict.at_constant_rates),
        least: verdict.least_cap.and_then(finite),
        min_scale: finite(verdict.least_scale),
        least_lateness: verdict.least_lateness.and_then(finite),
        max_bytes_by_deadline: verdict.most_in_time,
        start: allocation.as_ref().map(|allocation| times(&allocation.start)),
        end: allocation.as_ref().map(|allocation| times(&allocation.end)),
        max_end: score.and_then(|score| finite(score.max_end)),
        sum_end: score.and_then(|score| finite(score.sum_end)),
        sum_exec: score.and_then(|score| finite(score.sum_exec)),
        sum_tardiness: score.and_then(|score| finite(score.sum_tardiness)),
        sum_weighted_tardiness: score.and_then(|score| finite(score.weighted_tardiness)),
        n_met: score.map(|score| score.met),
        rounds: allocation.as_ref().and_then(|allocation| allocation.rounds),
        plan: allocation.as_ref().filter(|_| plan && !constant).map(stretches),
        v: allocation.and_then(|allocation| allocation.rates),
        refused,
    }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// All sites side by side, cut wherever a rate changes.
fn stretches(allocation: &Allocation) -> Vec<Stretch> {
    let mut edges: Vec<(f64, usize, f64)> = Vec::with_capacity(allocation.pieces.len() * 2);
    for piece in &allocation.pieces {
        edges.push((piece.from, piece.site, piece.rate));
        edges.push((piece.to, piece.site, -piece.rate));
    }
    // At one instant ends come before beginnings, so a site has one rate at a time.
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.2.total_cmp(&b.2)));
    let mut now = std::collections::BTreeMap::new();
    let mut stretches: Vec<Stretch> = Vec::new();
    for (index, &(at, site, change)) in edges.iter().enumerate() {
        if change > 0.0 {
            now.insert(site, change)
        } else {
            now.remove(&site)
        };
        let until = edges.get(index + 1).map_or(at, |next| next.0);
        if until > at && !now.is_empty() {
            let rates = now.iter().map(|(&site, &rate)| (site, rate)).collect();
            stretches.push(Stretch { from: at, to: until, rates });
        }
    }
    stretches
}
