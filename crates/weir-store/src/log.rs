use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::StoreError;
use crate::reopen::delete;

/// A file that only grows, and is cut back to a known length when opened. Appended bytes wait in
/// memory until they are flushed or are too many.
pub(crate) struct Log {
    path: PathBuf,
    /// Made at the first write, so that a run that keeps nothing leaves no empty files.
    file: Option<Arc<File>>,
    written: u64,
    buffer: Vec<u8>,
    limit: usize,
    /// It has bytes, or has itself come to be, since it was last made durable.
    unsynced: bool,
    new: bool,
}

/// A file with bytes that must still be made durable.
pub(crate) struct Unsynced {
    pub path: PathBuf,
    pub file: Arc<File>,
    /// Its folder does not durably know of it yet.
    pub new: bool,
}

impl Log {
    /// A log that has nothing yet; what lies at `path` is overwritten at the first write.
    pub fn new(path: PathBuf, limit: usize) -> Self {
        Log { path, file: None, written: 0, buffer: Vec::new(), limit, unsynced: false, new: true }
    }

    /// Opens the log as it was when it was `length` bytes long.
    pub fn open(path: PathBuf, length: u64, limit: usize) -> Result<Self, StoreError> {
        if length == 0 {
            delete(&path)?;
            return Ok(Log::new(path, limit));
        }
        let mut file = cut(&path, length)?;
        file.seek(SeekFrom::End(0)).map_err(StoreError::io(&path, "read"))?;
        let file = Some(Arc::new(file));
        Ok(Log { file, written: length, unsynced: true, ..Log::new(path, limit) })
    }

    /// The length with all that was appended.
    pub fn len(&self) -> u64 {
        self.written + self.buffer.len() as u64
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn append(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if self.buffer.len() + bytes.len() > self.limit {
            self.flush()?;
        }
        // What would overflow the buffer alone goes past it, so that memory stays bounded.
        if bytes.len() > self.limit {
            return self.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    /// Hands everything to the operating system; no system call when there is nothing to hand.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        let buffer = std::mem::take(&mut self.buffer);
        let done = self.write(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        done
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(Arc::new(create(&self.path)?)),
        };
        file.as_ref().write_all(bytes).map_err(StoreError::io(&self.path, "write"))?;
        self.written += bytes.len() as u64;
        self.unsynced = true;
        Ok(())
    }

    /// Reads back `out.len()` bytes that were appended at `offset`.
    pub fn read_at(
        &self,
        reader: &mut Option<File>,
        offset: u64,
        out: &mut [u8],
    ) -> Result<(), StoreError> {
        if let Some(start) = offset.checked_sub(self.written) {
            let start = start as usize;
            let bytes = self.buffer.get(start..start + out.len());
            out.copy_from_slice(bytes.ok_or_else(|| StoreError::corrupt(&self.path, "too short"))?);
            return Ok(());
        }
        // A second handle, because reading must not move the place where we write.
        let file = match reader {
            Some(file) => file,
            None => {
                reader.insert(File::open(&self.path).map_err(StoreError::io(&self.path, "open"))?)
            }
        };
        file.seek(SeekFrom::Start(offset)).map_err(StoreError::io(&self.path, "read"))?;
        file.read_exact(out).map_err(StoreError::io(&self.path, "read"))
    }

    /// The file, if it has bytes that no one made durable yet. Whoever asks must do so.
    pub fn take_unsynced(&mut self) -> Option<Unsynced> {
        let file = self.file.as_ref().filter(|_| self.unsynced)?.clone();
        self.unsynced = false;
        let new = std::mem::take(&mut self.new);
        Some(Unsynced { path: self.path.clone(), file, new })
    }
}

/// Opens `path` and makes it exactly `length` long; one that is shorter lost bytes that a mark
/// promised.
pub(crate) fn cut(path: &Path, length: u64) -> Result<File, StoreError> {
    let missing = |has: u64| {
        StoreError::corrupt(path, format!("it has {has} bytes, but {length} were committed"))
    };
    let file = match OpenOptions::new().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing(0)),
        Err(error) => return Err(StoreError::io(path, "open")(error)),
    };
    let has = file.metadata().map_err(StoreError::io(path, "read"))?.len();
    if has < length {
        return Err(missing(has));
    }
    if has > length {
        file.set_len(length).map_err(StoreError::io(path, "cut"))?;
    }
    Ok(file)
}

fn create(path: &Path) -> Result<File, StoreError> {
    let open = OpenOptions::new().write(true).create(true).truncate(true).open(path);
    open.map_err(StoreError::io(path, "create"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_cut_back_to_its_length_and_goes_on_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        let mut log = Log::new(path.clone(), 8);
        for word in ["one ", "two ", "a long word ", "lost"] {
            log.append(word.as_bytes()).unwrap();
        }
        log.flush().unwrap();
        drop(log);
        let mut log = Log::open(path.clone(), 20, 8).unwrap();
        log.append(b"kept").unwrap();
        let mut reader = None;
        for (offset, word) in [(20, b"kept"), (4, b"two ")] {
            let mut out = [0; 4];
            log.read_at(&mut reader, offset, &mut out).unwrap();
            assert_eq!(&out, word);
        }
        log.flush().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one two a long word kept");
    }

    #[test]
    fn a_log_shorter_than_promised_is_damaged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        assert!(matches!(Log::open(path.clone(), 5, 8), Err(StoreError::Corrupt { .. })));
        std::fs::write(&path, b"1234").unwrap();
        assert!(matches!(Log::open(path, 5, 8), Err(StoreError::Corrupt { .. })));
    }

    #[test]
    fn memory_stays_bounded_without_a_flush() {
        let dir = tempfile::tempdir().unwrap();
        let mut log = Log::new(dir.path().join("log"), 100);
        for _ in 0..1000 {
            log.append(&[7; 33]).unwrap();
            assert!(log.buffer.capacity() <= 400);
        }
    }
}
