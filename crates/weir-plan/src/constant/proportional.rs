//! Shares in proportion to one figure of each site, whatever comes of it.

use super::split::{Part, split};
use crate::Site;

/// In proportion to the rate that each site needs for its deadline (PROBandwidth).
///
/// The paper leaves open what a site without a deadline needs: here it counts with the latest of
/// all deadlines, and one that is already late with the earliest that is still to come. Where no
/// deadline is to come, shares follow the sizes.
pub fn pro_bandwidth(sites: &[Site], cap: f64) -> Vec<f64> {
    let to_come = || sites.iter().filter_map(|site| site.deadline).filter(|due| *due > 0.0);
    let (first, last) = (to_come().fold(f64::INFINITY, f64::min), to_come().fold(0.0, f64::max));
    if last == 0.0 {
        return pro_data(sites, cap);
    }
    in_proportion(sites, cap, |site| site.size / site.deadline.unwrap_or(last).max(first))
}

/// In proportion to size: all sites end together (PRODataAmount).
pub fn pro_data(sites: &[Site], cap: f64) -> Vec<f64> {
    in_proportion(sites, cap, |site| site.size)
}

fn in_proportion(sites: &[Site], cap: f64, pull: impl Fn(&Site) -> f64) -> Vec<f64> {
    let part = |site: &Site| Part { pull: pull(site), low: 0.0, high: site.max_rate };
    split(cap, &sites.iter().map(part).collect::<Vec<_>>())
}
