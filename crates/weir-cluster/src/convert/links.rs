use std::borrow::Cow;

use bytes::Bytes;
use url::{Position, Url};
use weir_types::{Fingerprint, LinkKind, Links};

use super::Odd;
use crate::wire;

/// What one page or sitemap may bring, so that a message stays far below what a peer takes; sitemaps
/// have at most 50,000 by their own rules.
const MOST_LINKS: usize = 100_000;
const MOST_TEXT: usize = 16 << 20;
/// Longer ones are no URLs that anybody serves.
const LONGEST: usize = 16 << 10;

/// What is beyond the bounds is left out: a page may say what it likes, and must not end the stream.
pub fn to_links(links: &Links) -> wire::Links {
    let mut sent = wire::Links::default();
    let (mut kinds, mut promises) = (Vec::new(), Vec::new());
    for link in links.iter().filter(|link| link.url.len() <= LONGEST).take(MOST_LINKS) {
        if sent.text.len() + link.url.len() > MOST_TEXT {
            break;
        }
        sent.text.push_str(link.url);
        sent.ends.push(u32::try_from(sent.text.len()).unwrap_or(u32::MAX));
        kinds.push(link.kind as u8);
        promises.push(link.promise);
        sent.lastmods.push(link.lastmod_s.unwrap_or(0));
    }
    if sent.lastmods.iter().all(|lastmod| *lastmod == 0) {
        sent.lastmods = Vec::new();
    }
    if promises.iter().all(|promise| *promise == 0) {
        promises = Vec::new();
    }
    sent.kinds = Bytes::from(kinds);
    sent.promises = Bytes::from(promises);
    sent
}

/// The frontier takes every text for a URL in the form that parsing gives it, so that is what it gets;
/// what is none is left out, as it would be if it stood in a page. `page` is where they stood.
pub fn links(sent: &wire::Links, page: &Url) -> Result<Links, Odd> {
    let count = sent.ends.len();
    let right = count <= MOST_LINKS
        && sent.kinds.len() == count
        && (sent.lastmods.is_empty() || sent.lastmods.len() == count)
        && (sent.promises.is_empty() || sent.promises.len() == count);
    if !right {
        return Err(Odd::new("the number of links", count));
    }
    let mut links = Links::default();
    let mut promises = Vec::new();
    let mut checker = Checker::of(page);
    let mut start = 0;
    for (at, end) in sent.ends.iter().enumerate() {
        let text = sent.text.get(start..*end as usize);
        let text = text.ok_or_else(|| Odd::new("the end of a link", end))?;
        start = *end as usize;
        let kind = kind(sent.kinds[at])?;
        let Some(text) = checker.check(text) else { continue };
        let lastmod = sent.lastmods.get(at).copied().filter(|lastmod| *lastmod > 0);
        links.push_dated(&text, Fingerprint::of(&text), kind, lastmod);
        promises.extend(sent.promises.get(at));
    }
    if !promises.is_empty() {
        let mut promises = promises.into_iter();
        links.promise(|_| promises.next().unwrap_or(0));
    }
    Ok(links)
}

/// Checks the links of one page. Most lead where the one before did, or the page is, and what comes after that origin
/// mostly has nothing in it that can be written in two ways: then there is nothing to take apart.
struct Checker<'a> {
    /// Of the last URL that was taken apart.
    origin: &'a str,
}

impl<'a> Checker<'a> {
    /// `page` was taken apart, too.
    fn of(page: &'a Url) -> Checker<'a> {
        Checker { origin: &page[..Position::BeforePath] }
    }

    /// As parsing gives it; `None` if it is nothing to crawl.
    fn check(&mut self, text: &'a str) -> Option<Cow<'a, str>> {
        let rest = text.strip_prefix(self.origin);
        if text.len() <= LONGEST && rest.is_some_and(is_plain) {
            return Some(text.into());
        }
        let url = check(text).ok()?;
        if url.as_str() != text {
            return Some(String::from(url).into());
        }
        self.origin = text.get(..url[..Position::BeforePath].len()).unwrap_or(self.origin);
        Some(text.into())
    }
}

/// A path, and perhaps a query, that parsing leaves as they are. It may say no to some that it would
/// leave, too.
fn is_plain(rest: &str) -> bool {
    let is_safe = |byte: &u8| byte.is_ascii_alphanumeric() || b"/?&=-_.~%+,;:@!$()*".contains(byte);
    // What begins like this may be a segment such as `..`, which parsing takes out.
    let is_dotted = |two: &[u8]| two[0] == b'/' && matches!(two[1], b'.' | b'%');
    let bytes = rest.as_bytes();
    bytes.first() == Some(&b'/') && bytes.iter().all(is_safe) && !bytes.windows(2).any(is_dotted)
}

pub fn check(text: &str) -> Result<Url, Odd> {
    let odd = || Odd::new("a link", text);
    if text.len() > LONGEST {
        return Err(odd());
    }
    let url = Url::parse(text).map_err(|_| odd())?;
    let right = matches!(url.scheme(), "http" | "https") && url.has_host();
    if right { Ok(url) } else { Err(odd()) }
}

fn kind(code: u8) -> Result<LinkKind, Odd> {
    const ALL: [LinkKind; 8] = [
        LinkKind::Anchor,
        LinkKind::Frame,
        LinkKind::Related,
        LinkKind::Refresh,
        LinkKind::Asset,
        LinkKind::Redirect,
        LinkKind::Listed,
        LinkKind::Sitemap,
    ];
    let found = ALL.into_iter().find(|kind| *kind as u8 == code);
    found.ok_or_else(|| Odd::new("the kind of a link", code))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn page() -> Url {
        Url::parse("http://p.example/x?y").unwrap()
    }

    fn some() -> Links {
        let mut links = Links::default();
        for (url, kind, lastmod) in [
            ("http://a.example/", LinkKind::Anchor, None),
            ("https://b.example/x?y=%20", LinkKind::Redirect, Some(7)),
        ] {
            links.push_dated(url, Fingerprint::of(url), kind, lastmod);
        }
        links
    }

    #[test]
    fn links_arrive_as_they_were() {
        let mut sent = some();
        sent.promise(|link| link.url.len() as u8);
        let came = links(&to_links(&sent), &page()).unwrap();
        assert!(sent.iter().eq(came.iter()));
        let (empty, none) =
            (Links::default(), links(&to_links(&Links::default()), &page()).unwrap());
        assert_eq!(empty.len(), none.len());
    }

    #[test]
    fn what_is_no_url_to_crawl_is_left_out_and_the_rest_comes_as_parsing_gives_it() {
        let long = format!("http://a.example/{}", "x".repeat(LONGEST));
        for (url, comes) in [
            ("", None),
            ("x", None),
            ("ftp://a/", None),
            ("mailto:x@y", None),
            (long.as_str(), None),
            ("http://A.example/", Some("http://a.example/")),
            ("http://a.example", Some("http://a.example/")),
            ("http://a.example/a/../b", Some("http://a.example/b")),
        ] {
            let mut sent = to_links(&some());
            sent.promises = Bytes::from_static(&[1, 2]);
            sent.text.replace_range(..sent.ends[0] as usize, url);
            let shift = url.len() as i64 - i64::from(sent.ends[0]);
            sent.ends.iter_mut().for_each(|end| *end = (i64::from(*end) + shift) as u32);
            let came = links(&sent, &page()).unwrap();
            let second = ("https://b.example/x?y=%20", 2);
            let expected: Vec<_> = comes.map(|url| (url, 1)).into_iter().chain([second]).collect();
            let came: Vec<_> = came.iter().map(|link| (link.url, link.promise)).collect();
            assert_eq!(came, expected, "{url}");
        }
    }

    #[test]
    fn whatever_a_page_brings_fits_into_a_message() {
        let mut many = Links::default();
        for at in 0..MOST_LINKS + 10 {
            let url = format!("http://a.example/{at}/{}", "x".repeat(200));
            many.push(&url, Fingerprint::of(&url), LinkKind::Listed);
        }
        let long = format!("http://a.example/{}", "x".repeat(LONGEST));
        many.push(&long, Fingerprint::of(&long), LinkKind::Redirect);
        let sent = to_links(&many);
        assert!(sent.text.len() <= MOST_TEXT && sent.ends.len() <= MOST_LINKS);
        assert!(prost::Message::encoded_len(&sent) < crate::LARGEST_MESSAGE);
        assert_eq!(links(&sent, &page()).unwrap().len(), sent.ends.len());
    }

    proptest! {
        #[test]
        fn whatever_is_not_taken_apart_would_have_been_let_in(
            rest in "/[a-zA-Z0-9/?&=._~%+,;:@!$()*\\\\^'|#<> -]{0,24}",
            origin in prop::sample::select(vec!["http://a.example", "https://127.0.0.1:81", "http://u:p@[::1]"]),
        ) {
            let text = format!("{origin}{rest}");
            let parsed = check(&text).map(String::from);
            prop_assert!(!is_plain(&rest) || parsed.as_ref() == Ok(&text), "{text}");
        }
    }

    #[test]
    fn each_link_is_checked_whatever_came_before_it() {
        let first = "http://a.example/x";
        for (second, comes) in [
            ("http://a.example/y?z=1", Some("http://a.example/y?z=1")),
            ("http://a.example/y/../z", Some("http://a.example/z")),
            ("http://a.example/y/%2E%2e/z", Some("http://a.example/z")),
            ("http://a.example.B/", Some("http://a.example.b/")),
            ("http://a.example", Some("http://a.example/")),
            ("/y", None),
            ("http://b.example/", Some("http://b.example/")),
        ] {
            let page = page();
            let mut checker = Checker::of(&page);
            assert_eq!(checker.check(first).as_deref(), Some(first));
            assert_eq!(checker.check(second).as_deref(), comes, "{second}");
        }
        let page = page();
        for (text, comes) in [
            ("/y", None),
            ("http://p.example/y", Some("http://p.example/y")),
            ("http://p.example", Some("http://p.example/")),
        ] {
            assert_eq!(
                Checker::of(&page).check(text).as_deref(),
                comes,
                "the first link of a page"
            );
        }
    }

    #[test]
    fn lists_that_do_not_fit_together_are_refused() {
        let spoiled: [fn(&mut wire::Links); 6] = [
            |sent| sent.ends[1] = 1_000_000,
            |sent| sent.ends[1] = 0,
            |sent| sent.kinds = Bytes::from_static(&[0]),
            |sent| sent.kinds = Bytes::from_static(&[0, 99]),
            |sent| sent.promises = Bytes::from_static(&[1]),
            |sent| sent.lastmods.push(1),
        ];
        for spoil in spoiled {
            let mut sent = to_links(&some());
            spoil(&mut sent);
            assert!(links(&sent, &page()).is_err());
        }
    }
}
