//! What is kept of a page for the next time it is asked for: how the server knows whether it has
//! changed since, and how we do.

use std::time::UNIX_EPOCH;

use http::header::{ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderValue, StatusCode};
use weir_types::Page;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Visit {
    /// Milliseconds since 1970.
    pub at_ms: u64,
    /// As the server wrote them.
    pub etag: Option<String>,
    pub last_modified: Option<String>,
    /// `sha1:BASE32` of the payload.
    pub digest: String,
}

/// A longer one is no name for a version, but a payload.
const LONGEST: usize = 512;

impl Visit {
    /// Of a page that came whole, but for its digest. `None` if nothing could be made of it the next
    /// time.
    pub fn of(page: &Page) -> Option<Visit> {
        if page.status != StatusCode::OK || page.cut.is_some() {
            return None;
        }
        let header = |name: HeaderName| {
            let text = page.headers.get(name)?.to_str().ok()?.trim();
            (!text.is_empty() && text.len() <= LONGEST).then(|| text.to_owned())
        };
        let (etag, last_modified) = (header(ETAG), header(LAST_MODIFIED));
        let since = page.fetched_at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let at_ms = u64::try_from(since.as_millis()).unwrap_or(0);
        Some(Visit { at_ms, etag, last_modified, digest: String::new() })
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
        let (etag, modified) = (self.etag.as_deref(), self.last_modified.as_deref());
        let lines = [etag.unwrap_or_default(), modified.unwrap_or_default(), &self.digest];
        format!("{}\n{}", self.at_ms, lines.join("\n")).into_bytes()
    }

    /// `None` for what no visit wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Visit> {
        let mut lines = std::str::from_utf8(bytes).ok()?.split('\n');
        let at_ms = lines.next()?.parse().ok()?;
        let mut text = || lines.next().map(str::to_owned);
        let (etag, last_modified, digest) = (text()?, text()?, text()?);
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        Some(Visit { at_ms, etag: some(etag), last_modified: some(last_modified), digest })
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
        };
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
