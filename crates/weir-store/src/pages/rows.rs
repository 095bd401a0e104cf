use super::Place;
use super::convert::Conversion;
use crate::log::Log;
use crate::mark::State;
use crate::names::{Names, rows_number, store_dir};
use crate::reopen::{delete, names_in};
use crate::{StoreConfig, StoreError};

/// The rows files: those that are Parquet already and wait to be deleted, at most one that is
/// becoming Parquet, and the last, which is being written.
pub(crate) struct RowsFiles {
    pub number: u32,
    pub count: u32,
    pub log: Log,
    names: Names,
    /// Length of the file that is becoming Parquet.
    pub sealed_len: u64,
    pub converted: u32,
    /// The oldest file that may still lie on the disk.
    oldest: u32,
    conversion: Option<Conversion>,
    line: Vec<u8>,
}

/// Long texts fill a rows file before many rows do; this bounds the room it takes on the disk
/// beside the Parquet file made of it.
const MOST_BYTES: u64 = 512 << 20;

impl RowsFiles {
    pub fn open(config: &StoreConfig, state: &State) -> Result<Self, StoreError> {
        let names = config.names();
        let log = Log::open(names.rows_path(state.rows), state.rows_len, config.write_buffer)?;
        let conversion = match state.sealed() {
            Some(number) => Some(Conversion::start(names.clone(), number)?),
            None => None,
        };
        let there = names_in(&store_dir(&config.dir))?;
        let oldest = there.iter().filter_map(|name| rows_number(name)).min();
        Ok(RowsFiles {
            number: state.rows,
            count: state.rows_count,
            log,
            names,
            sealed_len: state.sealed_len,
            converted: state.converted,
            oldest: oldest.unwrap_or(state.rows),
            conversion,
            line: Vec::new(),
        })
    }

    pub fn append(&mut self, row: &[u8], place: &Place<'_>) -> Result<(), StoreError> {
        self.line.clear();
        self.line.extend_from_slice(row);
        place.close(&mut self.line);
        self.log.append(&self.line)?;
        self.count += 1;
        Ok(())
    }

    pub fn is_full(&self, config: &StoreConfig) -> bool {
        self.count as usize >= config.rows_per_file || self.log.len() >= MOST_BYTES
    }

    /// Begins the next file, has the full one converted, and returns the full one's log.
    pub fn seal(&mut self, config: &StoreConfig) -> Result<Log, StoreError> {
        self.wait()?; // One conversion at a time bounds memory, and a mark has room for one.
        self.log.flush()?;
        let next = self.names.rows_path(self.number + 1);
        let full = std::mem::replace(&mut self.log, Log::new(next, config.write_buffer));
        self.conversion = Some(Conversion::start(self.names.clone(), self.number)?);
        self.sealed_len = full.len();
        self.number += 1;
        self.count = 0;
        Ok(full)
    }

    /// Counts a conversion that has ended meanwhile.
    pub fn poll(&mut self) -> Result<(), StoreError> {
        match self.conversion.as_ref().is_some_and(Conversion::is_finished) {
            true => self.wait(),
            false => Ok(()),
        }
    }

    pub fn wait(&mut self) -> Result<(), StoreError> {
        let Some(conversion) = self.conversion.take() else { return Ok(()) };
        let number = conversion.number;
        conversion.wait()?;
        self.converted = number;
        self.sealed_len = 0;
        Ok(())
    }

    /// A mark that counts Parquet files up to `converted` is journalled: no reopening will ask for
    /// the rows that they were made of.
    pub fn forget(&mut self, converted: u32) -> Result<(), StoreError> {
        while self.oldest <= converted.min(self.converted) {
            delete(&self.names.rows_path(self.oldest))?;
            self.oldest += 1;
        }
        Ok(())
    }
}

/// A thread that outlived its store would write under the feet of the next one.
impl Drop for RowsFiles {
    fn drop(&mut self) {
        if let Some(conversion) = self.conversion.take() {
            conversion.abandon();
        }
    }
}
