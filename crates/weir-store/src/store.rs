use std::path::PathBuf;

use crate::firsts::Firsts;
use crate::log::Unsynced;
use crate::mark::State;
use crate::names::{Kind, Names};
use crate::pages::{Place, RowsFiles};
use crate::reopen::cut_back;
use crate::warc::WarcFiles;
use crate::{Mark, Packed, StoreConfig, StoreError, Syncer};

/// The files of one crawl. One owner; everything here only copies bytes.
pub struct Store {
    config: StoreConfig,
    warc: WarcFiles,
    rows: RowsFiles,
    firsts: Firsts,
    pages: u64,
    duplicates: u32,
    /// Files that are full but not known to be durable...
    closed: Vec<Unsynced>,
    /// ...and those of earlier runs.
    earlier: Vec<PathBuf>,
    /// Something failed: memory and files may disagree, so only opening again helps.
    broken: bool,
}

/// What the store has kept, over all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Totals {
    /// Rows of the table, where there is one: what a rule drops is not counted.
    pub pages: u64,
    /// Of these, pages whose payload was stored before.
    pub duplicates: u64,
    pub warc_files: u32,
    pub parquet_files: u32,
}

impl Store {
    /// Opens the store as it was at `mark`, the last one journalled; `None` if none ever was.
    /// Whatever was written later is cut off or deleted: the frontier will have it fetched again.
    pub fn open(config: StoreConfig, mark: Option<&[u8]>) -> Result<Store, StoreError> {
        config.check()?;
        let state = match mark {
            Some(mark) => State::decode(mark, &config.dir)?,
            None => State::START,
        };
        config.make_folders()?;
        let names = config.names();
        cut_back(&names, &state)?;
        Ok(Store {
            warc: WarcFiles::open(&config, &state)?,
            rows: RowsFiles::open(&config, &state)?,
            firsts: Firsts::open(names.firsts_path(), state.firsts_len, config.write_buffer)?,
            pages: state.pages,
            duplicates: state.duplicates,
            closed: Vec::new(),
            earlier: full_files(&names, &state),
            broken: false,
            config,
        })
    }

    /// Takes a page. It is safe only after a flush, and done only when that flush's mark is
    /// journalled.
    pub fn append(&mut self, packed: Packed) -> Result<(), StoreError> {
        self.unless_broken(|store| store.put(&packed))
    }

    /// Hands everything appended to the operating system, so that killing the process cannot lose
    /// it, and returns the mark that covers exactly that.
    pub fn flush(&mut self) -> Result<Mark, StoreError> {
        self.unless_broken(Store::hand_over)
    }

    /// Tells the store that `mark` is in the journal, as durably as the journal ever gets. What
    /// only older marks would need is deleted. Cheap. Nobody else deletes such files, opening neither: only who
    /// keeps the journal knows what may still be asked for.
    pub fn journalled(&mut self, mark: &Mark) -> Result<(), StoreError> {
        self.unless_broken(|store| {
            let state = State::decode(mark.as_bytes(), &store.config.dir)?;
            store.rows.forget(state.converted)
        })
    }

    /// Makes durable all that was flushed so far, once it is run.
    pub fn syncer(&mut self) -> Syncer {
        let mut files = std::mem::take(&mut self.closed);
        let logs = [&mut self.warc.log, &mut self.rows.log, self.firsts.log()];
        files.extend(logs.into_iter().filter_map(|log| log.take_unsynced()));
        Syncer::new(files, std::mem::take(&mut self.earlier))
    }

    /// What earlier runs have left is durable, as whoever calls this knows: nobody was killed before the end. Without it
    /// the first sync goes through all files once more.
    pub fn all_was_synced(&mut self) {
        self.earlier.clear();
    }

    /// Ends a run, complete or interrupted: all rows become Parquet. The store can go on after it.
    pub fn finish(&mut self) -> Result<Mark, StoreError> {
        self.unless_broken(|store| {
            if store.rows.count > 0 {
                store.seal()?;
            }
            store.rows.wait()?;
            store.hand_over()
        })
    }

    pub fn totals(&self) -> Totals {
        Totals {
            pages: self.pages,
            duplicates: u64::from(self.duplicates),
            warc_files: self.warc.number,
            parquet_files: self.rows.converted,
        }
    }

    fn put(&mut self, packed: &Packed) -> Result<(), StoreError> {
        let is_row = packed.kept != Some(false);
        self.pages += u64::from(is_row);
        let first = match packed.may_repeat {
            true => self.firsts.find(&packed.exchange.digest)?,
            false => None,
        };
        let near = match (packed.simhash, &first) {
            (Some(simhash), None) => self.firsts.find_near(simhash)?,
            _ => None,
        };
        // A page may have been packed for a store that kept less, and wait until this one was open.
        let mut warc_offset = None;
        if self.config.warc && !packed.members.is_empty() {
            if self.warc.is_full(&self.config, packed.members.len()) {
                let full = self.warc.rotate(&self.config)?.take_unsynced();
                self.closed.extend(full);
            }
            // A revisit must not point at a page that only the table has.
            let stored = first.as_ref().filter(|first| first.has_record());
            warc_offset = Some(self.warc.append(packed, stored)?);
        }
        if self.config.parquet && is_row && !packed.row.is_empty() {
            let place = Place {
                duplicate_of: first.as_ref().map(|first| first.url.as_str().into()),
                near_duplicate_of: near.as_deref().map(Into::into),
                warc_file: warc_offset.map(|_| self.warc.name.as_str().into()),
                warc_offset,
            };
            self.rows.append(&packed.row, &place)?;
            if self.rows.is_full(&self.config) {
                self.seal()?;
            }
        }
        match first {
            // Of the pages that are counted: a mark with more of them is taken for a damaged one.
            Some(_) => self.duplicates += u32::from(is_row),
            None if packed.may_repeat => {
                // One of each group is enough to know the others by.
                let simhash = packed.simhash.filter(|_| near.is_none());
                self.firsts.remember(&packed.exchange, warc_offset.is_some(), simhash)?;
            }
            None => {}
        }
        Ok(())
    }

    fn seal(&mut self) -> Result<(), StoreError> {
        let full = self.rows.seal(&self.config)?.take_unsynced();
        self.closed.extend(full);
        Ok(())
    }

    fn hand_over(&mut self) -> Result<Mark, StoreError> {
        self.warc.log.flush()?;
        self.rows.log.flush()?;
        self.firsts.log().flush()?;
        self.rows.poll()?;
        let state = State {
            warc: self.warc.number,
            warc_len: self.warc.log.len(),
            rows: self.rows.number,
            rows_len: self.rows.log.len(),
            rows_count: self.rows.count,
            sealed_len: self.rows.sealed_len,
            converted: self.rows.converted,
            firsts_len: self.firsts.log().len(),
            pages: self.pages,
            duplicates: self.duplicates,
        };
        Ok(state.encode())
    }

    fn unless_broken<T>(
        &mut self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if self.broken {
            return Err(StoreError::Poisoned);
        }
        let done = work(self);
        self.broken = done.is_err();
        done
    }
}

/// The files before those that are being written: any number of them may have become full while one sync was under way, and
/// nobody has made them durable since the process was killed.
fn full_files(names: &Names, state: &State) -> Vec<PathBuf> {
    let warc = (1..state.warc).map(|number| names.path(Kind::Warc, number));
    let rows = state.sealed().map(|number| names.rows_path(number));
    warc.chain(rows).collect()
}
