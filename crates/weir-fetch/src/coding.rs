//! Content codings undone, with a bound on what comes out.

mod brotli;

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead, Read};

use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

/// A body without its content codings, as far as they could be undone.
#[derive(Debug)]
pub struct Decoded<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// Whether there was more than the limit.
    pub cut: bool,
    /// What was wrong. `bytes` then holds the part before it, or the body as it came.
    pub problem: Option<String>,
}

/// More codings on one body than this are nobody's honest doing.
const MOST_CODINGS: usize = 4;

/// Undoes the codings named in a `Content-Encoding` header, last first. Each step gives at most
/// `limit` bytes, and of a bomb much less; memory stays within a small multiple of it.
pub fn decode<'a>(body: &'a [u8], content_encoding: Option<&str>, limit: usize) -> Decoded<'a> {
    let mut decoded = Decoded { bytes: Cow::Borrowed(body), cut: false, problem: None };
    let codings: Vec<&str> = content_encoding.map(named).unwrap_or_default();
    if codings.len() > MOST_CODINGS {
        decoded.problem = Some(format!("{} content codings", codings.len()));
        return decoded;
    }
    for coding in codings.into_iter().rev() {
        if decoded.problem.is_some() || decoded.bytes.is_empty() {
            break;
        }
        undo(coding, &mut decoded, limit);
    }
    if decoded.bytes.len() > limit {
        decoded.cut = true;
        decoded.bytes = Cow::Owned(decoded.bytes[..limit].to_vec());
    }
    decoded
}

fn named(header: &str) -> Vec<&str> {
    let names = header.split(',').map(str::trim);
    names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity")).collect()
}

fn undo(coding: &str, decoded: &mut Decoded<'_>, limit: usize) {
    let used = Cell::new(0);
    let mut out = Out { bytes: Vec::new(), limit, used: &used, is_bomb: false };
    let input = Input { rest: &decoded.bytes, used: &used };
    let result = match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => gunzip(input, &mut out),
        "deflate" => inflate(input, &mut out),
        "br" => unbrotli(input, &mut out),
        "zstd" => unzstd(input, &mut out),
        _ => Err(io::Error::other("unknown content coding")),
    };
    // Of a body that was cut before it came here, the end of the input is no news.
    decoded.problem = result.err().map(|error| format!("{coding}: {error}"));
    if !out.bytes.is_empty() || decoded.problem.is_none() {
        decoded.cut |= out.is_full();
        out.bytes.truncate(limit);
        decoded.bytes = Cow::Owned(out.bytes);
    }
}

const BROTLI_BUFFER: usize = 8 * 1024;

/// The decoder fills its window before it gives out anything, up to 16 MiB at once. So a bomb has to
/// be known by what it says it will be.
fn unbrotli(input: Input<'_>, out: &mut Out<'_>) -> io::Result<()> {
    if brotli::has_large_window(input.rest) {
        return Err(io::Error::other("a window beyond 16 MiB, which no HTTP has"));
    }
    let claimed = brotli::first_length(input.rest).unwrap_or(0);
    if claimed > HARMLESS && claimed / MOST_GROWTH > input.rest.len() {
        return Err(io::Error::other(format!("{claimed} bytes out of {}", input.rest.len())));
    }
    out.fill(brotli_decompressor::Decompressor::new(input, BROTLI_BUFFER))
}

/// What is decoded, and a count of the bytes that were taken of it.
#[derive(Clone, Copy)]
struct Input<'a> {
    rest: &'a [u8],
    used: &'a Cell<usize>,
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.used.set(self.used.get() + count);
        Ok(count)
    }
}

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.rest)
    }

    fn consume(&mut self, count: usize) {
        self.used.set(self.used.get() + count);
        self.rest.consume(count);
    }
}

/// What has been decoded: one byte more than the limit shows that there was more.
struct Out<'a> {
    bytes: Vec<u8>,
    limit: usize,
    used: &'a Cell<usize>,
    is_bomb: bool,
}

const STEP: u64 = 256 * 1024;
/// Beyond this size, what grows a hundredfold is no page.
const HARMLESS: usize = 1 << 20;
const MOST_GROWTH: usize = 100;

impl Out<'_> {
    /// Reads to the end or past the limit. What came before an error stays.
    fn fill(&mut self, mut reader: impl Read) -> io::Result<()> {
        loop {
            let room = (self.limit + 1 - self.bytes.len()) as u64;
            let count = reader.by_ref().take(room.min(STEP)).read_to_end(&mut self.bytes)?;
            let decoded = self.bytes.len();
            self.is_bomb = decoded > HARMLESS && decoded / MOST_GROWTH > self.used.get();
            if count == 0 || self.is_full() {
                return Ok(());
            }
        }
    }

    fn is_full(&self) -> bool {
        self.bytes.len() > self.limit || self.is_bomb
    }
}

/// One member after the other. Bytes after the last that are no member are ignored, as browsers do.
fn gunzip(mut input: Input<'_>, out: &mut Out<'_>) -> io::Result<()> {
    loop {
        let mut decoder = GzDecoder::new(input);
        out.fill(&mut decoder)?;
        input = decoder.into_inner();
        if out.is_full() || !input.rest.starts_with(&GZIP_MAGIC) {
            return Ok(());
        }
    }
}

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// `deflate` means a zlib stream, but some servers send it bare.
fn inflate(input: Input<'_>, out: &mut Out<'_>) -> io::Result<()> {
    let is_zlib = matches!(input.rest, [first, second, ..]
        if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0);
    if is_zlib {
        let result = out.fill(ZlibDecoder::new(input));
        if result.is_ok() || !out.bytes.is_empty() {
            return result;
        }
    }
    out.fill(DeflateDecoder::new(input))
}

/// One frame after the other.
fn unzstd(mut input: Input<'_>, out: &mut Out<'_>) -> io::Result<()> {
    while !input.rest.is_empty() && !out.is_full() {
        let decoder = StreamingDecoder::new_with_max_window_size(&mut input, ZSTD_WINDOW);
        out.fill(decoder.map_err(io::Error::other)?)?;
    }
    Ok(())
}

/// Nothing comes out before a window is full, so a larger one makes a few bytes take any amount of
/// memory. No web server may ask for more (RFC 9659).
const ZSTD_WINDOW: u64 = 8 << 20;

#[cfg(test)]
mod tests;
