//! Which part of the bandwidth cap a host takes from: that of its site, unless the host has a
//! `[[site]]` of its own.

use std::collections::HashMap;

use weir_fetch::{Part, Shaper, Share};

use crate::Config;

pub struct Shares {
    shaper: Option<Shaper>,
    by_name: HashMap<Box<str>, Share>,
}

impl Shares {
    pub fn new(shaper: Option<Shaper>) -> Shares {
        Shares { shaper, by_name: HashMap::new() }
    }

    /// `None` where nothing is capped.
    pub fn of(&mut self, config: &Config, site: &str, origin: &str) -> Option<Share> {
        let shaper = self.shaper.as_ref()?;
        let name = config.named(site, origin).map_or(site, |named| &named.name);
        if let Some(share) = self.by_name.get(name) {
            return Some(*share);
        }
        let settings = config.site(site, origin);
        let cap = settings.limit.map(|limit| limit.0 as f64);
        let share = shaper.add_share(Part { weight: settings.weight, cap });
        self.by_name.insert(name.into(), share);
        Some(share)
    }
}
