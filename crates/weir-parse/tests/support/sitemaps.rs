//! What the tests of sitemaps share.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use url::Url;
use weir_parse::sitemap::{Entry, Kind, Limits, Sitemap, read};

pub const NS: &str = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

pub fn sitemap(body: impl AsRef<[u8]>) -> Sitemap {
    let url = Url::parse("http://a.test/dir/sitemap.xml").unwrap();
    read(body.as_ref(), &url, None, &Limits::default())
}

pub fn urlset(inner: &str) -> String {
    format!("<?xml version=\"1.0\"?><urlset {NS}>{inner}</urlset>")
}

pub fn locs(entries: &[Entry]) -> Vec<&str> {
    entries.iter().map(|entry| entry.loc.as_str()).collect()
}

/// The pages and the problems of a body.
#[track_caller]
pub fn check(body: impl AsRef<[u8]>, kind: Kind, urls: &[&str], problems: &[&str]) {
    let found = sitemap(body);
    assert_eq!(found.kind, kind, "{:?}", found.problems);
    assert_eq!(locs(&found.urls), urls);
    assert_eq!(found.problems, problems);
}

pub fn gzip(body: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body.as_ref()).unwrap();
    encoder.finish().unwrap()
}
