//! Sitemaps that are cut, packed, or made to cost much: what is read of them is bounded.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use std::time::{Duration, Instant};

use support::sitemaps::{NS, check, gzip, locs, sitemap, urlset};
use url::Url;
use weir_parse::sitemap::{Kind, Limits, read};

#[test]
fn gzip_is_known_by_its_bytes_and_may_be_doubled_joined_or_cut() {
    let body = urlset("<url><loc>http://a.test/1</loc></url>");
    let packed = gzip(&body);
    let url = ["http://a.test/1"];
    check(&packed, Kind::Urlset, &url, &[]);
    check(gzip(&packed), Kind::Urlset, &url, &[]);
    let (front, back) = body.split_at(60);
    check([gzip(front), gzip(back)].concat(), Kind::Urlset, &url, &[]);
    let cut = &packed[..packed.len() - 1];
    check(cut, Kind::Urlset, &url, &["the gzip stream is cut off"]);
    let (kind, urls) = {
        let found = sitemap(&packed[..40]);
        (found.kind, found.urls)
    };
    assert_eq!((kind, urls.len()), (Kind::Unknown, 0));
    let list = "http://a.test/1\n";
    check(gzip(list), Kind::Text, &url, &[]);
    let found = sitemap([gzip(&body), b"junk".to_vec()].concat());
    assert_eq!(locs(&found.urls), url);
    assert_eq!(found.problems.len(), 1, "{:?}", found.problems);
}

#[test]
fn a_cut_gzip_of_a_long_list_gives_what_came() {
    let list: String =
        (0..50_000).map(|n| format!("http://a.test/{}\n", n * 7919 % 50_021)).collect();
    let packed = gzip(&list);
    let found = sitemap(&packed[..packed.len() / 2]);
    assert!(found.urls.len() > 10_000, "{}", found.urls.len());
    assert_eq!(found.problems, ["the gzip stream is cut off"]);
}

#[test]
fn a_bomb_is_read_to_the_limit_only() {
    let url = Url::parse("http://a.test/").unwrap();
    let limits = Limits { decoded_bytes: 1 << 20, ..Limits::default() };
    let rest = "more than 1048576 bytes: the rest is not read";
    let spaces = " ".repeat(200);
    let list: String = (0..50_000).map(|n| format!("http://a.test/{n}{spaces}\n")).collect();
    let found = read(&gzip(&list), &url, None, &limits);
    assert!((4000..5000).contains(&found.urls.len()), "{}", found.urls.len());
    assert_eq!(found.problems, [rest]);
    let found = read(list.as_bytes(), &url, None, &limits);
    assert_eq!(found.problems, [rest]);
    // One that is packed thrice: 100 MB of spaces.
    let bomb = gzip(gzip(gzip(" ".repeat(100_000_000))));
    assert_eq!(read(&bomb, &url, None, &limits).kind, Kind::Unknown);
}

#[test]
fn a_body_of_exactly_the_limit_is_whole() {
    let url = Url::parse("http://a.test/").unwrap();
    let body = urlset("<url><loc>http://a.test/1</loc></url>");
    let limits = Limits { decoded_bytes: body.len(), ..Limits::default() };
    assert_eq!(read(body.as_bytes(), &url, None, &limits).problems, [""; 0]);
    assert_eq!(read(&gzip(&body), &url, None, &limits).problems, [""; 0]);
    let limits = Limits { decoded_bytes: body.len() - 1, ..Limits::default() };
    let found = read(&gzip(&body), &url, None, &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/1"]);
    assert_eq!(found.problems.len(), 3, "{:?}", found.problems);
}

#[test]
fn endless_tokens_end_the_reading() {
    let one = "<url><loc>http://a.test/1</loc></url>";
    let x = "x".repeat(5 << 20);
    for endless in [
        format!("<!--{x}"),
        format!("<loc>{x}"),
        format!("<url a=\"{x}"),
        format!("<![CDATA[{x}"),
        format!("<url><loc>http://a.test/{x}"),
        format!("<?{x}"),
    ] {
        let found = sitemap(format!("<urlset {NS}>{one}{endless}"));
        assert_eq!(locs(&found.urls), ["http://a.test/1"], "{}", &endless[..20]);
        let told = found.problems.iter().any(|problem| problem.contains("more than 1048576"));
        assert!(told, "{:?}", found.problems);
    }
}

#[test]
fn entities_of_a_doctype_are_never_expanded() {
    let bomb = (1..30).map(|n| format!("<!ENTITY a{n} \"&a{};&a{};\">", n - 1, n - 1));
    let body = format!(
        "<?xml version=\"1.0\"?><!DOCTYPE urlset [<!ENTITY a0 \"ha\">{}\
         <!ENTITY x SYSTEM \"file:///etc/passwd\">]><urlset {NS}>\
         <url><loc>http://a.test/?&a29;</loc></url><url><loc>http://a.test/?&x;</loc></url></urlset>",
        bomb.collect::<String>()
    );
    let problems = ["an unknown reference: \"&a29;\"", "an unknown reference: \"&x;\""];
    check(body, Kind::Urlset, &["http://a.test/?&a29;", "http://a.test/?&x;"], &problems);
}

#[test]
fn entries_and_problems_are_bounded() {
    let url = Url::parse("http://a.test/").unwrap();
    let limits = Limits { entries: 3, problems: 2, ..Limits::default() };
    let entry = "<url><loc>http://a.test/</loc></url>";
    let found = read(urlset(&entry.repeat(9)).as_bytes(), &url, None, &limits);
    assert_eq!(found.urls.len(), 3);
    assert_eq!(found.problems, ["more than 3 entries: the rest is not read"]);
    let found = read(urlset(&entry.repeat(3)).as_bytes(), &url, None, &limits);
    assert_eq!((found.urls.len(), found.problems.len()), (3, 0));
    let found = read(urlset(&"<url/>".repeat(9)).as_bytes(), &url, None, &limits);
    let cut = "more than 3 entries: the rest is not read";
    assert_eq!(
        found.problems[1..],
        ["an entry without an address: \"\"", "and 1 more problems", cut]
    );
    let found = read("http://a.test/\n".repeat(9).as_bytes(), &url, None, &limits);
    assert_eq!((found.kind, found.urls.len()), (Kind::Text, 3));
}

/// An address of a sitemap that lies far down makes all relative ones as long.
#[test]
fn addresses_take_no_more_memory_than_the_largest_sitemap() {
    let url = Url::parse(&format!("http://a.test/{}/sitemap.xml", "x".repeat(8_000))).unwrap();
    let limits = Limits { decoded_bytes: 1 << 20, ..Limits::default() };
    let body = urlset(&"<url><loc>1</loc></url>".repeat(10_000));
    let found = read(body.as_bytes(), &url, None, &limits);
    let bytes: usize = found.urls.iter().map(|entry| entry.loc.len()).sum();
    assert!((1 << 19..=1 << 20).contains(&bytes), "{bytes}");
    let told = found.problems.last().unwrap();
    assert_eq!(told, "more than 1048576 bytes of addresses: the rest is not read");
}

#[test]
fn a_line_that_is_cut_is_left_out() {
    let url = Url::parse("http://a.test/").unwrap();
    let limits = Limits { decoded_bytes: 20, ..Limits::default() };
    let found = read(b"http://a.test/1\nhttp://a.test/2", &url, None, &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/1"]);
    assert_eq!(found.problems, ["more than 20 bytes: the rest is not read"]);
}

/// Reads a body and one four times as long. A quadratic reading would take sixteen times as long;
/// a busy machine may make one try look like that, but hardly each of ten.
#[test]
fn reading_takes_time_in_proportion_to_the_body() {
    for unit in [
        "<",
        "</",
        "<!",
        "<!x>",
        "<!--",
        "<!-- >",
        "<!DOCTYPE",
        "<!DOCTYPE [",
        "<!DOCTYPE x [<!ENTITY",
        "<![CDATA[",
        "]]",
        "<?",
        "<a ",
        "<a b='",
        "<url>",
        "<url><loc>",
        "</url>",
        "<loc>",
        "<loc>x",
        "<image>",
        "&",
        "&amp;",
        "&#",
        "x",
        "\n",
        "\r",
        "http://a.test/\n",
        "<item><link>",
        "<x:y>",
    ] {
        let body = |bytes: usize| format!("<urlset><url><loc>{}", unit.repeat(bytes / unit.len()));
        let (small, large) = (body(50_000), body(200_000));
        let time = |body: &str| {
            let start = Instant::now();
            sitemap(body);
            start.elapsed()
        };
        let linear = |_| time(&large) < time(&small) * 10 + Duration::from_millis(1);
        assert!((0..10).any(linear), "{unit:?}");
    }
}
