//! A web that is only a list of URLs, each a function of its number.

use std::fmt::Write;

use weir_frontier::{Frontier, HostId};

/// Hosts of very different sizes: with 200,000 of them the largest has one URL in sixty, and half of
/// them less than half as many as the mean.
pub struct Web {
    hosts: Vec<HostId>,
}

const WORDS: [&str; 32] = [
    "river", "stone", "garden", "market", "winter", "letter", "engine", "silver", "bridge",
    "forest", "music", "planet", "window", "castle", "orange", "summer", "doctor", "island",
    "camera", "paper", "shadow", "yellow", "travel", "school", "kitchen", "weather", "history",
    "science", "football", "politics", "economy", "health",
];

impl Web {
    /// Names all hosts, those that are known already as well.
    pub fn new(frontier: &mut Frontier, count: u64) -> Web {
        let name = |host: u64| format!("{}{host}.example", word(mix(host)));
        let hosts = (0..count).map(|host| {
            let site = name(host);
            frontier.host(&site, &format!("https://www.{site}"))
        });
        Web { hosts: hosts.collect() }
    }

    pub fn hosts(&self) -> &[HostId] {
        &self.hosts
    }

    /// The URLs with these numbers are the first pages of hosts.
    pub fn is_seed(&self, number: u64) -> bool {
        number < self.hosts.len() as u64
    }

    pub fn host(&self, number: u64) -> HostId {
        self.hosts[self.place(number) as usize]
    }

    /// Appends the URL with this number. No two are the same.
    pub fn write(&self, number: u64, url: &mut String) {
        let host = self.place(number);
        let dice = mix(number);
        let [one, two, three] = [0, 8, 16].map(|by| word(dice >> by));
        let site = word(mix(host));
        let path = match dice >> 60 {
            _ if self.is_seed(number) => write!(url, "https://www.{site}{host}.example/"),
            0..6 => {
                let (year, month) = (2005 + dice % 20, 1 + dice % 12);
                write!(
                    url,
                    "https://www.{site}{host}.example/{one}/{year}/{month:02}/{two}-and-{three}-{number}.html"
                )
            }
            6..11 => write!(url, "https://www.{site}{host}.example/{one}/{two}-{three}/{number}"),
            _ => {
                write!(url, "https://www.{site}{host}.example/{one}?id={number}&page={}", dice % 40)
            }
        };
        path.expect("a string takes all that is written");
    }

    fn place(&self, number: u64) -> u64 {
        if self.is_seed(number) {
            return number;
        }
        let count = self.hosts.len() as f64;
        let lot = mix(!number) as f64 / u64::MAX as f64;
        ((lot * lot * lot * count) as u64).min(self.hosts.len() as u64 - 1)
    }
}

/// Links from a seed: more as the crawl goes on, and not the same for all.
pub fn depth(number: u64) -> u32 {
    number.max(1).ilog2() / 4 + (mix(number) >> 40) as u32 % 4
}

fn word(dice: u64) -> &'static str {
    WORDS[(dice % 32) as usize]
}

/// A number drawn by lot that is always the same for the same number (splitmix64).
pub fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
