//! The URL standard where the `url` crate (2.5) lags behind it.

use std::ops::Range;

use url::{EncodingOverride, ParseError, Position, Url};

/// Resolves as the standard says. Beside what the crate does, `///host/path` on an http or https
/// page is `//host/path`.
pub fn parse(text: &str, base: Option<&Url>) -> Result<Url, ParseError> {
    parse_in(text, base, None)
}

/// As [`parse`], with queries written in another encoding.
pub(crate) fn parse_in(
    text: &str,
    base: Option<&Url>,
    queries: EncodingOverride<'_>,
) -> Result<Url, ParseError> {
    let options = Url::options().base_url(base).encoding_override(queries);
    match options.parse(text) {
        Err(ParseError::EmptyHost) if base.is_some_and(is_special) => {
            options.parse(&fewer_slashes(text).ok_or(ParseError::EmptyHost)?)
        }
        result => result,
    }
}

/// The standard's text of a URL. Since 2026 it knows hosts that the crate refuses: in ASCII, but
/// with a label that is no valid international one, as `xn--a` is. These cannot be crawled, because
/// everything behind a link is done with [`Url`]; so this is for showing only.
pub fn resolve(text: &str, base: Option<&Url>) -> Result<String, ParseError> {
    match parse(text, base) {
        Err(ParseError::IdnaError) => ascii_host(text, base),
        result => result.map(String::from),
    }
}

fn is_special(base: &Url) -> bool {
    matches!(base.scheme(), "http" | "https" | "ws" | "wss" | "ftp")
}

/// `None` unless the text starts with three slashes or more, of either kind.
fn fewer_slashes(text: &str) -> Option<String> {
    let text = text.trim_start_matches(|c| c <= ' ');
    let rest = text.trim_start_matches(['/', '\\', '\t', '\n', '\r']);
    let slashes = text[..text.len() - rest.len()].matches(['/', '\\']).count();
    (slashes > 2).then(|| format!("//{rest}"))
}

/// Parses with labels that do not look international, and puts those that do back.
fn ascii_host(text: &str, base: Option<&Url>) -> Result<String, ParseError> {
    let text: String = text.chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).collect();
    let host = host_range(&text);
    let written = text[host.clone()].to_ascii_lowercase();
    let stand_in = (0..10).map(|n| format!("q{n}-")).find(|label| !written.contains(label));
    let stand_in = stand_in.filter(|_| written.is_ascii()).ok_or(ParseError::IdnaError)?;
    let disguised = written.replace("xn--", &stand_in);
    let url = parse(&format!("{}{disguised}{}", &text[..host.start], &text[host.end..]), base)?;
    let host = url[Position::BeforeHost..Position::AfterHost].replace(&stand_in, "xn--");
    Ok(format!("{}{host}{}", &url[..Position::BeforeHost], &url[Position::AfterHost..]))
}

/// Where host and port stand in a text that has them: behind scheme, slashes and user.
fn host_range(text: &str) -> Range<usize> {
    let slash = |c| matches!(c, '/' | '\\');
    let scheme = text.find(':').filter(|at| !text[..*at].contains(slash)).map_or(0, |at| at + 1);
    let start = text.len() - text[scheme..].trim_start_matches(slash).len();
    let rest = &text[start..];
    let end = start + rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    text[start..end].rfind('@').map_or(start, |at| start + at + 1)..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slashes_before_a_host_are_two_however_many_are_written() {
        let base = Url::parse("https://a.test/b/c").unwrap();
        for (text, expected) in [
            ("///host/x", Some("https://host/x")),
            (" //\t//\\host/x?y#z", Some("https://host/x?y#z")),
            ("//host/x", Some("https://host/x")),
            ("/x", Some("https://a.test/x")),
            ("///", None),
        ] {
            let found = parse(text, Some(&base)).ok();
            assert_eq!(found.as_ref().map(Url::as_str), expected, "{text}");
        }
        let file = Url::parse("file:///a").unwrap();
        assert_eq!(parse("///x", Some(&file)).unwrap().as_str(), "file:///x");
        assert!(parse("///host/x", None).is_err());
    }

    #[test]
    fn hosts_in_ascii_are_never_refused_for_their_labels() {
        let base = Url::parse("https://a.test/b/c").unwrap();
        for (text, expected) in [
            (
                "http://u:Xn--@XN--a.q0-.test:81/xn--?q0-#q0-",
                "http://u:Xn--@xn--a.q0-.test:81/xn--?q0-#q0-",
            ),
            ("http:xn--", "http://xn--/"),
            ("//b.xn--\ta", "https://b.xn--a/"),
        ] {
            assert_eq!(resolve(text, Some(&base)).as_deref(), Ok(expected), "{text}");
        }
        for text in ["http://xn--a.\u{DF}\u{FFFF}/", "http://xn--a b/", "http://xn--a:x/"] {
            assert!(resolve(text, None).is_err(), "{text}");
        }
        assert!(parse("http://xn--a/", None).is_err());
    }
}
