use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::canonicalize;

static RULES: LazyLock<Rules> = LazyLock::new(Rules::default);

/// A link whose text is what stands in the page is resolved as that text is, however it is written there.
fn check_raw(link: &str, base: &Base, (answer, resolved): (Answer, &str)) {
    let mut text = Text::default();
    for raw in [link.to_owned(), link.replace('&', "&amp;")] {
        if text.attribute(raw.as_bytes(), encoding_rs::UTF_8) != link {
            continue;
        }
        let mut out = String::from("leftover");
        let said = base.resolve_raw(raw.as_bytes(), &RULES, &mut text, &mut out);
        assert!(said == answer || said == Answer::Unsure, "{raw:?}: {said:?}, {answer:?}");
        if said == Answer::Resolved {
            assert_eq!(out, resolved, "{raw:?}");
        }
    }
}

/// Where an answer is given it must be the URL parser's.
fn check(link: &str, base: &str) -> Answer {
    let Ok(url) = Url::parse(base) else { return Answer::Unsure };
    let mut parts = Base::default();
    parts.set(&url);
    let mut out = String::from("leftover");
    let answer = parts.resolve(link, &RULES, &mut out);
    check_raw(link, &parts, (answer, &out));
    let expected = RULES.canonicalize(link, Some(&url));
    match answer {
        Answer::Resolved => assert_eq!(Ok(out), expected, "{link:?} on {base:?}"),
        Answer::Refused => assert!(expected.is_err(), "{link:?} on {base:?} is {expected:?}"),
        Answer::Unsure => {}
    }
    answer
}

const BASES: [&str; 15] = [
    "http://example.org",
    "http://example.org/a/b/c.html?x=1#y",
    "https://user:pw@example.org:8443/a//b/?",
    "http://127.0.0.1:8080/a/..b/",
    "http://[::1]/%2e%2E/x",
    "https://example.org/a;b/c:d/e@f",
    "http://example.org/a%2Fb/?/../",
    "http://example.org//",
    "http://example.org./a",
    "http://xn--bcher-kva.example/a/b",
    "ftp://example.org/a/b",
    "http://example.org/c:/x/",
    "file:///c:/a/b",
    "data:text/html,x",
    "mailto:a@b",
];

#[test]
fn a_link_with_ampersands_needs_no_url_parser_either_as_it_stands_in_the_page() {
    let mut base = Base::default();
    base.set(&Url::parse("http://example.org/d/p").unwrap());
    for raw in ["x?a=1&amp;b=2", "x?a=1&b=2"] {
        let (mut text, mut out) = (Text::default(), String::new());
        let answer = base.resolve_raw(raw.as_bytes(), &RULES, &mut text, &mut out);
        assert_eq!((answer, out.as_str()), (Answer::Resolved, "http://example.org/d/x?a=1&b=2"));
    }
}

#[test]
fn the_usual_links_need_no_url_parser() {
    for link in [
        "x.html",
        "/x/y.html",
        "../x",
        "../../../x/",
        "./x",
        "",
        "#top",
        "?q=1&r[]=2",
        "x?y#z",
        "x#",
        "//cdn.example.com/x",
        "http://www.example.com",
        "https://example.com:8080/a?b",
        "http://example.com:80/",
        "http://example.org/same",
        "mailto:x@y",
        "javascript:void(0)",
        "tel:+1",
        "x?",
        "  /x  ",
        "/x/%20y",
        "/wiki/File:X_(y)",
    ] {
        for base in &BASES[..10] {
            assert_ne!(check(link, base), Answer::Unsure, "{link} on {base}");
        }
    }
}

#[test]
fn nasty_links_are_left_to_the_url_parser_or_read_like_it() {
    for link in [
        "..",
        ".",
        "x/..",
        "x/../y",
        "x/./y",
        "/..",
        "/.",
        "/%2e%2E/x",
        "x/%2e",
        ".x",
        "..x",
        "x/..y",
        "...",
        "../..",
        "./",
        "http:x",
        "http:/x",
        "http:///x",
        "http:\\\\h\\x",
        "HTTP://H/",
        "http://H/",
        "http://h:080/",
        "http://h:/",
        "http://h:0/",
        "http://h:65536/",
        "http://h:99999/",
        "http://1/",
        "http://1.2/",
        "http://0x1/",
        "http://a.0x1/",
        "http://a.1/",
        "http://a..b/",
        "http://.a/",
        "http://a./",
        "http://-a/",
        "http://a-/",
        "http://a--b/",
        "http://xn--a/",
        "http://a_b/",
        "http://u@h/",
        "http://h@/",
        "http://h%41/",
        "http://h /",
        "http://h?x",
        "http://h#x",
        "https://h:443",
        "https://h:80",
        "//",
        "///x",
        "//h",
        "//h?x",
        "//h:80/",
        "/\\x",
        "\\x",
        "x\\y",
        "x y",
        "x\ty",
        "\tx\n",
        "x\u{0}",
        "\u{0}x",
        "x'y?x'y",
        "x\"y",
        "x<y>",
        "x`y",
        "x{y}",
        "x^y",
        "x|y",
        "x[y]",
        "?x'",
        "?x\"",
        "?<>",
        "?`{}^|\\",
        "x%",
        "x%2",
        "x%zz",
        "?%",
        "é",
        "?é",
        "a:b",
        "a/b:c",
        "1:b",
        "a+b:c",
        ":x",
        "?a:b",
        "javascript:",
        "java\nscript:x",
        "data:,x",
        "http://[::1]/",
        "http://[1]/",
        "ws://h/",
        "ftp:x",
        "file:x",
        "httpx://h/",
        "https:x",
        "/x?a#b?c",
        "x;y=1,2",
        "~x",
        "x@y",
        "@",
        "%2e%2e/x",
        "x//y",
        "//x//",
    ] {
        for base in BASES {
            check(link, base);
        }
    }
}

#[test]
fn a_link_that_grows_too_long_is_refused_in_both_ways() {
    for length in [8300, 8320, 8332, 8333, 9000] {
        check(&"x".repeat(length), "http://example.org/a/b");
        check(&format!("/{}", "y".repeat(length)), "http://example.org/");
    }
}

fn link() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "/",
        "//",
        ".",
        "..",
        "./",
        "../",
        "?",
        "#",
        ":",
        "@",
        "%",
        "%2e",
        "%2E",
        "%20",
        "%41",
        "%34",
        "%7e",
        "&&",
        "utm_a=1",
        "sid=0123456789abcdef0123456789abcdef",
        ";jsessionid=1",
        "(S(lit3py55t21z5v55vlm25s55))",
        "\\",
        "a",
        "b.html",
        "index",
        "x=1",
        "&",
        ";",
        "'",
        "\"",
        "<",
        "|",
        "[",
        "]",
        "^",
        "{",
        "~",
        "-",
        "_",
        "+",
        " ",
        "\t",
        "\n",
        "\u{0}",
        "é",
        "http:",
        "https:",
        "http://",
        "https://",
        "example.org",
        "example.com",
        "h",
        "A",
        "1",
        "127.0.0.1",
        "0x7f",
        "xn--",
        "--",
        "-",
        ":80",
        ":443",
        ":8080",
        ":0",
        "[::1]",
        "user@",
        "mailto:",
        "javascript:",
        "file:",
        "c:",
        "data:,",
    ]);
    let piece =
        prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => "[!-~]{1,3}", 1 => "\\PC{1,2}"];
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

fn base() -> impl Strategy<Value = String> {
    let known = prop::sample::select(BASES.to_vec()).prop_map(str::to_owned);
    let authority = prop::sample::select(vec![
        "http://example.org",
        "https://h:8443",
        "http://u@1.2.3.4",
        "http://a.b.c:1",
    ]);
    prop_oneof![known, (authority, link()).prop_map(|(start, rest)| format!("{start}/{rest}"))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn both_ways_lead_to_the_same_url(link in link(), base in base()) {
        check(&link, &base);
    }

    #[test]
    fn a_canonical_text_stays_as_it_is(link in link(), base in base()) {
        if let Ok(url) = Url::parse(&base) && let Ok(text) = canonicalize(&link, Some(&url)) {
            prop_assert_eq!(canonicalize(&text, None), Ok(text.clone()));
        }
    }
}

fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(5000)
}
