//! What the deadlines need: the least cap that keeps them all, and whether a cap does.
//!
//! Sites without a deadline need nothing here.

use crate::rank::least_first;
use crate::{Cap, Site};

/// The sum of size over deadline: what constant rates need (the paper's Ū, Eq. 1). Infinite if a
/// deadline has passed.
pub fn at_constant_rates(sites: &[Site]) -> f64 {
    let of_one = |site: &Site| match site.deadline {
        Some(due) if site.size > 0.0 => site.size / due.max(0.0),
        _ => 0.0,
    };
    sites.iter().map(of_one).sum()
}

/// The least constant cap that keeps every deadline if rates may change, all sites being there
/// from the start. Infinite if none does, since a site's own highest rate is too low.
///
/// Whatever is done before a deadline, what each site cannot get after it must come before it:
/// the largest sum of that over the deadlines is needed, and is enough (THEORY.md, theorem 2).
pub fn least_cap(sites: &[Site]) -> f64 {
    let due = with_deadline(sites);
    if due.clone().any(|site| site.due() <= 0.0 || too_slow(site)) {
        return f64::INFINITY;
    }
    let mut sweep = Sweep::new(due);
    let mut most: f64 = 0.0;
    while let Some((time, volume)) = sweep.next_deadline() {
        most = most.max(volume / time);
    }
    most
}

/// How much more could be delivered by the tightest deadline than must be; below zero, deadlines
/// are missed. Infinite without a deadline.
pub fn least_slack(sites: &[Site], cap: f64) -> f64 {
    let due = with_deadline(sites);
    let own = due.clone().map(|site| site.max_rate * site.due().max(0.0) - site.size);
    let mut least = own.fold(f64::INFINITY, f64::min);
    let mut sweep = Sweep::new(due);
    while let Some((time, volume)) = sweep.next_deadline() {
        least = least.min(cap * time.max(0.0) - volume);
    }
    least
}

/// The deadlines, in order, before which no more than `little` is to spare.
pub fn tight_deadlines(sites: &[Site], cap: f64, little: f64) -> Vec<f64> {
    let mut sweep = Sweep::new(with_deadline(sites));
    let mut tight = Vec::new();
    while let Some((time, volume)) = sweep.next_deadline() {
        if cap * time - volume <= little {
            tight.push(time);
        }
    }
    tight
}

/// The least factor on `cap` that keeps every deadline, for sites that can take all of it.
pub fn least_scale_without_max_rates(sites: &[Site], cap: &Cap) -> f64 {
    let given: Vec<(f64, f64)> = with_deadline(sites).map(|site| (site.due(), site.size)).collect();
    let due = least_first(given.len(), |site| given[site].0);
    let mut volume = 0.0;
    let scales = due.into_iter().map(|site| {
        let (due, size) = given[site];
        volume += size;
        volume / cap.volume_until(due.max(0.0))
    });
    scales.fold(0.0, f64::max)
}

fn with_deadline(sites: &[Site]) -> impl Iterator<Item = &Site> + Clone {
    sites.iter().filter(|site| site.size > 0.0 && site.deadline.is_some())
}

/// Rounding is forgiven: a site that needs exactly its highest rate is in time.
fn too_slow(site: &Site) -> bool {
    site.size > site.max_rate * site.due() * (1.0 + 1e-12)
}

/// Goes through the deadlines in order and knows how much cannot wait beyond each.
struct Sweep {
    /// Where a site's part that cannot wait starts to grow, and by how much.
    starts: Vec<(f64, f64, f64)>,
    /// Where it has reached the whole size: deadline, size, rate.
    ends: Vec<(f64, f64, f64)>,
    started: usize,
    ended: usize,
    /// Sizes of the sites whose deadline is reached.
    whole: f64,
    /// The part of the others at time t is `offset + slope * t`.
    offset: f64,
    slope: f64,
}

impl Sweep {
    fn new<'a>(sites: impl Iterator<Item = &'a Site> + Clone) -> Sweep {
        let given: Vec<(f64, f64, f64)> =
            sites.map(|site| (site.due(), site.size, site.max_rate)).collect();
        let ends = least_first(given.len(), |site| given[site].0);
        let ends = ends.into_iter().map(|site| given[site]).collect();
        // A site without a highest rate can wait until its deadline: it never grows, it jumps.
        let slow: Vec<(f64, f64, f64)> = given
            .iter()
            .filter(|(_, _, rate)| rate.is_finite())
            .map(|&(due, size, rate)| (due - size / rate, size - rate * due, rate))
            .collect();
        let starts = least_first(slow.len(), |site| slow[site].0);
        let starts = starts.into_iter().map(|site| slow[site]).collect();
        Sweep { starts, ends, started: 0, ended: 0, whole: 0.0, offset: 0.0, slope: 0.0 }
    }

    /// The next deadline, and how much cannot wait beyond it.
    fn next_deadline(&mut self) -> Option<(f64, f64)> {
        let time = self.ends.get(self.ended)?.0;
        while let Some(&(start, offset, rate)) = self.starts.get(self.started) {
            if start > time {
                break;
            }
            self.offset += offset;
            self.slope += rate;
            self.started += 1;
        }
        while let Some(&(due, size, rate)) = self.ends.get(self.ended) {
            if due > time {
                break;
            }
            self.whole += size;
            if rate.is_finite() {
                self.offset -= size - rate * due;
                self.slope -= rate;
            }
            self.ended += 1;
        }
        Some((time, self.whole + (self.offset + self.slope * time).max(0.0)))
    }
}
