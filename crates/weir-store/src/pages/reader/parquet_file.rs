use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow_schema::{DataType, Field, SchemaRef};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::RowGroupMetaData;

use super::Batch;
use crate::StoreError;
use crate::pages::schema;

/// A Parquet file of the table, a row group at a time: memory does not grow with the file.
pub(super) struct ParquetFile {
    path: PathBuf,
    file: File,
    metadata: ArrowReaderMetadata,
    batch: Batch,
    /// The next row group, and how many of its rows were read before.
    group: usize,
    skip: usize,
    batches: Option<ParquetRecordBatchReader>,
    /// Read, and more than was asked for.
    rest: Option<RecordBatch>,
    schema: SchemaRef,
}

impl ParquetFile {
    pub fn open(file: File, path: &Path, skip: u32, batch: Batch) -> Result<Self, StoreError> {
        let metadata = ArrowReaderMetadata::load(&file, Default::default())
            .map_err(|why| StoreError::corrupt(path, why.to_string()))?;
        let mut opened = ParquetFile {
            path: path.to_owned(),
            file,
            metadata,
            batch,
            group: 0,
            skip: skip as usize,
            batches: None,
            rest: None,
            schema: schema(),
        };
        opened.skip_groups();
        Ok(opened)
    }

    fn skip_groups(&mut self) {
        for group in self.metadata.metadata().row_groups() {
            let rows = group.num_rows() as usize;
            if rows > self.skip {
                return;
            }
            self.skip -= rows;
            self.group += 1;
        }
    }

    /// Up to `most` rows; `None` at the end.
    pub fn read(&mut self, most: usize) -> Result<Option<RecordBatch>, StoreError> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.next_batch()? {
                Some(batch) => batch,
                None => return Ok(None),
            },
        };
        let rows = batch.num_rows();
        if rows > most {
            self.rest = Some(batch.slice(most, rows - most));
            return Ok(Some(batch.slice(0, most)));
        }
        Ok(Some(batch))
    }

    fn next_batch(&mut self) -> Result<Option<RecordBatch>, StoreError> {
        loop {
            if let Some(batch) = self.batches.as_mut().and_then(Iterator::next) {
                let batch = batch.map_err(|why| self.unreadable(why.to_string()))?;
                return self.with_our_columns(&batch).map(Some);
            }
            let groups = self.metadata.metadata().row_groups();
            let Some(group) = groups.get(self.group) else { return Ok(None) };
            let rows = rows_a_batch(group, self.batch);
            self.batches = Some(self.open_group(rows)?);
            self.group += 1;
            self.skip = 0;
        }
    }

    fn open_group(&self, rows: usize) -> Result<ParquetRecordBatchReader, StoreError> {
        let file = self.file.try_clone().map_err(StoreError::io(&self.path, "open"))?;
        ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone())
            .with_row_groups(vec![self.group])
            .with_offset(self.skip)
            .with_batch_size(rows)
            .build()
            .map_err(|why| self.unreadable(why.to_string()))
    }

    /// Columns in the order of this version; those that the file's version did not have are null.
    fn with_our_columns(&self, batch: &RecordBatch) -> Result<RecordBatch, StoreError> {
        if batch.schema() == self.schema {
            return Ok(batch.clone());
        }
        let fields = self.schema.fields().iter();
        let columns = fields.map(|field| match batch.column_by_name(field.name()) {
            Some(column) => Ok(column.clone()),
            None => absent(field, batch.num_rows()).ok_or_else(|| {
                self.unreadable(format!("it has no column {}: weir did not write it", field.name()))
            }),
        });
        let columns: Vec<ArrayRef> = columns.collect::<Result<_, _>>()?;
        RecordBatch::try_new(self.schema.clone(), columns)
            .map_err(|why| self.unreadable(why.to_string()))
    }

    fn unreadable(&self, why: String) -> StoreError {
        StoreError::corrupt(&self.path, why)
    }
}

/// A column that is not there: null, or nothing where null is not allowed. The first version had all of
/// the others that are never null.
fn absent(field: &Field, rows: usize) -> Option<ArrayRef> {
    match field.data_type() {
        kind if field.is_nullable() => Some(new_null_array(kind, rows)),
        DataType::Boolean => Some(Arc::new(BooleanArray::from(vec![false; rows]))),
        _ => None,
    }
}

/// Long texts make batches of few rows.
fn rows_a_batch(group: &RowGroupMetaData, batch: Batch) -> usize {
    let rows = group.num_rows().max(1);
    let bytes_a_row = (group.total_byte_size() / rows).max(1) as usize;
    (batch.bytes / bytes_a_row).clamp(1, batch.rows)
}
