//! What is kept of a page for the next time it is asked for: how the server knows whether it has
//! changed since, and how we do.

use http::header::{ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderValue, StatusCode};
use weir_types::Page;

use crate::freshness::{Changes, millis};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visit {
    /// When the payload came, in milliseconds since 1970; it may have been visited since.
    pub at_ms: u64,
    /// As the server wrote them.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// `sha1:BASE32` of the payload, or `xxh3:HEX` where nothing is stored.
    pub digest: String,
    pub changes: Changes,
}

/// A longer one is no name for a version, but a payload.
pub const LONGEST: usize = 512;
/// Most notes of visits fit.
const USUAL_NOTE: usize = 256;

impl Visit {
    /// How many a visit takes in a note; `lost.rs` has what may come after them.
    pub const LINES: usize = 5;

    /// Of a page that came whole, but for its digest and its changes. `None` if nothing could be made of it
    /// the next time. Only a page that is there can be asked for on condition that it is another.
    pub fn of(page: &Page) -> Option<Visit> {
        if page.cut.is_some() {
            return None;
        }
        let header = |name: HeaderName| {
            let text = page.headers.get(name)?.to_str().ok()?.trim();
            let is_there = page.status == StatusCode::OK;
            (is_there && !text.is_empty() && text.len() <= LONGEST).then(|| text.to_owned())
        };
        let (etag, last_modified) = (header(ETAG), header(LAST_MODIFIED));
        let at_ms = millis(page.fetched_at);
        Some(Visit { at_ms, etag, last_modified, ..Visit::default() })
    }

    /// The server can tell whether the page has changed.
    pub fn has_validators(&self) -> bool {
        self.etag.is_some() || self.last_modified.is_some()
    }

    /// When the page was changed last, as the server says.
    pub fn modified_ms(&self) -> Option<u64> {
        let at = httpdate::parse_http_date(self.last_modified.as_deref()?).ok()?;
        Some(millis(at))
    }

    /// What a request says, so that an answer comes only if there is another one than the last time.
    pub fn conditions(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, text) in [(IF_NONE_MATCH, &self.etag), (IF_MODIFIED_SINCE, &self.last_modified)]
        {
            if let Some(value) = text.as_deref().and_then(|it| HeaderValue::from_str(it).ok()) {
                headers.insert(name, value);
            }
        }
        headers
    }

    /// For the note that the frontier keeps: a line each.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Visit { at_ms, etag, last_modified, digest, changes } = self;
        let etag = etag.as_deref().unwrap_or_default();
        let modified = last_modified.as_deref().unwrap_or_default();
        let mut text = String::with_capacity(USUAL_NOTE);
        for line in [itoa::Buffer::new().format(*at_ms), etag, modified, digest] {
            text.push_str(line);
            text.push('\n');
        }
        changes.write_line(&mut text);
        text.into_bytes()
    }

    /// `None` for what no visit wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Visit> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split('\n');
        let at_ms = lines.next()?.parse().ok()?;
        let mut text = || lines.next().map(str::to_owned);
        let (etag, last_modified, digest) = (text()?, text()?, text()?);
        // Versions before 0.2 wrote no such line.
        let changes = lines.next().and_then(Changes::from_line).unwrap_or_default();
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Some(Visit { at_ms, etag: some(etag), last_modified: some(last_modified), digest, changes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_reads_back_as_written_and_becomes_conditions() {
        let whole = Visit {
            at_ms: 1_800_000_000_000,
            etag: Some("W/\"a b\"".into()),
            last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT".into()),
            digest: "sha1:X".into(),
            changes: Changes { visits: 3, changes: 1, text: 0xfe, ..Changes::default() },
        };
        assert_eq!(whole.modified_ms(), Some(784_111_777_000));
        let older = "5\n\n\nsha1:X";
        assert_eq!(Visit::from_bytes(older.as_bytes()).unwrap().changes, Changes::default());
        let bare = Visit { etag: None, last_modified: None, ..whole.clone() };
        for visit in [&whole, &bare] {
            assert_eq!(Visit::from_bytes(&visit.to_bytes()).as_ref(), Some(visit));
        }
        assert_eq!(whole.conditions().len(), 2);
        assert_eq!(whole.conditions()[IF_NONE_MATCH], "W/\"a b\"");
        assert!(bare.conditions().is_empty());
        for spoiled in [&b""[..], b"x\n\n\n", b"5\na", b"\xff"] {
            assert_eq!(Visit::from_bytes(spoiled), None, "{spoiled:?}");
        }
    }
}
