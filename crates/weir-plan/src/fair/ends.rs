//! When each site is done, for many sites: without the rates, which change for everybody whenever
//! one is done.
//!
//! For a constant cap and sites that are all there the share of a unit of weight only grows. Sites
//! below their highest rate are kept in the time that this share makes; a site that reaches its
//! highest rate stays there.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Site;
use crate::list::Time;
use crate::rank::least_first;

pub fn ends(sites: &[Site], cap: f64) -> Vec<f64> {
    let mut run = Run::new(sites, cap);
    while run.step() {}
    run.end
}

struct Run<'a> {
    sites: &'a [Site],
    end: Vec<f64>,
    now: f64,
    /// What a unit of weight has got so far.
    got: f64,
    /// What is not taken by those at their highest rate, and the weight of all others.
    free: f64,
    weight: f64,
    /// Those below their highest rate: who is done next, and who reaches it next, last first.
    by_end: Vec<usize>,
    by_rate: Vec<usize>,
    is_full: Vec<bool>,
    full: BinaryHeap<Reverse<(Time, usize)>>,
}

impl Run<'_> {
    fn new(sites: &[Site], cap: f64) -> Run<'_> {
        let open = |order: Vec<usize>| {
            order.into_iter().rev().filter(|&site| sites[site].size > 0.0).collect::<Vec<_>>()
        };
        let by_end = open(least_first(sites.len(), |site| sites[site].size / sites[site].weight));
        let by_rate =
            open(least_first(sites.len(), |site| sites[site].max_rate / sites[site].weight));
        Run {
            end: sites
                .iter()
                .map(|site| if site.size > 0.0 { f64::INFINITY } else { 0.0 })
                .collect(),
            now: 0.0,
            got: 0.0,
            free: cap,
            weight: by_end.iter().map(|&site| sites[site].weight).sum(),
            by_end,
            by_rate,
            is_full: vec![false; sites.len()],
            full: BinaryHeap::new(),
            sites,
        }
    }

    fn step(&mut self) -> bool {
        self.fill_up();
        while self.by_end.pop_if(|site| self.is_full[*site]).is_some() {}
        let share = self.free / self.weight;
        let next_full = self.full.peek().map_or(f64::INFINITY, |&Reverse((Time(end), _))| end);
        let next_open = self.by_end.last().map_or(f64::INFINITY, |&site| {
            let Site { size, weight, .. } = self.sites[site];
            self.now + (size / weight - self.got).max(0.0) / share
        });
        let next = next_full.min(next_open);
        if next == f64::INFINITY {
            return false;
        }
        if !self.by_end.is_empty() {
            self.got += share * (next - self.now);
        }
        self.now = next;
        if next_open <= next_full {
            if let Some(site) = self.by_end.pop() {
                self.end[site] = next;
                self.weight -= self.sites[site].weight;
            }
        } else if let Some(Reverse((_, site))) = self.full.pop() {
            self.end[site] = next;
            self.free += self.sites[site].max_rate;
        }
        true
    }

    /// Takes out those that the share of their weight would give more than they can take.
    fn fill_up(&mut self) {
        while let Some(&site) = self.by_rate.last() {
            let Site { size, weight, max_rate, .. } = self.sites[site];
            let is_done = self.end[site].is_finite();
            if !is_done && max_rate * self.weight > self.free * weight * (1.0 + 1e-12) {
                return;
            }
            self.by_rate.pop();
            if !is_done {
                let left = (size - weight * self.got).max(0.0);
                self.is_full[site] = true;
                self.free -= max_rate;
                self.weight -= weight;
                self.full.push(Reverse((Time(self.now + left / max_rate), site)));
            }
        }
    }
}
