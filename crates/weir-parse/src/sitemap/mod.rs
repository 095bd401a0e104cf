//! Reads sitemaps of every form that is met in the wild: XML, index, text list, RSS and Atom, each
//! of them also gzipped. It never fails: what is broken is read as far as it goes, and `problems`
//! says what was odd. It does not fetch, and does not follow an index.
//!
//! A body goes through `gunzip` and `source` (charset), a chunk at a time, so that a bomb costs no
//! memory; then by `xml` into `document`, or into `list`; and what these find through `collect`
//! (URLs, dates, limits).

mod collect;
mod date;
mod dialect;
mod document;
mod gunzip;
mod list;
mod open;
mod source;
mod xml;

use std::io::BufRead;

use url::Url;

use collect::Collector;
use source::Source;

/// What a sitemap says.
#[derive(Clone, Debug, PartialEq)]
pub struct Sitemap {
    pub kind: Kind,
    /// The pages it names, in its order.
    pub urls: Vec<Entry>,
    /// The sitemaps it names, in its order.
    pub sitemaps: Vec<Entry>,
    /// What was odd in it, in words: the first `Limits::problems`, how many more there were, and
    /// why a part was not read.
    pub problems: Vec<String>,
}

/// The form of a sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Urlset,
    Index,
    Text,
    Rss,
    Atom,
    /// No sitemap at all, an HTML page say.
    Unknown,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Urlset => "xml",
            Kind::Index => "index",
            Kind::Text => "text",
            Kind::Rss => "rss",
            Kind::Atom => "atom",
            Kind::Unknown => "unknown",
        }
    }
}

/// One page or one sitemap that a sitemap names.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The http(s) URL as WHATWG writes it, without fragment; no canonical form otherwise.
    pub loc: String,
    /// RFC 3339 in UTC.
    pub lastmod: Option<String>,
    /// One of the seven words of the standard, in lower case.
    pub changefreq: Option<String>,
    /// From 0 to 1.
    pub priority: Option<f64>,
}

/// How much is read of one sitemap.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes read after gzip was undone; what is beyond is not seen. The addresses take no more in all, though a long base may make
    /// each of them longer than it was written.
    pub decoded_bytes: usize,
    /// Entries looked at, pages and sitemaps together.
    pub entries: usize,
    /// Problems told one by one.
    pub problems: usize,
    /// Reads by the letter: pages outside the sitemap's own directory are dropped, and a foreign
    /// namespace makes it no sitemap. Not by default: robots.txt may name a sitemap anywhere, the
    /// crawl has its own scope, and namespaces are often wrong where the rest is right.
    pub strict: bool,
}

impl Default for Limits {
    /// Twice the entries that the standard allows, and a little more than its 50 MiB.
    fn default() -> Self {
        Limits { decoded_bytes: 52 << 20, entries: 100_000, problems: 20, strict: false }
    }
}

/// Reads the sitemap `body` that came from `url`.
pub fn read(body: &[u8], url: &Url, content_type: Option<&str>, limits: &Limits) -> Sitemap {
    let mut collector = Collector::new(url, limits);
    let mut source = Source::open(body, content_type, limits.decoded_bytes);
    match form(&mut source) {
        Form::Markup => xml::read(&mut source, &mut collector),
        Form::MarkupBehindText => {
            collector.problem(|| "text before the first element".to_owned());
            xml::read(&mut source, &mut collector);
        }
        Form::Lines => list::read(&mut source, &mut collector),
    }
    source.troubles().into_iter().for_each(|trouble| collector.cut(trouble));
    collector.finish()
}

enum Form {
    Markup,
    /// Messages of a broken generator come first, often.
    MarkupBehindText,
    Lines,
}

/// Content types lie too often to be asked.
fn form(source: &mut Source<'_>) -> Form {
    let head = source.fill_buf().unwrap_or_default();
    let head = head.trim_ascii_start();
    if head.first() == Some(&b'<') {
        return Form::Markup;
    }
    let head = head.to_ascii_lowercase();
    let has = |root: &str| memchr::memmem::find(&head, root.as_bytes()).is_some();
    let roots = ["<?xml", "<urlset", "<sitemapindex", "<rss", "<feed", "<rdf:rdf"];
    if roots.into_iter().any(has) { Form::MarkupBehindText } else { Form::Lines }
}
