use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use bytes::{Bytes, BytesMut};

/// A body on its way in. Beyond [`FEW`] bytes it waits in a file without a name, so that many long
/// bodies that come slowly take disk and not memory; only a whole body is in memory, for as long
/// as it is read.
pub struct Incoming {
    /// All of it, if it came at once.
    piece: Option<Bytes>,
    memory: BytesMut,
    file: Option<File>,
    in_file: usize,
    folder: Option<PathBuf>,
}

const FEW: usize = 256 * 1024;

impl Incoming {
    pub fn new(folder: Option<&Path>) -> Incoming {
        let folder = folder.map(Path::to_owned);
        Incoming { piece: None, memory: BytesMut::new(), file: None, in_file: 0, folder }
    }

    /// A whole body that came at once.
    pub fn at_once(piece: Bytes) -> Incoming {
        Incoming { piece: Some(piece), ..Incoming::new(None) }
    }

    pub fn is_on_disk(&self) -> bool {
        self.file.is_some()
    }

    pub fn len(&self) -> usize {
        self.in_file + self.memory.len()
    }

    pub fn reserve(&mut self, expected: usize) {
        self.memory.reserve(expected.min(FEW));
    }

    pub fn push(&mut self, data: &[u8]) {
        self.memory.extend_from_slice(data);
        // A disk that is full or gone is no reason to lose the page: memory will do.
        if self.memory.len() > FEW && self.folder.is_some() && self.spill().is_err() {
            self.folder = None;
        }
    }

    /// All of it; `Err` if what went to disk cannot be had back.
    pub fn whole(mut self) -> io::Result<Bytes> {
        if let Some(piece) = self.piece {
            return Ok(piece);
        }
        let Some(mut file) = self.file.take() else { return Ok(self.memory.freeze()) };
        let mut whole = Vec::with_capacity(self.len());
        file.rewind()?;
        file.take(self.in_file as u64).read_to_end(&mut whole)?;
        if whole.len() < self.in_file {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        whole.extend_from_slice(&self.memory);
        Ok(whole.into())
    }

    fn spill(&mut self) -> io::Result<()> {
        let file = match (&mut self.file, &self.folder) {
            (Some(file), _) => file,
            (None, Some(folder)) => self.file.insert(tempfile::tempfile_in(folder)?),
            (None, None) => return Ok(()),
        };
        file.write_all(&self.memory)?;
        self.in_file += self.memory.len();
        self.memory.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(folder: Option<&Path>, size: usize) -> usize {
        let mut incoming = Incoming::new(folder);
        let bytes: Vec<u8> = (0..size).map(|at| (at % 251) as u8).collect();
        let mut most = 0;
        for part in bytes.chunks(10_000) {
            incoming.push(part);
            most = most.max(incoming.memory.len());
        }
        assert_eq!(incoming.len(), size);
        assert!(incoming.whole().unwrap() == bytes);
        most
    }

    #[test]
    fn a_long_body_waits_on_disk_and_comes_back_whole() {
        let dir = tempfile::tempdir().unwrap();
        for size in [0, 1000, FEW, FEW + 1, 3_000_000] {
            assert!(whole(Some(dir.path()), size) <= FEW + 10_000);
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0, "it has no name");
    }

    #[test]
    fn without_a_disk_it_stays_in_memory() {
        assert_eq!(whole(None, 3_000_000), 3_000_000);
        assert_eq!(whole(Some(Path::new("/no/such/folder")), 3_000_000), 3_000_000);
    }
}
