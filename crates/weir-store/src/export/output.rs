use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use parquet::arrow::ArrowWriter;

use super::ExportError;
use crate::SinkTarget;
use crate::pages::{as_io, table_writer, write_batch};
use crate::sinks::{Sink, csv_head, csv_record, json_line};

/// Where an export goes.
pub enum Target {
    /// A table, which may be there already.
    Table(SinkTarget, String),
    /// A file, which is replaced once the new one is whole; standard output if it has no name.
    File(FileFormat, Option<PathBuf>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Parquet,
    Jsonl,
    Csv,
}

impl Target {
    pub(super) fn is_database(&self) -> bool {
        matches!(self, Target::Table(..))
    }
}

pub(super) enum Output {
    Table(Box<dyn Sink>),
    File { name: Name, writer: FileWriter },
}

/// What a file is called, and where it is until it is whole.
pub(super) struct Name {
    path: Option<PathBuf>,
    /// `None` for what has no beginning or end: standard output, a pipe, a device.
    unfinished: Option<PathBuf>,
}

pub(super) enum FileWriter {
    Parquet(Box<ArrowWriter<Place>>),
    Lines { line: LineOf, place: BufWriter<Place>, text: Vec<u8> },
}

type Place = Box<dyn Write + Send>;
type LineOf = fn(&RecordBatch, usize, &mut Vec<u8>);

impl Output {
    pub fn open(target: Target) -> Result<Output, ExportError> {
        match target {
            Target::Table(target, table) => Ok(Output::Table(target.open(&table)?)),
            Target::File(format, path) => {
                let name = Name::new(path);
                let writer = name.open().and_then(|place| FileWriter::new(format, place));
                match writer {
                    Ok(writer) => Ok(Output::File { name, writer }),
                    Err(why) => Err(name.failed(why)),
                }
            }
        }
    }

    pub fn put(&mut self, rows: &RecordBatch) -> Result<(), ExportError> {
        match self {
            Output::Table(sink) => Ok(sink.put(rows, None)?),
            Output::File { name, writer } => writer.put(rows).map_err(|why| name.failed(why)),
        }
    }

    pub fn close(self) -> Result<(), ExportError> {
        match self {
            Output::Table(_) => Ok(()),
            Output::File { name, writer } => {
                writer.close().and_then(|()| name.settle()).map_err(|why| name.failed(why))
            }
        }
    }
}

impl FileWriter {
    fn new(format: FileFormat, place: Place) -> io::Result<FileWriter> {
        let mut head = Vec::new();
        let line: LineOf = match format {
            FileFormat::Parquet => {
                let writer = table_writer(place).map_err(as_io)?;
                return Ok(FileWriter::Parquet(Box::new(writer)));
            }
            FileFormat::Jsonl => json_line,
            FileFormat::Csv => {
                csv_head(&mut head);
                csv_record
            }
        };
        let mut place = BufWriter::with_capacity(1 << 16, place);
        place.write_all(&head)?;
        Ok(FileWriter::Lines { line, place, text: Vec::new() })
    }

    fn put(&mut self, rows: &RecordBatch) -> io::Result<()> {
        match self {
            FileWriter::Parquet(writer) => write_batch(writer, rows).map_err(as_io),
            FileWriter::Lines { line, place, text } => {
                for row in 0..rows.num_rows() {
                    text.clear();
                    line(rows, row, text);
                    place.write_all(text)?;
                }
                Ok(())
            }
        }
    }

    fn close(self) -> io::Result<()> {
        match self {
            FileWriter::Parquet(writer) => writer.into_inner().map_err(as_io)?.flush(),
            FileWriter::Lines { mut place, .. } => place.flush(),
        }
    }
}

impl Name {
    fn new(path: Option<PathBuf>) -> Name {
        // A link stays one: the file that it names is replaced.
        let path = path.map(|path| path.canonicalize().unwrap_or(path));
        let is_plain = |path: &&PathBuf| path.metadata().map_or(true, |it| it.is_file());
        let unfinished = path.as_ref().filter(is_plain).map(|path| beside(path));
        Name { path, unfinished }
    }

    fn open(&self) -> io::Result<Place> {
        Ok(match (&self.unfinished, &self.path) {
            (Some(path), _) => Box::new(File::create(path)?),
            (None, Some(path)) => Box::new(File::options().write(true).open(path)?),
            (None, None) => Box::new(io::stdout()),
        })
    }

    /// Gives the file its name, now that it is whole and on the disk.
    fn settle(&self) -> io::Result<()> {
        let (Some(path), Some(unfinished)) = (&self.path, &self.unfinished) else { return Ok(()) };
        File::open(unfinished)?.sync_all()?;
        fs::rename(unfinished, path)
    }

    fn failed(&self, why: io::Error) -> ExportError {
        let path = match &self.path {
            Some(path) => path.display().to_string(),
            None => "standard output".to_owned(),
        };
        let remedy = match why.kind() {
            io::ErrorKind::NotFound => "; make its folder, or name another file with --file",
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::ReadOnlyFilesystem => "; name another file with --file",
            io::ErrorKind::StorageFull => "; free some room, or name a file on another disk",
            _ => "",
        };
        ExportError::Output { path, why, remedy }
    }
}

/// What did not become whole is of no use to anyone.
impl Drop for Name {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // It has its name by now, or was never made, if it is not there.
            drop(fs::remove_file(unfinished));
        }
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".tmp");
    name.into()
}
