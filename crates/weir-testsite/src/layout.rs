//! A spec with its addresses and port settled: all that decides what a URL answers.

use std::net::Ipv4Addr;

use crate::changing::Clock;
use crate::filler::Filler;
use crate::item::{Item, write_path};
use crate::rng::Rng;
use crate::spec::{HostSpec, RobotsSpec, Spec};

pub(crate) struct Layout {
    pub(crate) hosts: Vec<Host>,
    pub(crate) seed: u64,
    pub(crate) filler: Filler,
    pub(crate) clock: Clock,
}

pub(crate) struct Host {
    pub(crate) spec: HostSpec,
    /// Address and port as they stand in a URL.
    pub(crate) authority: String,
}

impl Layout {
    pub(crate) fn new(spec: Spec, port: u16) -> Layout {
        let hosts = spec.hosts.into_iter().enumerate();
        let hosts = hosts.map(|(n, mut spec)| {
            spec.pages = spec.pages.max(1);
            let place = spec.at.unwrap_or_else(|| (address(n), port).into());
            Host { spec, authority: place.to_string() }
        });
        Layout {
            hosts: hosts.collect(),
            seed: spec.seed,
            filler: Filler::new(spec.seed),
            clock: Clock::new(),
        }
    }

    pub(crate) fn url(&self, host: usize, item: Item) -> String {
        let mut url = b"http://".to_vec();
        url.extend_from_slice(self.hosts[host].authority.as_bytes());
        write_path(&mut url, item, b"&");
        String::from_utf8(url).expect("authority and paths are ascii")
    }

    /// The numbers that belong to a page, drawn anew at each use.
    pub(crate) fn rng(&self, host: usize, page: u32) -> Rng {
        Rng::of(self.seed, host, page)
    }
}

impl Host {
    /// Whether robots.txt asks crawlers to leave `item` alone.
    pub(crate) fn forbids(&self, item: Item) -> bool {
        match &self.spec.robots {
            None => false,
            Some(RobotsSpec::Private) => matches!(item, Item::Private(_)),
            Some(RobotsSpec::Text(text)) => {
                matches!(item, Item::Private(_)) && text.contains("Disallow: /private/")
            }
            Some(RobotsSpec::Status(status)) => *status >= 500,
        }
    }
}

/// The address of the host with this number: 127.1.0.1, 127.1.0.2, and so on.
pub(crate) fn address(host: usize) -> Ipv4Addr {
    let [high, middle, low] = [host / 62_500, host / 250 % 250, host % 250];
    Ipv4Addr::new(127, 1 + high as u8, middle as u8, 1 + low as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_an_address_of_its_own() {
        let all: std::collections::HashSet<_> = (0..130_000).map(address).collect();
        assert_eq!(all.len(), 130_000);
        assert_eq!(address(0), Ipv4Addr::new(127, 1, 0, 1));
    }
}
