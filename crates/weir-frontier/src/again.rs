//! What may be asked for once more, read from the log.

use std::collections::BTreeMap;
use std::path::Path;

use weir_types::{Fingerprint, Skip};

use crate::frontier::HostId;
use crate::log::scan;
use crate::queues::{Entry, depth_of, rank, with_depth};
use crate::record::{Again, Record, Settled, UrlKind};
use crate::{FrontierError, record};

/// A settled URL, as it may be asked for once more: what is needed to choose.
#[derive(Clone, Copy, Debug)]
pub struct Resting {
    pub fingerprint: Fingerprint,
    pub kind: UrlKind,
    /// Nothing led here: it was named.
    pub is_seed: bool,
    pub(crate) entry: Entry,
    pub(crate) again: Again,
}

impl Resting {
    pub fn host(&self) -> HostId {
        HostId(self.again.host)
    }

    pub fn depth(&self) -> u32 {
        depth_of(self.entry.rank)
    }
}

/// The settled URLs of hosts in `wanted`, in the order found, as they would stand in their queues.
/// Takes some 130 bytes of memory for each URL of these hosts.
pub fn settled<W: Fn(u32) -> bool>(
    path: &Path,
    wanted: W,
) -> Result<impl Iterator<Item = Resting> + use<W>, FrontierError> {
    let mut found: BTreeMap<u64, Url> = BTreeMap::new();
    let mut next = 0;
    scan(path, u64::MAX, |position, record| {
        let (number, was) = match record {
            Record::Add(add) => {
                let number = next;
                next += 1;
                if wanted(add.host) {
                    found.insert(number, Url::new(&add, number, position));
                }
                return;
            }
            Record::Kept(kept) => {
                let (bytes_wire, bytes_body) = (kept.bytes_wire, kept.bytes_body);
                let status = kept.status;
                (kept.number, Some(Settled::Kept { status, bytes_wire, bytes_body }))
            }
            Record::Read { number, .. } => (number, Some(Settled::Read)),
            Record::Dropped { number, skip, .. } => {
                (number, Some(Settled::Dropped { skip }).filter(|_| !is_for_good(skip)))
            }
            Record::Again(again) => (again.number, None),
            Record::UrlNote { number, .. } => {
                if let Some(url) = found.get_mut(&number) {
                    url.note = Some(position);
                }
                return;
            }
            Record::Nearer { number, depth, .. } => {
                if let Some(url) = found.get_mut(&number) {
                    url.entry.rank = with_depth(url.entry.rank, depth);
                }
                return;
            }
            _ => return,
        };
        if let Some(url) = found.get_mut(&number) {
            url.settle(was);
        }
    })?;
    let again = |(number, url): (u64, Url)| {
        let Url { entry, host, was, note, fingerprint, kind, is_seed } = url;
        let again = Again { number, host, was: was?, note };
        Some(Resting { fingerprint, kind, is_seed, entry, again })
    };
    Ok(found.into_iter().filter_map(again))
}

struct Url {
    entry: Entry,
    host: u32,
    /// `None` while it waits.
    was: Option<Settled>,
    note: Option<u64>,
    fingerprint: Fingerprint,
    kind: UrlKind,
    is_seed: bool,
}

impl Url {
    fn new(add: &record::Add<'_>, number: u64, position: u64) -> Url {
        Url {
            entry: Entry { rank: rank(add.score, add.depth), number, position },
            host: add.host,
            was: None,
            note: None,
            fingerprint: add.fingerprint,
            kind: add.kind,
            is_seed: add.parent.is_none(),
        }
    }

    fn settle(&mut self, was: Option<Settled>) {
        self.was = was;
        // What was noted is of the response before, unless none came this time.
        if matches!(was, Some(Settled::Kept { .. })) {
            self.note = None;
        }
    }
}

/// robots.txt may have changed since, and what was passing may have passed.
fn is_for_good(skip: Option<Skip>) -> bool {
    skip.is_some_and(|skip| skip != Skip::Robots && !skip.is_passing())
}
