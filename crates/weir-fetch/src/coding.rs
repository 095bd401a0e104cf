//! Content codings undone, with a bound on what comes out.

use std::borrow::Cow;
use std::io::{self, Read};

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
/// `limit` bytes, and memory stays within a small multiple of it.
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
    let mut out = Out { bytes: Vec::new(), limit };
    let input: &[u8] = &decoded.bytes;
    let result = match coding.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => gunzip(input, &mut out),
        "deflate" => inflate(input, &mut out),
        "br" => out.fill(brotli_decompressor::Decompressor::new(input, BROTLI_BUFFER)),
        "zstd" => unzstd(input, &mut out),
        _ => Err(io::Error::other("unknown content coding")),
    };
    // Of a body that was cut before it came here, the end of the input is no news.
    decoded.problem = result.err().map(|error| format!("{coding}: {error}"));
    if !out.bytes.is_empty() || decoded.problem.is_none() {
        decoded.cut |= out.bytes.len() > limit;
        out.bytes.truncate(limit);
        decoded.bytes = Cow::Owned(out.bytes);
    }
}

const BROTLI_BUFFER: usize = 8 * 1024;

/// What has been decoded: one byte more than the limit shows that there was more.
struct Out {
    bytes: Vec<u8>,
    limit: usize,
}

impl Out {
    /// Reads to the end or past the limit. What came before an error stays.
    fn fill(&mut self, reader: impl Read) -> io::Result<()> {
        let room = self.limit + 1 - self.bytes.len();
        reader.take(room as u64).read_to_end(&mut self.bytes).map(drop)
    }

    fn is_full(&self) -> bool {
        self.bytes.len() > self.limit
    }
}

/// One member after the other. Bytes after the last that are no member are ignored, as browsers do.
fn gunzip(mut input: &[u8], out: &mut Out) -> io::Result<()> {
    loop {
        let mut decoder = GzDecoder::new(input);
        out.fill(&mut decoder)?;
        input = decoder.into_inner();
        if out.is_full() || !input.starts_with(&GZIP_MAGIC) {
            return Ok(());
        }
    }
}

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// `deflate` means a zlib stream, but some servers send it bare.
fn inflate(input: &[u8], out: &mut Out) -> io::Result<()> {
    let is_zlib = matches!(input, [first, second, ..]
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
fn unzstd(mut input: &[u8], out: &mut Out) -> io::Result<()> {
    while !input.is_empty() && !out.is_full() {
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
