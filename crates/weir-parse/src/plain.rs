//! Resolves the usual forms of links by copying: no allocation, no URL parser.
//!
//! Whatever is not plainly safe is left to the `url` crate, so this may only answer where both
//! agree; the property test in `plain_tests.rs` holds it to that.

use url::Url;

use crate::canonical::{MAX_URL, RULED_IN_PATHS, Rules, is_http, is_ruled, write_origin};
use crate::text::Text;

/// The parts of a base URL, cut once a page.
#[derive(Default)]
pub(crate) struct Base {
    scheme: String,
    origin: String,
    path: String,
    /// How much of the path is the directory, with the closing slash.
    directory: usize,
    /// With `?`, or empty.
    query: String,
    /// Some rule of the canonical form may be about the path.
    ruled: bool,
    usable: bool,
}

/// What is known of a text that was put together.
#[derive(Clone, Copy)]
struct Done {
    path_end: usize,
    /// Some rule of the canonical form may be about its path.
    ruled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The canonical text is in `out`.
    Resolved,
    /// It leads nowhere that is crawled.
    Refused,
    /// Ask the URL parser.
    Unsure,
}

impl Base {
    pub fn set(&mut self, url: &Url) {
        self.usable = is_http(url);
        for part in [&mut self.scheme, &mut self.origin, &mut self.path, &mut self.query] {
            part.clear();
        }
        self.scheme.push_str(url.scheme());
        write_origin(url, &mut self.origin);
        self.path.push_str(url.path());
        self.directory = self.path.rfind('/').map_or(0, |at| at + 1);
        self.ruled = is_ruled(&self.path);
        if let Some(query) = url.query() {
            self.query.push('?');
            self.query.push_str(query);
        }
    }

    /// A link as it stands in the page, which is mostly what is meant: nothing in it stands for something else but `&amp;`, and nothing
    /// is to be cut off.
    pub fn resolve_raw(
        &self,
        raw: &[u8],
        rules: &Rules,
        text: &mut Text,
        out: &mut String,
    ) -> Answer {
        let Some(link) = bare(raw) else {
            return match std::str::from_utf8(raw) {
                Ok(link) if memchr::memchr(b'&', raw).is_none() => self.resolve(link, rules, out),
                _ => Answer::Unsure,
            };
        };
        match memchr::memchr(b'&', raw) {
            None => self.resolve_bare(link, rules, out),
            Some(_) => match text.ampersands(link) {
                Some(link) => self.resolve_bare(link, rules, out),
                None => Answer::Unsure,
            },
        }
    }

    /// A link whose references are undone.
    pub fn resolve(&self, link: &str, rules: &Rules, out: &mut String) -> Answer {
        // A NUL is none yet: in a page it stands for U+FFFD, which is not white space.
        let link = link.trim_matches(|c| c <= ' ' && c != '\0');
        let link = match memchr::memchr(b'#', link.as_bytes()) {
            Some(at) => &link[..at],
            None => link,
        };
        self.resolve_bare(link, rules, out)
    }

    fn resolve_bare(&self, link: &str, rules: &Rules, out: &mut String) -> Answer {
        if !self.usable || link.len() > MAX_URL {
            return Answer::Unsure;
        }
        out.clear();
        let done = match scheme(link) {
            Some("http" | "https") => self.absolute(link, out),
            Some(other) if !is_http_name(other) => return Answer::Refused,
            Some(_) => None,
            None => self.relative(link, out),
        };
        let Some(done) = done else { return Answer::Unsure };
        if done.ruled || done.path_end < out.len() {
            rules.finish(out, done.path_end);
        }
        if out.len() <= MAX_URL { Answer::Resolved } else { Answer::Refused }
    }

    fn absolute(&self, link: &str, out: &mut String) -> Option<Done> {
        if let Some(rest) = link.strip_prefix(self.origin.as_str())
            && (rest.is_empty() || rest.starts_with(['/', '?']))
        {
            out.push_str(&self.origin);
            return rooted(rest, out);
        }
        let (scheme, rest) = link.split_once(':')?;
        authority(scheme, rest.strip_prefix("//")?, out)
    }

    fn relative(&self, link: &str, out: &mut String) -> Option<Done> {
        if let Some(rest) = link.strip_prefix("//") {
            let after_scheme = &self.origin[self.scheme.len() + 1..];
            return match link.strip_prefix(after_scheme) {
                Some(path) if path.is_empty() || path.starts_with(['/', '?']) => {
                    out.push_str(&self.origin);
                    rooted(path, out)
                }
                _ => authority(&self.scheme, rest, out),
            };
        }
        out.push_str(&self.origin);
        match link.as_bytes().first() {
            None => {
                out.push_str(&self.path);
                let path_end = out.len();
                out.push_str(&self.query);
                Some(Done { path_end, ruled: self.ruled })
            }
            Some(b'/') => rooted(link, out),
            Some(b'?') => {
                out.push_str(&self.path);
                self.behind(path_and_query(link, out)?)
            }
            Some(_) => {
                let (directory, rest) = climb(&self.path[..self.directory], link)?;
                out.push_str(directory);
                self.behind(path_and_query(rest, out)?)
            }
        }
    }

    /// A part of the base's path stands before.
    fn behind(&self, done: Done) -> Option<Done> {
        Some(Done { ruled: done.ruled | self.ruled, ..done })
    }
}

/// The text, if all of it is visible ASCII without a fragment.
fn bare(raw: &[u8]) -> Option<&str> {
    // No byte ends the look, so that many are looked at at a time.
    let is_bare =
        raw.iter().fold(true, |all, byte| all & matches!(byte, 0x21..=0x7E) & (*byte != b'#'));
    // SAFETY: each byte was found to be between 0x21 and 0x7E, and ASCII is UTF-8. (To check it as UTF-8 once more took 2 % of the
    // processor time of a crawl.)
    is_bare.then(|| unsafe { std::str::from_utf8_unchecked(raw) })
}

/// Takes `./` and `../` off the link, going up for each of the latter. `None` where the URL parser
/// does not: it keeps a segment that looks like a drive of Windows.
fn climb<'a>(mut directory: &'a str, mut link: &'a str) -> Option<(&'a str, &'a str)> {
    loop {
        if let Some(rest) = link.strip_prefix("./") {
            link = rest;
        } else if let Some(rest) = link.strip_prefix("../") {
            link = rest;
            // One slash only comes off: an empty segment is a segment.
            let inner = directory.strip_suffix('/').unwrap_or(directory);
            let slash = memchr::memrchr(b'/', inner.as_bytes());
            let (parent, last) = inner.split_at(slash.map_or(0, |at| at + 1));
            if matches!(last.as_bytes(), [_, b':' | b'|']) {
                return None;
            }
            directory = if parent.is_empty() { "/" } else { parent };
        } else {
            return Some((directory, link));
        }
    }
}

/// The scheme the link starts with, as written.
fn scheme(link: &str) -> Option<&str> {
    let bytes = link.as_bytes();
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let in_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let end = bytes.iter().position(|byte| !in_scheme(byte))?;
    (bytes[end] == b':').then(|| &link[..end])
}

fn is_http_name(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// `rest` is behind `//`.
fn authority(scheme: &str, rest: &str, out: &mut String) -> Option<Done> {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(plain_port(port)?)),
        None => (authority, None),
    };
    if !is_plain_host(host) {
        return None;
    }
    out.push_str(scheme);
    out.push_str("://");
    out.push_str(host);
    let default = if scheme == "https" { "443" } else { "80" };
    if let Some(port) = port.filter(|port| *port != default) {
        out.push(':');
        out.push_str(port);
    }
    rooted(rest, out)
}

fn plain_port(port: &str) -> Option<&str> {
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    (digits && port.len() <= 4 && !port.is_empty() && !port.starts_with('0')).then_some(port)
}

/// A name that is neither an address nor anything international domain names would change.
fn is_plain_host(host: &str) -> bool {
    let mut last = host;
    let plain = host.split('.').all(|label| {
        last = label;
        let inner = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        (1..=63).contains(&label.len())
            && label.bytes().all(inner)
            && !label.starts_with('-')
            && !label.ends_with('-')
            && !label.contains("--")
    });
    plain && host.len() <= 253 && last.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// `rest` starts with `/` or `?`, or is empty.
fn rooted(rest: &str, out: &mut String) -> Option<Done> {
    out.push('/');
    path_and_query(rest.strip_prefix('/').unwrap_or(rest), out)
}

/// Copies what stands behind a slash, if both path and query can be copied as they are.
fn path_and_query(rest: &str, out: &mut String) -> Option<Done> {
    let bytes = rest.as_bytes();
    let (path_len, ruled) = plain_path(bytes)?;
    let query = &bytes[path_len..];
    if !query.iter().all(|byte| CLASSES[*byte as usize] & QUERY != 0) {
        return None;
    }
    let path_end = out.len() + path_len;
    out.push_str(rest);
    Some(Done { path_end, ruled })
}

/// How long the path is, to `?` or the end, and whether rules are about it. `None` if a segment
/// starts with a dot, plain or encoded, or a byte is not plain.
fn plain_path(bytes: &[u8]) -> Option<(usize, bool)> {
    let mut before = b'/';
    let mut classes = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let class = CLASSES[byte as usize];
        classes |= class;
        match class {
            _ if class & PATH != 0 => {}
            _ if byte == b'?' => return Some((at, classes & RULED != 0)),
            _ if byte == b'.' && before != b'/' => {}
            _ if byte == b'%' && !encodes_dot(&bytes[at..]) => {}
            _ => return None,
        }
        before = byte;
    }
    Some((bytes.len(), classes & RULED != 0))
}

fn encodes_dot(bytes: &[u8]) -> bool {
    bytes.get(1) == Some(&b'2') && matches!(bytes.get(2), Some(b'e' | b'E'))
}

const PATH: u8 = 1;
const QUERY: u8 = 2;
const RULED: u8 = 4;

/// Bytes that the URL parser copies without a change. `.` and `%` in paths need a closer look.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        if (byte as u8).is_ascii_alphanumeric() {
            classes[byte] = PATH | QUERY;
        }
        byte += 1;
    }
    let both = b"-_~!$&()*+,;=:@/";
    let mut at = 0;
    while at < both.len() {
        classes[both[at] as usize] = PATH | QUERY;
        at += 1;
    }
    let query = b".%?[]|";
    at = 0;
    while at < query.len() {
        classes[query[at] as usize] |= QUERY;
        at += 1;
    }
    at = 0;
    while at < RULED_IN_PATHS.len() {
        classes[RULED_IN_PATHS[at] as usize] |= RULED;
        at += 1;
    }
    classes
};

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
