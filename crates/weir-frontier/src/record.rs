//! What stands in the log, record by record. The layout is described in docs/formats/frontier.md;
//! a change of meaning needs a new tag, because old logs stay readable.

use weir_types::codec::{Reader, put_bytes, put_number};
use weir_types::{Fingerprint, Skip};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record<'a> {
    /// Hosts are numbered in the order they appear.
    Host { site: &'a str, name: &'a str },
    /// URLs are numbered in the order they appear.
    Add(Add<'a>),
    /// A URL that was found and left out for good.
    Skip { fingerprint: Fingerprint, skip: Skip },
    /// Its response is in the store.
    Kept(Kept),
    /// It will not be asked for (again).
    Dropped { number: u64, host: u32, skip: Option<Skip>, at_ms: u64, why: &'a str },
    /// It waits again, not before `due_ms`, with `attempts` made so far.
    Retry { number: u64, attempts: u32, due_ms: u64, why: &'a str },
    /// A small value under a name; the last one counts.
    Note { key: &'a str, value: &'a [u8] },
    /// What is known of a host, opaque here; the last one counts.
    HostNote { host: u32, value: &'a [u8] },
    /// It was read for what it lists, and is no page of the output.
    Read { number: u64, host: u32, listed: u64, at_ms: u64 },
    /// It was settled and waits again.
    Again(Again),
    /// What is worth knowing when the URL is asked for once more, opaque here; the last one counts.
    UrlNote { number: u64, value: &'a [u8] },
    /// It is nearer to the seeds than it was added with; the last one counts.
    Nearer { number: u64, host: u32, depth: u32 },
    /// A URL that is no business of this frontier, but led to some that are.
    Elsewhere { url: &'a str },
    /// Where a URL leads, as far as that was known: see [`crate::ways`].
    Links { number: u64, to: &'a [u8] },
}

/// A URL that is asked for once more. What became of it the last time is said here, because its host
/// no longer counts it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Again {
    pub number: u64,
    pub host: u32,
    pub was: Settled,
    /// Where its note stands in the log, if it has one.
    pub note: Option<u64>,
}

/// How a URL was settled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Settled {
    Kept { status: u16, bytes_wire: u64, bytes_body: u64 },
    Read,
    Dropped { skip: Option<Skip> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Add<'a> {
    pub fingerprint: Fingerprint,
    pub host: u32,
    pub score: f32,
    pub depth: u32,
    pub redirects: u32,
    /// Where the record of the page that led here stands in the log.
    pub parent: Option<u64>,
    pub url: &'a str,
    pub kind: UrlKind,
    /// Seconds since 1970, as a sitemap says.
    pub lastmod_s: Option<u32>,
}

/// What is asked for under a URL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum UrlKind {
    #[default]
    Page = 0,
    /// A list of pages, read and not kept.
    Sitemap = 1,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    pub number: u64,
    pub host: u32,
    pub status: u16,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    pub at_ms: u64,
}

const HOST: u8 = 1;
const ADD: u8 = 2;
const SKIP: u8 = 3;
const KEPT: u8 = 4;
const DROPPED: u8 = 5;
const RETRY: u8 = 6;
const NOTE: u8 = 7;
const HOST_NOTE: u8 = 8;
/// An `ADD` with more about it; most URLs have nothing more.
const ADD_MORE: u8 = 9;
const READ: u8 = 10;
const AGAIN: u8 = 11;
const URL_NOTE: u8 = 12;
const NEARER: u8 = 13;
const ELSEWHERE: u8 = 14;
const LINKS: u8 = 15;

/// The kinds of [`Settled`].
const WAS_KEPT: u8 = 0;
const WAS_READ: u8 = 1;
const WAS_DROPPED: u8 = 2;

impl<'a> Record<'a> {
    pub fn put(&self, out: &mut Vec<u8>) {
        match *self {
            Record::Host { site, name } => {
                out.push(HOST);
                put_bytes(out, site.as_bytes());
                put_bytes(out, name.as_bytes());
            }
            Record::Add(add) => {
                let more = add.kind != UrlKind::Page || add.lastmod_s.is_some();
                out.push(if more { ADD_MORE } else { ADD });
                add.put(out);
                if more {
                    out.push(add.kind as u8);
                    put_number(out, add.lastmod_s.map_or(0, |at| u64::from(at) + 1));
                }
            }
            Record::Skip { fingerprint, skip } => {
                out.push(SKIP);
                out.extend_from_slice(&fingerprint.to_bytes());
                out.push(skip as u8);
            }
            Record::Kept(kept) => {
                out.push(KEPT);
                kept.put(out);
            }
            Record::Dropped { number, host, skip, at_ms, why } => {
                out.push(DROPPED);
                put_number(out, number);
                put_number(out, u64::from(host));
                out.push(skip.map_or(0, |skip| skip as u8));
                put_number(out, at_ms);
                put_bytes(out, why.as_bytes());
            }
            Record::Retry { number, attempts, due_ms, why } => {
                out.push(RETRY);
                for value in [number, u64::from(attempts), due_ms] {
                    put_number(out, value);
                }
                put_bytes(out, why.as_bytes());
            }
            Record::Note { key, value } => {
                out.push(NOTE);
                put_bytes(out, key.as_bytes());
                put_bytes(out, value);
            }
            Record::HostNote { host, value } => {
                out.push(HOST_NOTE);
                put_number(out, u64::from(host));
                put_bytes(out, value);
            }
            Record::Read { number, host, listed, at_ms } => {
                out.push(READ);
                for value in [number, u64::from(host), listed, at_ms] {
                    put_number(out, value);
                }
            }
            Record::Again(again) => {
                out.push(AGAIN);
                again.put(out);
            }
            Record::UrlNote { number, value } => {
                out.push(URL_NOTE);
                put_number(out, number);
                put_bytes(out, value);
            }
            Record::Elsewhere { url } => {
                out.push(ELSEWHERE);
                put_bytes(out, url.as_bytes());
            }
            Record::Links { number, to } => {
                out.push(LINKS);
                put_number(out, number);
                put_bytes(out, to);
            }
            Record::Nearer { number, host, depth } => {
                out.push(NEARER);
                for value in [number, u64::from(host), u64::from(depth)] {
                    put_number(out, value);
                }
            }
        }
    }

    pub fn take(from: &mut Reader<'a>) -> Option<Record<'a>> {
        Some(match from.byte()? {
            HOST => Record::Host { site: from.text()?, name: from.text()? },
            ADD => Record::Add(Add::take(from)?),
            SKIP => Record::Skip { fingerprint: fingerprint(from)?, skip: skip(from)?? },
            KEPT => Record::Kept(Kept::take(from)?),
            DROPPED => Record::Dropped {
                number: from.number()?,
                host: small(from)?,
                skip: skip(from)?,
                at_ms: from.number()?,
                why: from.text()?,
            },
            RETRY => Record::Retry {
                number: from.number()?,
                attempts: small(from)?,
                due_ms: from.number()?,
                why: from.text()?,
            },
            NOTE => Record::Note { key: from.text()?, value: from.bytes()? },
            HOST_NOTE => Record::HostNote { host: small(from)?, value: from.bytes()? },
            ADD_MORE => Record::Add(Add::take(from)?.with_more(from)?),
            READ => Record::Read {
                number: from.number()?,
                host: small(from)?,
                listed: from.number()?,
                at_ms: from.number()?,
            },
            AGAIN => Record::Again(Again::take(from)?),
            URL_NOTE => Record::UrlNote { number: from.number()?, value: from.bytes()? },
            ELSEWHERE => Record::Elsewhere { url: from.text()? },
            LINKS => Record::Links { number: from.number()?, to: from.bytes()? },
            NEARER => {
                Record::Nearer { number: from.number()?, host: small(from)?, depth: small(from)? }
            }
            _ => return None,
        })
    }
}

impl Again {
    fn put(&self, out: &mut Vec<u8>) {
        put_number(out, self.number);
        put_number(out, u64::from(self.host));
        put_number(out, self.note.map_or(0, |at| at + 1));
        match self.was {
            Settled::Kept { status, bytes_wire, bytes_body } => {
                out.push(WAS_KEPT);
                for value in [u64::from(status), bytes_wire, bytes_body] {
                    put_number(out, value);
                }
            }
            Settled::Read => out.push(WAS_READ),
            Settled::Dropped { skip } => {
                out.extend_from_slice(&[WAS_DROPPED, skip.map_or(0, |skip| skip as u8)]);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Again> {
        let (number, host) = (from.number()?, small(from)?);
        let note = from.number()?.checked_sub(1);
        let was = match from.byte()? {
            WAS_KEPT => Settled::Kept {
                status: small(from)?,
                bytes_wire: from.number()?,
                bytes_body: from.number()?,
            },
            WAS_READ => Settled::Read,
            WAS_DROPPED => Settled::Dropped { skip: skip(from)? },
            _ => return None,
        };
        Some(Again { number, host, was, note })
    }
}

impl<'a> Add<'a> {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.fingerprint.to_bytes());
        put_number(out, u64::from(self.host));
        out.extend_from_slice(&self.score.to_le_bytes());
        put_number(out, u64::from(self.depth));
        put_number(out, u64::from(self.redirects));
        put_number(out, self.parent.map_or(0, |at| at + 1));
        put_bytes(out, self.url.as_bytes());
    }

    fn take(from: &mut Reader<'a>) -> Option<Add<'a>> {
        Some(Add {
            fingerprint: fingerprint(from)?,
            host: small(from)?,
            score: f32::from_le_bytes(from.array()?),
            depth: small(from)?,
            redirects: small(from)?,
            parent: from.number()?.checked_sub(1),
            url: from.text()?,
            kind: UrlKind::Page,
            lastmod_s: None,
        })
    }

    fn with_more(self, from: &mut Reader<'_>) -> Option<Add<'a>> {
        let kind = match from.byte()? {
            0 => UrlKind::Page,
            1 => UrlKind::Sitemap,
            _ => return None,
        };
        let lastmod_s = match from.number()?.checked_sub(1) {
            Some(at) => Some(u32::try_from(at).ok()?),
            None => None,
        };
        Some(Add { kind, lastmod_s, ..self })
    }
}

impl Kept {
    fn put(&self, out: &mut Vec<u8>) {
        let (host, status) = (u64::from(self.host), u64::from(self.status));
        for value in [self.number, host, status, self.bytes_wire, self.bytes_body, self.at_ms] {
            put_number(out, value);
        }
    }

    fn take(from: &mut Reader<'_>) -> Option<Kept> {
        Some(Kept {
            number: from.number()?,
            host: small(from)?,
            status: small(from)?,
            bytes_wire: from.number()?,
            bytes_body: from.number()?,
            at_ms: from.number()?,
        })
    }
}

fn fingerprint(from: &mut Reader<'_>) -> Option<Fingerprint> {
    from.array().map(Fingerprint::from_bytes)
}

/// Outer `None`: the input ended or the code is unknown; inner `None`: no reason was given.
fn skip(from: &mut Reader<'_>) -> Option<Option<Skip>> {
    match from.byte()? {
        0 => Some(None),
        code => Skip::from_code(code).map(Some),
    }
}

fn small<T: TryFrom<u64>>(from: &mut Reader<'_>) -> Option<T> {
    T::try_from(from.number()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn examples() -> Vec<Record<'static>> {
        let fingerprint = Fingerprint::of("http://a/");
        let add = Add {
            fingerprint,
            host: 300,
            score: -1.5,
            depth: 7,
            redirects: 2,
            parent: Some(0),
            url: "http://a/",
            kind: UrlKind::Page,
            lastmod_s: None,
        };
        vec![
            Record::Host { site: "a.example", name: "www.a.example" },
            Record::Add(add),
            Record::Add(Add { parent: None, ..add }),
            Record::Add(Add { kind: UrlKind::Sitemap, ..add }),
            Record::Add(Add { lastmod_s: Some(0), ..add }),
            Record::Skip { fingerprint, skip: Skip::Scope },
            Record::Kept(Kept {
                number: 9,
                host: 3,
                status: 200,
                bytes_wire: 27_000,
                bytes_body: 90_000,
                at_ms: 1 << 41,
            }),
            Record::Dropped { number: 1, host: 0, skip: Some(Skip::Robots), at_ms: 5, why: "no" },
            Record::Dropped { number: 1, host: 0, skip: None, at_ms: 5, why: "" },
            Record::Retry { number: u64::MAX, attempts: 3, due_ms: 77, why: "reset" },
            Record::Note { key: "mark", value: b"\0\xff" },
            Record::HostNote { host: 4, value: b"x" },
            Record::Read { number: 7, host: 4, listed: 50_000, at_ms: 5 },
            Record::Again(Again {
                number: 300,
                host: 4,
                was: Settled::Kept { status: 404, bytes_wire: 900, bytes_body: 0 },
                note: Some(0),
            }),
            Record::UrlNote { number: 8, value: b"tag" },
            Record::Nearer { number: 300, host: 4, depth: 2 },
            Record::Elsewhere { url: "http://b/" },
            Record::Links { number: 300, to: b"\x03\x02" },
            Record::Again(Again { number: 1, host: 0, was: Settled::Read, note: None }),
            Record::Again(Again {
                number: 1,
                host: 0,
                was: Settled::Dropped { skip: None },
                note: None,
            }),
            Record::Again(Again {
                number: 1,
                host: 0,
                was: Settled::Dropped { skip: Some(Skip::Robots) },
                note: None,
            }),
        ]
    }

    #[test]
    fn every_record_reads_back_as_written() {
        let mut bytes = Vec::new();
        examples().iter().for_each(|record| record.put(&mut bytes));
        let mut reader = Reader::new(&bytes);
        for record in examples() {
            assert_eq!(Record::take(&mut reader), Some(record));
        }
        assert!(reader.is_empty());
    }

    #[test]
    fn a_cut_record_is_refused_and_never_panics() {
        for record in examples() {
            let mut bytes = Vec::new();
            record.put(&mut bytes);
            for len in 0..bytes.len() {
                assert_eq!(Record::take(&mut Reader::new(&bytes[..len])), None, "{record:?}");
            }
        }
    }
}
