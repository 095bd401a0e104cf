use crate::facts::Robots;

/// The URL of `meta http-equiv=refresh content=...`, by the standard's shared declarative refresh
/// steps: `5; url='x'`. A refresh without a URL reloads the page itself and is no link.
pub(crate) fn refresh_url(content: &str) -> Option<&str> {
    let rest = skip_space(content);
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 && !rest.starts_with('.') {
        return None;
    }
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    if !rest.starts_with(|c: char| matches!(c, ';' | ',') || is_space(c)) {
        return None;
    }
    let rest = skip_space(rest);
    let rest = skip_space(rest.strip_prefix([';', ',']).unwrap_or(rest));
    let url = after_url_and_equals(rest).map_or(rest, skip_space);
    let url = unquoted(url);
    (!url.is_empty()).then_some(url)
}

/// `url = ` is optional; without it, what follows the time is the URL.
fn after_url_and_equals(text: &str) -> Option<&str> {
    let word = text.get(..3)?;
    let rest = skip_space(&text[3..]);
    if word.eq_ignore_ascii_case("url") { rest.strip_prefix('=') } else { None }
}

fn unquoted(text: &str) -> &str {
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return text };
    let inner = &text[1..];
    inner.find(quote).map_or(inner, |end| &inner[..end])
}

fn is_space(c: char) -> bool {
    c.is_ascii_whitespace()
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches(is_space)
}

/// Names under which pages speak to robots: `robots`, a robot of ours, or any `...bot`.
pub(crate) fn is_for_robots(name: &[u8]) -> bool {
    let name = name.trim_ascii();
    let is = |text: &str| name.eq_ignore_ascii_case(text.as_bytes());
    let last = &name[name.len().saturating_sub(3)..];
    is("robots") || is("weir") || is("webweir") || last.eq_ignore_ascii_case(b"bot")
}

/// Words that only robots are told; who they are for may be a robot of any name.
pub(crate) fn restricts(content: &[u8]) -> bool {
    let apart = |byte: &u8| matches!(byte, b',' | b';') || byte.is_ascii_whitespace();
    content.split(apart).any(|word| {
        [&b"nofollow"[..], b"noindex", b"none"].iter().any(|known| word.eq_ignore_ascii_case(known))
    })
}

pub(crate) fn robots(name: &str, content: &str) -> Robots {
    let words = content.split(',').map(str::trim).filter(|word| !word.is_empty());
    let directives = words.take(32).map(str::to_ascii_lowercase).collect();
    Robots { agent: name.trim().to_ascii_lowercase(), directives }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refresh_url_is_read_as_browsers_do() {
        for (content, expected) in [
            ("5; url=x", Some("x")),
            ("0;URL='a b'", Some("a b")),
            (" 0 , url = \"x\" rest", Some("x")),
            ("1 x", Some("x")),
            ("1;url", Some("url")),
            ("1;urlx", Some("urlx")),
            ("1.5;url=x", Some("x")),
            (".5;url=x", Some("x")),
            ("5", None),
            ("5;", None),
            ("5;url=", None),
            ("x;url=y", None),
            ("5x;url=y", None),
            ("", None),
            ("0;'x", Some("x")),
        ] {
            assert_eq!(refresh_url(content), expected, "{content}");
        }
    }

    #[test]
    fn directives_come_with_the_agent_they_are_for() {
        let found = robots(" GoogleBot", "NoIndex, ,max-snippet:5");
        assert_eq!(found.agent, "googlebot");
        assert_eq!(found.directives, ["noindex", "max-snippet:5"]);
        for (name, expected) in [("Robots", true), ("bingbot", true), ("viewport", false)] {
            assert_eq!(is_for_robots(name.as_bytes()), expected, "{name}");
        }
        assert!(restricts(b"index, NoFollow") && restricts(b"none") && !restricts(b"nofollowing"));
    }
}
