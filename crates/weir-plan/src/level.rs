//! The latest way to keep every deadline: from the last deadline back to now, whoever needs the
//! longest at its highest rate goes first.
//!
//! It finds a plan whenever there is one, for a cap that changes over time as well, if all sites
//! are there from the start (THEORY.md, theorem 7). What it leaves free early is as much as can be.

use crate::{Cap, Site};

/// Rates between two times. Sites that are not in it get nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    pub from: f64,
    pub to: f64,
    pub rates: Vec<(usize, f64)>,
}

/// Intervals in order of time, and how much of the sites does not fit in.
pub fn latest(sites: &[Site], due: &[f64], cap: &Cap) -> (Vec<Interval>, f64) {
    let mut intervals = Vec::new();
    let missing = backwards(sites, due, cap, &mut |interval| intervals.push(interval));
    intervals.reverse();
    (intervals, missing)
}

/// How much of the sites does not fit in.
pub fn missing(sites: &[Site], due: &[f64], cap: &Cap) -> f64 {
    backwards(sites, due, cap, &mut drop)
}

/// The first of the intervals alone: what cannot wait beyond the first deadline or change of the
/// cap. All intervals of thousands of sites would take gigabytes.
pub fn first(sites: &[Site], due: &[f64], cap: &Cap) -> Option<Interval> {
    let mut first = None;
    backwards(sites, due, cap, &mut |interval| first = Some(interval));
    first
}

/// Makes the intervals, last one first, and says how much does not fit in. There is one copy of it for
/// all callers: with three of them the optimiser took minutes.
fn backwards(sites: &[Site], due: &[f64], cap: &Cap, made: &mut dyn FnMut(Interval)) -> f64 {
    let highest = cap.highest();
    let mut coming: Vec<usize> = (0..sites.len())
        .filter(|&i| sites[i].size > 0.0 && due[i].is_finite() && due[i] > 0.0)
        .collect();
    coming.sort_by(|&a, &b| due[a].total_cmp(&due[b]));
    let lost: f64 = (0..sites.len()).filter(|&i| due[i] <= 0.0).map(|i| sites[i].size).sum();
    let mut edges: Vec<f64> =
        coming.iter().map(|&i| due[i]).chain(cap.changes()).chain([0.0]).collect();
    edges.sort_by(f64::total_cmp);
    edges.dedup();
    let mut there: Vec<Need> = Vec::new();
    for pair in edges.windows(2).rev() {
        let (from, to) = (pair[0], pair[1]);
        while let Some(site) = coming.pop_if(|&mut site| due[site] >= to) {
            let rate = sites[site].max_rate.min(highest);
            let need = Need { site, rate, time: sites[site].size / rate };
            let at = there.partition_point(|other| other.time > need.time);
            there.insert(at, need);
        }
        let rates = fill(&mut there, to - from, cap.at(from));
        made(Interval { from, to, rates });
    }
    lost + there.iter().map(|need| need.time * need.rate).sum::<f64>()
}

/// A site by how long it still needs at its highest rate.
struct Need {
    site: usize,
    rate: f64,
    time: f64,
}

/// Lowers the longest needs, each by `length` at the most, until the cap is used up.
fn fill(there: &mut Vec<Need>, length: f64, cap: f64) -> Vec<(usize, f64)> {
    let level = level(there, length, cap);
    let mut rates = Vec::new();
    for need in there.iter_mut().take_while(|need| need.time > level) {
        let served = (need.time - level).min(length);
        rates.push((need.site, need.rate * served / length));
        need.time -= served;
    }
    // Whoever was served in part now stands at the level; those below kept their order.
    while there.pop_if(|need| need.time <= 0.0).is_some() {}
    rates
}

/// The need that nobody is lowered below: 0 if all that can be served fits under the cap.
fn level(there: &[Need], length: f64, cap: f64) -> f64 {
    // Downwards from the longest need: the volume grows by the rates of those between the level
    // and `length` above it. `full` counts those that are further up: they take all they can.
    let (mut part, mut full, mut rates, mut volume) = (0, 0, 0.0, 0.0);
    let most = cap * length;
    let Some(first) = there.first() else { return 0.0 };
    let mut at = first.time;
    loop {
        let enters = there.get(part).map_or(f64::NEG_INFINITY, |need| need.time);
        let fills = if full < part { there[full].time - length } else { f64::NEG_INFINITY };
        let next = enters.max(fills).max(0.0);
        let grown = volume + rates * (at - next);
        if grown > most && rates > 0.0 {
            return at - (most - volume) / rates;
        }
        (volume, at) = (grown, next);
        if next <= 0.0 {
            return 0.0;
        }
        if enters >= fills {
            rates += there[part].rate;
            part += 1;
        } else {
            rates = (rates - there[full].rate).max(0.0);
            full += 1;
        }
    }
}
