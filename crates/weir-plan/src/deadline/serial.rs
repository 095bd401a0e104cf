//! Little total lateness for sites that can take the whole cap: one after another, in an order
//! that is improved by moving single sites.

use super::search::IN_VAIN;
use crate::{Cap, Site};

/// Moves sites while that lessens the weighted lateness, looking at `effort` places at the most.
pub fn improve(sites: &[Site], cap: &Cap, order: &mut [usize], effort: u64) {
    let mut search = Search { sites, cap, left: effort };
    search.descend(order);
    let mut best = search.cost(order);
    let mut random = fastrand::Rng::with_seed(order.len() as u64);
    let mut trial = order.to_vec();
    let mut in_vain = 0;
    while search.left > 0 && best > 0.0 && order.len() > 2 && in_vain < IN_VAIN {
        in_vain += 1;
        // Out of the place where nothing helps: a few exchanges, and down again.
        for _ in 0..3 {
            trial.swap(random.usize(..order.len()), random.usize(..order.len()));
        }
        search.descend(&mut trial);
        let cost = search.cost(&trial);
        if cost < best * (1.0 - 1e-12) {
            best = cost;
            in_vain = 0;
            order.copy_from_slice(&trial);
        } else {
            trial.copy_from_slice(order);
        }
    }
}

struct Search<'a> {
    sites: &'a [Site],
    cap: &'a Cap,
    left: u64,
}

impl Search<'_> {
    fn late(&self, site: usize, volume: f64) -> f64 {
        let Some(due) = self.sites[site].deadline else { return 0.0 };
        self.sites[site].weight * (self.cap.time_for(volume) - due).max(0.0)
    }

    fn cost(&mut self, order: &[usize]) -> f64 {
        self.left = self.left.saturating_sub(order.len() as u64);
        let mut volume = 0.0;
        let late = order.iter().map(|&site| {
            volume += self.sites[site].size;
            self.late(site, volume)
        });
        late.sum()
    }

    fn descend(&mut self, order: &mut [usize]) {
        let mut without_gain = 0;
        let mut at = 0;
        while without_gain < order.len() && self.left > 0 {
            let gained = self.move_best(order, at);
            without_gain = if gained { 0 } else { without_gain + 1 };
            at = (at + 1) % order.len();
        }
    }

    /// Finds the best place for the site at `from` by carrying it past its neighbours, one by one,
    /// first towards the end, then towards the start.
    fn move_best(&mut self, order: &mut [usize], from: usize) -> bool {
        self.left = self.left.saturating_sub(order.len() as u64);
        let before: f64 = order[..from].iter().map(|&site| self.sites[site].size).sum();
        let (site, size) = (order[from], self.sites[order[from]].size);
        let mut best = (-1e-9 * self.late(site, before + size).max(1e-12), from);
        let (mut gain, mut start) = (0.0, before);
        for (place, &other) in order.iter().enumerate().skip(from + 1) {
            gain += self.exchange(site, other, start);
            start += self.sites[other].size;
            best = if gain < best.0 { (gain, place) } else { best };
        }
        (gain, start) = (0.0, before);
        for place in (0..from).rev() {
            let other = order[place];
            start -= self.sites[other].size;
            gain -= self.exchange(site, other, start);
            best = if gain < best.0 { (gain, place) } else { best };
        }
        let to = best.1;
        if to > from {
            order[from..=to].rotate_left(1);
        } else {
            order[to..=from].rotate_right(1);
        }
        to != from
    }

    /// What it costs to have `second` before `first` instead of after it.
    fn exchange(&self, first: usize, second: usize, start: f64) -> f64 {
        let (a, b) = (self.sites[first].size, self.sites[second].size);
        let straight = self.late(first, start + a) + self.late(second, start + a + b);
        self.late(second, start + b) + self.late(first, start + a + b) - straight
    }
}
