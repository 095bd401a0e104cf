//! The canonical form of a URL, by which "seen before?" is decided; the rules and their reasons are
//! in `docs/canonical.md`. A new rule goes into [`finish`], which every URL passes.

use thiserror::Error;
use url::Url;

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

/// The canonical text of a URL that was parsed already. It is meant for http and https; of any
/// other URL only the fragment is removed.
pub fn canonical(url: &Url) -> String {
    let mut out = String::new();
    match write(url, &mut out) {
        Ok(()) | Err(Invalid::TooLong(_)) => out,
        Err(_) => url.as_str().split('#').next().unwrap_or_default().to_owned(),
    }
}

/// The canonical text of `text`, resolved against `base` if there is one.
pub fn canonicalize(text: &str, base: Option<&Url>) -> Result<String, Invalid> {
    let url = Url::options().base_url(base).parse(text);
    let url = url.map_err(|why| Invalid::NotUrl { text: shown(text), why })?;
    let mut out = String::new();
    write(&url, &mut out)?;
    Ok(out)
}

/// Puts the canonical text of `url` into `out`. User, password and fragment are left out.
pub(crate) fn write(url: &Url, out: &mut String) -> Result<(), Invalid> {
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
    finish(out, path_end)
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

/// The last step for every URL, whichever way it was resolved: `text` is its WHATWG serialisation
/// without user and fragment, and its query, if it has one, starts with the `?` at `path_end`.
pub(crate) fn finish(text: &mut String, path_end: usize) -> Result<(), Invalid> {
    if text.len() == path_end + 1 {
        text.truncate(path_end); // an empty query
    }
    if text.len() > MAX_URL { Err(Invalid::TooLong(text.len())) } else { Ok(()) }
}

pub(crate) fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Enough of a text for a message.
fn shown(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_targets_have_one_text() {
        for (text, expected) in [
            ("HTTP://Example.COM:80", "http://example.com/"),
            ("https://example.com:443/a/../b/./c", "https://example.com/b/c"),
            ("http://example.com/a?#frag", "http://example.com/a"),
            ("http://example.com/a?b#", "http://example.com/a?b"),
            ("http://user:secret@example.com/", "http://example.com/"),
            ("http://example.com:8080\\a", "http://example.com:8080/a"),
            ("  http://ex\nample.com/ä b ", "http://example.com/%C3%A4%20b"),
            ("http://bücher.example/", "http://xn--bcher-kva.example/"),
            ("http://0x7f.1/", "http://127.0.0.1/"),
            ("http://[::0:1]:81/?", "http://[::1]:81/"),
        ] {
            assert_eq!(canonicalize(text, None).as_deref(), Ok(expected), "{text}");
            let url = Url::parse(text).unwrap();
            assert_eq!(canonical(&url), expected, "{text}");
            assert_eq!(canonicalize(expected, None).as_deref(), Ok(expected), "{text} again");
        }
    }

    #[test]
    fn a_relative_text_needs_a_base() {
        let base = Url::parse("http://a/b/c").unwrap();
        assert_eq!(canonicalize("../d?x", Some(&base)).as_deref(), Ok("http://a/d?x"));
        assert!(matches!(canonicalize("../d", None), Err(Invalid::NotUrl { .. })));
    }

    #[test]
    fn what_cannot_be_crawled_is_refused_with_the_reason() {
        assert_eq!(canonicalize("mailto:a@b", None), Err(Invalid::Scheme("mailto".into())));
        assert!(matches!(canonicalize("http://a b/", None), Err(Invalid::NotUrl { .. })));
        let long = format!("http://a/{}", "x".repeat(MAX_URL - 9));
        assert_eq!(canonicalize(&long, None).map(|url| url.len()), Ok(MAX_URL));
        assert_eq!(canonicalize(&(long + "x"), None), Err(Invalid::TooLong(MAX_URL + 1)));
    }
}
