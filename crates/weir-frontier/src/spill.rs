//! Scratch files that hold the far part of long queues. They are no part of the truth: the log
//! is, and on opening they are made anew.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::FrontierError;
use crate::queues::Entry;

const ENTRY_BYTES: usize = 24;

/// Writes one scratch file after the other.
pub struct Spill {
    folder: PathBuf,
    files: u64,
}

/// A scratch file; it is deleted when the last stretch in it is used up. It is not kept open: there may
/// be more of them than a process may have open files.
struct Scratch {
    path: PathBuf,
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nothing depends on it: opening clears the folder.
        if let Err(why) = fs::remove_file(&self.path) {
            debug_assert_eq!(why.kind(), io::ErrorKind::NotFound);
        }
    }
}

/// The sorted entries of one host in one scratch file, read from the front.
pub struct Stretch {
    scratch: Arc<Scratch>,
    next: u64,
    end: u64,
    /// The entry at `next`, so that comparing needs no read.
    pub head: Entry,
}

impl Spill {
    /// Clears what an earlier run left.
    pub fn open(folder: &Path) -> Result<Spill, FrontierError> {
        match fs::remove_dir_all(folder) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => {
                return Err(FrontierError::io("clear", folder, why));
            }
            _ => {}
        }
        fs::create_dir_all(folder).map_err(|why| FrontierError::io("make", folder, why))?;
        Ok(Spill { folder: folder.to_owned(), files: 0 })
    }

    /// Writes the entries of several hosts, each list sorted and not empty, and returns a stretch
    /// for each.
    pub fn write(&mut self, lists: &[&[Entry]]) -> Result<Vec<Stretch>, FrontierError> {
        self.files += 1;
        let path = self.folder.join(format!("queue-{:06}", self.files));
        let written = write_entries(&path, lists);
        written.map_err(|source| FrontierError::io("write", &path, source))?;
        let scratch = Arc::new(Scratch { path });
        let mut next = 0;
        let stretches = lists.iter().map(|list| {
            let start = next;
            next += list.len() as u64;
            Stretch { scratch: scratch.clone(), next: start, end: next, head: list[0] }
        });
        Ok(stretches.collect())
    }
}

impl Stretch {
    /// Takes up to `most` entries from the front; the stretch is gone when none is left.
    pub fn take(self, most: usize) -> Result<(Vec<Entry>, Option<Stretch>), FrontierError> {
        let count = (self.end - self.next).min(most as u64);
        let left = self.end - self.next - count;
        // One more than taken, if there is one: the head of what is left.
        let mut bytes = vec![0; (count + left.min(1)) as usize * ENTRY_BYTES];
        let scratch = &self.scratch;
        File::open(&scratch.path)
            .and_then(|file| file.read_exact_at(&mut bytes, self.next * ENTRY_BYTES as u64))
            .map_err(|source| FrontierError::io("read", &scratch.path, source))?;
        let mut entries: Vec<Entry> = bytes.chunks_exact(ENTRY_BYTES).map(get_entry).collect();
        let head = if left > 0 { entries.pop() } else { None };
        let rest = head.map(|head| Stretch { next: self.next + count, head, ..self });
        Ok((entries, rest))
    }
}

fn write_entries(path: &Path, lists: &[&[Entry]]) -> io::Result<()> {
    let file = File::options().write(true).create_new(true).open(path)?;
    let mut out = BufWriter::with_capacity(256 << 10, file);
    for entry in lists.iter().flat_map(|list| list.iter()) {
        for word in [entry.rank, entry.number, entry.position] {
            out.write_all(&word.to_le_bytes())?;
        }
    }
    out.flush()
}

fn get_entry(bytes: &[u8]) -> Entry {
    let word = |at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().expect("an entry has three words"))
    };
    Entry { rank: word(0), number: word(8), position: word(16) }
}
