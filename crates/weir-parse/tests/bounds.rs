//! Time grows with the size of a page and not faster, whatever is in it; what is reported is bounded.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

use url::Url;
use weir_fuzz::assert_linear;
use weir_parse::{Ask, Facts, Finding, MAX_LINK_BYTES, MAX_LINKS, Parser};

fn parse(body: &[u8], content_type: Option<&str>) -> (usize, Facts) {
    let url = Url::parse("http://example.org/a/b").unwrap();
    let mut links = 0;
    let ask = Ask { body, url: &url, content_type, assets: true };
    let facts = Parser::new().parse(ask, |finding| match finding {
        Finding::Link(_) => links += 1,
        Finding::Rebased => links = 0,
    });
    (links, facts)
}

#[test]
fn reading_takes_time_in_proportion_to_the_page() {
    for unit in [
        "<",
        "<<a",
        "</",
        "<!",
        "<!--",
        "<!-- >",
        "<!-->",
        "<?",
        "<a ",
        "<a <a",
        "<a href",
        "<a href=",
        "<a href='",
        "<a href=x>",
        "<a a=\"",
        "<a href=\"x\"",
        "<script>",
        "<script><!--<script>",
        "<script><!--",
        "<script></",
        "<style><",
        "<title>",
        "<title></",
        "<textarea>",
        "</title",
        "<svg>",
        "<svg><g>",
        "<svg></x>",
        "<svg><title>",
        "<math><mi>",
        "<svg><![CDATA[",
        "<![CDATA[",
        "<template>",
        "</template>",
        "<svg><foreignObject>",
        "<p>",
        "</p>",
        "&",
        "<title>&amp;",
        "<a href=&>",
        "<a href=&a;&b>",
        "<base>",
        "<base href=x>",
        "<a href=x><base>",
        "<meta charset>",
        "<meta name=robots content=a,b,>",
        "<meta charset=x>",
        "-->",
        "<img srcset='a,b,,(c 1x,'>",
        "<img srcset=a>",
        "<a href=../>",
        "<a href=http://>",
        "\0",
        "\u{e9}",
        "<plaintext>",
        "<html lang=x>",
        "<link rel='canonical",
        "<link rel='a a a' href=x>",
        "=",
        "\"",
        "'",
        " ",
        "\n",
        "<a/",
        "<a b=c",
        "<meta http-equiv=refresh content='0;url=x'>",
    ] {
        for content_type in [None, Some("text/html; charset=utf-8")] {
            let page = |size: usize| unit.repeat(size / unit.len());
            assert_linear(unit, page, |page| drop(parse(page.as_bytes(), content_type)));
        }
    }
}

#[test]
fn one_huge_value_is_read_in_linear_time() {
    for (start, unit, end) in [
        ("<a href='", "../", "'>"),
        ("<a href='", "&amp", "'>"),
        ("<a href='", "a\t", "'>"),
        ("<a href='", "&#", "'>"),
        ("<img srcset='", "(", "'>"),
        ("<img srcset='", "a,", "'>"),
        ("<title>", "&lt", "</title>"),
        ("<title>", " ", "</title>"),
        ("<meta name=robots content='", "a,", "'>"),
        ("<meta http-equiv=refresh content='", "1", "'>"),
        ("<link rel='", "x ", "' href=y>"),
        ("<", "x", ">"),
        ("<a ", "b=1 ", ">"),
        ("<meta ", "b=1 ", ">"),
    ] {
        let page = |size: usize| format!("{start}{}{end}", unit.repeat(size / unit.len()));
        let read = |page: &str| drop(parse(page.as_bytes(), None));
        assert_linear(&format!("{start}{unit}"), page, read);
    }
}

#[test]
fn links_beyond_the_limit_are_left_out_and_said_to_be() {
    let page = |count: usize| -> String { (0..count).map(|n| format!("<a href=/{n}>")).collect() };
    let (links, facts) = parse(page(MAX_LINKS).as_bytes(), None);
    assert_eq!((links, facts.links_cut), (MAX_LINKS, false));
    let (links, facts) = parse(page(MAX_LINKS + 10).as_bytes(), None);
    assert_eq!((links, facts.links_cut), (MAX_LINKS, true));
}

/// A long base makes every link of a page long, and costs the page next to nothing.
#[test]
fn links_take_no_more_memory_than_the_limit_however_long_they_are() {
    let directory = format!("http://example.org/{}/", "x".repeat(8_000));
    let page = |count: usize| -> String {
        let links: String = (0..count).map(|n| format!("<a href={n:05}>")).collect();
        format!("<base href={directory}>{links}")
    };
    let one = directory.len() + 5;
    let fit = MAX_LINK_BYTES / one;
    for (count, reported, is_cut) in
        [(fit, fit, false), (fit + 1, fit, true), (MAX_LINKS, fit, true)]
    {
        let url = Url::parse("http://example.org/").unwrap();
        let page = page(count);
        let mut bytes = 0;
        let ask = Ask { body: page.as_bytes(), url: &url, content_type: None, assets: false };
        let facts = Parser::new().parse(ask, |finding| match finding {
            Finding::Link(link) => bytes += link.url.len(),
            Finding::Rebased => bytes = 0,
        });
        assert_eq!((bytes, facts.links_cut), (reported * one, is_cut), "{count}");
    }
}

#[test]
fn deep_nesting_is_only_deep() {
    for unit in ["<div>", "<svg>", "<svg><foreignObject><div>", "<template>", "<math><mi>"] {
        let page = format!("<a href=x>{}", unit.repeat(500_000));
        assert_eq!(parse(page.as_bytes(), None).0, 1, "{unit}");
    }
}
