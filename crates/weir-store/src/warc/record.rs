use std::fmt;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::digest::Digest;

/// A version 4 UUID. It must be unlike any other, not unguessable, so a fast generator does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RecordId(pub u128);

impl RecordId {
    pub fn random(random: &mut fastrand::Rng) -> Self {
        let version_and_variant = 0x4000_8000_0000_0000_0000_u128;
        let free = !0xf000_c000_0000_0000_0000_u128;
        RecordId(random.u128(..) & free | version_and_variant)
    }
}

impl fmt::Display for RecordId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = *b"<urn:uuid:00000000-0000-0000-0000-000000000000>";
        let mut place = 10;
        for nibble in 0..32 {
            if matches!(nibble, 8 | 12 | 16 | 20) {
                place += 1;
            }
            text[place] = b"0123456789abcdef"[(self.0 >> (124 - 4 * nibble) & 15) as usize];
            place += 1;
        }
        f.write_str(std::str::from_utf8(&text).expect("hexadecimal is ASCII"))
    }
}

/// Milliseconds since 1970 UTC, shown as WARC and the table want it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Date(pub i64);

impl Date {
    /// A clock set before 1970 counts as 1970: a wrong date must not cost the page.
    pub fn of(time: SystemTime) -> Self {
        let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
        Date(i64::try_from(since.as_millis()).unwrap_or(0))
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = jiff::Timestamp::from_millisecond(self.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        write!(f, "{time:.3}")
    }
}

/// Starts a record: the fields that every one has. `out` is emptied first.
pub(crate) fn begin(out: &mut Vec<u8>, kind: &str, id: RecordId, date: Date) {
    out.clear();
    put(out, format_args!("WARC/1.1\r\nWARC-Type: {kind}\r\n"));
    field(out, "WARC-Record-ID", id);
    field(out, "WARC-Date", date);
}

pub(crate) fn field(out: &mut Vec<u8>, name: &str, value: impl fmt::Display) {
    put(out, format_args!("{name}: {value}\r\n"));
}

/// A field whose value came from outside: it must not be able to start a line of its own.
pub(crate) fn foreign_field(out: &mut Vec<u8>, name: &str, value: &str) {
    if value.contains(|c: char| c.is_control()) {
        let clean = value.replace(|c: char| c.is_control(), " ");
        return field(out, name, clean);
    }
    field(out, name, value);
}

/// Ends the fields and puts the start of the block; `more` bytes of it and [`END`] follow.
pub(crate) fn block_start(out: &mut Vec<u8>, content_type: &str, start: &[u8], more: usize) {
    let length = start.len() + more;
    put(out, format_args!("Content-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n"));
    out.extend_from_slice(start);
}

/// What ends a record.
pub(crate) const END: &[u8] = b"\r\n\r\n";

/// As `block`, with its digest: for small blocks, where a hash costs next to nothing.
pub(crate) fn block_with_digest(out: &mut Vec<u8>, content_type: &str, bytes: &[u8]) {
    field(out, "WARC-Block-Digest", Digest::of(bytes));
    block_start(out, content_type, bytes, 0);
    out.extend_from_slice(END);
}

pub(crate) fn put(out: &mut Vec<u8>, text: fmt::Arguments<'_>) {
    out.write_fmt(text).expect("writing to memory cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_id_is_a_version_4_uuid() {
        let all = RecordId::random(&mut fastrand::Rng::with_seed(1)).to_string();
        assert_eq!(all.len(), 47);
        assert_eq!(&all[24..25], "4", "{all}");
        assert!("89ab".contains(&all[29..30]), "{all}");
        let known = RecordId(0x0123_4567_89ab_4def_8123_4567_89ab_cdef);
        assert_eq!(known.to_string(), "<urn:uuid:01234567-89ab-4def-8123-456789abcdef>");
    }

    #[test]
    fn dates_always_have_three_places() {
        assert_eq!(Date(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Date(1_767_225_600_120).to_string(), "2026-01-01T00:00:00.120Z");
    }

    #[test]
    fn a_foreign_value_cannot_start_a_line() {
        let mut out = Vec::new();
        foreign_field(&mut out, "via", "http://a/\r\nWARC-Type: x");
        assert_eq!(out, b"via: http://a/  WARC-Type: x\r\n");
    }
}
