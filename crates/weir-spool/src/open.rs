//! Opening: the log is read from front to end to know which pages still wait.

use std::collections::VecDeque;
use std::path::Path;

use crate::SpoolError;
use crate::folder::{refuse_foreign_output, segment_numbers, segment_path};
use crate::log::{Full, Log, Place, Segment};
use crate::record::{Record, parse};
use crate::segment::{Scanned, scan};

/// An outcome that is durable here and not known to be settled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    pub seq: u64,
    pub outcome: Vec<u8>,
}

/// A page that waits in the log until it is settled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub place: Place,
    /// There is more than an outcome.
    pub has_page: bool,
}

/// What the log says.
pub(crate) struct Opened {
    pub log: Log,
    pub applied: u64,
    /// Empty if nothing was ever applied.
    pub mark: Vec<u8>,
    /// The pages behind `applied`, in order.
    pub waiting: VecDeque<Waiting>,
    pub pending: Vec<Pending>,
}

/// `dir` is the downloader's folder and `folder` the log's in it.
pub(crate) fn open(dir: &Path, folder: &Path) -> Result<Opened, SpoolError> {
    let numbers = segment_numbers(folder)?;
    refuse_holes(folder, &numbers)?;
    let mut replay = Replay::default();
    let Some((&newest, older)) = numbers.split_last() else {
        return begin(dir, folder, 1, replay, VecDeque::new());
    };
    let full = older.iter().map(|&number| replay.full(folder, number));
    let full = full.collect::<Result<_, _>>()?;
    let found = replay.segment(folder, newest)?;
    replay.refuse_gap(&segment_path(folder, newest))?;
    match found {
        Some(found) => {
            let current = Segment::go_on(folder, newest, found.seed, found.end)?;
            Ok(replay.opened(folder, full, current))
        }
        None => begin(dir, folder, newest, replay, full),
    }
}

/// Begins the newest segment, or does so once more after a crash.
fn begin(
    dir: &Path,
    folder: &Path,
    number: u32,
    replay: Replay,
    full: VecDeque<Full>,
) -> Result<Opened, SpoolError> {
    if !replay.has_journal {
        refuse_unless_first(dir, &segment_path(folder, number), number)?;
    }
    let current = Segment::begin(folder, number, replay.applied, &replay.mark)?;
    Ok(replay.opened(folder, full, current))
}

/// Segments are deleted from the front, and made one after the other.
fn refuse_holes(folder: &Path, numbers: &[u32]) -> Result<(), SpoolError> {
    match numbers.windows(2).find(|pair| pair[0] + 1 != pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let path = segment_path(folder, pair[0] + 1);
            Err(SpoolError::damaged(&path, 0, "the file is missing"))
        }
    }
}

/// Page 1 may be put only where no page ever was: numbers must not be used twice, and an
/// output without a journal would be deleted.
fn refuse_unless_first(dir: &Path, path: &Path, number: u32) -> Result<(), SpoolError> {
    if number != 1 {
        return Err(SpoolError::damaged(path, 0, "the files before it are missing"));
    }
    refuse_foreign_output(dir)
}

/// The log as far as it was read.
#[derive(Default)]
struct Replay {
    has_journal: bool,
    applied: u64,
    mark: Vec<u8>,
    has_page: bool,
    last: u64,
    waiting: VecDeque<(Waiting, Pending)>,
}

impl Replay {
    /// A segment that is not the newest; all of it was durable before the next one was begun.
    fn full(&mut self, folder: &Path, number: u32) -> Result<Full, SpoolError> {
        match self.segment(folder, number)? {
            Some(whole) if whole.torn == 0 => {
                Ok(Full { number, seed: whole.seed, last: self.last })
            }
            cut => {
                let why = "it ends in the midst of a record, although the next file was begun";
                let at = cut.map_or(0, |cut| cut.end);
                Err(SpoolError::damaged(&segment_path(folder, number), at, why))
            }
        }
    }

    fn segment(&mut self, folder: &Path, number: u32) -> Result<Option<Scanned>, SpoolError> {
        let path = segment_path(folder, number);
        scan(&path, |at, record| self.take(&path, number, at, record))
    }

    fn take(&mut self, path: &Path, segment: u32, at: u64, bytes: &[u8]) -> Result<(), SpoolError> {
        // The checksum was right, so this is no damage but a log of a later version.
        let unknown = || "a record of a kind that this weir does not know".to_owned();
        let taken = match parse(bytes).ok_or_else(unknown) {
            Ok(Record::Journal { applied, mark }) => self.journal(applied, mark),
            Ok(Record::Page { seq, outcome, packed }) => {
                let place = Place { segment, length: bytes.len() as u32, offset: at };
                let waiting = Waiting { place, has_page: !packed.is_empty() };
                self.page(waiting, Pending { seq, outcome: outcome.to_owned() })
            }
            Err(why) => Err(why),
        };
        taken.map_err(|why| SpoolError::damaged(path, at, why))
    }

    fn page(&mut self, waiting: Waiting, pending: Pending) -> Result<(), String> {
        let (last, seq) = (self.last, pending.seq);
        // The first one here may come after others that were in files that are deleted.
        let follows = if self.has_page { seq == last + 1 } else { seq > last };
        if !self.has_journal || !follows || seq > LARGEST {
            return Err(format!("page {seq} cannot come after page {last}"));
        }
        self.has_page = true;
        self.last = seq;
        self.waiting.push_back((waiting, pending));
        Ok(())
    }

    fn journal(&mut self, applied: u64, mark: &[u8]) -> Result<(), String> {
        let is_put = if self.has_page { applied <= self.last } else { applied <= LARGEST };
        if applied < self.applied || !is_put {
            let (before, last) = (self.applied, self.last);
            return Err(format!(
                "pages up to {applied} cannot be applied after {before}, with {last} put"
            ));
        }
        self.has_journal = true;
        self.applied = applied;
        self.last = self.last.max(applied);
        self.mark.clear();
        self.mark.extend_from_slice(mark);
        while self.waiting.pop_front_if(|(_, pending)| pending.seq <= applied).is_some() {}
        Ok(())
    }

    /// What waits must be all there is behind `applied`.
    fn refuse_gap(&self, newest: &Path) -> Result<(), SpoolError> {
        let Some((_, first)) = self.waiting.front() else { return Ok(()) };
        if first.seq == self.applied + 1 {
            return Ok(());
        }
        let (applied, seq) = (self.applied, first.seq);
        let why = format!("pages up to {applied} are applied, but the next one is {seq}");
        Err(SpoolError::damaged(newest, 0, why))
    }

    fn opened(self, folder: &Path, older: VecDeque<Full>, current: Segment) -> Opened {
        let (waiting, pending) = self.waiting.into_iter().unzip();
        let log = Log::new(folder.to_owned(), older, current, self.last);
        Opened { log, applied: self.applied, mark: self.mark, waiting, pending }
    }
}

/// A higher number than anyone can reach, so that counting on never overflows.
const LARGEST: u64 = u64::MAX >> 1;
