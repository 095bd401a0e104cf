use libdeflater::{CompressionLvl, Compressor};

/// Makes gzip members, each whole in itself. Keeps its tables and buffer between uses.
pub(crate) struct Gzip {
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
    const LEVEL: i32 = 1;

    pub fn new() -> Self {
        let at = |level| Compressor::new(CompressionLvl::new(level).expect("0 and 1 are levels"));
        Gzip { squeeze: at(Self::LEVEL), store: at(0), room: Vec::new() }
    }

    /// Appends `plain` to `out` as one member and returns the member's length.
    pub fn member(&mut self, plain: &[u8], effort: Effort, out: &mut Vec<u8>) -> usize {
        let compressor = match effort {
            Effort::Squeeze => &mut self.squeeze,
            Effort::Store => &mut self.store,
        };
        let bound = compressor.gzip_compress_bound(plain.len());
        if self.room.len() < bound {
            self.room.resize(bound, 0);
        }
        let length = compressor
            .gzip_compress(plain, self.room.as_mut_slice())
            .expect("the room is as large as the compressor's own bound");
        out.extend_from_slice(&self.room[..length]);
        if self.room.len() > KEEP_BUFFER {
            self.room = Vec::new();
        }
        length
    }
}
