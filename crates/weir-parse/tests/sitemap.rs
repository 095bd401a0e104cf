//! Sitemaps as they are met in the wild: what is read of each, and what is said about it.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use support::sitemaps::{NS, check, gzip, locs, sitemap, urlset};
use url::Url;
use weir_parse::sitemap::{Entry, Kind, Limits, read};

#[test]
fn a_urlset_gives_all_that_is_in_it() {
    let found = sitemap(urlset(
        "<url><loc>http://a.test/1</loc><lastmod>2024-05-06</lastmod>\
         <changefreq>Daily</changefreq><priority>0.7</priority></url>\
         <url><loc>http://a.test/2</loc></url>",
    ));
    let first = Entry {
        loc: "http://a.test/1".into(),
        lastmod: Some("2024-05-06T00:00:00Z".into()),
        changefreq: Some("daily".into()),
        priority: Some(0.7),
    };
    let second =
        Entry { loc: "http://a.test/2".into(), lastmod: None, changefreq: None, priority: None };
    assert_eq!(found.urls, [first, second]);
    assert_eq!((found.kind.as_str(), found.problems.len()), ("xml", 0));
}

#[test]
fn an_index_gives_sitemaps() {
    let found = sitemap(format!(
        "<sitemapindex {NS}><sitemap><loc>http://a.test/1.xml.gz</loc>\
         <lastmod>2024-05-06T07:08+02:00</lastmod></sitemap></sitemapindex>"
    ));
    assert_eq!((found.kind, found.urls.len()), (Kind::Index, 0));
    assert_eq!(locs(&found.sitemaps), ["http://a.test/1.xml.gz"]);
    assert_eq!(found.sitemaps[0].lastmod.as_deref(), Some("2024-05-06T05:08:00Z"));
    assert_eq!(found.problems, [""; 0]);
}

#[test]
fn pages_in_an_index_and_sitemaps_in_a_urlset_go_where_they_belong() {
    let found = sitemap(format!(
        "<sitemapindex {NS}><url><loc>http://a.test/page</loc></url>\
         <sitemap><loc>http://a.test/1.xml</loc></sitemap></sitemapindex>"
    ));
    assert_eq!(locs(&found.urls), ["http://a.test/page"]);
    assert_eq!(locs(&found.sitemaps), ["http://a.test/1.xml"]);
    assert_eq!(found.problems, ["pages and sitemaps are mixed"]);
}

#[test]
fn white_space_cdata_comments_and_references_in_an_address_are_undone() {
    let body = urlset(
        "<url><loc>\n\t http://a.test/1 \r\n</loc></url>\
         <url><loc><![CDATA[ http://a.test/2?a=1&b=2 ]]></loc></url>\
         <url><loc>http://a.test/3?a=1&amp;b=&#50;&#x33;</loc></url>\
         <url><loc>http://a.test/<!-- no -->4<![CDATA[?x]]>&amp;y</loc></url>\
         <url><loc>http://a.test/caf&eacute;#top</loc></url>\
         <url ><loc >\u{FEFF}http://a.test/6\u{A0}</loc ></url >",
    );
    let urls = [
        "http://a.test/1",
        "http://a.test/2?a=1&b=2",
        "http://a.test/3?a=1&b=23",
        "http://a.test/4?x&y",
        "http://a.test/caf%C3%A9",
        "http://a.test/6",
    ];
    check(body, Kind::Urlset, &urls, &[]);
}

#[test]
fn bare_ampersands_and_unknown_references_stay_as_written() {
    let body = urlset(
        "<url><loc>http://a.test/?a=1&b=2&copy=3&</loc></url>\
         <url><loc>http://a.test/?a&nonsense;b&copyright;</loc></url>\
         <url><loc>http://a.test/?&#xFFFFFF;&a=1;b</loc></url>",
    );
    let urls = [
        "http://a.test/?a=1&b=2&copy=3&",
        "http://a.test/?a&nonsense;b&copyright;",
        "http://a.test/?&",
    ];
    let problems = [
        "an unknown reference: \"&nonsense;\"",
        "an unknown reference: \"&copyright;\"",
        "an unknown reference: \"&#xFFFFFF;\"",
        "an unknown reference: \"&a=1;\"",
    ];
    check(body, Kind::Urlset, &urls, &problems);
}

#[test]
fn extensions_are_not_taken_for_pages() {
    let body = format!(
        "<urlset {NS} xmlns:image=\"i\" xmlns:video=\"v\" xmlns:xhtml=\"x\" xmlns:news=\"n\">\
         <url><image:image><image:loc>http://a.test/1.png</image:loc></image:image>\
         <video:video><video:player_loc>http://a.test/p</video:player_loc>\
         <video:loc>http://a.test/v</video:loc></video:video><loc>http://a.test/1</loc>\
         <xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://a.test/de\"/>\
         <news:news><news:publication_date>2024-01-01</news:publication_date></news:news>\
         <image><loc>http://a.test/2.png</loc><image>x</image></image>\
         <mobile:mobile/><lastmod>2024</lastmod></url></urlset>"
    );
    check(&body, Kind::Urlset, &["http://a.test/1"], &[]);
    assert_eq!(sitemap(&body).urls[0].lastmod.as_deref(), Some("2024-01-01T00:00:00Z"));
}

#[test]
fn namespaces_may_be_prefixed_old_wrong_or_missing() {
    let inner = "<url><loc>http://a.test/1</loc></url>";
    let prefixed = "<s:urlset xmlns:s=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                    <s:url><s:loc>http://a.test/1</s:loc></s:url></s:urlset>";
    let old = "http://www.google.com/schemas/sitemap/0.84";
    let foreign = format!("a foreign namespace: \"{old}\"");
    check(prefixed, Kind::Urlset, &["http://a.test/1"], &[]);
    check(
        format!("<urlset xmlns=\"{old}\">{inner}</urlset>"),
        Kind::Urlset,
        &["http://a.test/1"],
        &[&foreign],
    );
    check(
        format!("<URLSET>{}</URLSET>", inner.to_uppercase()),
        Kind::Urlset,
        &["http://a.test/1"],
        &["no namespace"],
    );
}

#[test]
fn an_address_may_lack_its_host_or_scheme() {
    let body = urlset(
        "<url><loc>/1</loc></url><url><loc>2?x</loc></url><url><loc>//b.test/3</loc></url>\
         <url><loc>a.test:80/4</loc></url><url><loc>www.b.test/5</loc></url>",
    );
    let urls = [
        "http://a.test/1",
        "http://a.test/dir/2?x",
        "http://b.test/3",
        "http://a.test/4",
        "http://www.b.test/5",
    ];
    let problems = [
        "a relative address: \"/1\"",
        "a relative address: \"2?x\"",
        "a relative address: \"//b.test/3\"",
        "an address without its scheme: \"a.test:80/4\"",
        "an address without its scheme: \"www.b.test/5\"",
    ];
    check(body, Kind::Urlset, &urls, &problems);
}

#[test]
fn what_is_no_address_is_left_out_and_said() {
    let long = format!("http://a.test/{}", "x".repeat(9000));
    let body = urlset(&format!(
        "<url><loc>mailto:a@b.test</loc></url><url><loc>http://</loc></url><url><loc/></url>\
         <url/><url><loc>{long}</loc></url><url><lastmod>2024</lastmod></url>"
    ));
    let long = format!("an address that is too long: {:?}...", &long[..100]);
    let problems = [
        "not an http or https URL: \"mailto:a@b.test\"",
        "not a URL: \"http://\"",
        "an entry without an address: \"\"",
        "an entry without an address: \"\"",
        &long,
        "an entry without an address: \"\"",
    ];
    check(body, Kind::Urlset, &[], &problems);
}

#[test]
fn values_that_cannot_be_read_are_none_and_said() {
    let found = sitemap(urlset(
        "<url><loc>http://a.test/1</loc><lastmod>soon</lastmod><changefreq>often</changefreq>\
         <priority>7</priority></url><url><loc>http://a.test/2</loc><priority>0,3</priority>\
         <lastmod> </lastmod><changefreq/></url>",
    ));
    let values: Vec<_> =
        found.urls.iter().map(|e| (&e.lastmod, &e.changefreq, e.priority)).collect();
    assert_eq!(values, [(&None, &None, None), (&None, &None, Some(0.3))]);
    let problems = [
        "not a date: \"soon\"",
        "not a change frequency: \"often\"",
        "not a priority from 0 to 1: \"7\"",
    ];
    assert_eq!(found.problems, problems);
}

#[test]
fn a_cut_sitemap_gives_what_came_whole() {
    let body = urlset("<url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2</loc></url>");
    let cut = |text: &str| &body[..body.find(text).unwrap() + text.len()];
    let one = ["http://a.test/1"];
    let both = ["http://a.test/1", "http://a.test/2"];
    let end = "ends before </urlset>";
    let broken = "broken XML: syntax error: tag not closed: `>` not found before end of input";
    check(cut("</url>"), Kind::Urlset, &one, &[end]);
    check(cut("a.test/2"), Kind::Urlset, &one, &[end]);
    check(cut("a.test/2</loc"), Kind::Urlset, &one, &[broken, end]);
    check(cut("a.test/2</loc>"), Kind::Urlset, &both, &[end]);
    check(cut("a.test/2</loc></url>"), Kind::Urlset, &both, &[end]);
}

#[test]
fn broken_markup_is_passed_over() {
    let body = urlset(
        "<url><loc>http://a.test/1</loc><!oops><lastmod>2024</lastmod></url>\
         <url><loc>http://a.test/2<lastmod>2024</lastmod></url>\
         <url><loc>http://a.test/3</loc><url><loc>http://a.test/4</loc><image:image></url>\
         <url><loc>http://a.test/5</loc></wrong></url></b>\
         <loc>http://a.test/6</loc><url><loc><b>http://a.test/7</b></loc><loc>http://a.test/8</loc></url>",
    );
    let urls: Vec<String> = (1..=8).map(|number| format!("http://a.test/{number}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let problems = [
        "broken XML: syntax error: unknown or missed symbol in markup",
        "an element that is not closed",
        "an address outside of an entry",
        "two addresses in one entry",
    ];
    check(&body, Kind::Urlset, &urls, &problems);
    let dates = sitemap(&body).urls.iter().filter(|entry| entry.lastmod.is_some()).count();
    assert_eq!(dates, 2);
}

#[test]
fn a_root_may_be_missing_or_come_late() {
    let one = "<url><loc>http://a.test/1</loc></url>";
    let urls = ["http://a.test/1"];
    check(one, Kind::Urlset, &urls, &["no namespace", "no element around <url>"]);
    let late = ["text before the first element"];
    check(format!("Warning: x\n{}", urlset(one)), Kind::Urlset, &urls, &late);
    let late = ["<br> is no root of a sitemap"];
    check(format!("<br/><b>Warning</b>: x\n{}", urlset(one)), Kind::Urlset, &urls, &late);
    check(format!("\n\n {}", urlset(one)), Kind::Urlset, &urls, &[]);
}

#[test]
fn no_sitemap_gives_no_urls() {
    let html = "<!DOCTYPE html><html><body><a href=\"http://a.test/1\">x</a></body></html>";
    check(html, Kind::Unknown, &[], &["an HTML page in place of a sitemap"]);
    check("<!-- x --><HTML>", Kind::Unknown, &[], &["an HTML page in place of a sitemap"]);
    let neither = "neither XML nor a list of URLs";
    check("", Kind::Unknown, &[], &[neither]);
    check("{\"a\": 1}", Kind::Unknown, &[], &["line 1 is not a URL: \"{\\\"a\\\": 1}\"", neither]);
    let other = ["<svg> is no root of a sitemap", "no element of a sitemap"];
    check("<svg><url><loc>http://a.test/</loc></url></svg>", Kind::Unknown, &[], &other);
    assert_eq!(sitemap("x\n".repeat(1_000_000)).problems.len(), 21);
    assert_eq!(sitemap("<x/>".repeat(1_000_000)).kind, Kind::Unknown);
}

#[test]
fn rss_items_are_pages() {
    let found = sitemap(
        "<rss version=\"2.0\" xmlns:atom=\"a\"><channel><title>T</title><link>http://a.test/</link>\
         <atom:link href=\"http://a.test/feed\" rel=\"self\"/><pubDate>x</pubDate>\
         <image><url>http://a.test/i.png</url><link>http://a.test/</link></image>\
         <item><title>1</title><link> http://a.test/1 </link><guid>http://a.test/?p=1</guid>\
         <description>&lt;a href=\"x\"> <link>http://a.test/no</link></description>\
         <pubDate>Mon, 06 May 2024 07:08:09 +0200</pubDate></item>\
         <item><guid isPermaLink=\"true\">http://a.test/2</guid></item>\
         <item><guid isPermaLink=\"false\">http://a.test/no</guid></item>\
         <item><guid>tag:a.test,3</guid></item></channel></rss>",
    );
    assert_eq!(found.kind, Kind::Rss);
    assert_eq!(locs(&found.urls), ["http://a.test/1", "http://a.test/2"]);
    assert_eq!(found.urls[0].lastmod.as_deref(), Some("2024-05-06T05:08:09Z"));
    assert_eq!(found.problems, ["an entry without an address: \"\""; 2]);
}

#[test]
fn rss_1_items_are_pages() {
    let found = sitemap(
        "<rdf:RDF xmlns:rdf=\"r\" xmlns=\"http://purl.org/rss/1.0/\" xmlns:dc=\"d\">\
         <channel rdf:about=\"x\"><link>http://a.test/</link><items><rdf:Seq>\
         <rdf:li resource=\"http://a.test/1\"/></rdf:Seq></items></channel>\
         <item rdf:about=\"http://a.test/1\"><link>http://a.test/1</link>\
         <dc:date>2024-05-06</dc:date></item></rdf:RDF>",
    );
    assert_eq!((found.kind, locs(&found.urls)), (Kind::Rss, vec!["http://a.test/1"]));
    assert_eq!(found.urls[0].lastmod.as_deref(), Some("2024-05-06T00:00:00Z"));
}

#[test]
fn atom_entries_are_pages() {
    let found = sitemap(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\" xml:base=\"http://b.test/blog/\">\
         <link href=\"/\"/><updated>2020-01-01T00:00:00Z</updated>\
         <entry><link rel=\"self\" href=\"/no\"/><link rel=\"alternate\" href=\"http://a.test/?a=1&amp;b=2\"/>\
         <link href=\"/second\"/><published>2023-01-01T00:00:00Z</published>\
         <updated>2024-01-01T00:00:00Z</updated>\
         <content type=\"xhtml\"><div><link href=\"/no\"/></div></content>\
         <source><link href=\"/no\"/><updated>1999-01-01T00:00:00Z</updated></source></entry>\
         <entry><published>2023-01-01T00:00:00Z</published><link href=\"2\"></link></entry></feed>",
    );
    assert_eq!(found.kind, Kind::Atom);
    assert_eq!(locs(&found.urls), ["http://a.test/?a=1&b=2", "http://b.test/blog/2"]);
    let dates: Vec<_> = found.urls.iter().map(|entry| entry.lastmod.as_deref().unwrap()).collect();
    assert_eq!(dates, ["2024-01-01T00:00:00Z", "2023-01-01T00:00:00Z"]);
    assert_eq!(found.problems, ["a relative address: \"2\""]);
}

#[test]
fn a_text_list_is_read_line_by_line() {
    let body = "\u{FEFF}http://a.test/1\r\n\r\n  https://b.test/2#x  \rHTTP://a.test/3\n\
                # comment\nwww.a.test/4\nhttp://a.test/5\t2024-01-01\nhttp://a.test/6 7\nhttp://\n";
    let urls = [
        "http://a.test/1",
        "https://b.test/2",
        "http://a.test/3",
        "http://www.a.test/4",
        "http://a.test/5",
        "http://a.test/6%207",
    ];
    let problems = [
        "line 4 is not a URL: \"# comment\"",
        "an address without its scheme: \"www.a.test/4\"",
        "line 6 has more than a URL: \"2024-01-01\"",
        "not a URL: \"http://\"",
    ];
    check(body, Kind::Text, &urls, &problems);
}

#[test]
fn encodings_are_found_and_undone() {
    let body = "<?xml version=\"1.0\" encoding='ENC'?><urlset xmlns=\
                \"http://www.sitemaps.org/schemas/sitemap/0.9\">\
                <url><loc>http://a.test/\u{43F}</loc></url></urlset>";
    let utf16 = |text: &str, bytes: fn(u16) -> [u8; 2]| {
        text.encode_utf16().flat_map(bytes).collect::<Vec<u8>>()
    };
    let marked = format!("\u{FEFF}{body}");
    let koi8 = encoding_rs::KOI8_R.encode(&body.replace("ENC", "koi8-r")).0.into_owned();
    let url = ["http://a.test/%D0%BF"];
    for bytes in [
        body.replace("ENC", "utf-8").into_bytes(),
        body.replace("ENC", "utf-16").into_bytes(),
        body.replace("ENC", "nonsense").into_bytes(),
        marked.clone().into_bytes(),
        utf16(body, u16::to_le_bytes),
        utf16(body, u16::to_be_bytes),
        utf16(&marked, u16::to_le_bytes),
        utf16(&marked, u16::to_be_bytes),
        koi8,
    ] {
        check(&bytes, Kind::Urlset, &url, &[]);
        check(gzip(&bytes), Kind::Urlset, &url, &[]);
    }
    let list = utf16("\u{FEFF}http://a.test/\u{43F}\r\nhttp://a.test/2", u16::to_le_bytes);
    check(list, Kind::Text, &["http://a.test/%D0%BF", "http://a.test/2"], &[]);
}

#[test]
fn the_header_names_the_encoding_if_no_mark_does() {
    let url = Url::parse("http://a.test/").unwrap();
    let limits = Limits::default();
    let body = b"http://a.test/\xCF";
    let found = read(body, &url, Some("text/plain; charset=koi8-r"), &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/%D0%BE"]);
    let found = read(body, &url, Some("text/plain; charset=utf-8"), &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/%EF%BF%BD"]);
    assert_eq!(found.problems, ["some characters are not valid UTF-8 and were replaced"]);
    let found = read(body, &url, None, &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/%C3%8F"]);
}

#[test]
fn strict_reading_keeps_to_the_directory() {
    let url = Url::parse("http://a.test/dir/sitemap.xml?x=/y/").unwrap();
    let limits = Limits { strict: true, ..Limits::default() };
    let body = urlset(
        "<url><loc>http://a.test/dir/1</loc></url><url><loc>http://a.test/2</loc></url>\
         <url><loc>https://a.test/dir/3</loc></url><url><loc>http://a.test/dir/x/4</loc></url>\
         <sitemap><loc>http://b.test/5.xml</loc></sitemap>",
    );
    let found = read(body.as_bytes(), &url, None, &limits);
    assert_eq!(locs(&found.urls), ["http://a.test/dir/1", "http://a.test/dir/x/4"]);
    assert_eq!(locs(&found.sitemaps), ["http://b.test/5.xml"]);
}
