//! Serves sites in a fixed order, but never so that a reserved part comes too late.
//!
//! Reservations lie as late as possible (`level`), so what is free before them is as much as can
//! be; it is given in the order. A site that got something early gives up its next reservations.

use crate::level::Interval;
use crate::{Allocation, Piece, Problem};

/// Every site has what was reserved for it by the end of each interval, or earlier.
pub fn serve(problem: &Problem, order: &[usize], reserved: &[Interval]) -> Allocation {
    let mut run = Run::new(problem, order, reserved);
    for interval in reserved {
        run.pass(interval);
    }
    run.finish();
    Allocation::from_pieces(&problem.sites, run.pieces)
}

/// Less than this part of a size or a cap is left over by rounding.
const ROUNDING: f64 = 1e-10;

struct Run<'a> {
    problem: &'a Problem,
    /// Sites with something left, in the order; the others are taken out now and then.
    order: Vec<usize>,
    left: Vec<f64>,
    /// What is reserved for a site after the interval that is being passed.
    later: Vec<f64>,
    rate: Vec<f64>,
    /// Sites that a rounding kept from being done within their reservations: they come first.
    behind: Vec<usize>,
    now: f64,
    pieces: Vec<Piece>,
    tiny: f64,
}

impl<'a> Run<'a> {
    fn new(problem: &'a Problem, order: &[usize], reserved: &[Interval]) -> Run<'a> {
        let sites = &problem.sites;
        let mut later = vec![0.0; sites.len()];
        for interval in reserved {
            for &(site, rate) in &interval.rates {
                later[site] += rate * (interval.to - interval.from);
            }
        }
        let total: f64 = sites.iter().map(|site| site.size).sum();
        Run {
            problem,
            order: order.iter().copied().filter(|&site| sites[site].size > 0.0).collect(),
            left: sites.iter().map(|site| site.size).collect(),
            later,
            rate: vec![0.0; sites.len()],
            behind: Vec::new(),
            now: 0.0,
            pieces: Vec::new(),
            tiny: total * 1e-14,
        }
    }

    fn pass(&mut self, interval: &Interval) {
        for &(site, rate) in &interval.rates {
            let later = self.later[site] - rate * (interval.to - interval.from);
            let none = self.problem.sites[site].size * ROUNDING;
            self.later[site] = if later <= none { 0.0 } else { later };
        }
        while self.now < interval.to {
            let cap = self.problem.cap.at(self.now);
            let length = interval.to - self.now;
            let mut served = Vec::new();
            let mut free = cap - self.catch_up(cap, &mut served);
            for &(site, reserved) in &interval.rates {
                if self.rate[site] > 0.0 {
                    continue; // it is catching up
                }
                // No more than was reserved: rounding must not take what others have reserved.
                let must = ((self.left[site] - self.later[site]).max(0.0) / length)
                    .min(reserved)
                    .min(free);
                if must > cap * ROUNDING {
                    self.rate[site] = must;
                    free -= must;
                    served.push(site);
                }
            }
            self.share(free, &mut served);
            self.go_on(&served, interval.to);
        }
        self.now = interval.to;
        let left_over =
            |&&(site, _): &&(usize, f64)| self.left[site] > 0.0 && self.later[site] <= 0.0;
        self.behind.extend(interval.rates.iter().filter(left_over).map(|&(site, _)| site));
        self.order.retain(|&site| self.left[site] > 0.0);
    }

    fn catch_up(&mut self, cap: f64, served: &mut Vec<usize>) -> f64 {
        self.behind.retain(|&site| self.left[site] > 0.0);
        let mut used = 0.0;
        for &site in &self.behind {
            let rate = self.problem.sites[site].max_rate.min(cap - used);
            if rate > 0.0 {
                self.rate[site] = rate;
                used += rate;
                served.push(site);
            }
        }
        used
    }

    /// After the last reservation: the order alone.
    fn finish(&mut self) {
        while !self.order.is_empty() {
            let mut served = Vec::new();
            let cap = self.problem.cap.at(self.now);
            let free = cap - self.catch_up(cap, &mut served);
            self.share(free, &mut served);
            let change = self.problem.cap.next_change(self.now).unwrap_or(f64::INFINITY);
            let release = self.next_release();
            let until = change.min(release);
            if served.is_empty() && until == f64::INFINITY {
                return;
            }
            self.go_on(&served, until);
            self.order.retain(|&site| self.left[site] > 0.0);
        }
    }

    fn next_release(&self) -> f64 {
        let releases = self.order.iter().map(|&site| self.problem.sites[site].release);
        releases.filter(|&release| release > self.now).fold(f64::INFINITY, f64::min)
    }

    /// Gives what is free in the order.
    fn share(&mut self, mut free: f64, served: &mut Vec<usize>) {
        let most = self.problem.at_once.unwrap_or(usize::MAX);
        let nothing = self.problem.cap.at(self.now) * 1e-12;
        for index in 0..self.order.len() {
            if free <= nothing {
                return;
            }
            let site = self.order[index];
            let wants = &self.problem.sites[site];
            let extra = (wants.max_rate - self.rate[site]).min(free);
            if self.left[site] <= 0.0 || wants.release > self.now || extra <= 0.0 {
                continue;
            }
            if self.rate[site] == 0.0 {
                if served.len() >= most {
                    continue;
                }
                served.push(site);
            }
            self.rate[site] += extra;
            free -= extra;
        }
    }

    /// Runs the rates until the first served site is done, or until `until`.
    fn go_on(&mut self, served: &[usize], until: f64) {
        let ends = served.iter().map(|&site| self.now + self.left[site] / self.rate[site]);
        let next = ends.fold(until, f64::min);
        for &site in served {
            let rate = std::mem::take(&mut self.rate[site]);
            let end = self.now + self.left[site] / rate;
            self.left[site] = (self.left[site] - rate * (next - self.now)).max(0.0);
            if end <= next || self.left[site] <= self.tiny {
                self.left[site] = 0.0;
            }
            self.pieces.push(Piece { site, from: self.now, to: next, rate });
        }
        self.now = next;
    }
}
