//! Which sites must come first now, so that no deadline is lost that can still be kept.
//!
//! For a constant cap and sites that are all there. As long as there is slack before every deadline
//! and every site could wait a little, any order is safe that uses the whole cap. Where a slack is
//! used up, those that cannot wait beyond that deadline come first; a site that cannot wait at all
//! comes before everyone (THEORY.md, theorem 6).

use crate::rank::ordered;
use crate::{Site, needed};

/// `order` with those moved to the front that must be there for the next `period`, and how long that
/// is right if it is served with the whole cap.
pub fn guarded(sites: &[Site], cap: f64, order: &[usize], period: f64) -> (Vec<usize>, f64) {
    let tight: Vec<f64> = needed::tight_deadlines(sites, cap, cap * period);
    let group = |site: usize| {
        let start = latest_start(&sites[site], cap) + period * ROUNDING;
        tight.partition_point(|&deadline| deadline <= start)
    };
    // For each tight deadline those that cannot wait beyond it; first of them who cannot wait at all.
    let mut groups: Vec<(Vec<usize>, Vec<usize>)> = vec![Default::default(); tight.len() + 1];
    for &site in order {
        let start = latest_start(&sites[site], cap);
        let (urgent, others) = &mut groups[group(site)];
        if start <= period { urgent.push(site) } else { others.push(site) }
    }
    let mut guarded = Vec::with_capacity(order.len());
    for (mut urgent, others) in groups {
        urgent.sort_by_key(|&site| ordered(latest_start(&sites[site], cap)));
        guarded.extend(urgent);
        guarded.extend(others);
    }
    let served = served(sites, cap, &guarded);
    let right_for = until_one_can_wait(sites, cap, &served, &tight, group);
    (guarded, right_for)
}

/// So near to a deadline, as a part of the period, a site can wait beyond it.
const ROUNDING: f64 = 1e-12;

/// Who is served by this order, and at what rate: all at their highest but the last one.
fn served(sites: &[Site], cap: f64, order: &[usize]) -> Vec<(usize, f64)> {
    let mut free = cap;
    let wanting = order.iter().filter(|&&site| sites[site].size > 0.0);
    let rates = wanting.map_while(|&site| {
        let rate = sites[site].max_rate.min(free);
        free -= rate;
        (rate > 0.0).then_some((site, rate))
    });
    rates.collect()
}

/// When the first of those served can wait beyond a tight deadline after all, so that it takes from
/// those who cannot: what it gets from then on is lost for that deadline.
fn until_one_can_wait(
    sites: &[Site],
    cap: f64,
    served: &[(usize, f64)],
    tight: &[f64],
    group: impl Fn(usize) -> usize,
) -> f64 {
    // Whoever comes before the last one is at its highest rate: nothing is taken from it.
    let Some(&(last, _)) = served.last() else { return f64::INFINITY };
    let short = group(last);
    let waits = served.iter().filter_map(|&(site, rate)| {
        let deadline = *tight.get(group(site).max(short))?;
        let wait = deadline - latest_start(&sites[site], cap);
        // Until its own deadline it can never wait: it is done before.
        (deadline < sites[site].due()).then(|| wait * sites[site].max_rate.min(cap) / rate)
    });
    waits.fold(f64::INFINITY, f64::min)
}

/// Those slower than the cap that will not be able to wait any more before the next plan is made,
/// most urgent first.
pub fn urgent<'a>(sites: impl Iterator<Item = &'a Site>, cap: f64, period: f64) -> Vec<usize> {
    let slow = |site: &Site| site.size > 0.0 && site.deadline.is_some() && site.max_rate < cap;
    let starts = sites.enumerate().filter(|(_, site)| slow(site));
    let starts = starts.map(|(index, site)| (careful_start(site, cap), index));
    let mut urgent: Vec<(f64, usize)> = starts.filter(|start| start.0 <= period).collect();
    urgent.sort_by_key(|start| ordered(start.0));
    urgent.into_iter().map(|(_, index)| index).collect()
}

/// `order` with the urgent ones moved to the front.
pub fn urgent_first(sites: &[Site], cap: f64, order: &[usize], period: f64) -> Vec<usize> {
    let mut first = urgent(sites.iter(), cap, period);
    let mut is_first = vec![false; sites.len()];
    first.iter().for_each(|&site| is_first[site] = true);
    first.extend(order.iter().filter(|&&site| !is_first[site]));
    first
}

/// Before the last moment: what a slow site does not bring now it can never make up for, a fast one can.
fn careful_start(site: &Site, cap: f64) -> f64 {
    site.due() - site.size / site.max_rate.min(cap) * SLOWER
}

/// A site beside others takes so much longer than its highest rate says, at times.
const SLOWER: f64 = 1.25;

fn latest_start(site: &Site, cap: f64) -> f64 {
    site.due() - site.size / site.max_rate.min(cap)
}
