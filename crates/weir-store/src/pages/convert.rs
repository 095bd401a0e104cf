use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::thread::JoinHandle;

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::reader::{Batch, RowsFile};
use super::table::{TABLE, schema};
use crate::StoreError;
use crate::names::{Kind, Names, unfinished};
use crate::syncer::sync_folder;

/// A full rows file on its way to Parquet, on a thread of its own.
pub(crate) struct Conversion {
    pub number: u32,
    thread: JoinHandle<Result<(), StoreError>>,
}

impl Conversion {
    pub fn start(names: Names, number: u32) -> Result<Self, StoreError> {
        let path = names.rows_path(number);
        let thread = std::thread::Builder::new()
            .name("weir-parquet".to_owned())
            .spawn(move || convert(&names, number))
            .map_err(StoreError::io(&path, "start a thread to convert"))?;
        Ok(Conversion { number, thread })
    }

    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end. A panic goes on here, where it is seen.
    pub fn wait(self) -> Result<(), StoreError> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    /// Waits for the end, whatever it is: no mark will count this conversion, so it is done again
    /// when the store is opened.
    pub fn abandon(self) {
        drop(self.thread.join());
    }
}

/// A batch ends with this many rows or bytes of JSON, a page of a column with this many bytes, a
/// row group with this much memory: so what the whole takes does not grow with the file.
const BATCH: Batch = Batch { rows: 1024, bytes: 256 << 10 };
const PAGE_BYTES: usize = 128 << 10;
const GROUP_BYTES: usize = 4 << 20;

/// The file takes its name only when it is whole and durable, so a Parquet file with a proper
/// name is always a good one.
fn convert(names: &Names, number: u32) -> Result<(), StoreError> {
    let rows = names.rows_path(number);
    let pages = names.path(Kind::Pages, number);
    let unfinished = unfinished(&pages);
    let file = write(&rows, &unfinished)?;
    file.sync_all().map_err(StoreError::io(&unfinished, "sync"))?;
    std::fs::rename(&unfinished, &pages).map_err(StoreError::io(&pages, "rename to"))?;
    sync_folder(&Kind::Pages.folder(&names.dir))
}

fn write(rows: &Path, pages: &Path) -> Result<File, StoreError> {
    let Some(mut input) = RowsFile::open(rows, BATCH)? else {
        return Err(StoreError::corrupt(rows, "it is not there, and is not Parquet yet"));
    };
    let output = File::create(pages).map_err(StoreError::io(pages, "create"))?;
    let failed = |error: ParquetError| parquet_error(pages, error);
    let mut writer = table_writer(output).map_err(failed)?;
    while let Some(batch) = input.read(usize::MAX)? {
        write_batch(&mut writer, &batch).map_err(failed)?;
    }
    writer.into_inner().map_err(failed)
}

/// A Parquet file with the columns of the table.
pub(crate) fn table_writer<W: Write + Send>(output: W) -> Result<ArrowWriter<W>, ParquetError> {
    ArrowWriter::try_new(output, schema(), Some(properties()))
}

pub(crate) fn write_batch<W: Write + Send>(
    writer: &mut ArrowWriter<W>,
    batch: &RecordBatch,
) -> Result<(), ParquetError> {
    writer.write(batch)?;
    if writer.memory_size() > GROUP_BYTES {
        writer.flush()?;
    }
    Ok(())
}

fn properties() -> WriterProperties {
    let start = WriterProperties::builder()
        .set_created_by(concat!("weir ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_data_page_size_limit(PAGE_BYTES)
        .set_dictionary_page_size_limit(PAGE_BYTES)
        // Of every column in a row group, not of every page: readers skip whole groups by them.
        .set_statistics_enabled(EnabledStatistics::Chunk);
    let distinct = TABLE.iter().filter(|column| column.distinct).map(|column| column.name);
    distinct
        .fold(start, |all, name| all.set_column_dictionary_enabled(ColumnPath::from(name), false))
        .build()
}

fn parquet_error(path: &Path, error: ParquetError) -> StoreError {
    StoreError::io(path, "write")(as_io(error))
}

/// A full disk, or a reader who left, must be told as such, wherever the writer wrapped it.
pub(crate) fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
