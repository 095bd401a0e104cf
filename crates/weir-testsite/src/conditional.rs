//! `etag` and `last-modified`, and what comes back of them.

use crate::item::write_number;
use crate::request::Request;

/// Pages never change, so any fixed day does.
pub(crate) const LAST_MODIFIED: &[u8] = b"Wed, 01 Jan 2025 00:00:00 GMT";

/// Appends the tag of an item. It is weak because the same tag serves for every coding.
pub(crate) fn write_etag(out: &mut Vec<u8>, seed: u64, host: usize, number: u32, edition: u32) {
    out.extend_from_slice(b"W/\"");
    for part in [seed as u32, host as u32, number] {
        write_number(out, part);
        out.push(b'-');
    }
    out.pop();
    if edition > 0 {
        out.push(b'.');
        write_number(out, edition);
    }
    out.push(b'"');
}

/// Whether the client has this version already. A tag goes before a time, as RFC 9110 says.
pub(crate) fn is_known(request: &Request, etag: &[u8]) -> bool {
    match (request.if_none_match, request.if_modified_since) {
        (Some(tags), _) => {
            tags == b"*" || tags.split(|b| *b == b',').any(|t| t.trim_ascii() == etag)
        }
        (None, Some(time)) => time == LAST_MODIFIED,
        (None, None) => false,
    }
}
