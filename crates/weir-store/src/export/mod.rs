//! Hands over what a crawl has kept: all rows that are committed, in the order in which they were
//! stored, a batch at a time. The crawl may have ended in any way, or still be running.

mod latest;
mod output;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use thiserror::Error;

use crate::config::pages_dir;
use crate::mark::State;
use crate::pages::PagesReader;
use crate::reopen::number;
use crate::{Position, SinkError, StoreError};

use latest::Latest;
use output::Output;
pub use output::{FileFormat, Target};

/// What to hand over, and where.
pub struct Export<'a> {
    /// The folder of the crawl.
    pub dir: &'a Path,
    /// The last mark in the crawl's journal; without one, the Parquet files that are there.
    pub mark: Option<&'a [u8]>,
    pub to: Target,
    /// Only the newest row of each URL. Databases have no others anyway.
    pub latest: bool,
}

/// What was handed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    pub rows: u64,
    /// Rows of URLs that were fetched again later.
    pub older: u64,
}

#[derive(Debug, Error)]
pub enum ExportError {
    #[error(
        "there are no pages in {}: name the folder of a crawl with -o DIR; one with `store` other \
         than parquet has none",
        .0.display()
    )]
    Nothing(PathBuf),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sink(#[from] SinkError),
    #[error("cannot write {path}: {why}{remedy}")]
    Output { path: String, why: io::Error, remedy: &'static str },
}

impl Export<'_> {
    /// Blocks; `watch` is told after each batch how many rows were read, and of how many.
    pub fn run(self, watch: &mut dyn FnMut(u64, Option<u64>)) -> Result<Exported, ExportError> {
        let (until, total) = self.extent()?;
        let latest = match self.latest && !self.to.is_database() {
            true => Some(self.latest(until)?),
            false => None,
        };
        let mut output = Output::open(self.to)?;
        let mut reader = PagesReader::new(self.dir, Position::START);
        let mut exported = Exported::default();
        let mut read = 0;
        while let Some(rows) = reader.next(until)? {
            let first = read;
            read += rows.num_rows() as u64;
            for part in wanted(rows, latest.as_ref(), first) {
                exported.rows += part.num_rows() as u64;
                output.put(&part)?;
            }
            watch(read, total);
        }
        output.close()?;
        exported.older = latest.map_or(0, |latest| latest.older());
        Ok(exported)
    }

    fn latest(&self, until: Position) -> Result<Latest, StoreError> {
        let mut reader = PagesReader::new(self.dir, Position::START);
        let mut latest = Latest::default();
        while let Some(rows) = reader.next(until)? {
            latest.look(&rows);
        }
        Ok(latest.settle())
    }

    /// Where the rows end, and how many they are if that is known.
    fn extent(&self) -> Result<(Position, Option<u64>), ExportError> {
        let nothing = || ExportError::Nothing(self.dir.to_owned());
        let (end, rows) = match self.mark {
            Some(mark) => {
                let state = State::decode(mark, self.dir)?;
                (Position::end_of(&state), Some(state.pages))
            }
            None => (Position { file: last_file(self.dir)? + 1, row: 0 }, None),
        };
        let has_pages = pages_dir(self.dir).is_dir();
        if end == Position::START && !has_pages {
            return Err(nothing());
        }
        Ok((end, rows))
    }
}

/// The number of the last Parquet file, 0 if there is none.
fn last_file(dir: &Path) -> Result<u32, StoreError> {
    let pages = pages_dir(dir);
    let entries = match fs::read_dir(&pages) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(StoreError::io(&pages, "read")(error)),
    };
    let mut last = 0;
    for entry in entries {
        let name = entry.map_err(StoreError::io(&pages, "read"))?.file_name();
        last = last.max(number(&name.to_string_lossy(), "pages-", ".parquet").unwrap_or(0));
    }
    Ok(last)
}

/// The stretches of `rows`, the first of which is row `first` of all, that are wanted.
fn wanted(rows: RecordBatch, latest: Option<&Latest>, first: u64) -> Vec<RecordBatch> {
    let Some(latest) = latest else { return vec![rows] };
    let mut parts = Vec::new();
    let mut start = 0;
    for row in 0..=rows.num_rows() {
        if row == rows.num_rows() || latest.is_older(first + row as u64) {
            if row > start {
                parts.push(rows.slice(start, row - start));
            }
            start = row + 1;
        }
    }
    parts
}
