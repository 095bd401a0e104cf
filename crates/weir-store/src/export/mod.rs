//! Hands over what crawls have kept: all rows that are committed, folder after folder, each in the
//! order in which they were stored, a batch at a time. A crawl may have ended in any way, or still
//! be running.

mod latest;
mod output;
mod source;

use std::io;
use std::path::PathBuf;

use arrow_array::RecordBatch;
use thiserror::Error;

use crate::{SinkError, StoreError};

use latest::Latest;
use output::Output;
pub use output::{FileFormat, Target};
pub use source::Source;
use source::{Table, each_batch, tables};

/// What to hand over, and where.
pub struct Export<'a> {
    /// All that is to be handed over, as if it were of one crawl.
    pub from: &'a [Source],
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
        let tables = tables(self.from)?;
        let total = total(&tables);
        let latest = match self.latest && !self.to.is_database() {
            true => Some(latest(&tables)?),
            false => None,
        };
        let mut output = Output::open(self.to)?;
        let mut exported = Exported::default();
        let mut read = 0;
        each_batch(&tables, |rows| {
            let first = read;
            read += rows.num_rows() as u64;
            for part in wanted(rows, latest.as_ref(), first) {
                exported.rows += part.num_rows() as u64;
                output.put(&part)?;
            }
            watch(read, total);
            Ok(())
        })?;
        output.close()?;
        exported.older = latest.map_or(0, |latest| latest.older());
        Ok(exported)
    }
}

/// How many rows there are, if that is known.
fn total(tables: &[Table]) -> Option<u64> {
    tables.iter().try_fold(0_u64, |sum, table| Some(sum.saturating_add(table.rows?)))
}

/// Over all tables: which of them a row is in says nothing about how new it is.
fn latest(tables: &[Table]) -> Result<Latest, ExportError> {
    let mut latest = Latest::default();
    each_batch(tables, |rows| {
        latest.look(&rows);
        Ok(())
    })?;
    Ok(latest.settle())
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
