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
    // The sum of all must be a number, however near a deadline is.
    let most = f64::MAX / sites.len() as f64;
    let needs = |site: &Site| site.size / site.deadline.unwrap_or(last).max(first);
    in_proportion(sites, cap, |site| needs(site).min(most))
}

/// In proportion to size: all sites end together (PRODataAmount).
pub fn pro_data(sites: &[Site], cap: f64) -> Vec<f64> {
    in_proportion(sites, cap, |site| site.size)
}

fn in_proportion(sites: &[Site], cap: f64, pull: impl Fn(&Site) -> f64) -> Vec<f64> {
    let pulls: Vec<f64> = sites.iter().map(pull).collect();
    let sum = sum(&pulls);
    let rates: Vec<f64> =
        pulls.iter().map(|pull| if *pull > 0.0 { pull / sum * cap } else { 0.0 }).collect();
    if sites.iter().zip(&rates).all(|(site, rate)| *rate <= site.max_rate) {
        return rates;
    }
    let part = |(site, pull): (&Site, f64)| Part { pull, low: 0.0, high: site.max_rate };
    split(cap, &sites.iter().zip(pulls).map(part).collect::<Vec<_>>())
}

/// A sum in eight lanes, which errs less than one after the other. The last bit matters: sites
/// that end together take their turns by it (`rounds`).
fn sum(terms: &[f64]) -> f64 {
    let (eights, rest) = terms.as_chunks::<8>();
    let Some((first, others)) = eights.split_first() else { return terms.iter().sum() };
    let mut lanes = *first;
    for eight in others {
        lanes.iter_mut().zip(eight).for_each(|(lane, term)| *lane += term);
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, term| sum + term)
}
