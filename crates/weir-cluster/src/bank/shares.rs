//! The limit, divided among the attempts that hold a bucket.

use std::collections::HashMap;
use std::time::Instant;

use crate::convert::{note_in_force, to_grant};
use crate::purse::{Purse, Wish};
use crate::wire::{Grant, TaskPulse};

/// Without a limit, all of this does nothing.
pub struct Shares {
    purse: Option<Purse>,
    begun: Instant,
}

impl Shares {
    pub fn new(limited: bool, now: Instant) -> Shares {
        Shares { purse: limited.then(|| Purse::new(0.0)), begun: now }
    }

    pub fn is_limited(&self) -> bool {
        self.purse.is_some()
    }

    /// It holds a bucket, or is connected again.
    pub fn joined(&mut self, who: u64) {
        if let Some(purse) = &mut self.purse {
            purse.join(who);
        }
    }

    /// It is out of reach, and may receive until what it holds has run out.
    pub fn lost(&mut self, who: u64, now: Instant) {
        let now_ms = self.ms(now);
        if let Some(purse) = &mut self.purse {
            purse.lost(who, now_ms);
        }
    }

    /// It certainly receives nothing more.
    pub fn left(&mut self, who: u64) {
        if let Some(purse) = &mut self.purse {
            purse.left(who);
        }
    }

    pub fn heard(&mut self, who: u64, pulse: &TaskPulse, rate: f64) {
        let Some(purse) = &mut self.purse else { return };
        if let Some(total) = &pulse.total {
            note_in_force(purse, who, total);
        }
        purse.wants(who, Wish { weight: 1.0, used: rate, hungry: pulse.waiting > 0 });
    }

    /// Who is to be told what.
    pub fn share_out(&mut self, cap: Option<f64>, now: Instant) -> HashMap<u64, Grant> {
        let now_ms = self.ms(now);
        let Some(purse) = &mut self.purse else { return HashMap::new() };
        // A cap that is no number allows nothing.
        purse.set_cap(cap.unwrap_or(0.0));
        let grants = purse.share_out(now_ms).into_iter();
        grants.map(|grant| (grant.who, to_grant(0, grant))).collect()
    }

    fn ms(&self, now: Instant) -> u64 {
        now.duration_since(self.begun).as_millis() as u64
    }
}
