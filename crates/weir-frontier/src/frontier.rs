use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::fs::File;
use std::path::Path;

use weir_types::{Fingerprint, Skip};

use crate::FrontierError;
use crate::again::{self, Resting};
use crate::known::{Counts, HostTotals, Known, Past};
use crate::leases::Leases;
use crate::log::{Log, LogSyncer};
use crate::queues::{Entry, Queues, depth_of, rank};
use crate::record::{Add, Kept, Record, UrlKind};
use crate::recover;
use crate::ways::Ways;

/// All known URLs and what is to be done with them. One owner; see the crate for the whole.
///
/// Changes are applied in memory at once and collected into one frame of the log; `write` hands
/// the frame over. A frame is a transaction: after a crash all of it is there or none.
pub struct Frontier {
    pub(crate) log: Log,
    pub(crate) known: Known,
    pub(crate) queues: Queues,
    pub(crate) leases: Leases,
    pub(crate) max_depth: Option<u32>,
    /// Hosts that have one of their own.
    pub(crate) depths: HashMap<u32, u32>,
    /// If somebody wants to know of shorter ways.
    pub(crate) ways: Option<Ways>,
    /// Hosts of which something waits now that was too deep, and nobody knows yet.
    pub(crate) unparked: Vec<u32>,
    /// Retries that are not due yet.
    pub(crate) later: BinaryHeap<Reverse<(u64, u32, Entry)>>,
    /// Held until drop, so that two crawls cannot use one folder.
    pub(crate) _lock: File,
}

#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Waiting URLs held in memory, over all hosts; the rest of the queues is on disk.
    pub hot_most: usize,
    /// URLs found deeper than this are kept, but do not wait: a later run may go deeper.
    pub max_depth: Option<u32>,
    /// What failed in earlier runs is tried again.
    pub tries_failed: bool,
}

impl Default for Config {
    fn default() -> Self {
        Config { hot_most: 200_000, max_depth: None, tries_failed: true }
    }
}

/// Hosts are numbered from zero in the order they were first named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostId(pub u32);

/// A URL to add.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// Canonical text; `fingerprint` is of this text.
    pub url: &'a str,
    pub fingerprint: Fingerprint,
    pub host: HostId,
    pub score: f32,
    pub depth: u32,
    /// Redirects followed in a row to get here.
    pub redirects: u32,
    /// The place of the page that led here: [`Leased::place`].
    pub parent: Option<u64>,
    pub kind: UrlKind,
    /// Seconds since 1970, as a sitemap says.
    pub lastmod_s: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    New,
    /// New, but deeper than this run goes.
    TooDeep,
    /// Known before, in whatever state.
    Seen,
}

/// A URL that is out to be fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Leased {
    pub number: u64,
    pub host: HostId,
    pub url: String,
    /// As it was found with.
    pub score: f32,
    pub parent: Option<String>,
    pub depth: u32,
    pub redirects: u32,
    /// Tries before this one.
    pub attempts: u32,
    pub place: u64,
    pub kind: UrlKind,
    /// What was noted of it when it was last kept, if it is asked for once more.
    pub note: Option<Vec<u8>>,
    /// Seconds since 1970, as a sitemap said when it was found.
    pub lastmod_s: Option<u32>,
}

/// How a lease ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End<'a> {
    Kept {
        status: u16,
        bytes_wire: u64,
        bytes_body: u64,
    },
    /// It was read for what it lists, and is no page of the output.
    Read {
        listed: u64,
    },
    Dropped {
        skip: Option<Skip>,
        why: &'a str,
    },
    /// It waits again, not before `due_ms`.
    Retry {
        attempts: u32,
        due_ms: u64,
        why: &'a str,
    },
    /// It waits again as if it had never been out.
    Back,
}

/// What opening found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// There was a log already.
    pub resumed: bool,
    /// Bytes at its end that were cut off: a write that a crash interrupted.
    pub torn: u64,
    /// Bytes given up because the machine went down before they were synced.
    pub unsynced: u64,
    /// The run before came to its end, with everything synced.
    pub was_closed: bool,
}

impl Frontier {
    /// Opens the frontier in `folder`, or begins one there.
    pub fn open(folder: &Path, config: Config) -> Result<(Frontier, Opened), FrontierError> {
        recover::open(folder, config)
    }

    /// The number of a host; a new one is given if it was never named.
    pub fn host(&mut self, site: &str, name: &str) -> HostId {
        if let Some(id) = self.known.hosts.find(name) {
            return HostId(id);
        }
        self.log.append(&Record::Host { site, name });
        HostId(self.known.hosts.push(site, name))
    }

    pub fn add(&mut self, found: Found<'_>) -> Result<Added, FrontierError> {
        if !self.known.seen.insert(found.fingerprint) {
            self.meet(found.fingerprint, found.depth)?;
            return Ok(Added::Seen);
        }
        let position = self.log.append(&Record::Add(Add {
            fingerprint: found.fingerprint,
            host: found.host.0,
            score: found.score,
            depth: found.depth,
            redirects: found.redirects,
            parent: found.parent,
            url: found.url,
            kind: found.kind,
            lastmod_s: found.lastmod_s,
        }));
        let number = self.known.added(found.host.0);
        if let Some(ways) = &mut self.ways {
            ways.add(found.fingerprint, position, found.depth);
        }
        if self.is_too_deep(found.host.0, found.depth) {
            self.known.park(number, found.host.0);
            return Ok(Added::TooDeep);
        }
        let entry = Entry { rank: rank(found.score, found.depth), number, position };
        self.queues.push(found.host.0, entry)?;
        Ok(Added::New)
    }

    /// Notes a URL that others are found by way of and that is not added itself; the place is for
    /// [`Found::parent`].
    pub fn note_elsewhere(&mut self, url: &str) -> u64 {
        self.log.append(&Record::Elsewhere { url })
    }

    pub fn is_seen(&self, fingerprint: Fingerprint) -> bool {
        self.known.seen.contains(fingerprint)
    }

    /// Records that a URL was found and left out; false if it was known before.
    pub fn skip(&mut self, fingerprint: Fingerprint, skip: Skip) -> bool {
        if !self.known.seen.insert(fingerprint) {
            return false;
        }
        self.log.append(&Record::Skip { fingerprint, skip });
        self.known.skipped(skip);
        true
    }

    /// Gives out the best waiting URL of a host, until `until_ms` at the latest.
    pub fn lease(&mut self, host: HostId, until_ms: u64) -> Result<Option<Leased>, FrontierError> {
        while let Some(entry) = self.queues.pop(host.0)? {
            // An expired lease that was settled after all leaves its entry in the queue.
            if self.known.done.is_set(entry.number) {
                continue;
            }
            let leased = self.read_lease(host, entry)?;
            self.leases.start(host.0, entry, until_ms);
            return Ok(Some(leased));
        }
        Ok(None)
    }

    /// The depth of the URL that `lease` would give.
    pub fn next_depth(&mut self, host: HostId) -> Result<Option<u32>, FrontierError> {
        Ok(self.queues.peek(host.0)?.map(|entry| depth_of(entry.rank)))
    }

    /// Ends a lease. False if the URL was settled before: an outcome that comes late or twice
    /// counts once.
    pub fn settle(
        &mut self,
        leased: &Leased,
        end: End<'_>,
        at_ms: u64,
    ) -> Result<bool, FrontierError> {
        let number = leased.number;
        let lease = self.leases.end(number);
        if self.known.done.is_set(number) {
            return Ok(false);
        }
        let host = leased.host.0;
        match end {
            End::Kept { status, bytes_wire, bytes_body } => {
                let kept = Kept { number, host, status, bytes_wire, bytes_body, at_ms };
                self.log.append(&Record::Kept(kept));
                self.known.kept(&kept);
            }
            End::Read { listed } => {
                self.log.append(&Record::Read { number, host, listed, at_ms });
                self.known.read(number, host);
            }
            End::Dropped { skip, why } => {
                self.log.append(&Record::Dropped { number, host, skip, at_ms, why });
                self.known.dropped(number, host, skip);
            }
            End::Retry { attempts, due_ms, why } => {
                self.log.append(&Record::Retry { number, attempts, due_ms, why });
                self.known.attempts.insert(number, attempts);
                if let Some(lease) = lease {
                    self.later.push(Reverse((due_ms, host, lease.entry)));
                }
            }
            End::Back => {
                if let Some(lease) = lease {
                    self.queues.push(host, lease.entry)?;
                }
            }
        }
        Ok(true)
    }

    /// Its outcome is known, from this lease or from an earlier one.
    pub fn is_settled(&self, leased: &Leased) -> bool {
        self.known.done.is_set(leased.number)
    }

    /// Notes what is worth knowing when a URL that was just kept is asked for once more.
    pub fn set_url_note(&mut self, leased: &Leased, value: &[u8]) {
        self.log.append(&Record::UrlNote { number: leased.number, value });
    }

    /// What was noted of a URL that waits once more when it was last kept, whoever asks: a lease has it too.
    pub fn url_note(&self, leased: &Leased) -> Result<Option<Vec<u8>>, FrontierError> {
        match self.known.url_notes.get(&leased.number) {
            Some(position) => self.url_note_at(*position),
            None => Ok(None),
        }
    }

    /// Puts retries that are due, and leases whose time is over, back into their queues; `woken`
    /// is called with the host of each, and with those of URLs that were too deep and are no longer.
    pub fn wake(
        &mut self,
        now_ms: u64,
        mut woken: impl FnMut(HostId),
    ) -> Result<(), FrontierError> {
        while let Some(Reverse((due_ms, host, entry))) = self.later.peek().copied() {
            if due_ms > now_ms {
                break;
            }
            self.later.pop();
            self.queues.push(host, entry)?;
            woken(HostId(host));
        }
        self.unparked.drain(..).for_each(|host| woken(HostId(host)));
        while let Some(lease) = self.leases.expired(now_ms) {
            self.queues.push(lease.host, lease.entry)?;
            woken(HostId(lease.host));
        }
        Ok(())
    }

    /// Retries that are due later than this are due at once: no wait of ours is so long, so a clock was wrong when they were
    /// noted, and they would keep a crawl waiting for as long as it was.
    pub fn distrust_retries_after(&mut self, most_ms: u64) {
        let later = std::mem::take(&mut self.later).into_iter();
        let trusted = |due_ms| if due_ms > most_ms { 0 } else { due_ms };
        self.later = later
            .map(|Reverse((due_ms, host, entry))| Reverse((trusted(due_ms), host, entry)))
            .collect();
    }

    /// When the next retry is due.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.later.peek().map(|Reverse((due_ms, _, _))| *due_ms)
    }

    /// URLs of a host that could be leased now.
    pub fn waiting(&self, host: HostId) -> u64 {
        self.queues.len(host.0)
    }

    /// Everything that was settled of hosts in `wanted`, but what was left out for good: what can be asked for
    /// again. Reads the whole log.
    pub fn resting(
        &mut self,
        wanted: impl Fn(HostId) -> bool,
    ) -> Result<Vec<Resting>, FrontierError> {
        self.write()?;
        let settled = again::settled(self.log.path(), |host| wanted(HostId(host)))?;
        let may = |resting: &Resting| {
            self.known.done.is_set(resting.again.number)
                && !self.is_too_deep(resting.host().0, resting.depth())
        };
        Ok(settled.filter(may).collect())
    }

    /// One of [`Frontier::resting`] waits once more; false if it does already. A crash keeps all that was asked for
    /// in a frame, or none of it.
    pub fn ask_again(&mut self, resting: &Resting) -> Result<bool, FrontierError> {
        let Resting { entry, again, .. } = resting;
        if !self.known.done.is_set(again.number) {
            return Ok(false);
        }
        self.log.append(&Record::Again(*again));
        self.known.again(again);
        self.queues.push(again.host, *entry)?;
        Ok(true)
    }

    /// What was noted of it when it was last kept.
    pub fn note_of(&self, resting: &Resting) -> Result<Option<Vec<u8>>, FrontierError> {
        match resting.again.note {
            Some(position) => self.url_note_at(position),
            None => Ok(None),
        }
    }

    pub fn leased(&self) -> u64 {
        self.leases.len()
    }

    /// URLs that were ever added; the next one gets this number.
    pub fn added(&self) -> u64 {
        self.known.done.len()
    }

    pub fn counts(&self) -> &Counts {
        &self.known.counts
    }

    /// Kept responses with a status of 400 or above, by status; some may have a count of 0.
    pub fn error_statuses(&self) -> &BTreeMap<u16, u64> {
        &self.known.error_statuses
    }

    /// Sums over what was kept before it was asked for once more.
    pub fn past(&self) -> Past {
        self.known.past
    }

    pub fn hosts(&self) -> impl Iterator<Item = (HostId, &str, &str, &HostTotals)> {
        let hosts = &self.known.hosts;
        (0..hosts.len() as u32)
            .map(|id| (HostId(id), hosts.site(id), hosts.name(id), &hosts.totals[id as usize]))
    }

    /// Keeps a small value under a name; it is part of the frame that is being collected.
    pub fn set_note(&mut self, key: &str, value: &[u8]) {
        if self.known.notes.get(key).is_some_and(|old| old == value) {
            return;
        }
        self.log.append(&Record::Note { key, value });
        self.known.notes.insert(key.to_owned(), value.to_owned());
    }

    pub fn note(&self, key: &str) -> Option<&[u8]> {
        self.known.notes.get(key).map(Vec::as_slice)
    }

    /// Keeps what is known of a host (its robots.txt, say); it may be long, so only its place
    /// stays in memory.
    pub fn set_host_note(&mut self, host: HostId, value: &[u8]) {
        let position = self.log.append(&Record::HostNote { host: host.0, value });
        self.known.hosts.notes.insert(host.0, position);
    }

    pub fn host_note(&self, host: HostId) -> Result<Option<Vec<u8>>, FrontierError> {
        let Some(position) = self.known.hosts.notes.get(&host.0) else { return Ok(None) };
        self.log.read(*position, |record| match record {
            Record::HostNote { value, .. } => Some(value.to_owned()),
            _ => None,
        })
    }

    /// Bytes of the frame that is being collected: it is in memory until it is written.
    pub fn unwritten(&self) -> usize {
        self.log.unwritten()
    }

    /// Hands the collected frame to the operating system; a process killed after this loses
    /// nothing of it.
    pub fn write(&mut self) -> Result<(), FrontierError> {
        self.log.write()
    }

    /// Makes what was written durable, on any thread. Sync the output first, and hand the result
    /// to [`Frontier::synced`].
    pub fn syncer(&self) -> LogSyncer {
        self.log.syncer()
    }

    pub fn synced(&mut self, upto: u64) {
        self.log.synced(upto);
    }

    /// A clean end: everything is written and synced, the output included.
    pub fn close(mut self) -> Result<(), FrontierError> {
        self.seal()
    }

    /// The same, but the folder stays ours until this is dropped. Nothing may be changed after it.
    pub fn seal(&mut self) -> Result<(), FrontierError> {
        self.write()?;
        let upto = self.syncer().run()?;
        self.synced(upto);
        self.set_note(recover::BOOT, recover::CLOSED);
        self.write()?;
        self.syncer().run().map(|_| ())
    }

    fn read_lease(&self, host: HostId, entry: Entry) -> Result<Leased, FrontierError> {
        let attempts = self.known.attempts.get(&entry.number).copied().unwrap_or(0);
        let nearer = self.known.nearer.get(&entry.number).copied();
        let read = self.log.read(entry.position, |record| match record {
            Record::Add(add) => Some((
                Leased {
                    number: entry.number,
                    host,
                    url: add.url.to_owned(),
                    score: add.score,
                    parent: None,
                    depth: nearer.unwrap_or(add.depth),
                    redirects: add.redirects,
                    attempts,
                    place: entry.position,
                    kind: add.kind,
                    note: None,
                    lastmod_s: add.lastmod_s,
                },
                add.parent,
            )),
            _ => None,
        })?;
        let (mut leased, parent) = read.ok_or_else(|| self.log.no_record(entry.position))?;
        leased.parent = match parent {
            Some(position) => self.url_at(position)?,
            None => None,
        };
        leased.note = self.url_note(&leased)?;
        Ok(leased)
    }

    fn url_note_at(&self, position: u64) -> Result<Option<Vec<u8>>, FrontierError> {
        self.log.read(position, |record| match record {
            Record::UrlNote { value, .. } => Some(value.to_owned()),
            _ => None,
        })
    }

    fn url_at(&self, position: u64) -> Result<Option<String>, FrontierError> {
        self.log.read(position, |record| match record {
            Record::Add(add) => Some(add.url.to_owned()),
            Record::Elsewhere { url } => Some(url.to_owned()),
            _ => None,
        })
    }
}
