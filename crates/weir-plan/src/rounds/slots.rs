//! Slots with a rate each, and the sites that run in them one after another.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, VecDeque};

use crate::{Allocation, Piece, Site};

/// Times that differ by less than this part of a round are the same.
const ROUNDING: f64 = 1e-12;

pub struct Slots<'a> {
    sites: &'a [Site],
    left: Vec<f64>,
    now: f64,
    pieces: Vec<Piece>,
}

/// A site at work, with times from the start of the round; the first to end comes first, then
/// the lower slot.
#[derive(Clone, Copy, Debug)]
struct Run {
    end: f64,
    slot: usize,
    /// What the slot would give; the site may take less.
    slot_rate: f64,
    site: usize,
    rate: f64,
    from: f64,
}

impl<'a> Slots<'a> {
    pub fn new(sites: &'a [Site]) -> Slots<'a> {
        let left = sites.iter().map(|site| site.size).collect();
        Slots { sites, left, now: 0.0, pieces: Vec::new() }
    }

    pub fn left_of(&self, site: usize) -> f64 {
        self.left[site]
    }

    /// These sites as they stand now: what is left, and the time left for it.
    pub fn left(&self, which: &[usize]) -> Vec<Site> {
        let now = |&index: &usize| {
            let site = &self.sites[index];
            Site {
                size: self.left[index],
                deadline: site.deadline.map(|due| due - self.now),
                ..site.clone()
            }
        };
        which.iter().map(now).collect()
    }

    /// Runs sites at their rates for a while. A slot that falls free before takes the next of
    /// the queue at the same rate. Gives back who is not done, in the order of slots.
    pub fn run(
        &mut self,
        sites: impl Iterator<Item = (usize, f64)>,
        queue: &mut VecDeque<usize>,
        length: f64,
    ) -> Vec<usize> {
        let begin = |(slot, (site, rate))| Reverse(self.start(site, slot, rate, 0.0));
        let mut runs: BinaryHeap<Reverse<Run>> = sites.enumerate().map(begin).collect();
        // Who ends this near the end of the round ends with it.
        let over = length * (1.0 - ROUNDING);
        while runs.peek().is_some_and(|Reverse(run)| run.end < over) {
            let Some(Reverse(run)) = runs.pop() else { break };
            self.record(run, run.end);
            if let Some(next) = queue.pop_front() {
                runs.push(Reverse(self.start(next, run.slot, run.slot_rate, run.end)));
            }
        }
        let mut unfinished: Vec<Run> = runs.into_iter().map(|Reverse(run)| run).collect();
        unfinished.sort_unstable_by_key(|run| run.slot);
        self.stop_all(&mut unfinished, length);
        self.now += length;
        unfinished.into_iter().map(|run| run.site).collect()
    }

    /// The plan, once everything has run.
    pub fn finish(self, rounds: usize) -> Allocation {
        Allocation { rounds: Some(rounds), ..Allocation::from_pieces(self.sites, self.pieces) }
    }

    fn start(&self, site: usize, slot: usize, slot_rate: f64, from: f64) -> Run {
        let rate = slot_rate.min(self.sites[site].max_rate);
        Run { end: from + self.left[site] / rate, slot, slot_rate, site, rate, from }
    }

    fn stop_all(&mut self, unfinished: &mut Vec<Run>, length: f64) {
        unfinished.retain(|run| {
            let rest = self.left[run.site] - run.rate * (length - run.from);
            let done = rest <= 0.0 || run.end <= length * (1.0 + ROUNDING);
            self.record(*run, if done { run.end } else { length });
            !done
        });
    }

    fn record(&mut self, run: Run, to: f64) {
        let Run { end, site, rate, from, .. } = run;
        if !to.is_finite() {
            return;
        }
        self.pieces.push(Piece { site, from: self.now + from, to: self.now + to, rate });
        self.left[site] = if to < end { self.left[site] - rate * (to - from) } else { 0.0 };
    }
}

impl PartialEq for Run {
    fn eq(&self, other: &Run) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Run {}

impl PartialOrd for Run {
    fn partial_cmp(&self, other: &Run) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Run {
    fn cmp(&self, other: &Run) -> Ordering {
        self.end.total_cmp(&other.end).then(self.slot.cmp(&other.slot))
    }
}
