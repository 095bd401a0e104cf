//! The log as it is written: segments of records, of which the last one grows.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_store::Packed;

use crate::folder::{segment_path, sync_folder};
use crate::record::{HEADER, Pen, Seed, header, is_good};
use crate::syncer::Synced;
use crate::{SpoolError, SpoolSyncer};

/// Appends records and reads single ones back.
pub(crate) struct Log {
    folder: PathBuf,
    /// Full segments that have pages which are not applied, oldest first. All of them are durable.
    older: VecDeque<Full>,
    current: Segment,
    /// Records of `current` that the operating system has not been given.
    buffer: Vec<u8>,
    /// The last page put, and the last one handed over.
    last: u64,
    flushed: u64,
    /// Of one of `older`: pages are read back in order, so one is enough.
    reader: Option<(u32, File)>,
}

/// A segment that is not written any more.
pub(crate) struct Full {
    pub number: u32,
    pub seed: Seed,
    /// No page in it or before it has a higher number.
    pub last: u64,
}

/// The segment that is being written.
pub(crate) struct Segment {
    pub number: u32,
    path: PathBuf,
    seed: Seed,
    file: Arc<File>,
    written: u64,
    synced: Arc<Synced>,
}

/// Where a record stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub segment: u32,
    pub length: u32,
    pub offset: u64,
}

/// More than this is not kept in memory until the next flush.
const MOST_BUFFERED: usize = 1 << 20;

impl Log {
    /// `current` is the newest segment and ends with page `last`, or with a later journal.
    pub fn new(folder: PathBuf, older: VecDeque<Full>, current: Segment, last: u64) -> Log {
        Log { folder, older, current, buffer: Vec::new(), last, flushed: last, reader: None }
    }

    pub fn last(&self) -> u64 {
        self.last
    }

    /// With all that was put.
    pub fn current_len(&self) -> u64 {
        self.current.written + self.buffer.len() as u64
    }

    pub fn put_page(
        &mut self,
        outcome: &[u8],
        packed: Option<&Packed>,
    ) -> Result<Place, SpoolError> {
        let (offset, start) = (self.current_len(), self.buffer.len());
        self.current.pen().page(&mut self.buffer, self.last + 1, outcome, packed)?;
        self.last += 1;
        let length = (self.buffer.len() - start) as u32;
        if self.buffer.len() > MOST_BUFFERED {
            self.flush()?;
        }
        Ok(Place { segment: self.current.number, length, offset })
    }

    pub fn put_journal(&mut self, applied: u64, mark: &[u8]) {
        self.current.pen().journal(&mut self.buffer, applied, mark);
    }

    /// Hands everything to the operating system in one write.
    pub fn flush(&mut self) -> Result<(), SpoolError> {
        if self.current.synced.has_failed() {
            return Err(SpoolError::Poisoned);
        }
        self.current.write(&self.buffer)?;
        self.flushed = self.last;
        self.buffer.clear();
        self.buffer.shrink_to(MOST_BUFFERED);
        Ok(())
    }

    pub fn syncer(&self) -> SpoolSyncer {
        self.current.syncer(self.flushed)
    }

    /// Begins a new segment, whose journal stands for that of all older ones. Those are durable
    /// before it exists, so only the newest can ever have a torn end.
    pub fn rotate(&mut self, applied: u64, mark: &[u8]) -> Result<(), SpoolError> {
        self.flush()?;
        self.syncer().run()?;
        let next = Segment::begin(&self.folder, self.current.number + 1, applied, mark)?;
        let full = std::mem::replace(&mut self.current, next);
        self.older.push_back(Full { number: full.number, seed: full.seed, last: self.last });
        Ok(())
    }

    /// Deletes what only pages up to `applied` needed; that must be in the journal, durably.
    /// One after the other, since after a hole in the row nobody could tell what is missing.
    pub fn forget(&mut self, applied: u64) -> Result<(), SpoolError> {
        while let Some(full) = self.older.pop_front_if(|full| full.last <= applied) {
            self.reader.take_if(|(number, _)| *number == full.number);
            let path = segment_path(&self.folder, full.number);
            fs::remove_file(&path).map_err(SpoolError::io(&path, "delete"))?;
            sync_folder(&self.folder)?;
        }
        Ok(())
    }

    /// Reads a record that was flushed.
    pub fn read(&mut self, place: Place, record: &mut Vec<u8>) -> Result<(), SpoolError> {
        let path = self.path_of(place);
        let seed = self.seed_of(place).ok_or_else(|| no_record(&path, place))?;
        record.resize(place.length as usize, 0);
        let file = match place.segment == self.current.number {
            true => &*self.current.file,
            false => open_once(&mut self.reader, place.segment, &path)?,
        };
        file.read_exact_at(record, place.offset).map_err(SpoolError::io(&path, "read"))?;
        match is_good(record, seed) {
            true => Ok(()),
            false => Err(no_record(&path, place)),
        }
    }

    pub fn path_of(&self, place: Place) -> PathBuf {
        segment_path(&self.folder, place.segment)
    }

    fn seed_of(&self, place: Place) -> Option<Seed> {
        if place.segment == self.current.number {
            return Some(self.current.seed);
        }
        self.older.iter().find(|full| full.number == place.segment).map(|full| full.seed)
    }
}

fn no_record(path: &Path, place: Place) -> SpoolError {
    SpoolError::damaged(path, place.offset, "no record where one was written")
}

fn open_once<'a>(
    reader: &'a mut Option<(u32, File)>,
    number: u32,
    path: &Path,
) -> Result<&'a File, SpoolError> {
    reader.take_if(|(open, _)| *open != number);
    let (_, file) = match reader {
        Some(open) => open,
        None => {
            let file = File::open(path).map_err(SpoolError::io(path, "open"))?;
            reader.insert((number, file))
        }
    };
    Ok(file)
}

impl Segment {
    /// Makes a segment that has nothing but a journal record, durably. What lies at its path is
    /// the rest of an attempt to do the same.
    pub fn begin(
        folder: &Path,
        number: u32,
        applied: u64,
        mark: &[u8],
    ) -> Result<Segment, SpoolError> {
        let seed = Seed::random();
        let mut bytes = header(seed);
        Pen { seed, synced: HEADER as u64 }.journal(&mut bytes, applied, mark);
        let mut segment = Segment::open(folder, number, seed, 0)?;
        segment.write(&bytes)?;
        segment.syncer(applied).run()?;
        sync_folder(folder)?;
        Ok(segment)
    }

    /// Cuts a segment back to `end`, and makes the rest durable: all that is found in it will be
    /// handed out as if it had just been synced.
    pub fn go_on(folder: &Path, number: u32, seed: Seed, end: u64) -> Result<Segment, SpoolError> {
        let segment = Segment::open(folder, number, seed, end)?;
        segment.syncer(0).run()?;
        sync_folder(folder)?;
        Ok(segment)
    }

    fn open(folder: &Path, number: u32, seed: Seed, end: u64) -> Result<Segment, SpoolError> {
        let path = segment_path(folder, number);
        let file = File::options().read(true).append(true).create(true).open(&path);
        let file = file.map_err(SpoolError::io(&path, "open"))?;
        file.set_len(end).map_err(SpoolError::io(&path, "cut"))?;
        let synced = Arc::new(Synced::default());
        Ok(Segment { number, path, seed, file: Arc::new(file), written: end, synced })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SpoolError> {
        (&*self.file).write_all(bytes).map_err(SpoolError::io(&self.path, "write"))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    fn syncer(&self, seq: u64) -> SpoolSyncer {
        SpoolSyncer {
            path: self.path.clone(),
            file: self.file.clone(),
            written: self.written,
            seq,
            synced: self.synced.clone(),
        }
    }

    fn pen(&self) -> Pen {
        Pen { seed: self.seed, synced: self.synced.upto() }
    }
}
