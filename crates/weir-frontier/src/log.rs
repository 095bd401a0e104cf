//! The append-only log: frames of records, each frame a transaction. The page to read beside this
//! is docs/formats/frontier.md.

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use weir_types::codec::Reader;

use crate::FrontierError;
use crate::blocks::Blocks;
use crate::record::Record;

/// Its name in the folder.
pub const FILE: &str = "log";
const MAGIC: &[u8; 8] = b"WEIRLOG\x01";
const FRAME_MAGIC: [u8; 4] = *b"WLF1";
const FRAME_HEAD: usize = 20;
/// Records of one frame: what its length can say. A turn of a crawl takes some kilobytes, a new round of all sites at once
/// some 25 bytes for each of their URLs.
const LARGEST_FRAME: usize = u32::MAX as usize;
/// What is searched at a time for frames behind a place that cannot be read.
const CHUNK: usize = 1 << 20;
/// Enough for nearly all records, so that reading one back is one system call.
const USUAL_RECORD: usize = 320;

/// The links of a page may be many. More than this is read of no place: nothing says that a record stands there.
const LARGEST_RECORD: usize = 1 << 28;

/// Writes records at the end and reads single ones back by position.
pub struct Log {
    path: PathBuf,
    file: Arc<File>,
    /// Length of the file; what is behind it is only in `buffer`.
    written: u64,
    /// Up to here log and output are known to be on disk for good.
    synced: u64,
    /// The next frame: room for its head, then its records.
    buffer: Vec<u8>,
    largest_frame: usize,
    blocks: RefCell<Blocks>,
}

impl Log {
    /// `end` is where the last good frame ends; what follows is cut off.
    pub fn open(path: &Path, end: u64, synced: u64) -> Result<Log, FrontierError> {
        let cannot = |what| move |source| FrontierError::io(what, path, source);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(cannot("open"))?;
        let mut written = end;
        if end < MAGIC.len() as u64 {
            file.set_len(0).map_err(cannot("start"))?;
            file.write_all(MAGIC).map_err(cannot("write"))?;
            written = MAGIC.len() as u64;
        } else {
            file.set_len(end).map_err(cannot("cut"))?;
        }
        file.seek(SeekFrom::Start(written)).map_err(cannot("open"))?;
        let file = Arc::new(file);
        let (path, buffer, blocks) = (path.to_owned(), empty_frame(), RefCell::default());
        let largest_frame = LARGEST_FRAME;
        Ok(Log { path, file, written, synced, buffer, largest_frame, blocks })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a record into the next frame; returns where it will stand.
    pub fn append(&mut self, record: &Record<'_>) -> u64 {
        let position = self.written + self.buffer.len() as u64;
        record.put(&mut self.buffer);
        position
    }

    /// Bytes of records that the next frame has so far.
    pub fn unwritten(&self) -> usize {
        self.buffer.len() - FRAME_HEAD
    }

    /// Hands the frame to the operating system: from here on, a killed process loses none of it.
    pub fn write(&mut self) -> Result<(), FrontierError> {
        let bytes = self.unwritten();
        if bytes == 0 {
            return Ok(());
        }
        if bytes > self.largest_frame {
            let most = self.largest_frame;
            return Err(FrontierError::TooMuch { path: self.path.clone(), bytes, most });
        }
        seal(&mut self.buffer, self.synced);
        let written = (&*self.file).write_all(&self.buffer);
        written.map_err(|source| FrontierError::io("write", &self.path, source))?;
        self.written += self.buffer.len() as u64;
        self.buffer.truncate(FRAME_HEAD);
        self.buffer.shrink_to(1 << 20);
        Ok(())
    }

    pub fn syncer(&self) -> LogSyncer {
        LogSyncer { path: self.path.clone(), file: self.file.clone(), upto: self.written }
    }

    /// Says that everything before `upto` is on disk for good, output included.
    pub fn synced(&mut self, upto: u64) {
        self.synced = self.synced.max(upto);
    }

    /// Calls `with` on the record that stands at `position`.
    pub fn read<T>(
        &self,
        position: u64,
        with: impl FnOnce(Record<'_>) -> T,
    ) -> Result<T, FrontierError> {
        if let Some(offset) = position.checked_sub(self.written) {
            let record = self.buffer.get(offset as usize..);
            let record = record.and_then(|bytes| Record::take(&mut Reader::new(bytes)));
            return record.map(with).ok_or_else(|| self.no_record(position));
        }
        let cannot = |source| FrontierError::io("read", &self.path, source);
        let mut blocks = self.blocks.borrow_mut();
        let bytes = blocks.at(&self.file, position, self.written).map_err(cannot)?;
        if let Some(record) = Record::take(&mut Reader::new(bytes)) {
            return Ok(with(record));
        }
        // It goes on in the next block.
        let read = read_at(&self.file, position, with).map_err(cannot)?;
        read.ok_or_else(|| self.no_record(position))
    }

    pub fn no_record(&self, at: u64) -> FrontierError {
        let why = "no record where one should stand".to_owned();
        FrontierError::Damaged { path: self.path.clone(), at, why }
    }
}

/// Makes what was written durable; runs on any thread while the log goes on.
pub struct LogSyncer {
    path: PathBuf,
    file: Arc<File>,
    upto: u64,
}

impl LogSyncer {
    /// Returns the position up to which the log is now durable.
    pub fn run(&self) -> Result<u64, FrontierError> {
        let synced = self.file.sync_data();
        synced.map_err(|source| FrontierError::io("sync", &self.path, source))?;
        Ok(self.upto)
    }
}

/// Where reading a log ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogEnd {
    /// The end of the last good frame (0: no log at all).
    pub end: u64,
    /// The last position that a frame says was synced.
    pub synced: u64,
    /// Bytes behind `end` that are no good frame: a write that was cut short.
    pub torn: u64,
}

/// Reads all good frames before `until` in order and calls `visit` with each record and its
/// position.
pub fn scan(
    path: &Path,
    until: u64,
    mut visit: impl FnMut(u64, Record<'_>),
) -> Result<LogEnd, FrontierError> {
    let cannot = |source| FrontierError::io("read", path, source);
    let file = match File::open(path) {
        Ok(file) => file,
        Err(why) if why.kind() == io::ErrorKind::NotFound => {
            return Ok(LogEnd { end: 0, synced: 0, torn: 0 });
        }
        Err(why) => return Err(cannot(why)),
    };
    let len = file.metadata().map_err(cannot)?.len();
    let mut input = BufReader::with_capacity(1 << 20, file);
    let mut magic = [0; MAGIC.len()];
    if len < MAGIC.len() as u64 {
        return Ok(LogEnd { end: 0, synced: 0, torn: len });
    }
    input.read_exact(&mut magic).map_err(cannot)?;
    if &magic != MAGIC {
        let why = "this is no frontier log of a version that this weir knows".to_owned();
        return Err(FrontierError::Damaged { path: path.to_owned(), at: 0, why });
    }
    let mut end = MAGIC.len() as u64;
    let mut synced = 0;
    let mut frame = Vec::new();
    while end < until && read_frame(&mut input, len - end, &mut frame).map_err(cannot)? {
        visit_frame(&frame, end, &mut visit).map_err(|(at, why)| FrontierError::Damaged {
            path: path.to_owned(),
            at,
            why,
        })?;
        synced = synced_of(&frame);
        end += frame.len() as u64;
    }
    let torn = len.min(until).saturating_sub(end);
    if torn > 0 {
        refuse_damage(path, end, input.get_ref())?;
    }
    Ok(LogEnd { end, synced, torn })
}

/// Reads the record at `position` of a log that someone else may be writing.
pub fn read_one<T>(
    path: &Path,
    position: u64,
    with: impl FnOnce(Record<'_>) -> Option<T>,
) -> Result<Option<T>, FrontierError> {
    let file = File::open(path).and_then(|file| read_at(&file, position, with));
    file.map(Option::flatten).map_err(|source| FrontierError::io("read", path, source))
}

/// False where no good frame follows.
fn read_frame(input: &mut impl Read, left: u64, frame: &mut Vec<u8>) -> io::Result<bool> {
    if left < FRAME_HEAD as u64 {
        return Ok(false);
    }
    frame.resize(FRAME_HEAD, 0);
    input.read_exact(frame)?;
    let Some(len) = frame_len(frame).filter(|len| *len as u64 <= left) else { return Ok(false) };
    frame.resize(len, 0);
    input.read_exact(&mut frame[FRAME_HEAD..])?;
    Ok(is_good(frame))
}

fn visit_frame(
    frame: &[u8],
    start: u64,
    visit: &mut impl FnMut(u64, Record<'_>),
) -> Result<(), (u64, String)> {
    let mut reader = Reader::new(&frame[FRAME_HEAD..]);
    while !reader.is_empty() {
        let position = start + (frame.len() - reader.left()) as u64;
        // The checksum was right, so this is not damage but a record of a later version.
        let record = Record::take(&mut reader)
            .ok_or_else(|| (position, "a record of a kind this weir does not know".to_owned()))?;
        visit(position, record);
    }
    Ok(())
}

/// A write cut short by a crash can only be at the end. If a good frame that was written after
/// this place had been synced stands behind it, the file was damaged later, and going on would
/// throw away pages that were safe.
fn refuse_damage(path: &Path, end: u64, file: &File) -> Result<(), FrontierError> {
    let cannot = |source| FrontierError::io("read", path, source);
    let len = file.metadata().map_err(cannot)?.len();
    let mut chunk = vec![0; CHUNK + FRAME_HEAD];
    let mut at = end + 1;
    while at < len {
        let got = read_some(file, &mut chunk, at).map_err(cannot)?;
        for (head, place) in chunk[..got].windows(FRAME_HEAD).zip(at..at + CHUNK as u64) {
            if head[..4] == FRAME_MAGIC && is_later(file, head, place, end, len).map_err(cannot)? {
                let why = "a frame that was safely on disk cannot be read any more".to_owned();
                return Err(FrontierError::Damaged { path: path.to_owned(), at: end, why });
            }
        }
        at += CHUNK as u64;
    }
    Ok(())
}

/// Whether a good frame with this head is at `place`, and was written after all before `end` had been synced. What a website
/// brought cannot make us read much: it does not know these two.
fn is_later(file: &File, head: &[u8], place: u64, end: u64, len: u64) -> io::Result<bool> {
    let synced = synced_of(head);
    let size = frame_len(head).filter(|size| *size as u64 <= len - place);
    let Some(size) = size.filter(|_| end < synced && synced <= place) else { return Ok(false) };
    let mut frame = vec![0; size];
    file.read_exact_at(&mut frame, place)?;
    Ok(is_good(&frame))
}

fn read_at<T>(
    file: &File,
    position: u64,
    with: impl FnOnce(Record<'_>) -> T,
) -> io::Result<Option<T>> {
    let mut small = [0u8; USUAL_RECORD];
    let got = read_some(file, &mut small, position)?;
    if let Some(record) = Record::take(&mut Reader::new(&small[..got])) {
        return Ok(Some(with(record)));
    }
    let mut size = 1 << 20;
    while size <= LARGEST_RECORD {
        let mut large = vec![0; size];
        let got = read_some(file, &mut large, position)?;
        if let Some(record) = Record::take(&mut Reader::new(&large[..got])) {
            return Ok(Some(with(record)));
        }
        if got < size {
            break;
        }
        size <<= 4;
    }
    Ok(None)
}

fn read_some(file: &File, buffer: &mut [u8], position: u64) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match file.read_at(&mut buffer[got..], position + got as u64)? {
            0 => break,
            more => got += more,
        }
    }
    Ok(got)
}

fn empty_frame() -> Vec<u8> {
    vec![0; FRAME_HEAD]
}

/// Fills in the head: magic, length of the records, checksum, and what was synced so far.
fn seal(frame: &mut [u8], synced: u64) {
    let len =
        u32::try_from(frame.len() - FRAME_HEAD).expect("a frame that is too large is refused");
    frame[0..4].copy_from_slice(&FRAME_MAGIC);
    frame[4..8].copy_from_slice(&len.to_le_bytes());
    frame[12..20].copy_from_slice(&synced.to_le_bytes());
    let sum = crc32fast::hash(&frame[12..]);
    frame[8..12].copy_from_slice(&sum.to_le_bytes());
}

fn frame_len(head: &[u8]) -> Option<usize> {
    if head.len() < FRAME_HEAD || head[..4] != FRAME_MAGIC {
        return None;
    }
    let len = u32::from_le_bytes(head[4..8].try_into().ok()?) as usize;
    (len > 0).then_some(len + FRAME_HEAD)
}

fn is_good(frame: &[u8]) -> bool {
    frame[8..12] == crc32fast::hash(&frame[12..]).to_le_bytes()
}

fn synced_of(frame: &[u8]) -> u64 {
    u64::from_le_bytes(frame[12..20].try_into().expect("a frame has a whole head"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(value: &[u8]) -> Record<'_> {
        Record::Note { key: "k", value }
    }

    fn values(path: &Path) -> (Vec<Vec<u8>>, LogEnd) {
        let mut values = Vec::new();
        let end = scan(path, u64::MAX, |_, record| match record {
            Record::Note { value, .. } => values.push(value.to_vec()),
            other => panic!("{other:?}"),
        });
        (values, end.unwrap())
    }

    /// Three frames: `a b`, `c`, `d`.
    fn three_frames(path: &Path) -> Vec<u64> {
        let mut log = Log::open(path, 0, 0).unwrap();
        let mut ends = Vec::new();
        for frame in [&[b"a", b"b"][..], &[b"c"], &[b"d"]] {
            for value in frame {
                log.append(&note(*value));
            }
            log.write().unwrap();
            ends.push(log.written);
        }
        ends
    }

    #[test]
    fn a_frame_is_there_whole_or_not_at_all_wherever_the_file_is_cut() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let ends = three_frames(&path);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            let whole = ends.iter().filter(|end| **end <= cut as u64).count();
            let (found, end) = values(&path);
            assert_eq!(found.len(), [0, 2, 3, 4][whole], "cut at {cut}");
            assert_eq!(end.end + end.torn, cut as u64);
            let mut log = Log::open(&path, end.end, 0).unwrap();
            log.append(&note(b"z"));
            log.write().unwrap();
            assert_eq!(values(&path).0.last().unwrap(), b"z", "cut at {cut}");
        }
    }

    #[test]
    fn damage_before_synced_frames_is_refused_and_not_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let ends = three_frames(&path);
        let end = values(&path).1.end;
        let mut log = Log::open(&path, end, 0).unwrap();
        log.synced(log.syncer().run().unwrap());
        log.append(&note(b"after the sync"));
        log.write().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[ends[0] as usize + FRAME_HEAD] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        let refused = scan(&path, u64::MAX, |_, _| {});
        assert!(matches!(refused, Err(FrontierError::Damaged { at, .. }) if at == ends[0]));
    }

    #[test]
    fn a_good_frame_is_found_however_far_behind_the_damage_it_is() {
        for hole in [1, CHUNK - FRAME_HEAD, CHUNK - 1, CHUNK, CHUNK + 1, 65 << 20] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("log");
            let end = *three_frames(&path).last().unwrap();
            let behind = end + hole as u64;
            let mut log = Log::open(&path, behind, behind).unwrap();
            log.append(&note(b"after the sync"));
            log.write().unwrap();
            let refused = scan(&path, u64::MAX, |_, _| {});
            let is_refused = matches!(refused, Err(FrontierError::Damaged { at, .. }) if at == end);
            assert!(is_refused, "{hole} bytes: {refused:?}");
        }
    }

    #[test]
    fn what_a_website_brought_is_not_taken_for_a_frame() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut frame = empty_frame();
        note(b"from a robots.txt").put(&mut frame);
        for synced in [0, u64::MAX] {
            seal(&mut frame, synced);
            let mut log = Log::open(&path, 0, 0).unwrap();
            log.append(&note(&frame));
            log.write().unwrap();
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
            assert_eq!(values(&path).1.end, MAGIC.len() as u64, "it was cut short by a crash");
        }
    }

    #[test]
    fn a_frame_that_could_not_be_read_back_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = Log { largest_frame: 1000, ..Log::open(&path, 0, 0).unwrap() };
        log.append(&note(b"small"));
        log.write().unwrap();
        while log.unwritten() <= 1000 {
            log.append(&note(b"one more"));
        }
        let before = std::fs::read(&path).unwrap();
        for _ in ["", "nor a second time"] {
            let refused = log.write().unwrap_err();
            assert!(matches!(refused, FrontierError::TooMuch { most: 1000, .. }), "{refused}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
        let mut head = empty_frame();
        head[..4].copy_from_slice(&FRAME_MAGIC);
        head[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(frame_len(&head), Some(LARGEST_FRAME + FRAME_HEAD), "the largest can be read");
    }

    #[test]
    fn records_read_back_by_position_from_memory_and_from_disk() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::open(&dir.path().join("log"), 0, 0).unwrap();
        let lens = [5, 100_000, 2 << 20];
        let positions = lens.map(|len| log.append(&note(&vec![7; len])));
        for _ in ["in memory", "on disk"] {
            let read = positions.map(|position| {
                log.read(position, |record| match record {
                    Record::Note { value, .. } => value.len(),
                    other => panic!("{other:?}"),
                })
            });
            assert_eq!(read.map(Result::unwrap), lens);
            log.write().unwrap();
        }
    }
}
