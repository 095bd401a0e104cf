//! Shorter ways to URLs that are known, found while the crawl goes on: where it goes only so deep, they decide what is fetched.
//!
//! A URL that turns out to be nearer brings nearer what it leads to. That is known of what was read: its links stand in the log,
//! so nothing is fetched again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use weir_types::Fingerprint;
use weir_types::codec::{Reader, put_number};

use crate::FrontierError;
use crate::depths::Spot;
use crate::frontier::{Frontier, HostId, Leased};
use crate::log::scan;
use crate::record::Record;

/// What it takes to follow ways: some 60 bytes of memory for each URL that is known.
#[derive(Default)]
pub struct Ways {
    /// By half of the fingerprint, which is enough: two URLs are taken for one in 2^64 pairs.
    numbers: HashMap<u64, u64>,
    /// By number.
    urls: Vec<Url>,
    /// Where the links of a URL stand in the log, if it was read.
    links: HashMap<u64, u64>,
}

struct Url {
    position: u64,
    depth: u32,
}

impl Ways {
    /// URLs are numbered in this order.
    pub fn add(&mut self, fingerprint: Fingerprint, position: u64, depth: u32) {
        self.numbers.insert(half(fingerprint), self.urls.len() as u64);
        self.urls.push(Url { position, depth });
    }

    fn get(&self, number: u64) -> Option<&Url> {
        self.urls.get(number as usize)
    }

    fn number(&self, fingerprint: Fingerprint) -> Option<u64> {
        self.numbers.get(&half(fingerprint)).copied()
    }

    fn come_nearer(&mut self, number: u64, depth: u32) {
        if let Some(url) = self.urls.get_mut(number as usize) {
            url.depth = depth;
        }
    }

    fn apply(&mut self, position: u64, record: Record<'_>) {
        match record {
            Record::Add(add) => self.add(add.fingerprint, position, add.depth),
            Record::Nearer { number, depth, .. } => self.come_nearer(number, depth),
            Record::Links { number, .. } => {
                self.links.insert(number, position);
            }
            _ => {}
        }
    }
}

fn half(fingerprint: Fingerprint) -> u64 {
    fingerprint.0 as u64
}

/// A link leads one step further, a redirect none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    to: u64,
    steps: u32,
}

impl Frontier {
    /// From now on shorter ways to known URLs count. Reads the whole log.
    pub fn follow_ways(&mut self) -> Result<(), FrontierError> {
        self.write()?;
        let mut ways = Ways::default();
        scan(self.log.path(), u64::MAX, |position, record| ways.apply(position, record))?;
        self.ways = Some(ways);
        Ok(())
    }

    /// Takes in where a URL leads that was read, each with 1, or with 0 for a redirect; those that are new have been added.
    pub fn lead(
        &mut self,
        from: &Leased,
        links: impl Iterator<Item = (Fingerprint, u32)>,
    ) -> Result<(), FrontierError> {
        let depth = self.depth_of(from);
        let Some(ways) = &self.ways else { return Ok(()) };
        let known = |(to, steps)| Some(Link { to: ways.number(to)?, steps });
        // There is no shorter way to the others than this.
        let may_fall = |link: &Link| ways.get(link.to).is_some_and(|url| url.depth > link.steps);
        let mut links: Vec<Link> = links.filter_map(known).filter(may_fall).collect();
        links.sort_unstable();
        links.dedup();
        if depth > 0 && !links.is_empty() {
            let (number, to) = (from.number, packed(&links));
            let position = self.log.append(&Record::Links { number, to: &to });
            if let Some(ways) = &mut self.ways {
                ways.links.insert(number, position);
            }
        }
        self.shorten(links.iter().map(|link| (link.to, depth.saturating_add(link.steps))))
    }

    /// A way to a known URL was found that is so long.
    pub fn meet(&mut self, to: Fingerprint, depth: u32) -> Result<(), FrontierError> {
        let number = self.ways.as_ref().and_then(|ways| ways.number(to));
        self.shorten(number.map(|number| (number, depth)).into_iter())
    }

    /// Follows shorter ways to the end: URLs by number, and how deep they are by these ways.
    fn shorten(&mut self, found: impl Iterator<Item = (u64, u32)>) -> Result<(), FrontierError> {
        // The nearest first, so that none comes nearer twice.
        let mut next: BinaryHeap<Reverse<(u32, u64)>> =
            found.map(|(number, depth)| Reverse((depth, number))).collect();
        while let Some(Reverse((depth, number))) = next.pop() {
            let Some(ways) = &mut self.ways else { return Ok(()) };
            let Some(url) = ways.get(number).filter(|url| depth < url.depth) else { continue };
            let position = url.position;
            ways.come_nearer(number, depth);
            let links = ways.links.get(&number).copied();
            let mut spot = self.spot(number, position)?;
            self.come_nearer(&mut spot, depth)?;
            if let Some(position) = links {
                let links = self.log.read(position, |record| match record {
                    Record::Links { to, .. } => unpacked(to),
                    _ => Vec::new(),
                })?;
                let way = |link: &Link| Reverse((depth.saturating_add(link.steps), link.to));
                next.extend(links.iter().map(way));
            }
        }
        Ok(())
    }

    fn spot(&self, number: u64, position: u64) -> Result<Spot, FrontierError> {
        let spot = self.log.read(position, |record| match record {
            Record::Add(add) => {
                let (host, score) = (HostId(add.host), add.score);
                Some(Spot { number, host, depth: add.depth, score, position })
            }
            _ => None,
        })?;
        spot.ok_or_else(|| self.log.no_record(position))
    }
}

/// In order, each as the difference to the one before: what a page leads to was mostly found together.
fn packed(links: &[Link]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for link in links {
        let value = link.to * 2 + u64::from(link.steps);
        put_number(&mut bytes, value - last);
        last = value;
    }
    bytes
}

fn unpacked(bytes: &[u8]) -> Vec<Link> {
    let (mut reader, mut links, mut last) = (Reader::new(bytes), Vec::new(), 0_u64);
    while let Some(more) = reader.number() {
        last = last.saturating_add(more);
        links.push(Link { to: last / 2, steps: (last % 2) as u32 });
    }
    links
}
