use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use super::Batch;
use crate::StoreError;
use crate::pages::Row;
use crate::pages::columns::Columns;

/// A rows file, read from the beginning; it may still be growing.
pub(crate) struct RowsFile {
    path: PathBuf,
    input: BufReader<File>,
    columns: Columns,
    line: String,
    batch: Batch,
}

impl RowsFile {
    /// `None` if there is no such file.
    pub fn open(path: &Path, batch: Batch) -> Result<Option<Self>, StoreError> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path, "open")(error)),
        };
        Ok(Some(RowsFile {
            path: path.to_owned(),
            input: BufReader::with_capacity(1 << 16, file),
            columns: Columns::new(),
            line: String::new(),
            batch,
        }))
    }

    pub fn skip(&mut self, rows: u32) -> Result<(), StoreError> {
        for _ in 0..rows {
            if self.next_line()? == 0 {
                return Err(StoreError::corrupt(&self.path, format!("it has no {rows} rows")));
            }
        }
        Ok(())
    }

    /// Up to `most` rows, which must be there whole, or the end; `None` at the end.
    pub fn read(&mut self, most: usize) -> Result<Option<RecordBatch>, StoreError> {
        let (mut count, mut bytes) = (0, 0);
        while count < most.min(self.batch.rows) && bytes < self.batch.bytes {
            let read = self.next_line()?;
            if read == 0 {
                break;
            }
            let no_row = |why: String| StoreError::corrupt(&self.path, why);
            let row: Row = serde_json::from_str(&self.line)
                .map_err(|why| no_row(format!("a row is no row: {why}")))?;
            self.columns.push(&row).map_err(|why| no_row(why.to_string()))?;
            count += 1;
            bytes += read;
        }
        if count == 0 {
            return Ok(None);
        }
        let batch = self.columns.take();
        batch.map(Some).map_err(|why| StoreError::corrupt(&self.path, why.to_string()))
    }

    fn next_line(&mut self) -> Result<usize, StoreError> {
        self.line.clear();
        self.input.read_line(&mut self.line).map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => StoreError::corrupt(&self.path, "a row is no text"),
            _ => StoreError::io(&self.path, "read")(error),
        })
    }
}
