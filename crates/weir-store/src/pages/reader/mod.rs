//! Reads the table back, in the order in which it was written: from rows files as long as there are
//! any, and from the Parquet files that were made of them.

mod parquet_file;
mod rows_file;

use std::io;

use arrow_array::RecordBatch;

use super::Position;
use crate::StoreError;
use crate::names::{Kind, Names};

use parquet_file::ParquetFile;
pub(crate) use rows_file::RowsFile;

/// A batch ends with this many rows or bytes, whichever comes first.
#[derive(Clone, Copy)]
pub(crate) struct Batch {
    pub rows: usize,
    pub bytes: usize,
}

impl Batch {
    /// Enough to make a transaction worth its while, and little enough for any machine's memory.
    pub const DELIVERED: Batch = Batch { rows: 1000, bytes: 1 << 20 };
}

/// The rows of a crawl from some place on. It may be running: `next` is told how far to read.
pub(crate) struct PagesReader {
    names: Names,
    at: Position,
    file: Option<OpenFile>,
}

enum OpenFile {
    Rows(Box<RowsFile>),
    Parquet(Box<ParquetFile>),
}

impl PagesReader {
    pub fn new(names: Names, at: Position) -> Self {
        PagesReader { names, at, file: None }
    }

    /// Behind the last row that was read.
    pub fn at(&self) -> Position {
        self.at
    }

    /// The next rows before `until`, which must be committed; `None` if there are none.
    pub fn next(&mut self, until: Position) -> Result<Option<RecordBatch>, StoreError> {
        while self.at < until {
            let is_last = self.at.file == until.file;
            let most = if is_last { until.row - self.at.row } else { u32::MAX };
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(OpenFile::open(&self.names, self.at)?),
            };
            match file.read(most as usize)? {
                Some(batch) => {
                    self.at.row += batch.num_rows() as u32;
                    return Ok(Some(batch));
                }
                None if is_last => return Err(self.too_short(until)),
                None => {
                    self.file = None;
                    self.at = Position { file: self.at.file + 1, row: 0 };
                }
            }
        }
        Ok(None)
    }

    fn too_short(&self, until: Position) -> StoreError {
        let path = self.names.path(Kind::Pages, until.file);
        let (has, wanted) = (self.at.row, until.row);
        StoreError::corrupt(&path, format!("it has {has} rows, but {wanted} were committed"))
    }
}

impl OpenFile {
    /// The rows file is deleted once it is Parquet, perhaps this very moment: so it is looked for
    /// first, and whoever finds it gone finds the Parquet file. One that is open can be read on.
    fn open(names: &Names, at: Position) -> Result<OpenFile, StoreError> {
        let rows = names.rows_path(at.file);
        if let Some(mut file) = RowsFile::open(&rows, Batch::DELIVERED)? {
            file.skip(at.row)?;
            return Ok(OpenFile::Rows(Box::new(file)));
        }
        let pages = names.path(Kind::Pages, at.file);
        match std::fs::File::open(&pages) {
            Ok(file) => {
                let file = ParquetFile::open(file, &pages, at.row, Batch::DELIVERED)?;
                Ok(OpenFile::Parquet(Box::new(file)))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(StoreError::corrupt(&pages, "it is not there, and rows in it were committed"))
            }
            Err(error) => Err(StoreError::io(&pages, "open")(error)),
        }
    }

    fn read(&mut self, most: usize) -> Result<Option<RecordBatch>, StoreError> {
        match self {
            OpenFile::Rows(file) => file.read(most),
            OpenFile::Parquet(file) => file.read(most),
        }
    }
}

#[cfg(test)]
mod tests;
