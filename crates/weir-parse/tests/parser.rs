//! What a caller gets: kinds, order, facts, encodings.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

use url::Url;
use weir_parse::{Ask, Facts, Finding, Parser, Robots};
use weir_types::LinkKind::{self, *};

type Links = Vec<(String, LinkKind, bool)>;

fn parse(body: &[u8], content_type: Option<&str>, assets: bool) -> (Links, Facts) {
    let url = Url::parse("http://h/d/p").unwrap();
    let mut links = Links::new();
    let ask = Ask { body, url: &url, content_type, assets };
    let facts = Parser::new().parse(ask, |finding| match finding {
        Finding::Link(link) => links.push((link.url.to_owned(), link.kind, link.nofollow)),
        Finding::Rebased => links.clear(),
    });
    (links, facts)
}

fn check(html: &str, assets: bool, expected: &[(&str, LinkKind)]) {
    let (links, _) = parse(html.as_bytes(), None, assets);
    let links: Vec<_> = links.iter().map(|(url, kind, _)| (url.as_str(), *kind)).collect();
    assert_eq!(links, expected, "{html}");
}

const PAGE: &str = "<html lang=' de '><title>T</title><link rel=canonical href=/c><link rel=stylesheet href=s>\
    <meta http-equiv=refresh content='3;url=r&amp;s'><meta name=ROBOTS content='NoIndex, follow'>\
    <a href=a rel='x NoFollow'>1</a><area href=b><iframe src=f></iframe><img src=i srcset='j 1x,k&amp;l 2x'>\
    <video src=v poster=w></video><object data=o></object><input type=image src=n><input src=no>\
    <a href=a>again</a><a href=a>again</a><a href=mailto:x>2</a><a href=javascript:x>3</a><script src=z></script>";

#[test]
fn links_come_in_document_order_with_their_kind() {
    check(
        PAGE,
        false,
        &[
            ("http://h/c", Related),
            ("http://h/d/r&s", Refresh),
            ("http://h/d/a", Anchor),
            ("http://h/d/b", Anchor),
            ("http://h/d/f", Frame),
            ("http://h/d/a", Anchor),
        ],
    );
    let (links, _) = parse(PAGE.as_bytes(), None, false);
    let nofollow: Vec<_> = links.iter().filter(|link| link.2).map(|link| link.0.as_str()).collect();
    assert_eq!(nofollow, ["http://h/d/a"], "the first of the two");
}

#[test]
fn assets_come_only_when_asked_for() {
    let (links, _) = parse(PAGE.as_bytes(), None, true);
    let assets: Vec<_> = links.iter().filter(|link| link.1 == Asset).map(|l| &l.0[11..]).collect();
    assert_eq!(assets, ["s", "i", "j", "k&l", "v", "w", "o", "n", "z"]);
}

#[test]
fn a_page_tells_about_itself() {
    let (_, facts) = parse(PAGE.as_bytes(), Some("text/html; charset=utf-8"), false);
    let robots =
        Robots { agent: "robots".into(), directives: vec!["noindex".into(), "follow".into()] };
    let expected = Facts {
        charset: "UTF-8",
        title: Some("T".into()),
        lang: Some("de".into()),
        canonical: Some("http://h/c".into()),
        robots: vec![robots],
        base: None,
        links_cut: false,
    };
    assert_eq!(facts, expected);
    let (_, facts) = parse(b"<a href=x><base href=//o/p/>", None, false);
    assert_eq!(facts.base.as_deref(), Some("http://o/p/"));
    assert_eq!(parse(b"", None, false).1, Facts { charset: "windows-1252", ..Facts::default() });
}

#[test]
fn queries_are_written_in_the_encoding_of_the_page() {
    let html = "<title>été</title><a href='/é?é=\u{20AC}#é'>";
    for (label, charset, expected) in [
        ("utf-8", "UTF-8", "http://h/%C3%A9?%C3%A9=%E2%82%AC"),
        ("latin1", "windows-1252", "http://h/%C3%A9?%E9=%80"),
        ("utf-16le", "UTF-16LE", "http://h/%C3%A9?%C3%A9=%E2%82%AC"),
        ("gbk", "GBK", "http://h/%C3%A9?%A8%A6=%80"),
    ] {
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes()).unwrap();
        let body = match label {
            "utf-16le" => html.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => encoding.encode(html).0.into_owned(),
        };
        let (links, facts) = parse(&body, Some(&format!("text/html;charset={label}")), false);
        assert_eq!((links[0].0.as_str(), facts.charset), (expected, charset), "{label}");
        assert_eq!(facts.title.as_deref(), Some("été"), "{label}");
    }
}

#[test]
fn a_character_the_encoding_lacks_becomes_a_reference_in_a_query() {
    let body = b"<a href='?&#x4e2d;'>";
    let (links, _) = parse(body, Some("text/html;charset=latin1"), false);
    assert_eq!(links[0].0, "http://h/d/p?%26%2320013%3B");
}

#[test]
fn text_whose_bytes_look_like_letters_is_read_by_its_encoding() {
    // The second byte of this character is a backslash in Shift_JIS.
    let (body, _, _) = encoding_rs::SHIFT_JIS.encode("<title>表</title><a href='/表'>");
    let (links, facts) = parse(&body, Some("text/html;charset=shift_jis"), false);
    assert_eq!(links[0].0, "http://h/%E8%A1%A8");
    assert_eq!(facts.title.as_deref(), Some("表"));
    let (body, _, _) = encoding_rs::ISO_2022_JP.encode("<title>表</title><a href='/表'>");
    let (links, facts) = parse(&body, Some("text/html;charset=iso-2022-jp"), false);
    assert_eq!((links[0].0.as_str(), facts.title.as_deref()), ("http://h/%E8%A1%A8", Some("表")));
}

#[test]
fn a_parser_forgets_the_page_before() {
    let mut parser = Parser::new();
    let url = Url::parse("http://h/").unwrap();
    for _ in 0..3 {
        let mut links = Vec::new();
        let body = b"<svg><base href=//x/><a href=a>";
        let ask = Ask { body, url: &url, content_type: None, assets: false };
        parser.parse(ask, |finding| match finding {
            Finding::Link(link) => links.push(link.url.to_owned()),
            Finding::Rebased => links.clear(),
        });
        assert_eq!(links, ["http://h/a"]);
        let ask = Ask { body: b"<base href=//y/><template><svg>", ..ask_of(&url) };
        parser.parse(ask, |_| {});
    }
}

fn ask_of(url: &Url) -> Ask<'_> {
    Ask { body: b"", url, content_type: None, assets: false }
}
