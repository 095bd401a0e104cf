//! How far each URL is from the seeds, and what is done when it turns out to be nearer: a crawl in
//! parts finds pages before it knows the shortest way to them.

use std::collections::HashMap;
use std::path::Path;

use weir_types::Fingerprint;

use crate::FrontierError;
use crate::frontier::{Frontier, HostId};
use crate::log::{self, scan};
use crate::queues::{Entry, rank};
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
    score: f32,
    position: u64,
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
        self.known.done.is_done(spot.number)
    }

    /// It is nearer to the seeds than was thought. One that was too deep waits now.
    pub fn come_nearer(&mut self, spot: &mut Spot, depth: u32) -> Result<(), FrontierError> {
        let (number, host) = (spot.number, spot.host.0);
        self.log.append(&Record::Nearer { number, host, depth });
        self.known.nearer.insert(number, depth);
        let was_parked = !self.is_done(spot) && self.is_too_deep(spot.depth);
        spot.depth = depth;
        if was_parked && !self.is_too_deep(depth) {
            self.known.unparked(host);
            let entry = Entry { rank: rank(spot.score, depth), number, position: spot.position };
            self.queues.push(host, entry)?;
        }
        Ok(())
    }
}
