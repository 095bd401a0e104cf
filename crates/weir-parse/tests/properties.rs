//! What holds for every input: no panic, bounded answers, links that are canonical. Inputs are
//! random bytes and broken seeds (`tests/seeds`); `PROPTEST_CASES=N` for more of them.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use support::mutate::{mutated, real_pages, real_sitemaps, seeds};
use url::Url;
use weir_parse::sitemap::{Kind, Limits, Sitemap, read};
use weir_parse::{Ask, Finding, MAX_LINKS, Parser, Rules, canonicalize, charset, standard};
use weir_types::Fingerprint;

const CHANGEFREQ: [&str; 7] = ["always", "hourly", "daily", "weekly", "monthly", "yearly", "never"];

fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    let cases = asked.unwrap_or(cases);
    ProptestConfig { cases, failure_persistence: None, ..Default::default() }
}

fn page_url() -> Url {
    Url::parse("http://user@a.example:8080/dir/page.html?q#f").unwrap()
}

fn content_type() -> impl Strategy<Value = Option<String>> {
    let known = prop::sample::select(vec![
        "text/html",
        "text/html; charset=utf-8",
        "text/html; charset=shift_jis",
        "text/xml;charset=utf-16",
        "application/xhtml+xml; charset=\"iso-2022-jp\"",
        "text/plain; charset=gb18030",
        "application/x-gzip",
    ]);
    prop_oneof![
        Just(None),
        known.prop_map(|text| Some(text.to_owned())),
        "\\PC{0,20}".prop_map(Some)
    ]
}

#[track_caller]
fn assert_canonical(text: &str, rules: &Rules) {
    let url = Url::parse(text).unwrap();
    assert_eq!(url.as_str(), text);
    assert!(matches!(url.scheme(), "http" | "https"), "{text}");
    assert!(url.username().is_empty() && url.password().is_none(), "{text}");
    assert!(!text.contains('#') && text.len() <= weir_parse::canonical::MAX_URL);
    assert_eq!(rules.canonical(&url), text, "canonical once, canonical for ever");
}

fn check_page(body: &[u8], content_type: Option<&str>, rules: Rules) {
    let url = page_url();
    let mut links = 0;
    let mut parser = Parser::with_rules(rules.clone());
    let ask = Ask { body, url: &url, content_type, assets: true };
    let facts = parser.parse(ask, |finding| {
        let Finding::Link(link) = finding else {
            links = 0;
            return;
        };
        links += 1;
        assert_canonical(link.url, &rules);
        assert_eq!(link.fingerprint, Fingerprint::of(link.url));
    });
    assert!(links <= MAX_LINKS.min(body.len()));
    assert!(facts.title.is_none_or(|title| title.len() <= 1024));
    if let Some(canonical) = &facts.canonical {
        assert_canonical(canonical, &rules);
    }
    let encoding = charset(body, content_type, &url);
    assert_eq!(encoding.name(), facts.charset);
}

fn check_sitemap(body: &[u8], content_type: Option<&str>, limits: &Limits) -> Sitemap {
    let found = read(body, &page_url(), content_type, limits);
    assert!(found.urls.len() + found.sitemaps.len() <= limits.entries);
    assert!(found.problems.len() <= limits.problems + 5, "{:?}", found.problems);
    assert!(found.problems.iter().all(|problem| problem.len() < 2000), "{:?}", found.problems);
    for entry in found.urls.iter().chain(&found.sitemaps) {
        let url = Url::parse(&entry.loc).unwrap();
        assert_eq!(url.as_str(), entry.loc);
        assert!(matches!(url.scheme(), "http" | "https") && url.fragment().is_none());
        if let Some(time) = &entry.lastmod {
            assert!(time.ends_with('Z') && time.parse::<jiff::Timestamp>().is_ok(), "{time}");
        }
        assert!(entry.priority.is_none_or(|value| (0.0..=1.0).contains(&value)));
        assert!(entry.changefreq.as_ref().is_none_or(|word| CHANGEFREQ.contains(&word.as_str())));
    }
    if found.kind == Kind::Unknown {
        assert!(found.urls.is_empty() && found.sitemaps.is_empty());
    }
    found
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

const MARKUP: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?",
    "?>",
    "<!DOCTYPE",
    "\"",
    "'",
    "=",
    "&",
    "&amp;",
    "&#x",
    ";",
    "\0",
    " ",
    "\n",
    "<a href=",
    "<base href=",
    "<script>",
    "</script>",
    "<svg>",
    "<title>",
    "<template>",
    "<meta charset=",
    "<url>",
    "</url>",
    "<loc>",
    "</loc>",
    "<urlset>",
    "</urlset>",
    "<sitemap>",
    "<item>",
    "<entry>",
    "<link href='",
    "xmlns=",
    "http://",
    "\u{FEFF}",
    "\r",
    "[",
    "<!ENTITY",
    "<rss>",
    "<feed xml:base='",
    "2024-02-30",
];

fn pages() -> Vec<Vec<u8>> {
    [seeds("pages"), seeds("sitemaps"), real_pages()].concat()
}

fn sitemaps() -> Vec<Vec<u8>> {
    [seeds("sitemaps"), real_sitemaps(), vec![gzip(&seeds("sitemaps")[0])]].concat()
}

fn url_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "http://",
        "https://",
        "http:",
        "//",
        "/",
        "\\",
        "?",
        "#",
        "&",
        "&&",
        "=",
        ";",
        ":",
        "@",
        ".",
        "..",
        "%",
        "%2",
        "%2e",
        "%7e",
        "%41",
        "%34",
        "%3",
        "1",
        "a",
        "F",
        "é",
        "%c3%a9",
        " ",
        "\t",
        "example.com",
        "xn--a",
        "xn--",
        "1.2.3.4",
        "[::1]",
        ":80",
        "utm_source=x",
        "utm%5Fa",
        "gclid",
        "amp;",
        "PHPSESSID=1",
        "sid=0123456789abcdef0123456789abcdef",
        "cfid=1",
        "cftoken=2",
        ";jsessionid=1",
        ";sid=0123456789abcdef0123456789abcdef",
        "..;jsessionid=1",
        ".;phpsessid=",
        "(S(lit3py55t21z5v55vlm25s55))",
        "(X(1)F(0123456789abcdef01234567))",
        "(",
        ")",
        "ref=1",
        "*",
    ]);
    let piece =
        prop_oneof![9 => pieces.prop_map(str::to_owned), 1 => "[!-~]{1,3}", 1 => "\\PC{1,2}"];
    let rest = prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat());
    prop_oneof![3 => rest.clone().prop_map(|rest| format!("http://h/{rest}")), 1 => rest]
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_broken_page_gives_canonical_links(
        body in mutated(pages(), MARKUP), content_type in content_type(), plain: bool,
    ) {
        let rules = if plain { Rules::plain() } else { Rules::default() };
        check_page(&body, content_type.as_deref(), rules);
    }

    #[test]
    fn a_broken_sitemap_gives_sound_entries(
        body in mutated(sitemaps(), MARKUP), content_type in content_type(), strict: bool,
    ) {
        let limits = Limits { strict, ..Limits::default() };
        let found = check_sitemap(&body, content_type.as_deref(), &limits);
        if !body.starts_with(&[0x1F, 0x8B]) {
            let packed = check_sitemap(&gzip(&body), content_type.as_deref(), &limits);
            prop_assert_eq!(packed, found);
        }
    }

    #[test]
    fn a_sitemap_keeps_to_small_limits(
        body in mutated(sitemaps(), MARKUP), decoded_bytes in 0..900_usize, entries in 0..4_usize,
    ) {
        let limits = Limits { decoded_bytes, entries, problems: entries, strict: false };
        check_sitemap(&body, None, &limits);
        check_sitemap(&gzip(&body), None, &limits);
    }

    #[test]
    fn random_bytes_are_no_danger(
        body in prop::collection::vec(any::<u8>(), 0..300), content_type in content_type(),
    ) {
        check_page(&body, content_type.as_deref(), Rules::default());
        check_sitemap(&body, content_type.as_deref(), &Limits::default());
        let packed = [&[0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0][..], &body].concat();
        check_sitemap(&packed, content_type.as_deref(), &Limits::default());
    }

    #[test]
    fn a_mark_decides_the_charset(body in mutated(pages(), MARKUP), content_type in content_type()) {
        let url = page_url();
        let marked = [&b"\xEF\xBB\xBF"[..], &body].concat();
        prop_assert_eq!(charset(&marked, content_type.as_deref(), &url).name(), "UTF-8");
        let marked = [&b"\xFE\xFF"[..], &body].concat();
        prop_assert_eq!(charset(&marked, content_type.as_deref(), &url).name(), "UTF-16BE");
    }
}

proptest! {
    #![proptest_config(config(3000))]

    #[test]
    fn a_canonical_text_is_canonical_for_ever(text in url_text(), base in url_text()) {
        let base = Url::parse(&base).ok();
        let named = Rules::default().strip(["ref", "a*"]);
        for rules in [Rules::default(), Rules::plain(), named] {
            if let Ok(canonical) = rules.canonicalize(&text, base.as_ref()) {
                assert_canonical(&canonical, &rules);
                prop_assert_eq!(rules.canonicalize(&canonical, None), Ok(canonical.clone()));
            }
        }
    }

    #[test]
    fn plain_rules_lose_nothing_that_others_need(text in url_text()) {
        if let Ok(plain) = Rules::plain().canonicalize(&text, None) {
            prop_assert_eq!(canonicalize(&plain, None), canonicalize(&text, None));
        }
    }

    #[test]
    fn both_ways_to_resolve_agree(text in url_text(), base in url_text()) {
        let base = Url::parse(&base).ok();
        if let Ok(url) = standard::parse(&text, base.as_ref()) {
            prop_assert_eq!(standard::resolve(&text, base.as_ref()), Ok(url.into()));
        }
        if let Ok(shown) = standard::resolve(&text, base.as_ref()) {
            prop_assert_eq!(standard::resolve(&shown, None), Ok(shown.clone()));
        }
    }
}

/// What came before the cut is read as if there were no cut; only lists cannot tell that a line
/// goes on.
#[test]
fn a_cut_sitemap_gives_the_beginning() {
    for body in seeds("sitemaps").into_iter().filter(|body| body.starts_with(b"<")) {
        let whole = check_sitemap(&body, None, &Limits::default());
        for cut in 0..body.len() {
            let found = check_sitemap(&body[..cut], None, &Limits::default());
            let urls = found.urls.iter().map(|entry| &entry.loc);
            assert!(whole.urls.iter().map(|entry| &entry.loc).take(found.urls.len()).eq(urls));
            let sitemaps = found.sitemaps.iter().map(|entry| &entry.loc);
            let all = whole.sitemaps.iter().map(|entry| &entry.loc);
            assert!(all.take(found.sitemaps.len()).eq(sitemaps));
        }
    }
}
