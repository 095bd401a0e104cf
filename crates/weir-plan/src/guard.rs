//! Which sites must come first now, so that no deadline is lost that can still be kept.
//!
//! For a constant cap and sites that are all there. As long as there is slack before every deadline
//! and every site could wait a little, any order is safe that uses the whole cap. Where a slack is
//! used up, those that cannot wait beyond that deadline come first; a site that cannot wait at all
//! comes before everyone (THEORY.md, theorem 6).

use crate::{Site, needed};

/// `order` with those moved to the front that must be there for the next `period`.
pub fn guarded(sites: &[Site], cap: f64, order: &[usize], period: f64) -> Vec<usize> {
    let tight: Vec<f64> = needed::tight_deadlines(sites, cap, cap * period);
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); tight.len() + 2];
    for &site in order {
        groups[group(&sites[site], cap, &tight, period)].push(site);
    }
    groups.concat()
}

/// 0 for those that cannot wait, then one group for each tight deadline, then all others.
fn group(site: &Site, cap: f64, tight: &[f64], period: f64) -> usize {
    let latest_start = site.due() - site.size / site.max_rate.min(cap);
    if site.size > 0.0 && latest_start <= period {
        return 0;
    }
    1 + tight.partition_point(|&deadline| deadline <= latest_start)
}
