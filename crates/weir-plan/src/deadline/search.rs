//! Looks for better promises by changing the order in which they are made.
//!
//! Promises made one after another, each as early as the earlier ones allow, depend on the order
//! only; so a search over orders is a search over plans that all keep what they must.

use super::booking::{Booking, Need};

/// What is searched for: one entry a site.
pub struct Task<'a> {
    pub cap: f64,
    pub needs: &'a [Need],
    /// Promises that stand from the beginning and may only become earlier; infinite for none.
    pub due: &'a [f64],
    /// Earlier than this is worth nothing.
    pub wanted: &'a [f64],
    pub weight: &'a [f64],
}

/// What a search may cost, counted in bends looked at, so that it is the same on every machine.
#[derive(Clone, Copy, Debug)]
pub struct Effort(pub u64);

pub struct Found {
    pub promised: Vec<f64>,
    /// The weighted sum of what is later than wanted.
    pub cost: f64,
}

impl Task<'_> {
    /// What it costs to make promises for so many sites once.
    pub fn cost_of(sites: usize) -> u64 {
        sites as u64 * (sites as u64 + 4)
    }

    /// Makes the promises in this order.
    pub fn promise(&self, order: &[usize]) -> Found {
        let mut booking = Booking::new(self.cap);
        for (need, &due) in self.needs.iter().zip(self.due) {
            booking.add(*need, due);
        }
        let mut promised = self.due.to_vec();
        let mut cost = 0.0;
        for &site in order {
            booking.remove(self.needs[site], promised[site]);
            let at = booking.earliest(self.needs[site]).max(self.wanted[site]).min(promised[site]);
            booking.add(self.needs[site], at);
            promised[site] = at;
            cost += self.weight[site] * (at - self.wanted[site]);
        }
        Found { promised, cost }
    }

    /// The best order found within the effort, starting from those given.
    pub fn search(&self, orders: &[Vec<usize>], effort: Effort) -> Found {
        let mut state = Search::new(self, effort);
        for order in orders {
            if state.order.is_empty() || state.left > 0 {
                state.try_order(order);
            }
        }
        let count = state.order.len();
        if count <= ALL_ORDERS {
            state.all_orders();
        } else {
            state.improve();
            state.shake();
        }
        state.best
    }
}

/// Up to so many sites every order is tried.
const ALL_ORDERS: usize = 6;

/// After so many attempts without a gain the search ends.
pub const IN_VAIN: usize = 24;

struct Search<'a> {
    task: &'a Task<'a>,
    order: Vec<usize>,
    best: Found,
    left: u64,
}

impl<'a> Search<'a> {
    fn new(task: &'a Task<'a>, effort: Effort) -> Search<'a> {
        let best = Found { promised: task.due.to_vec(), cost: f64::INFINITY };
        Search { task, order: Vec::new(), best, left: effort.0 }
    }

    fn try_order(&mut self, order: &[usize]) -> bool {
        self.left = self.left.saturating_sub(Task::cost_of(order.len()));
        let found = self.task.promise(order);
        let better = found.cost < self.best.cost * (1.0 - 1e-12);
        if better {
            self.best = found;
            self.order.clear();
            self.order.extend_from_slice(order);
        }
        better
    }

    fn all_orders(&mut self) {
        let mut order = self.order.clone();
        order.sort_unstable();
        loop {
            self.try_order(&order);
            if self.left == 0 || !next_permutation(&mut order) {
                return;
            }
        }
    }

    /// Moves one site to another place while that helps.
    fn improve(&mut self) {
        let count = self.order.len();
        let mut order = Vec::with_capacity(count);
        let mut without_gain = 0;
        let mut from = 0;
        while without_gain < count && self.left > 0 {
            let mut gained = false;
            for to in 0..count {
                if to == from {
                    continue;
                }
                order.clear();
                order.extend_from_slice(&self.order);
                let site = order.remove(from);
                order.insert(to, site);
                gained |= self.try_order(&order);
                if self.left == 0 {
                    return;
                }
            }
            without_gain = if gained { 0 } else { without_gain + 1 };
            from = (from + 1) % count;
        }
    }

    /// Leaves the place where nothing helps any more, by a few random exchanges, and comes back
    /// with something better or not at all.
    fn shake(&mut self) {
        let mut random = fastrand::Rng::with_seed(self.order.len() as u64);
        let mut in_vain = 0;
        while self.left > 0 && in_vain < IN_VAIN {
            in_vain += 1;
            let (order, cost) = (self.order.clone(), self.best.cost);
            let promised = self.best.promised.clone();
            for _ in 0..3 {
                let (a, b) = (random.usize(..order.len()), random.usize(..order.len()));
                self.order.swap(a, b);
            }
            self.best = self.task.promise(&self.order);
            self.improve();
            if self.best.cost >= cost {
                self.order = order;
                self.best = Found { promised, cost };
            } else {
                in_vain = 0;
            }
        }
    }
}

/// The next one in the order of a dictionary; false after the last.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(turn) = order.windows(2).rposition(|pair| pair[0] < pair[1]) else { return false };
    let next = order.iter().rposition(|&site| site > order[turn]).expect("the next place is one");
    order.swap(turn, next);
    order[turn + 1..].reverse();
    true
}
