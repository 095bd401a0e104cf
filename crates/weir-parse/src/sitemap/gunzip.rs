use std::io::{self, BufRead, BufReader, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

/// Some servers compress what was compressed already.
const MAX_LAYERS: usize = 3;

/// The body without gzip, which is known by its first bytes: what is read of it, packed or not, is
/// at most `limit` bytes; more is an error, and so is a broken stream.
pub(super) fn unpacked<'b>(body: &'b [u8], limit: usize) -> Box<dyn Read + 'b> {
    let mut layer: Box<dyn Read + 'b> = Box::new(Bounded { inner: body, left: limit, limit });
    for _ in 0..MAX_LAYERS {
        let mut start = Vec::new();
        let failure = layer.by_ref().take(2).read_to_end(&mut start).err();
        let packed = start == [0x1F, 0x8B];
        layer = Box::new(Resumed { start: Cursor::new(start), failure, rest: layer });
        if !packed {
            break;
        }
        let inner = Gzip(MultiGzDecoder::new(BufReader::new(layer)));
        layer = Box::new(Bounded { inner, left: limit, limit });
    }
    layer
}

/// Fails behind `limit` bytes, if there is more.
struct Bounded<R> {
    inner: R,
    left: usize,
    limit: usize,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.left == 0 {
            return match self.inner.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(format!(
                    "more than {} bytes: the rest is not read",
                    self.limit
                ))),
            };
        }
        let room = out.len().min(self.left);
        let read = self.inner.read(&mut out[..room])?;
        self.left -= read;
        Ok(read)
    }
}

/// Says of a failure that it was gzip's.
struct Gzip<R>(MultiGzDecoder<R>);

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out).map_err(|error| match error.kind() {
            io::ErrorKind::Other => error,
            io::ErrorKind::UnexpectedEof => io::Error::other("the gzip stream is cut off"),
            _ => io::Error::other(format!("the gzip stream is broken: {error}")),
        })
    }
}

/// A layer whose first bytes were read, and perhaps the failure that was met.
struct Resumed<'b> {
    start: Cursor<Vec<u8>>,
    failure: Option<io::Error>,
    rest: Box<dyn Read + 'b>,
}

impl Read for Resumed<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.start.read(out)? {
            0 if !out.is_empty() => match self.failure.take() {
                Some(failure) => Err(failure),
                None => self.rest.read(out),
            },
            read => Ok(read),
        }
    }
}
