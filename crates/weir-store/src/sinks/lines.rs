use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;
use serde::{Deserialize, Serialize};

use super::{Progress, Sink, SinkError, Step, csv_head, csv_record, json_line};
use crate::Position;
use crate::syncer::sync_folder;

/// A file that rows are appended to as lines. A file knows no transactions, so a second one beside
/// it says how long the first is and which rows that are; what is longer is cut off.
pub(crate) struct Lines {
    name: String,
    kind: Kind,
    file: File,
    places_path: PathBuf,
    places: Places,
    text: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Jsonl,
    Csv,
}

/// What stands in `FILE.weir-sink`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Places {
    /// Length of the file.
    bytes: u64,
    /// By the crawl's id: file, row and rows.
    crawls: BTreeMap<String, (u32, u32, u64)>,
}

impl Kind {
    pub fn word(self) -> &'static str {
        match self {
            Kind::Jsonl => "jsonl",
            Kind::Csv => "csv",
        }
    }

    fn head(self, out: &mut Vec<u8>) {
        match self {
            Kind::Jsonl => {}
            Kind::Csv => csv_head(out),
        }
    }

    fn line(self, rows: &RecordBatch, row: usize, out: &mut Vec<u8>) {
        match self {
            Kind::Jsonl => json_line(rows, row, out),
            Kind::Csv => csv_record(rows, row, out),
        }
    }
}

impl Lines {
    pub fn open(path: &Path, kind: Kind) -> Result<Lines, SinkError> {
        let name = format!("{}:{}", kind.word(), path.display());
        let mut beside = path.as_os_str().to_owned();
        beside.push(".weir-sink");
        let places_path = PathBuf::from(beside);
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(SinkError::io(&name, "open"))?;
        lock(&file, &name)?;
        let places = read_places(&places_path, &name)?;
        let has = file.metadata().map_err(SinkError::io(&name, "read"))?.len();
        match &places {
            None if has > 0 => {
                let why = "it is there already and no sink of weir wrote it; name another file";
                return Err(SinkError::refused(&name, why));
            }
            Some(places) if has < places.bytes => {
                let why = format!(
                    "it has {has} bytes and should have {}; put it back, or delete it and {} to \
                     have all rows delivered anew",
                    places.bytes,
                    places_path.display()
                );
                return Err(SinkError::refused(&name, why));
            }
            _ => {}
        }
        let is_new = places.is_none();
        let places = places.unwrap_or_default();
        let mut lines = Lines { name, kind, file, places_path, places, text: Vec::new() };
        if is_new {
            // Before the first line: a file with lines and no places would be taken for another's.
            lines.note(&lines.places).map_err(SinkError::io(&lines.name, "write"))?;
            sync_folder(folder_of(&lines.places_path))?;
        }
        lines.check_head()?;
        Ok(lines)
    }

    /// Lines that have more fields than the first one says would be read wrongly.
    fn check_head(&mut self) -> Result<(), SinkError> {
        let mut head = Vec::new();
        self.kind.head(&mut head);
        if self.places.bytes == 0 || head.is_empty() {
            return Ok(());
        }
        let mut there = vec![0; head.len().min(self.places.bytes as usize)];
        let read = self.file.rewind().and_then(|()| self.file.read_exact(&mut there));
        read.map_err(SinkError::io(&self.name, "read"))?;
        match there == head {
            true => Ok(()),
            false => {
                let why =
                    "its first line names other columns than this weir has; name another file";
                Err(SinkError::refused(&self.name, why))
            }
        }
    }

    /// Writes behind what counts, over whatever a killed process left there.
    fn append(&mut self) -> io::Result<()> {
        self.file.set_len(self.places.bytes)?;
        self.file.seek(SeekFrom::Start(self.places.bytes))?;
        self.file.write_all(&self.text)?;
        self.file.sync_data()
    }

    /// From here on the new lines count. Nothing is committed before the new name is in place.
    fn note(&self, places: &Places) -> io::Result<()> {
        let mut new = self.places_path.as_os_str().to_owned();
        new.push(".new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec(places)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.places_path)
    }
}

impl Sink for Lines {
    fn begin(&mut self, crawl: &str) -> Result<Progress, SinkError> {
        Ok(match self.places.crawls.get(crawl) {
            Some((file, row, rows)) => {
                Progress { at: Position { file: *file, row: *row }, rows: *rows }
            }
            None => Progress::NONE,
        })
    }

    fn put(&mut self, rows: &RecordBatch, step: Option<&Step<'_>>) -> Result<(), SinkError> {
        self.text.clear();
        if self.places.bytes == 0 {
            self.kind.head(&mut self.text);
        }
        (0..rows.num_rows()).for_each(|row| self.kind.line(rows, row, &mut self.text));
        self.append().map_err(SinkError::io(&self.name, "write"))?;
        let mut places = self.places.clone();
        places.bytes += self.text.len() as u64;
        if let Some(step) = step {
            let Progress { at, rows } = step.to;
            places.crawls.insert(step.crawl.to_owned(), (at.file, at.row, rows));
        }
        self.note(&places).map_err(SinkError::io(&self.name, "write"))?;
        sync_folder(folder_of(&self.places_path))?;
        self.places = places;
        Ok(())
    }
}

fn read_places(path: &Path, name: &str) -> Result<Option<Places>, SinkError> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(SinkError::io(name, "read")(error)),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(|why| {
        let path = path.display();
        SinkError::refused(name, format!("{path} is damaged ({why}); put it back as it was"))
    })
}

/// Held as long as the file is open.
fn lock(file: &File, name: &str) -> Result<(), SinkError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(SinkError::away(name, "another weir writes to it")),
        Err(TryLockError::Error(error)) => Err(SinkError::io(name, "lock")(error)),
    }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}
