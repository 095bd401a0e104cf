//! What a page declares in its first bytes: the standard's "prescan a byte stream".

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memmem};

/// Declarations further on are not looked for.
pub(crate) const WINDOW: usize = 1024;

pub(crate) fn encoding(start: &[u8]) -> Option<&'static Encoding> {
    if start.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if start.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    declared_by_meta(start).or_else(|| declared_by_xml(start))
}

fn declared_by_meta(start: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while let Some(step) = memchr(b'<', start.get(at..)?) {
        at += step + 1;
        let rest = start.get(at..)?;
        at = if rest.starts_with(b"!--") {
            // The dashes of the start may be those of the end.
            at + 1 + memmem::find(&rest[1..], b"-->")? + 3
        } else if is_meta(rest) {
            let mut meta = Meta::default();
            let end = attributes(start, at + 4, |name, value| meta.add(name, value))?;
            if let Some(encoding) = meta.encoding() {
                return Some(encoding);
            }
            end
        } else if is_tag(rest) {
            let name = rest.iter().position(|byte| is_space(*byte) || *byte == b'>')?;
            attributes(start, at + name, |_, _| {})?
        } else if matches!(rest.first(), Some(b'!' | b'/' | b'?')) {
            at + memchr(b'>', rest)? + 1
        } else {
            at
        };
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    let ends = |byte: &u8| is_space(*byte) || *byte == b'/';
    rest.len() > 4 && rest[..4].eq_ignore_ascii_case(b"meta") && ends(&rest[4])
}

fn is_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"/").unwrap_or(rest);
    name.first().is_some_and(u8::is_ascii_alphabetic)
}

/// The attributes of one `meta`, in lower case.
#[derive(Default)]
pub(crate) struct Meta {
    seen: Vec<Vec<u8>>,
    got_pragma: bool,
    need_pragma: Option<bool>,
    charset: Option<Option<&'static Encoding>>,
}

impl Meta {
    pub fn add(&mut self, name: Vec<u8>, value: Vec<u8>) {
        if self.seen.contains(&name) {
            return;
        }
        match name.as_slice() {
            b"http-equiv" => self.got_pragma |= value == b"content-type",
            b"content" if self.charset.is_none() => {
                if let Some(encoding) = from_content(&value) {
                    self.charset = Some(Some(encoding));
                    self.need_pragma = Some(true);
                }
            }
            b"charset" => {
                self.charset = Some(Encoding::for_label(&value));
                self.need_pragma = Some(false);
            }
            _ => {}
        }
        self.seen.push(name);
    }

    pub fn encoding(&self) -> Option<&'static Encoding> {
        let need_pragma = self.need_pragma?;
        if need_pragma && !self.got_pragma {
            return None;
        }
        adjusted(self.charset??)
    }
}

/// A page that could be read this far is not in UTF-16, and `x-user-defined` is a leftover.
fn adjusted(encoding: &'static Encoding) -> Option<&'static Encoding> {
    Some(match encoding {
        _ if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        _ if encoding == encoding_rs::X_USER_DEFINED => WINDOWS_1252,
        _ => encoding,
    })
}

/// "Extracting a character encoding from a `meta` element": `text/html; charset=x`.
fn from_content(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        let at = memmem::find(rest, b"charset")?; // names and values are in lower case here
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            return Encoding::for_label(label(value.trim_ascii_start())?);
        }
    }
}

fn label(value: &[u8]) -> Option<&[u8]> {
    match value.first()? {
        quote @ (b'"' | b'\'') => {
            let inner = &value[1..];
            memchr(*quote, inner).map(|end| &inner[..end])
        }
        _ => {
            let ends = |byte: &u8| is_space(*byte) || *byte == b';';
            Some(&value[..value.iter().position(ends).unwrap_or(value.len())])
        }
    }
}

/// Reads attributes in lower case until `>`; returns the position of it. `None` at the end.
fn attributes(
    start: &[u8],
    mut at: usize,
    mut each: impl FnMut(Vec<u8>, Vec<u8>),
) -> Option<usize> {
    loop {
        while is_space(*start.get(at)?) || start[at] == b'/' {
            at += 1;
        }
        if start[at] == b'>' {
            return Some(at);
        }
        let name_from = at;
        at += 1; // a name may begin with `=`
        while !matches!(*start.get(at)?, b'=' | b'/' | b'>') && !is_space(start[at]) {
            at += 1;
        }
        let name = start[name_from..at].to_ascii_lowercase();
        at = skip_space(start, at)?;
        if start[at] != b'=' {
            each(name, Vec::new());
            continue;
        }
        at = skip_space(start, at + 1)?;
        let (value, end) = value(start, at)?;
        each(name, value.to_ascii_lowercase());
        at = end;
    }
}

fn value(start: &[u8], at: usize) -> Option<(&[u8], usize)> {
    match start[at] {
        quote @ (b'"' | b'\'') => {
            let end = at + 1 + memchr(quote, &start[at + 1..])?;
            Some((&start[at + 1..end], end + 1))
        }
        _ => {
            let ends = |byte: &u8| is_space(*byte) || *byte == b'>';
            let end = at + start[at..].iter().position(ends)?;
            Some((&start[at..end], end))
        }
    }
}

fn skip_space(start: &[u8], mut at: usize) -> Option<usize> {
    while is_space(*start.get(at)?) {
        at += 1;
    }
    Some(at)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'\x0C')
}

/// `<?xml ... encoding="x" ...>` at the very start.
fn declared_by_xml(start: &[u8]) -> Option<&'static Encoding> {
    let rest = start.strip_prefix(b"<?xml")?;
    let declaration = &rest[..memchr(b'>', rest)?];
    let at = memmem::find(declaration, b"encoding")?;
    let value = declaration[at + 8..].trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let quote = *value.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
    let inner = &value[1..];
    adjusted(Encoding::for_label(&inner[..memchr(quote, inner)?])?)
}
