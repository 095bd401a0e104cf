//! The canonical form of a URL, by which "seen before?" is decided; the rules and their reasons are
//! in `docs/canonical.md`. A new rule goes into `Rules::finish`, which every URL passes that a rule may be about.

mod lists;
mod path;
mod percent;
mod query;
mod rules;

use std::sync::LazyLock;

use thiserror::Error;
use url::Url;

use crate::standard;

pub use rules::Rules;

/// Longer URLs are refused: four times what the most cautious browser took.
pub const MAX_URL: usize = 4 * 2083;

/// Why a text is no URL that can be crawled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Invalid {
    #[error("{text:?} is not a URL: {why}")]
    NotUrl { text: String, why: url::ParseError },
    #[error("{0}: is not crawled, only http: and https: are")]
    Scheme(String),
    #[error("a URL of {0} bytes is longer than the {MAX_URL} that are crawled")]
    TooLong(usize),
}

/// The canonical text of a URL by the default rules; see [`Rules::canonical`].
pub fn canonical(url: &Url) -> String {
    DEFAULT.canonical(url)
}

/// The canonical text of `text` by the default rules; see [`Rules::canonicalize`].
pub fn canonicalize(text: &str, base: Option<&Url>) -> Result<String, Invalid> {
    DEFAULT.canonicalize(text, base)
}

static DEFAULT: LazyLock<Rules> = LazyLock::new(Rules::default);

impl Rules {
    /// The canonical text of a URL that was parsed already. It is meant for http and https; of any
    /// other URL only the fragment is removed.
    pub fn canonical(&self, url: &Url) -> String {
        let mut out = String::new();
        match self.write(url, &mut out) {
            Ok(()) | Err(Invalid::TooLong(_)) => out,
            Err(_) => url.as_str().split('#').next().unwrap_or_default().to_owned(),
        }
    }

    /// The canonical text of `text`, resolved against `base` if there is one.
    pub fn canonicalize(&self, text: &str, base: Option<&Url>) -> Result<String, Invalid> {
        let url = standard::parse(text, base);
        let url = url.map_err(|why| Invalid::NotUrl { text: shown(text), why })?;
        let mut out = String::new();
        self.write(&url, &mut out)?;
        Ok(out)
    }

    /// Puts the canonical text of `url` into `out`. User, password and fragment are left out.
    pub(crate) fn write(&self, url: &Url, out: &mut String) -> Result<(), Invalid> {
        out.clear();
        if !is_http(url) {
            return Err(Invalid::Scheme(shown(url.scheme())));
        }
        write_origin(url, out);
        out.push_str(url.path());
        let path_end = out.len();
        if let Some(query) = url.query() {
            out.push('?');
            out.push_str(query);
        }
        if path_end < out.len() || is_ruled(url.path()) {
            self.finish(out, path_end);
        }
        if out.len() > MAX_URL { Err(Invalid::TooLong(out.len())) } else { Ok(()) }
    }

    /// The last step, whichever way a URL was resolved: `text` is its WHATWG serialisation without
    /// user and fragment, and its query, if it has one, starts with the `?` at `path_end`. Only
    /// URLs with a query or a path that [`is_ruled`] need it.
    pub(crate) fn finish(&self, text: &mut String, path_end: usize) {
        if self.is_plain() {
            return;
        }
        // Escapes first, because the names that are looked for may be hidden in them.
        let path_end = percent::normalise(text, path_end);
        self.strip_query(text, path_end);
        path::strip_sessions(text, path_end);
    }
}

/// Bytes without which no rule is about a path.
pub(crate) const RULED_IN_PATHS: [u8; 3] = *b"%;(";

/// Whether some rule may be about the path.
pub(crate) fn is_ruled(path: &str) -> bool {
    path.bytes().any(|byte| RULED_IN_PATHS.contains(&byte))
}

/// `scheme://host` and the port, if it is not the scheme's own.
pub(crate) fn write_origin(url: &Url, out: &mut String) {
    out.push_str(url.scheme());
    out.push_str("://");
    out.push_str(url.host_str().unwrap_or_default());
    if let Some(port) = url.port() {
        out.push(':');
        out.push_str(&port.to_string());
    }
}

pub(crate) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Enough of a text for a message.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests;
