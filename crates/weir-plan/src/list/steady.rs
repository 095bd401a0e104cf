//! The list for a constant cap and sites that are all there: nobody ever has to give way, so the
//! served sites are those at full rate and one more that takes what is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Time;
use crate::{Piece, Site};

pub fn serve(sites: &[Site], order: &[usize], cap: f64, at_once: Option<usize>) -> Vec<Piece> {
    let mut run = Run {
        sites,
        waiting: order.iter(),
        cap,
        most: at_once.unwrap_or(usize::MAX),
        now: 0.0,
        used: 0.0,
        full: BinaryHeap::new(),
        last: None,
        pieces: Vec::with_capacity(order.len() + order.len() / 4),
    };
    while run.step() {}
    run.pieces
}

struct Run<'a> {
    sites: &'a [Site],
    waiting: std::slice::Iter<'a, usize>,
    cap: f64,
    most: usize,
    now: f64,
    /// By those at full rate.
    used: f64,
    full: BinaryHeap<Reverse<(Time, usize)>>,
    last: Option<Last>,
    pieces: Vec<Piece>,
}

/// The site that gets less than it could take.
#[derive(Clone, Copy)]
struct Last {
    site: usize,
    left: f64,
    rate: f64,
    since: f64,
}

impl Run<'_> {
    fn step(&mut self) -> bool {
        self.raise_last();
        while self.last.is_none() && self.full.len() < self.most && self.is_free() {
            let Some(&site) = self.waiting.find(|&&site| self.sites[site].size > 0.0) else {
                break;
            };
            self.start(site, self.sites[site].size);
        }
        let full_end = self.full.peek().map_or(f64::INFINITY, |&Reverse((Time(end), _))| end);
        let last_end = self.last.map_or(f64::INFINITY, |last| last.since + last.left / last.rate);
        self.now = full_end.min(last_end);
        if self.now == f64::INFINITY {
            return false;
        }
        if last_end <= full_end {
            self.stop_last();
        } else if let Some(Reverse((_, site))) = self.full.pop() {
            self.used -= self.sites[site].max_rate.min(self.cap);
            if self.full.is_empty() {
                self.used = 0.0; // no rounding is carried on
            }
        }
        true
    }

    fn is_free(&self) -> bool {
        self.cap - self.used > self.cap * 1e-12
    }

    /// What has become free goes to the site that has too little first.
    fn raise_last(&mut self) {
        let free = self.cap - self.used;
        if let Some(last) = self.last.filter(|last| free > last.rate * (1.0 + 1e-12)) {
            let left = last.left - last.rate * (self.now - last.since);
            self.stop_last();
            if left > 0.0 {
                self.start(last.site, left);
            }
        }
    }

    fn stop_last(&mut self) {
        if let Some(Last { site, rate, since, .. }) = self.last.take() {
            self.pieces.push(Piece { site, from: since, to: self.now, rate });
        }
    }

    fn start(&mut self, site: usize, left: f64) {
        let highest = self.sites[site].max_rate.min(self.cap);
        let free = self.cap - self.used;
        if highest <= free * (1.0 + 1e-12) {
            let end = self.now + left / highest;
            self.used += highest;
            self.full.push(Reverse((Time(end), site)));
            self.pieces.push(Piece { site, from: self.now, to: end, rate: highest });
        } else {
            self.last = Some(Last { site, left, rate: free, since: self.now });
        }
    }
}
