//! Opening: the log is read once to know what is known and done, and once more for what waits.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs;
use std::path::Path;

use weir_types::Skip;

use crate::FrontierError;
use crate::folder::{hold, sync_name};
use crate::frontier::{Config, Frontier, Opened};
use crate::known::Known;
use crate::leases::Leases;
use crate::log::{self, Log, LogEnd, scan};
use crate::queues::{Entry, Queues, rank};
use crate::record::Record;

/// The note that tells on which boot of the machine the log was last open.
pub const BOOT: &str = "boot";
pub const CLOSED: &[u8] = b"closed";

pub fn open(folder: &Path, config: Config) -> Result<(Frontier, Opened), FrontierError> {
    let lock = hold(folder)?;
    let path = folder.join(log::FILE);
    let boot = boot_id();

    let (mut replay, mut end) = Replay::of(&path, u64::MAX, config.tries_failed)?;
    let torn = end.torn;
    let mut unsynced = 0;
    if end.end > end.synced && replay.lost_power(&boot) {
        // What the operating system had not yet written is gone or half there, in this log and in
        // the output; only what was synced on both sides is sure to be whole.
        unsynced = end.end - end.synced;
        (replay, end) = Replay::of(&path, end.synced, config.tries_failed)?;
    }
    let log = Log::open(&path, end.end, end.synced)?;
    if end.synced == 0 {
        // Nobody is sure yet that its name is on the disk, without which what is synced into it is lost with the power.
        sync_name(folder)?;
        folder.parent().map_or(Ok(()), sync_name)?;
    }
    let mut frontier = Frontier {
        log,
        known: replay.known,
        queues: Queues::open(&folder.join("queues"), config.hot_most)?,
        leases: Leases::default(),
        max_depth: config.max_depth,
        depths: HashMap::new(),
        ways: None,
        unparked: Vec::new(),
        later: BinaryHeap::new(),
        _lock: lock,
    };
    if frontier.known.counts.open > 0 {
        queue_waiting(&mut frontier, &path, end.end, &replay.due)?;
    }
    let was_closed = frontier.note(BOOT) == Some(CLOSED);
    frontier.set_note(BOOT, &boot);
    Ok((frontier, Opened { resumed: end.end > 0, torn, unsynced, was_closed }))
}

struct Replay {
    known: Known,
    /// When the retries among the waiting URLs are due.
    due: HashMap<u64, u64>,
    /// URLs that were given up because they failed, with their hosts: a new run tries them again.
    failed: HashMap<u64, (u32, Option<Skip>)>,
    /// Where the log began to contradict itself, and how; nothing after that counts.
    refused: Option<(u64, &'static str)>,
}

impl Replay {
    fn of(path: &Path, until: u64, tries_failed: bool) -> Result<(Replay, LogEnd), FrontierError> {
        let mut replay = Replay {
            known: Known::new(),
            due: HashMap::new(),
            failed: HashMap::new(),
            refused: None,
        };
        let end = scan(path, until, |position, record| replay.check(position, record))?;
        if let Some((at, why)) = replay.refused {
            return Err(FrontierError::Damaged { path: path.to_owned(), at, why: why.to_owned() });
        }
        replay.known.seen.collected();
        let failed = std::mem::take(&mut replay.failed);
        for (number, (host, skip)) in failed.into_iter().filter(|_| tries_failed) {
            replay.known.reopened(number, host, skip);
        }
        Ok((replay, end))
    }

    fn check(&mut self, position: u64, record: Record<'_>) {
        if self.refused.is_none() {
            match self.contradiction(position, &record) {
                Some(why) => self.refused = Some((position, why)),
                None => self.apply(position, record),
            }
        }
    }

    /// What a frame says is not what was written if it speaks of something that it never named,
    /// however good its checksum is. Memory is sized by these numbers.
    fn contradiction(&self, position: u64, record: &Record<'_>) -> Option<&'static str> {
        let (number, host) = match *record {
            Record::Add(add) if add.parent.is_some_and(|parent| parent >= position) => {
                return Some("a URL stands before the page it was found on");
            }
            Record::Add(add) => (None, Some(add.host)),
            Record::Kept(kept) => (Some(kept.number), Some(kept.host)),
            Record::Again(again) if again.note.is_some_and(|note| note >= position) => {
                return Some("a URL is asked for once more before its note stands");
            }
            Record::Again(again) if !self.known.done.is_set(again.number) => {
                return Some("a URL is asked for once more before it was settled");
            }
            Record::Again(again) => (Some(again.number), Some(again.host)),
            Record::Dropped { number, host, .. }
            | Record::Read { number, host, .. }
            | Record::Nearer { number, host, .. } => (Some(number), Some(host)),
            Record::Retry { number, .. }
            | Record::UrlNote { number, .. }
            | Record::Links { number, .. } => (Some(number), None),
            Record::HostNote { host, .. } => (None, Some(host)),
            Record::Host { .. }
            | Record::Skip { .. }
            | Record::Note { .. }
            | Record::Elsewhere { .. } => (None, None),
        };
        if number.is_some_and(|number| number >= self.known.done.len()) {
            return Some("a URL that was never added");
        }
        let unnamed = host.is_some_and(|host| host as usize >= self.known.hosts.len());
        unnamed.then_some("a host that was never named")
    }

    fn apply(&mut self, position: u64, record: Record<'_>) {
        if let Record::Again(again) = &record {
            self.failed.remove(&again.number);
        }
        if let Some(number) = settled(&record)
            && let Some((host, skip)) = self.failed.remove(&number)
        {
            self.known.reopened(number, host, skip);
        }
        let known = &mut self.known;
        match record {
            Record::Host { site, name } => {
                known.hosts.push(site, name);
            }
            Record::Add(add) => {
                known.seen.collect(add.fingerprint);
                known.added(add.host);
            }
            Record::Skip { fingerprint, skip } => {
                known.seen.collect(fingerprint);
                known.skipped(skip);
            }
            Record::Kept(kept) => {
                known.kept(&kept);
                self.due.remove(&kept.number);
            }
            Record::Dropped { number, host, skip, .. } => {
                known.dropped(number, host, skip);
                self.due.remove(&number);
                if skip.is_none_or(Skip::is_passing) {
                    self.failed.insert(number, (host, skip));
                }
            }
            Record::Read { number, host, .. } => {
                known.read(number, host);
                self.due.remove(&number);
            }
            Record::Again(again) => known.again(&again),
            Record::Nearer { number, depth, .. } => {
                known.nearer.insert(number, depth);
            }
            // Looked for when they are asked for.
            Record::UrlNote { .. } | Record::Elsewhere { .. } | Record::Links { .. } => {}
            Record::Retry { number, attempts, due_ms, .. } => {
                known.attempts.insert(number, attempts);
                self.due.insert(number, due_ms);
            }
            Record::Note { key, value } => {
                known.notes.insert(key.to_owned(), value.to_owned());
            }
            Record::HostNote { host, .. } => {
                known.hosts.notes.insert(host, position);
            }
        }
    }

    /// The log was open when the machine itself went down, not only this program.
    fn lost_power(&self, boot: &[u8]) -> bool {
        let last = self.known.notes.get(BOOT).map(Vec::as_slice);
        last != Some(CLOSED) && last != Some(boot)
    }
}

/// The number of the URL that a record says something new about.
fn settled(record: &Record<'_>) -> Option<u64> {
    match record {
        Record::Kept(kept) => Some(kept.number),
        Record::Dropped { number, .. }
        | Record::Retry { number, .. }
        | Record::Read { number, .. } => Some(*number),
        _ => None,
    }
}

fn queue_waiting(
    frontier: &mut Frontier,
    path: &Path,
    end: u64,
    due: &HashMap<u64, u64>,
) -> Result<(), FrontierError> {
    let mut next = 0;
    let mut failed = None;
    scan(path, end, |position, record| {
        let Record::Add(add) = record else { return };
        let number = next;
        next += 1;
        if frontier.known.done.is_set(number) {
            return;
        }
        let depth = frontier.known.nearer.get(&number).copied().unwrap_or(add.depth);
        if frontier.is_too_deep(add.host, depth) {
            frontier.known.park(number, add.host);
            return;
        }
        let entry = Entry { rank: rank(add.score, depth), number, position };
        match due.get(&number) {
            Some(due_ms) => frontier.later.push(Reverse((*due_ms, add.host, entry))),
            None => {
                if let Err(why) = frontier.queues.push(add.host, entry) {
                    failed.get_or_insert(why);
                }
            }
        }
    })?;
    failed.map_or(Ok(()), Err)
}

/// Changes with each start of the machine; empty where the system does not tell, and then a crash
/// of the machine is taken for a crash of the program.
fn boot_id() -> Vec<u8> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().as_bytes().to_owned()
}
