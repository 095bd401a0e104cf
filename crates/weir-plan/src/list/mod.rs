//! Serves sites in a fixed order: whoever stands first takes what it can, the next one the rest.

mod steady;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use crate::{Allocation, Piece, Problem};

/// Runs the list to its end. `order` has every site once; those of size 0 are passed over.
///
/// At each moment the served sites are the first of the order that are there, all of them at their
/// highest rate but the last one, which gets what is left.
pub fn serve(problem: &Problem, order: &[usize]) -> Allocation {
    let Problem { cap, at_once, sites } = problem;
    if let Some(cap) = cap.fixed().filter(|_| sites.iter().all(|site| site.release <= 0.0)) {
        return Allocation::from_pieces(sites, steady::serve(sites, order, cap, *at_once));
    }
    run(Run::new(problem, order))
}

/// The same, but where only so many sites may be served at once, a slow site that can wait lets a
/// faster one go first, so that the cap is used.
pub fn serve_fast_first(problem: &Problem, order: &[usize]) -> Allocation {
    let mut choosy = Run::new(problem, order);
    choosy.overtaken = Some(vec![0; order.len()]);
    run(choosy)
}

fn run(mut run: Run) -> Allocation {
    while run.step() {}
    Allocation::from_pieces(&run.problem.sites, run.pieces)
}

/// How far down the order a faster site is looked for, and how often a site is passed over.
const DEPTH: usize = 16;

struct Run<'a> {
    problem: &'a Problem,
    order: &'a [usize],
    now: f64,
    /// Sites that are not there yet: latest release first.
    absent: Vec<usize>,
    /// Ranks of the sites that are there and get nothing.
    waiting: BinaryHeap<Reverse<usize>>,
    /// Ranks of the sites that are served.
    served: BTreeSet<usize>,
    used: f64,
    /// Whether the order may have to be restored: someone came, or the cap changed.
    disturbed: bool,
    /// How often each was passed over, by rank, if fast ones go first.
    overtaken: Option<Vec<usize>>,
    /// What each site, by its rank, has left, gets, and since when.
    left: Vec<f64>,
    rate: Vec<f64>,
    since: Vec<f64>,
    /// Ends as they stand; one that does not agree with `ends_at` is out of date.
    ends: BinaryHeap<Reverse<(Time, usize)>>,
    ends_at: Vec<f64>,
    pieces: Vec<Piece>,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, order: &'a [usize]) -> Run<'a> {
        let left: Vec<f64> = order.iter().map(|&site| problem.sites[site].size).collect();
        let release = |rank: usize| problem.sites[order[rank]].release;
        let ranks = || (0..order.len()).filter(|&rank| left[rank] > 0.0);
        let mut absent: Vec<usize> = ranks().filter(|&rank| release(rank) > 0.0).collect();
        absent.sort_by(|&a, &b| release(b).total_cmp(&release(a)));
        let waiting: Vec<_> = ranks().filter(|&rank| release(rank) <= 0.0).map(Reverse).collect();
        Run {
            problem,
            order,
            now: 0.0,
            absent,
            waiting: BinaryHeap::from(waiting),
            served: BTreeSet::new(),
            used: 0.0,
            disturbed: false,
            overtaken: None,
            rate: vec![0.0; left.len()],
            since: vec![0.0; left.len()],
            ends: BinaryHeap::new(),
            ends_at: vec![f64::INFINITY; left.len()],
            pieces: Vec::with_capacity(left.len() * 2),
            left,
        }
    }

    /// Settles the rates of this moment and goes on to the next change; false at the end.
    fn step(&mut self) -> bool {
        self.let_in();
        self.share();
        let end = self.next_end();
        let release = self.absent.last().map(|&rank| self.problem.sites[self.order[rank]].release);
        let change = self.problem.cap.next_change(self.now);
        let next = [end, release, change].into_iter().flatten().fold(f64::INFINITY, f64::min);
        if next == f64::INFINITY
            || (self.served.is_empty() && self.waiting.is_empty() && release.is_none())
        {
            return false;
        }
        self.disturbed = change == Some(next);
        self.now = next;
        while self.next_end().is_some_and(|end| end <= self.now) {
            let Some(Reverse((_, rank))) = self.ends.pop() else { break };
            self.set_rate(rank, 0.0);
            self.left[rank] = 0.0;
            self.served.remove(&rank);
        }
        true
    }

    fn let_in(&mut self) {
        while let Some(&rank) = self.absent.last() {
            if self.problem.sites[self.order[rank]].release > self.now {
                break;
            }
            self.absent.pop();
            self.disturbed = true;
            self.waiting.push(Reverse(rank));
        }
    }

    fn share(&mut self) {
        let cap = self.problem.cap.at(self.now);
        if self.disturbed {
            self.send_back(cap);
        }
        let most = self.problem.at_once.unwrap_or(usize::MAX);
        if let Some(&last) = self.served.last() {
            self.fill_up(last, cap);
        }
        while self.served.len() < most && cap - self.used > cap * 1e-12 {
            let slots = most - self.served.len();
            let Some(rank) = self.next_waiting((cap - self.used) / slots as f64) else { break };
            self.served.insert(rank);
            self.fill_up(rank, cap);
        }
    }

    /// The first of the order; or, of the next few, the first that can take `enough`, if those
    /// before it can wait.
    fn next_waiting(&mut self, enough: f64) -> Option<usize> {
        let Reverse(first) = self.waiting.pop()?;
        let Some(mut overtaken) = self.overtaken.take() else { return Some(first) };
        let mut passed = vec![first];
        let mut found = None;
        while passed.len() < DEPTH {
            let last = passed[passed.len() - 1];
            let site = &self.problem.sites[self.order[last]];
            if site.max_rate >= enough || overtaken[last] >= DEPTH || self.cannot_wait(last) {
                found = passed.pop();
                break;
            }
            let Some(Reverse(next)) = self.waiting.pop() else { break };
            passed.push(next);
        }
        let chosen = found.unwrap_or_else(|| passed.remove(0));
        for rank in passed {
            overtaken[rank] += usize::from(rank < chosen);
            self.waiting.push(Reverse(rank));
        }
        self.overtaken = Some(overtaken);
        Some(chosen)
    }

    /// Whether a site would be late if it waited as long again as it takes.
    fn cannot_wait(&self, rank: usize) -> bool {
        let site = &self.problem.sites[self.order[rank]];
        self.now + 2.0 * self.left[rank] / site.max_rate > site.due()
    }

    /// Those at the end of the order give way to an earlier one that waits, and to a lower cap.
    fn send_back(&mut self, cap: f64) {
        while let Some(&last) = self.served.last() {
            let overtaken = self.waiting.peek().is_some_and(|&Reverse(first)| first < last);
            if !overtaken && self.used <= cap * (1.0 + 1e-12) {
                break;
            }
            self.set_rate(last, 0.0);
            self.served.remove(&last);
            self.waiting.push(Reverse(last));
        }
        if self.served.is_empty() {
            self.used = 0.0; // no rounding is carried on
        }
    }

    fn fill_up(&mut self, rank: usize, cap: f64) {
        let free = cap - (self.used - self.rate[rank]);
        let rate = free.min(self.problem.sites[self.order[rank]].max_rate);
        if rate != self.rate[rank] {
            self.set_rate(rank, rate);
        }
    }

    fn set_rate(&mut self, rank: usize, rate: f64) {
        let (from, old) = (self.since[rank], self.rate[rank]);
        if old > 0.0 && self.now > from {
            self.pieces.push(Piece { site: self.order[rank], from, to: self.now, rate: old });
            self.left[rank] = (self.left[rank] - old * (self.now - from)).max(0.0);
        }
        self.used += rate - old;
        self.rate[rank] = rate;
        self.since[rank] = self.now;
        self.ends_at[rank] =
            if rate > 0.0 { self.now + self.left[rank] / rate } else { f64::INFINITY };
        if rate > 0.0 {
            self.ends.push(Reverse((Time(self.ends_at[rank]), rank)));
        }
    }

    fn next_end(&mut self) -> Option<f64> {
        while let Some(&Reverse((Time(end), rank))) = self.ends.peek() {
            if self.ends_at[rank] == end {
                return Some(end);
            }
            self.ends.pop();
        }
        None
    }
}

/// A time that is never NaN, so that it can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Time(pub f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Time) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Time) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
