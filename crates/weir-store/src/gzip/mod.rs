mod bits;
mod codes;
mod fast;
mod search;
#[cfg(test)]
mod tests;

use std::io::Write;

use fast::Fast;
use flate2::Compression;
use flate2::write::GzEncoder;
use libdeflater::{CompressionLvl, Compressor};

/// Makes gzip members, each whole in itself. Keeps its tables and buffer between uses.
pub(crate) struct Gzip {
    fast: Fast,
    squeeze: Compressor,
    store: Compressor,
    room: Vec<u8>,
}

/// Whether a member is worth the time of compressing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    Squeeze,
    /// The content is compressed already: wrapped, checksummed, and left as it is.
    Store,
}

/// The buffer is given back after a page larger than this, so that one huge page does not keep
/// its memory for the rest of the crawl.
pub(crate) const KEEP_BUFFER: usize = 4 << 20;

impl Gzip {
    /// libdeflate's level 1: faster than zlib's and a quarter smaller (`docs/formats/warc.md`).
    /// For what our own coder, which is faster still, does not suit.
    const LEVEL: i32 = 1;

    pub fn new() -> Self {
        let at = |level| Compressor::new(CompressionLvl::new(level).expect("0 and 1 are levels"));
        Gzip { fast: Fast::new(), squeeze: at(Self::LEVEL), store: at(0), room: Vec::new() }
    }

    /// Appends `plain` to `out` as one member and returns the member's length.
    pub fn member(&mut self, plain: &[u8], effort: Effort, out: &mut Vec<u8>) -> usize {
        let length = match effort {
            Effort::Squeeze if Fast::suits(plain) => {
                self.fast(plain).unwrap_or_else(|| self.whole(plain, effort))
            }
            _ => self.whole(plain, effort),
        };
        out.extend_from_slice(&self.room[..length]);
        if self.room.len() > KEEP_BUFFER {
            self.room = Vec::new();
        }
        length
    }

    /// A member in `room`, if our own coder does well on it.
    fn fast(&mut self, plain: &[u8]) -> Option<usize> {
        make_room(&mut self.room, HEAD.len() + Fast::bound(plain.len()) + 8);
        let end = HEAD.len() + self.fast.deflate(plain, &mut self.room[HEAD.len()..])?;
        self.room[..HEAD.len()].copy_from_slice(&HEAD);
        self.room[end..end + 4].copy_from_slice(&crc32fast::hash(plain).to_le_bytes());
        self.room[end + 4..end + 8].copy_from_slice(&(plain.len() as u32).to_le_bytes());
        Some(end + 8)
    }

    /// A member in `room` by libdeflate.
    fn whole(&mut self, plain: &[u8], effort: Effort) -> usize {
        let compressor = match effort {
            Effort::Squeeze => &mut self.squeeze,
            Effort::Store => &mut self.store,
        };
        let bound = compressor.gzip_compress_bound(plain.len());
        make_room(&mut self.room, bound);
        compressor
            .gzip_compress(plain, self.room.as_mut_slice())
            .expect("the room is as large as the compressor's own bound")
    }
}

/// Appends one member made of `parts` to `out` and returns its length. Slower than
/// [`Gzip::member`], with no buffer of its own: for what is too large to have it twice.
pub(crate) fn stream(parts: &[&[u8]], effort: Effort, out: &mut Vec<u8>) -> usize {
    let start = out.len();
    let level = match effort {
        Effort::Squeeze => Compression::fast(),
        Effort::Store => Compression::none(),
    };
    let mut encoder = GzEncoder::new(&mut *out, level);
    for part in parts {
        encoder.write_all(part).expect("writing to memory cannot fail");
    }
    encoder.finish().expect("writing to memory cannot fail");
    out.len() - start
}

fn make_room(room: &mut Vec<u8>, bound: usize) {
    if room.len() < bound {
        room.resize(bound, 0);
    }
}

/// Deflate, no name, no date, fastest, from no system in particular.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255];
