//! Batches as they come from Python, by way of Arrow's stream format, and their columns.

use std::io::Cursor;

use arrow_array::builder::ArrayBuilder;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;

use crate::TaskError;

pub fn read(stream: &[u8]) -> Result<Vec<RecordBatch>, TaskError> {
    let reader = StreamReader::try_new(Cursor::new(stream), None).map_err(TaskError::Batch)?;
    reader.collect::<Result<_, _>>().map_err(TaskError::Batch)
}

pub fn write(batch: &RecordBatch) -> Result<Vec<u8>, TaskError> {
    let write = || -> Result<Vec<u8>, ArrowError> {
        let mut writer = StreamWriter::try_new(Vec::new(), batch.schema_ref())?;
        writer.write(batch)?;
        writer.into_inner()
    };
    write().map_err(TaskError::Batch)
}

/// A column by its name, of the type that is expected.
pub fn column<'a, T: Array + 'static>(
    batch: &'a RecordBatch,
    name: &'static str,
) -> Result<&'a T, TaskError> {
    let column = batch.column_by_name(name).ok_or(TaskError::Column(name))?;
    column.as_any().downcast_ref().ok_or(TaskError::Column(name))
}

pub fn of(columns: Vec<(&'static str, ArrayRef)>) -> Result<RecordBatch, TaskError> {
    let columns = columns.into_iter().map(|(name, column)| (name, column, true));
    RecordBatch::try_from_iter_with_nullable(columns).map_err(TaskError::Batch)
}

/// Of a builder.
pub fn done(mut column: impl ArrayBuilder) -> ArrayRef {
    column.finish()
}

/// Spark has no unsigned numbers.
pub fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub fn small(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

/// `None` where there is nothing.
pub fn text(column: &StringArray, row: usize) -> Option<&str> {
    column.is_valid(row).then(|| column.value(row))
}
