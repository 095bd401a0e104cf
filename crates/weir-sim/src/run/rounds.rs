use weir_plan::{Options, Policy, Refused};

use super::drive::{Decision, rates_now};
use super::state::View;
use crate::world::World;

/// The paper's Algorithm 4 and its relatives, played as time goes by: rates are set for those who
/// run, a slot that becomes free takes the next of the queue at the same rate, and when the round
/// was to end, rates are set anew. What is predicted may not come true, so a round may end before
/// all of its sites do, or long after.
pub struct Rounds {
    policy: Policy,
    /// Who runs in each slot, and at what rate.
    slots: Vec<(Option<usize>, f64)>,
    ends_at: f64,
}

impl Rounds {
    pub fn new(policy: Policy) -> Rounds {
        Rounds { policy, slots: Vec::new(), ends_at: f64::NEG_INFINITY }
    }

    pub fn decide(
        &mut self,
        options: &Options,
        view: &View,
        world: &World,
    ) -> Result<Decision, Refused> {
        for (site, _) in &mut self.slots {
            *site = site.filter(|site| view.sites.contains(site));
        }
        if self.is_over(view.now) {
            self.begin(options, view, world)?;
        } else if self.policy != Policy::ReallocProdata {
            self.refill(view);
        }
        let rates = self.slots.iter().filter_map(|&(site, rate)| Some((site?, rate))).collect();
        Ok(Decision { rates, order: Vec::new(), until: self.ends_at })
    }

    fn is_over(&self, now: f64) -> bool {
        let idle = self.slots.iter().all(|slot| slot.0.is_none());
        let by_time = match self.policy {
            Policy::AllocOnceMaxt | Policy::AllocOnceSumt => self.slots.is_empty(),
            // A group goes on until all of it is done.
            Policy::ReallocProdata => false,
            _ => now >= self.ends_at,
        };
        by_time || (idle && !self.once()) || self.slots.is_empty()
    }

    fn once(&self) -> bool {
        matches!(self.policy, Policy::AllocOnceMaxt | Policy::AllocOnceSumt)
    }

    /// Those who run stay, the most urgent of the queue join them, and all get their rates.
    fn begin(&mut self, options: &Options, view: &View, world: &World) -> Result<(), Refused> {
        let mut running: Vec<usize> = self.slots.iter().filter_map(|slot| slot.0).collect();
        let most = world.at_once.unwrap_or(usize::MAX);
        for site in self.queue(view) {
            if running.len() < most {
                running.push(site);
            }
        }
        let rates = rates_now(self.policy, options, view, &running, world)?;
        let longest = rates.iter().map(|&(site, rate)| left(view, site) / rate).fold(0.0, f64::max);
        // A round shorter than the time between two plans would be no round.
        self.ends_at = match self.policy {
            Policy::ReallocProdata => f64::INFINITY,
            _ if self.once() => f64::INFINITY,
            _ => view.now + longest.max(world.replan),
        };
        self.slots = rates.into_iter().map(|(site, rate)| (Some(site), rate)).collect();
        Ok(())
    }

    fn refill(&mut self, view: &View) {
        let mut queue = self.queue(view).into_iter();
        for (site, _) in self.slots.iter_mut().filter(|slot| slot.0.is_none()) {
            *site = queue.next();
        }
    }

    /// Who waits, the most urgent first.
    fn queue(&self, view: &View) -> Vec<usize> {
        let runs = |site: usize| self.slots.iter().any(|slot| slot.0 == Some(site));
        let mut waiting: Vec<(f64, usize)> = view
            .sites
            .iter()
            .zip(&view.known)
            .filter(|&(&site, _)| !runs(site))
            .map(|(&site, known)| (known.site.due(), site))
            .collect();
        waiting.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        waiting.into_iter().map(|(_, site)| site).collect()
    }
}

fn left(view: &View, site: usize) -> f64 {
    let index = view.sites.iter().position(|here| *here == site);
    index.map_or(0.0, |index| view.known[index].site.size)
}
