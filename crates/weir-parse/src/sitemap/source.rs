use std::io::{self, BufRead, Read};

use encoding_rs::{Decoder, Encoding, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::gunzip;
use crate::charset::header;

const CHUNK: usize = 16 * 1024;
/// One tag, one piece of text or one line is not longer; an endless one would fill the memory.
const MAX_TOKEN: usize = 1 << 20;

/// The text of a body as UTF-8, undone chunk by chunk. A failure ends the text and is told by
/// [`Source::troubles`]; reading never fails.
pub(super) struct Source<'b> {
    raw: Box<dyn Read + 'b>,
    decoder: Decoder,
    /// Raw bytes that were read to find out the encoding.
    head: Vec<u8>,
    text: String,
    at: usize,
    since_mark: usize,
    ended: bool,
    replaced: bool,
    failure: Option<String>,
}

impl<'b> Source<'b> {
    pub fn open(body: &'b [u8], content_type: Option<&str>, limit: usize) -> Self {
        let mut failure = None;
        let mut raw = gunzip::unpacked(body, limit);
        let head = chunk(&mut raw, &mut failure);
        let decoder = encoding(&head, content_type).new_decoder_with_bom_removal();
        let ended = failure.is_some();
        let mut source = Source {
            raw,
            decoder,
            head,
            text: String::new(),
            at: 0,
            since_mark: 0,
            ended,
            replaced: false,
            failure,
        };
        source.decode_head();
        source
    }

    /// A new token begins.
    pub fn mark(&mut self) {
        self.since_mark = 0;
    }

    /// Whether the text ends before its time.
    pub fn is_cut(&self) -> bool {
        self.failure.is_some()
    }

    /// What went wrong below the text.
    pub fn troubles(&mut self) -> Vec<String> {
        let replaced = std::mem::take(&mut self.replaced);
        let replaced = replaced
            .then(|| format!("some characters are not valid {} and were replaced", self.name()));
        self.failure.take().into_iter().chain(replaced).collect()
    }

    fn name(&self) -> &'static str {
        self.decoder.encoding().name()
    }

    fn decode_head(&mut self) {
        let head = std::mem::take(&mut self.head);
        let last = self.ended || head.len() < CHUNK;
        self.ended = last;
        self.decode(&head, last);
    }

    fn decode(&mut self, bytes: &[u8], last: bool) {
        self.text.clear();
        self.at = 0;
        let room = self.decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(4 * CHUNK);
        self.text.reserve(room);
        let (_, _, replaced) = self.decoder.decode_to_string(bytes, &mut self.text, last);
        self.replaced |= replaced;
    }

    /// Decodes until there is text or the end; a chunk may hold no whole character.
    fn refill(&mut self) {
        while self.at == self.text.len() && !self.ended {
            let bytes = chunk(&mut self.raw, &mut self.failure);
            self.ended = bytes.len() < CHUNK;
            self.decode(&bytes, self.ended);
        }
    }
}

impl BufRead for Source<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.since_mark > MAX_TOKEN {
            self.failure.get_or_insert_with(|| {
                format!("a tag or text of more than {MAX_TOKEN} bytes: the rest is not read")
            });
            self.ended = true;
            self.at = self.text.len();
        }
        self.refill();
        Ok(&self.text.as_bytes()[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
        self.since_mark += amount;
    }
}

impl Read for Source<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

/// A full chunk, or less at the end or where reading failed.
fn chunk(raw: &mut dyn Read, failure: &mut Option<String>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(CHUNK);
    if let Err(error) = raw.take(CHUNK as u64).read_to_end(&mut bytes) {
        failure.get_or_insert(error.to_string());
        bytes.truncate(CHUNK - 1); // short, so that it is taken for the last
    }
    bytes
}

/// Byte order mark, header, XML declaration, else UTF-8 or what is usual where it is not that.
fn encoding(head: &[u8], content_type: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    match head {
        [0, b'<', ..] => return UTF_16BE,
        [b'<', 0, ..] => return UTF_16LE,
        _ => {}
    }
    let told = content_type.and_then(header::encoding).or_else(|| declared(head));
    // Two bytes a character cannot be: the head would have begun otherwise.
    let told = told.filter(|encoding| encoding.is_ascii_compatible() && *encoding != REPLACEMENT);
    match told {
        Some(encoding) => encoding,
        None if is_utf8(head) => UTF_8,
        None => WINDOWS_1252,
    }
}

fn declared(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.trim_ascii_start().strip_prefix(b"<?xml")?;
    let end = memchr::memmem::find(declaration, b"?>")?;
    let declaration = &declaration[..end];
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first()?;
    let label = value.split(|byte| byte == quote).next()?;
    Encoding::for_label(label)
}

/// The last character may be cut.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head)
        .err()
        .is_none_or(|error| error.error_len().is_none() && head.len() >= CHUNK)
}
