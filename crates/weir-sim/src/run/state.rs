use weir_plan::{Known, Piece, Policy, Site};

use super::drive::Decision;
use super::outcome::Outcome;
use crate::world::{Truth, World};

/// Where a run stands: what has come of each site, and what has been learnt of it.
pub struct State<'a> {
    pub now: f64,
    world: &'a World,
    sites: Vec<Progress>,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
struct Progress {
    got: f64,
    /// The first request.
    asked_at: Option<f64>,
    done_at: Option<f64>,
    /// What the site is believed to deliver at the most.
    believed: f64,
    /// Its last piece among all, while it goes on at the same rate.
    open: Option<usize>,
}

/// What a policy gets to see: the sites that are there and not done.
pub struct View {
    pub now: f64,
    /// Their numbers in the world.
    pub sites: Vec<usize>,
    pub known: Vec<Known>,
}

/// What is left of a site when it counts as done, as a part of it.
const DONE: f64 = 1e-9;
/// A speed that turns out to hold is tried a little higher the next time.
const BOLDER: f64 = 1.1;
/// The shortest step, as a part of the time that has passed: below it the clock stands still.
const TICK: f64 = 1e-12;

impl<'a> State<'a> {
    pub fn new(world: &'a World) -> State<'a> {
        let fresh = |site: &Truth| Progress {
            got: 0.0,
            asked_at: None,
            done_at: (site.size == 0.0).then_some(site.release),
            believed: match world.speeds_known {
                true => site.limit(f64::INFINITY, world.starts_at + site.release),
                false => site.max_rate,
            },
            open: None,
        };
        let sites = world.sites.iter().map(fresh).collect();
        State { now: 0.0, world, sites, pieces: Vec::new() }
    }

    /// Nothing if nobody is there.
    pub fn view(&self) -> Option<View> {
        let here = |&site: &usize| {
            self.sites[site].done_at.is_none() && self.world.sites[site].release <= self.now
        };
        let sites: Vec<usize> = (0..self.sites.len()).filter(here).collect();
        let known = sites.iter().map(|&site| self.known(site)).collect();
        (!sites.is_empty()).then_some(View { now: self.now, sites, known })
    }

    fn known(&self, site: usize) -> Known {
        let (truth, progress) = (&self.world.sites[site], &self.sites[site]);
        let guess = truth.prediction.guess(truth.size, progress.got);
        let site = Site {
            size: guess.left,
            deadline: truth.deadline.map(|due| due - self.now),
            max_rate: progress.believed,
            weight: truth.weight,
            release: 0.0,
        };
        let rate_is_known = self.world.speeds_known || progress.got > 0.0;
        Known { site, low: guess.low, high: guess.high, rate_is_known }
    }

    pub fn next_release(&self) -> Option<f64> {
        let later = self.world.sites.iter().map(|site| site.release).filter(|at| *at > self.now);
        later.min_by(f64::total_cmp)
    }

    /// Gives the shares to the sites until the next event.
    pub fn advance(&mut self, decision: &Decision) {
        for &(site, rate) in &decision.rates {
            if rate > 0.0 {
                self.sites[site].asked_at.get_or_insert(self.now);
            }
        }
        let flows = self.flows(decision);
        let until = self.next_event(&flows, decision.until.max(self.now));
        for &(site, rate) in &flows {
            self.deliver(site, rate, until);
        }
        for &(site, asked) in &decision.rates {
            self.learn(site, asked);
        }
        self.now = until;
    }

    /// What really comes from each site: what it was given or can deliver, whichever is less; what
    /// that leaves of the cap goes to others in the order given, if the policy says one.
    fn flows(&mut self, decision: &Decision) -> Vec<(usize, f64)> {
        let cap = self.world.cap_at(self.now);
        let given: f64 = decision.rates.iter().map(|(_, rate)| rate).sum();
        // Rates that were set for another hour may not fit this one.
        let fit = if given > cap { cap / given } else { 1.0 };
        let mut flows: Vec<(usize, f64)> = decision
            .rates
            .iter()
            .map(|&(site, rate)| (site, (rate * fit).min(self.limit(site))))
            .collect();
        let mut free = cap - flows.iter().map(|(_, rate)| rate).sum::<f64>();
        for &site in &decision.order {
            if free <= cap * 1e-9 {
                break;
            }
            let index = match flows.iter().position(|flow| flow.0 == site) {
                Some(index) => index,
                None if self.is_full(&flows) => continue,
                None => {
                    flows.push((site, 0.0));
                    flows.len() - 1
                }
            };
            let is_new = self.sites[site].asked_at.is_none();
            self.sites[site].asked_at.get_or_insert(self.now);
            let more = (self.limit(site) - flows[index].1).clamp(0.0, free);
            flows[index].1 += more;
            free -= more;
            if is_new {
                // One more is opened at a time; it says soon enough what it can do.
                break;
            }
        }
        flows
    }

    fn is_full(&self, flows: &[(usize, f64)]) -> bool {
        self.world.at_once.is_some_and(|most| flows.len() >= most)
    }

    /// What a site can deliver now; nothing before it has been asked.
    fn limit(&self, site: usize) -> f64 {
        let time_of_day = self.world.starts_at + self.now;
        self.sites[site]
            .asked_at
            .map_or(0.0, |asked| self.world.sites[site].limit(self.now - asked, time_of_day))
    }

    fn next_event(&self, flows: &[(usize, f64)], until: f64) -> f64 {
        let clock = self.world.starts_at;
        let mut next = until.min(self.world.until);
        next = next.min(self.world.cap.next_change(clock + self.now) - clock);
        next = next.min(self.next_release().unwrap_or(f64::INFINITY));
        for &(site, rate) in flows {
            let (truth, progress) = (&self.world.sites[site], &self.sites[site]);
            if rate > 0.0 {
                next = next.min(self.now + (truth.size - progress.got) / rate);
            }
            next = next.min(truth.speed.next_change(clock + self.now) - clock);
            if let Some(asked) = progress.asked_at
                && let Some(age) = truth.next_readiness(self.now - asked)
            {
                next = next.min(asked + age);
            }
        }
        next.max(self.now + (self.now * TICK).max(1e-9))
    }

    fn deliver(&mut self, site: usize, rate: f64, until: f64) {
        let (truth, progress) = (&self.world.sites[site], &mut self.sites[site]);
        if rate <= 0.0 {
            progress.open = None;
            return;
        }
        progress.got += rate * (until - self.now);
        if truth.size - progress.got <= truth.size * DONE {
            progress.got = truth.size;
            progress.done_at = Some(until);
        }
        match progress.open.map(|open| &mut self.pieces[open]) {
            Some(piece) if piece.rate == rate && piece.to == self.now => piece.to = until,
            _ => {
                progress.open = Some(self.pieces.len());
                self.pieces.push(Piece { site, from: self.now, to: until, rate });
            }
        }
    }

    /// A site that gives less than it is asked for has shown its speed; one that gives all it is
    /// believed to have may have more.
    fn learn(&mut self, site: usize, asked: f64) {
        let limit = self.limit(site);
        let (truth, progress) = (&self.world.sites[site], &mut self.sites[site]);
        let age = progress.asked_at.map_or(0.0, |at| self.now - at);
        if truth.readiness(age) < 1.0 || asked <= 0.0 {
            return;
        }
        if limit < asked {
            progress.believed = limit;
        } else if asked >= progress.believed * (1.0 - 1e-9) {
            progress.believed = (progress.believed * BOLDER).min(truth.max_rate);
        }
    }

    pub fn part_done(&self) -> f64 {
        let all: f64 = self.world.sites.iter().map(|site| site.size).sum();
        self.sites.iter().map(|site| site.got).sum::<f64>() / all.max(1.0)
    }

    pub fn finish(self, policy: Policy, seed: u64, asked: usize) -> Outcome {
        let end = self.sites.iter().map(|site| site.done_at.unwrap_or(f64::INFINITY)).collect();
        Outcome::new(self.world, policy, seed, asked, self.pieces, end)
    }
}
