use std::collections::VecDeque;
use std::fs::File;
use std::path::Path;

use weir_store::{Mark, Packed, Store, StoreConfig, Totals};

use crate::folder::{lock, log_folder, sync_folder};
use crate::log::Log;
use crate::open::{Opened, Waiting, open};
use crate::record::{Record, parse};
use crate::{Pending, SpoolError, SpoolSyncer};

/// Finished pages on their way into the store. One owner.
///
/// The life of a page: `put`, `flush`, synced; its outcome is sent; `settled`: it is in the store, or
/// gone. A crash before the last step takes it back to the second one.
pub struct Spool {
    log: Log,
    store: Store,
    applied: u64,
    /// As journalled last.
    mark: Vec<u8>,
    /// The pages after `applied`, in order.
    waiting: VecDeque<Waiting>,
    segment_bytes: u64,
    /// Something failed: memory and files may disagree, so only opening again helps.
    broken: bool,
    _lock: File,
}

/// A segment that has reached this is followed by a new one.
const SEGMENT_BYTES: u64 = 64 << 20;

impl Spool {
    /// `config.dir` is the downloader's folder: the log is in `spool/` in it, and the store beside
    /// that. Returns what was put, synced or not, and is not applied, in order: it is durable now
    /// and is to be sent again.
    pub fn open(config: StoreConfig) -> Result<(Spool, Vec<Pending>), SpoolError> {
        Spool::open_with(config, SEGMENT_BYTES)
    }

    pub(crate) fn open_with(
        config: StoreConfig,
        segment_bytes: u64,
    ) -> Result<(Spool, Vec<Pending>), SpoolError> {
        let dir = config.dir.clone();
        let folder = log_folder(&dir);
        let is_new = !dir.exists();
        let lock = lock(&folder)?;
        let Opened { log, applied, mark, waiting, pending } = open(&dir, &folder)?;
        let mut store = Store::open(config, (!mark.is_empty()).then_some(&mark[..]))?;
        // A mark is journalled when what it covers is durable.
        store.all_was_synced();
        sync_new_folders(&dir, is_new)?;
        let mut spool =
            Spool { log, store, applied, mark, waiting, segment_bytes, broken: false, _lock: lock };
        // A crash may have come before they were deleted.
        spool.log.forget(applied)?;
        Ok((spool, pending))
    }

    /// Takes an outcome, and the page if there is one; returns their number. Numbers go up from 1 by
    /// one, and none that was ever synced is given again. Nothing is durable yet.
    /// Once in a while this waits for the disk, when a segment is full.
    pub fn put(&mut self, outcome: &[u8], packed: Option<&Packed>) -> Result<u64, SpoolError> {
        self.unless_broken(|spool| {
            if spool.log.current_len() >= spool.segment_bytes {
                spool.log.rotate(spool.applied, &spool.mark)?;
                spool.log.forget(spool.applied)?;
            }
            let place = spool.log.put_page(outcome, packed)?;
            spool.waiting.push_back(Waiting { place, has_page: packed.is_some() });
            Ok(spool.log.last())
        })
    }

    /// Hands what was put to the operating system, so that killing the process cannot lose it.
    pub fn flush(&mut self) -> Result<(), SpoolError> {
        self.unless_broken(|spool| spool.log.flush())
    }

    /// Makes durable all that was flushed so far, once it is run. An outcome may be sent when its
    /// number is not above the one that this returns.
    pub fn syncer(&mut self) -> SpoolSyncer {
        self.log.syncer()
    }

    /// The scheduler has settled all outcomes up to `upto` for good, and the `rejected` ones
    /// among them by dropping them. When this returns, the pages of the others are in the store,
    /// durably. It waits for the disk. What was settled before is not settled again.
    pub fn settled(&mut self, upto: u64, rejected: &[u64]) -> Result<(), SpoolError> {
        let last = self.log.last();
        if upto > last {
            return Err(SpoolError::NeverPut { upto, last });
        }
        // Were it ignored, the page would be stored when a later message settles it.
        if let Some(&rejected) = rejected.iter().find(|seq| **seq > upto) {
            return Err(SpoolError::NotSettled { rejected, upto });
        }
        if upto <= self.applied {
            return Ok(());
        }
        self.unless_broken(|spool| {
            let mark = spool.store_pages(upto, rejected)?;
            spool.journal(upto, &mark)?;
            spool.clean_up(&mark)
        })
    }

    /// Up to this one all pages are in the store or gone.
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// The store's mark as it was journalled last: no crash takes back what is before it, so it may
    /// be handed on. Empty before the first.
    pub fn mark(&self) -> &[u8] {
        &self.mark
    }

    /// The last number given.
    pub fn last(&self) -> u64 {
        self.log.last()
    }

    pub fn totals(&self) -> Totals {
        self.store.totals()
    }

    /// Ends a run: all rows of the store become Parquet. What waits goes on waiting, and the spool
    /// can go on after it.
    pub fn finish(&mut self) -> Result<(), SpoolError> {
        self.unless_broken(|spool| {
            let mark = spool.store.finish()?;
            spool.store.syncer().run()?;
            spool.journal(spool.applied, &mark)?;
            spool.clean_up(&mark)
        })
    }

    /// Durably: the mark that comes back may be journalled. A crash before it is cuts these pages
    /// off again.
    fn store_pages(&mut self, upto: u64, rejected: &[u64]) -> Result<Mark, SpoolError> {
        self.log.flush()?;
        let mut rejected = rejected.to_vec();
        rejected.sort_unstable();
        let mut record = Vec::new();
        for (seq, waiting) in (self.applied + 1..=upto).zip(&self.waiting) {
            if waiting.has_page && rejected.binary_search(&seq).is_err() {
                self.log.read(waiting.place, &mut record)?;
                let packed = page_of(&record, seq).ok_or_else(|| {
                    let why = format!("page {seq} is of a form that this weir does not know");
                    SpoolError::damaged(&self.log.path_of(waiting.place), waiting.place.offset, why)
                })?;
                self.store.append(packed)?;
            }
        }
        let mark = self.store.flush()?;
        self.store.syncer().run()?;
        Ok(mark)
    }

    /// The moment at which pages become done.
    fn journal(&mut self, applied: u64, mark: &Mark) -> Result<(), SpoolError> {
        self.log.put_journal(applied, mark.as_bytes());
        self.log.flush()?;
        self.log.syncer().run()?;
        self.waiting.drain(..(applied - self.applied) as usize);
        self.applied = applied;
        self.mark.clear();
        self.mark.extend_from_slice(mark.as_bytes());
        Ok(())
    }

    /// Deletes what no opening will ask for, now that the journal is durable.
    fn clean_up(&mut self, mark: &Mark) -> Result<(), SpoolError> {
        self.store.journalled(mark)?;
        self.log.forget(self.applied)
    }

    fn unless_broken<T>(
        &mut self,
        work: impl FnOnce(&mut Spool) -> Result<T, SpoolError>,
    ) -> Result<T, SpoolError> {
        if self.broken {
            return Err(SpoolError::Poisoned);
        }
        let done = work(self);
        // A page that is too large left nothing behind.
        self.broken = matches!(&done, Err(why) if !matches!(why, SpoolError::TooLarge { .. }));
        done
    }
}

fn page_of(record: &[u8], wanted: u64) -> Option<Packed> {
    match parse(record)? {
        Record::Page { seq, packed, .. } if seq == wanted => Packed::decode(packed),
        _ => None,
    }
}

/// The folders of log and store must outlive a loss of power as the files in them do.
fn sync_new_folders(dir: &Path, is_new: bool) -> Result<(), SpoolError> {
    sync_folder(dir)?;
    if !is_new {
        return Ok(());
    }
    let whole = dir.canonicalize().map_err(SpoolError::io(dir, "find"))?;
    whole.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests;
