use bytes::Bytes;
use url::{Position, Url};
use weir_types::{Fingerprint, LinkKind, Links};

use super::Odd;
use crate::wire;

/// No page has more; see `weir-parse`.
const MOST_LINKS: usize = 100_000;
/// Longer ones are no URLs that anybody serves.
const LONGEST: usize = 16 << 10;

pub fn to_links(links: &Links) -> wire::Links {
    let mut sent = wire::Links::default();
    let (mut kinds, mut promises) = (Vec::new(), Vec::new());
    for link in links.iter() {
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

/// The frontier takes every text for a canonical URL, so that is what they have to be.
pub fn links(sent: &wire::Links) -> Result<Links, Odd> {
    let count = sent.ends.len();
    let right = count <= MOST_LINKS
        && sent.kinds.len() == count
        && (sent.lastmods.is_empty() || sent.lastmods.len() == count)
        && (sent.promises.is_empty() || sent.promises.len() == count);
    if !right {
        return Err(Odd::new("the number of links", count));
    }
    let mut links = Links::default();
    let mut checker = Checker::default();
    let mut start = 0;
    for (at, end) in sent.ends.iter().enumerate() {
        let text = sent.text.get(start..*end as usize);
        let text = text.ok_or_else(|| Odd::new("the end of a link", end))?;
        start = *end as usize;
        checker.check(text)?;
        let kind = kind(sent.kinds[at])?;
        let lastmod = sent.lastmods.get(at).copied().filter(|lastmod| *lastmod > 0);
        links.push_dated(text, Fingerprint::of(text), kind, lastmod);
    }
    if !sent.promises.is_empty() {
        let mut promises = sent.promises.iter();
        links.promise(|_| promises.next().copied().unwrap_or(0));
    }
    Ok(links)
}

/// Checks the links of one page. Most lead where the one before did, and what comes after that origin
/// mostly has nothing in it that can be written in two ways: then there is nothing to take apart.
#[derive(Default)]
struct Checker<'a> {
    /// Of the last URL that was taken apart.
    origin: Option<&'a str>,
}

impl<'a> Checker<'a> {
    fn check(&mut self, text: &'a str) -> Result<(), Odd> {
        let rest = self.origin.and_then(|origin| text.strip_prefix(origin));
        if text.len() <= LONGEST && rest.is_some_and(is_plain) {
            return Ok(());
        }
        let url = check(text)?;
        self.origin = text.get(..url[..Position::BeforePath].len());
        Ok(())
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
    let right = matches!(url.scheme(), "http" | "https") && url.has_host() && url.as_str() == text;
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
        let came = links(&to_links(&sent)).unwrap();
        assert!(sent.iter().eq(came.iter()));
        let (empty, none) = (Links::default(), links(&to_links(&Links::default())).unwrap());
        assert_eq!(empty.len(), none.len());
    }

    #[test]
    fn what_is_no_canonical_url_is_refused() {
        for url in ["", "x", "ftp://a/", "http://A.example/", "http://a.example", "mailto:x@y"] {
            let mut sent = to_links(&some());
            sent.text.replace_range(..sent.ends[0] as usize, url);
            let shift = url.len() as i64 - i64::from(sent.ends[0]);
            sent.ends.iter_mut().for_each(|end| *end = (i64::from(*end) + shift) as u32);
            assert!(links(&sent).is_err(), "{url}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_not_taken_apart_would_have_been_let_in(
            rest in "/[a-zA-Z0-9/?&=._~%+,;:@!$()*\\\\^'|#<> -]{0,24}",
            origin in prop::sample::select(vec!["http://a.example", "https://127.0.0.1:81", "http://u:p@[::1]"]),
        ) {
            let text = format!("{origin}{rest}");
            prop_assert!(!is_plain(&rest) || check(&text).is_ok(), "{text}");
        }
    }

    #[test]
    fn each_link_is_checked_whatever_came_before_it() {
        let first = "http://a.example/x";
        for (second, is_right) in [
            ("http://a.example/y?z=1", true),
            ("http://a.example/y/../z", false),
            ("http://a.example/y/%2E%2e/z", false),
            ("http://a.example.B/", false),
            ("http://a.example", false),
            ("/y", false),
            ("http://b.example/", true),
        ] {
            let mut checker = Checker::default();
            assert!(checker.check(first).is_ok());
            assert_eq!(checker.check(second).is_ok(), is_right, "{second}");
        }
        assert!(Checker::default().check("/y").is_err(), "there was none before");
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
            assert!(links(&sent).is_err());
        }
    }
}
