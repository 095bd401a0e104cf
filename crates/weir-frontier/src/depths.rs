//! How far each URL is from the seeds, how far a crawl goes, and what is done when a URL turns out to be nearer: pages are
//! found before the shortest way to them is known. `ways.rs` looks for shorter ways while a crawl goes on.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use weir_types::Fingerprint;

use crate::FrontierError;
use crate::frontier::{Frontier, HostId, Leased};
use crate::log::{self, scan};
use crate::queues::{Entry, depth_of, rank};
use crate::record::{Record, UrlKind};

/// A URL that was added, as the log has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known<'a> {
    /// In the order added, from 0.
    pub number: u64,
    pub host: HostId,
    pub url: &'a str,
    pub fingerprint: Fingerprint,
    /// As it was added with; it may turn out to be nearer.
    pub depth: u32,
    pub kind: UrlKind,
}

/// Calls `visit` with every URL of the frontier in `folder`, those left out when found excepted.
pub fn known(folder: &Path, mut visit: impl FnMut(Known<'_>)) -> Result<(), FrontierError> {
    let mut next = 0;
    scan(&folder.join(log::FILE), u64::MAX, |_, record| {
        let Record::Add(add) = record else { return };
        let (host, url, fingerprint) = (HostId(add.host), add.url, add.fingerprint);
        visit(Known { number: next, host, url, fingerprint, depth: add.depth, kind: add.kind });
        next += 1;
    })
    .map(|_| ())
}

/// Where a URL stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spot {
    pub number: u64,
    pub host: HostId,
    pub depth: u32,
    pub(crate) score: f32,
    pub(crate) position: u64,
}

impl Frontier {
    /// Where all URLs stand, by fingerprint. Reads the whole log, and takes some 80 bytes of memory
    /// for each.
    pub fn spots(&mut self) -> Result<HashMap<Fingerprint, Spot>, FrontierError> {
        self.write()?;
        let mut spots = HashMap::new();
        let mut next = 0;
        scan(self.log.path(), u64::MAX, |position, record| {
            let Record::Add(add) = record else { return };
            let depth = self.known.nearer.get(&next).copied().unwrap_or(add.depth);
            let (host, score) = (HostId(add.host), add.score);
            spots.insert(add.fingerprint, Spot { number: next, host, depth, score, position });
            next += 1;
        })?;
        Ok(spots)
    }

    /// Its outcome is known.
    pub fn is_done(&self, spot: &Spot) -> bool {
        self.known.done.is_set(spot.number)
    }

    /// It is nearer to the seeds than was thought. One that was too deep waits now.
    pub fn come_nearer(&mut self, spot: &mut Spot, depth: u32) -> Result<(), FrontierError> {
        let (number, host) = (spot.number, spot.host.0);
        self.log.append(&Record::Nearer { number, host, depth });
        self.known.nearer.insert(number, depth);
        spot.depth = depth;
        if self.known.parked.is_set(number) && !self.is_too_deep(host, depth) {
            self.known.unpark(number, host);
            let entry = Entry { rank: rank(spot.score, depth), number, position: spot.position };
            self.queues.push(host, entry)?;
            self.unparked.push(host);
        }
        Ok(())
    }

    /// As far as is known by now.
    pub fn depth_of(&self, leased: &Leased) -> u32 {
        self.known.nearer.get(&leased.number).copied().unwrap_or(leased.depth)
    }

    /// URLs of a host that are deeper than this do not wait when they are found, whatever [`crate::Config`] says of all hosts.
    pub fn limit_depth(&mut self, host: HostId, most: Option<u32>) {
        match most {
            Some(most) => self.depths.insert(host.0, most),
            None => self.depths.remove(&host.0),
        };
    }

    /// What waits already, and is deeper than its host goes by now, waits for a later run.
    pub fn park_deep(&mut self) -> Result<(), FrontierError> {
        for host in self.depths.keys().copied().collect::<Vec<_>>() {
            let mut near = Vec::new();
            while let Some(entry) = self.queues.pop(host)? {
                match self.is_too_deep(host, depth_of(entry.rank)) {
                    true => self.known.park(entry.number, host),
                    false => near.push(entry),
                }
            }
            near.into_iter().try_for_each(|entry| self.queues.push(host, entry))?;
        }
        for Reverse((due_ms, host, entry)) in std::mem::take(&mut self.later) {
            match self.is_too_deep(host, depth_of(entry.rank)) {
                true => self.known.park(entry.number, host),
                false => self.later.push(Reverse((due_ms, host, entry))),
            }
        }
        Ok(())
    }

    pub(crate) fn is_too_deep(&self, host: u32, depth: u32) -> bool {
        let own = self.depths.get(&host).copied();
        self.max_depth.into_iter().chain(own).any(|most| depth > most)
    }
}
