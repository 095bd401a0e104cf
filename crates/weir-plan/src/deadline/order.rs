//! Orders in which sites are served, made from sizes and deadlines alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::list::Time;
use crate::rank::{least_first, ordered};
use crate::{Cap, Site};

/// By deadline; no deadline comes last.
pub fn by_deadline(due: &[f64]) -> Vec<usize> {
    least_first(due.len(), |site| due[site])
}

/// The least sum of finish times among the orders that keep every `due` (Smith's backward rule):
/// of the sites that may be last the largest is. Exact for sites that can take the whole cap.
///
/// Time is counted in what the cap lets pass, so the cap may change.
pub fn largest_last(sites: &[Site], due: &[f64], cap: &Cap) -> Vec<usize> {
    let volumes: Vec<f64> = due.iter().map(|&due| passed_by(cap, due)).collect();
    let mut coming = least_first(sites.len(), |site| volumes[site]);
    let total: f64 = sites.iter().map(|site| site.size).sum();
    let mut left = total;
    let mut may_be_last: BinaryHeap<(u64, u32)> = BinaryHeap::with_capacity(sites.len());
    let mut order = Vec::with_capacity(sites.len());
    while order.len() < sites.len() {
        // The last one is always let in: where not all can be kept it is the least loss.
        while let Some(&site) = coming.last()
            && (volumes[site] >= left - total * 1e-12 || may_be_last.is_empty())
        {
            coming.pop();
            may_be_last.push((ordered(sites[site].size), site as u32));
        }
        let Some((_, site)) = may_be_last.pop() else { break };
        order.push(site as usize);
        left -= sites[site as usize].size;
    }
    order.reverse();
    order
}

/// Who would be done first if the site with the least left always went first, also before one that
/// is under way: the least sum of finish times for sites that come later and can take the whole cap.
pub fn least_left(sites: &[Site], cap: &Cap) -> Vec<usize> {
    let coming = least_first(sites.len(), |site| sites[site].release);
    let mut coming = coming.into_iter().peekable();
    let mut there: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
    let mut now = 0.0;
    let mut order = Vec::with_capacity(sites.len());
    loop {
        while let Some(site) = coming.next_if(|&site| sites[site].release <= now) {
            there.push(Reverse((Time(sites[site].size), site)));
        }
        let next = coming.peek().map_or(f64::INFINITY, |&site| sites[site].release);
        let Some(Reverse((Time(left), site))) = there.pop() else {
            if next == f64::INFINITY {
                return order;
            }
            now = next;
            continue;
        };
        let end = cap.time_for(cap.volume_until(now) + left);
        if end <= next {
            order.push(site);
            now = end.max(now);
        } else {
            let got = cap.volume_until(next) - cap.volume_until(now);
            there.push(Reverse((Time((left - got).max(0.0)), site)));
            now = next;
        }
    }
}

fn passed_by(cap: &Cap, time: f64) -> f64 {
    if time.is_finite() { cap.volume_until(time.max(0.0)) } else { f64::INFINITY }
}

/// Little total lateness where not all can be in time (modified due dates, with highest rates and
/// weights): next is who would be done or due first, if it were started as late as can be.
/// Sites without a deadline come last, the smallest first.
pub fn least_modified_due(sites: &[Site], rate: f64) -> Vec<usize> {
    let (dated, mut free): (Vec<usize>, Vec<usize>) =
        (0..sites.len()).partition(|&site| sites[site].deadline.is_some());
    free.sort_by(|&a, &b| sites[a].size.total_cmp(&sites[b].size));
    let same_weight = dated.windows(2).all(|pair| sites[pair[0]].weight == sites[pair[1]].weight);
    let mut order = if same_weight {
        modified_due(sites, dated, rate)
    } else {
        weighted_modified_due(sites, dated, rate)
    };
    order.append(&mut free);
    order
}

/// The latest start, at a site's highest rate.
fn latest_start(site: &Site, rate: f64) -> f64 {
    site.due() - site.size / site.max_rate.min(rate)
}

fn modified_due(sites: &[Site], dated: Vec<usize>, rate: f64) -> Vec<usize> {
    let time: Vec<f64> = dated.iter().map(|&site| sites[site].size / rate).collect();
    let start: Vec<f64> = dated.iter().map(|&site| latest_start(&sites[site], rate)).collect();
    // Those that can still wait, by when they would be done; and all by when they cannot.
    let early = least_first(dated.len(), |site| start[site] + time[site]);
    let mut early = early.into_iter().peekable();
    let mut starts = least_first(dated.len(), |site| start[site]).into_iter().peekable();
    let mut urgent: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    let mut taken = vec![false; dated.len()];
    let mut now = 0.0;
    let mut order = Vec::with_capacity(dated.len());
    while order.len() < dated.len() {
        while let Some(site) = starts.next_if(|&site| start[site] <= now) {
            if !taken[site] {
                urgent.push(Reverse((ordered(time[site]), site as u32)));
            }
        }
        while early.next_if(|&site| taken[site] || start[site] <= now).is_some() {}
        let next_early = early.peek().map(|&site| (start[site] + time[site], site));
        let next_urgent =
            urgent.peek().map(|&Reverse((_, site))| (now + time[site as usize], site as usize));
        let site = match (next_early, next_urgent) {
            (Some((done, site)), Some((end, _))) if done < end => site,
            (_, Some((_, site))) => {
                urgent.pop();
                site
            }
            (Some((_, site)), None) => site,
            (None, None) => break,
        };
        taken[site] = true;
        order.push(dated[site]);
        now += time[site];
    }
    order
}

/// With weights the keys of two sites can change places at any time, so they are worked out anew
/// after every few sites.
fn weighted_modified_due(sites: &[Site], mut dated: Vec<usize>, rate: f64) -> Vec<usize> {
    const SORTS: usize = 48;
    let batch = (dated.len() / SORTS).max(1);
    let mut now = 0.0;
    let mut order = Vec::with_capacity(dated.len());
    while !dated.is_empty() {
        let key = |site: usize| {
            let wait = (latest_start(&sites[site], rate) - now).max(0.0);
            Time((wait + sites[site].size / rate) / sites[site].weight)
        };
        let batch = batch.min(dated.len());
        // The next few at the end of the list, the very next one last.
        let split = dated.len() - batch;
        if split > 0 {
            dated.select_nth_unstable_by_key(split, |&site| Reverse((key(site), site)));
        }
        dated[split..].sort_by_key(|&site| (key(site), site));
        for site in dated.drain(split..) {
            now += sites[site].size / rate;
            order.push(site);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_site_goes_last_if_its_deadline_allows_it() {
        let sites = [Site::new(3.0, Some(4.0)), Site::new(2.0, None), Site::new(9.0, None)];
        let due: Vec<f64> = sites.iter().map(Site::due).collect();
        assert_eq!(largest_last(&sites, &due, &Cap::constant(1.0)), [0, 1, 2]);
        let loose = [5.0, f64::INFINITY, f64::INFINITY];
        assert_eq!(largest_last(&sites, &loose, &Cap::constant(1.0)), [1, 0, 2]);
    }

    #[test]
    fn a_late_comer_waits_for_who_is_nearly_done() {
        let late = |size, release| Site { release, ..Site::new(size, None) };
        let sites = [late(5.0, 9.0), late(10.0, 0.0), late(0.5, 2.0)];
        assert_eq!(least_left(&sites, &Cap::constant(1.0)), [2, 1, 0]);
        assert_eq!(least_left(&sites, &Cap::steps(&[(0.0, 0.0), (9.0, 1.0)])), [2, 0, 1]);
    }

    #[test]
    fn a_hopeless_site_does_not_make_others_late() {
        let sites =
            [Site::new(50.0, Some(1.0)), Site::new(1.0, Some(2.0)), Site::new(2.0, Some(3.0))];
        assert_eq!(least_modified_due(&sites, 1.0), [1, 2, 0]);
    }

    #[test]
    fn weight_goes_before_size() {
        let mut sites = [Site::new(2.0, Some(0.0)), Site::new(3.0, Some(0.0))];
        assert_eq!(least_modified_due(&sites, 1.0), [0, 1]);
        sites[1].weight = 2.0;
        assert_eq!(least_modified_due(&sites, 1.0), [1, 0]);
    }
}
