//! What was granted to this downloader: its part of the limit and of the limits of sites, for as long
//! as the scheduler is heard of.

use std::collections::HashMap;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use weir_fetch::{Part, Shaper, Share, Tier};

use crate::purse::{Held, LIFETIME_MS};
use crate::wire::{InForce, Rates};

pub struct Holdings {
    shaper: Shaper,
    total: Held,
    sites: HashMap<u32, Site>,
    /// What the shaper was last set to.
    rate: f64,
    /// Since when something may come.
    begun_ms: Option<u64>,
}

/// At first half of what was granted is used: nothing is known of the sites yet, and how much comes of
/// what is started can only be guessed.
const CAREFUL_MS: u64 = 500;

struct Site {
    share: Share,
    part: Part,
    /// It has a limit of its own, and this is what we hold of it.
    is_capped: bool,
    held: Held,
}

impl Holdings {
    /// Nothing may come until something is granted.
    pub fn new(has_budget: bool) -> Holdings {
        let shaper = Shaper::new(0.0);
        if has_budget {
            shaper.set_quota(0.0);
        }
        let (total, sites) = (Held::default(), HashMap::new());
        Holdings { shaper, total, sites, rate: 0.0, begun_ms: None }
    }

    pub fn shaper(&self) -> &Shaper {
        &self.shaper
    }

    /// Bytes a second that may come; infinite for no limit.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// The share of a site. One that the scheduler has not told of, which it should have, gets nothing
    /// until it does: fetched without a share, a page would be outside of every limit.
    pub fn share(&mut self, number: u32) -> Share {
        if !self.sites.contains_key(&number) {
            let unknown =
                crate::wire::Part { share: number, weight: 1.0, is_capped: true, tier: 1 };
            self.set_part(&unknown);
        }
        self.sites[&number].share
    }

    pub fn told(&mut self, rates: &Rates) {
        let now_ms = now_ms();
        // A time beyond ours is none that we have said.
        let until_ms = rates.heard_ms.min(now_ms) + LIFETIME_MS;
        rates.parts.iter().for_each(|part| self.set_part(part));
        match &rates.total {
            Some(grant) => self.total.told(grant.version, rate(grant.rate), until_ms, now_ms),
            None => self.total.heard(until_ms, now_ms),
        }
        self.sites.values_mut().for_each(|site| site.held.heard(until_ms, now_ms));
        for grant in &rates.sites {
            if let Some(site) = self.sites.get_mut(&grant.share) {
                site.held.told(grant.version, rate(grant.rate), until_ms, now_ms);
            }
        }
        if let Some(quota) = rates.quota.filter(|quota| *quota > self.shaper.quota()) {
            self.shaper.set_quota(quota);
        }
        self.put_into_force();
    }

    fn set_part(&mut self, sent: &crate::wire::Part) {
        let weight = if sent.weight.is_finite() { sent.weight.max(0.0) } else { 1.0 };
        let tier = match sent.tier {
            0 => Tier::First,
            1 => Tier::Shared,
            _ => Tier::Spare,
        };
        let part = Part { weight, cap: sent.is_capped.then_some(0.0), tier };
        let shaper = &self.shaper;
        let site = self.sites.entry(sent.share).or_insert_with(|| Site {
            share: shaper.add_share(part),
            part,
            is_capped: sent.is_capped,
            held: Held::default(),
        });
        site.is_capped = sent.is_capped;
        site.part = Part { cap: site.cap(now_ms()), ..part };
        self.shaper.set_shares(std::iter::once((site.share, site.part)));
    }

    /// Nothing more is received until something is granted anew.
    pub fn give_back(&mut self) {
        self.total.give_back();
        self.sites.values_mut().for_each(|site| site.held.give_back());
        self.put_into_force();
    }

    /// Whatever has run out is not used any more. To be called often.
    pub fn put_into_force(&mut self) {
        let now_ms = now_ms();
        let rate = self.careful(self.total.rate(now_ms), now_ms);
        if rate != self.rate {
            self.rate = rate;
            self.shaper.set_cap(rate);
        }
        let mut changed = Vec::new();
        for site in self.sites.values_mut() {
            let cap = site.cap(now_ms);
            if cap != site.part.cap {
                site.part.cap = cap;
                changed.push((site.share, site.part));
            }
        }
        if !changed.is_empty() {
            self.shaper.set_shares(changed.into_iter());
        }
    }

    fn careful(&mut self, granted: f64, now_ms: u64) -> f64 {
        if granted <= 0.0 {
            self.begun_ms = None;
            return 0.0;
        }
        let begun_ms = *self.begun_ms.get_or_insert(now_ms);
        if now_ms < begun_ms + CAREFUL_MS { granted / 2.0 } else { granted }
    }

    /// For the next pulse.
    pub fn in_force(&self) -> (InForce, Vec<InForce>) {
        let now_ms = now_ms();
        let of = |share: u32, held: &Held, owed: f64| InForce {
            share,
            version: held.in_force(),
            ran_out: held.ran_out(now_ms),
            owed,
        };
        let capped = self.sites.iter().filter(|(_, site)| site.is_capped);
        let sites =
            capped.map(|(number, site)| of(*number, &site.held, self.shaper.owed_to(site.share)));
        (of(0, &self.total, self.shaper.owed()), sites.collect())
    }
}

impl Site {
    /// `None` for no limit of its own.
    fn cap(&self, now_ms: u64) -> Option<f64> {
        let rate = self.is_capped.then(|| self.held.rate(now_ms));
        rate.filter(|rate| rate.is_finite())
    }
}

fn rate(sent: f64) -> f64 {
    if sent < 0.0 { f64::INFINITY } else { sent.max(0.0) }
}

/// Of a clock that goes on while the machine sleeps: what was granted must not outlive that.
pub fn now_ms() -> u64 {
    let time = clock_gettime(ClockId::Boottime);
    let time = Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32);
    time.as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_granted_is_used_by_half_at_first_and_again_after_a_pause() {
        let mut holdings = Holdings::new(false);
        let rates = |holdings: &mut Holdings, times: [(f64, u64); 3]| {
            times.map(|(granted, now_ms)| holdings.careful(granted, now_ms))
        };
        let begins = [(800.0, 1000), (400.0, 1499), (400.0, 1500)];
        assert_eq!(rates(&mut holdings, begins), [400.0, 200.0, 400.0]);
        let again = [(0.0, 5000), (400.0, 6000), (400.0, 6500)];
        assert_eq!(rates(&mut holdings, again), [0.0, 200.0, 400.0]);
        assert_eq!(holdings.careful(f64::INFINITY, 6600), f64::INFINITY);
    }
}
