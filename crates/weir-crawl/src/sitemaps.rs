//! A sitemap that was fetched: what it lists, as links.

use url::Url;
use weir_fetch::{coding, redirect_target};
use weir_parse::sitemap::{Entry, Limits, read as read_sitemap};
use weir_parse::{canonical, canonicalize};
use weir_types::{Fingerprint, LinkKind, Links, Page};

/// Its pages, and the sitemaps that it names. One that is not there lists nothing.
pub fn read(page: &Page, url: &Url, decoded_most: usize) -> Links {
    let mut links = Links::default();
    if let Some(Ok(target)) = redirect_target(page) {
        let target = canonical(&target);
        links.push(&target, Fingerprint::of(&target), LinkKind::Redirect);
        return links;
    }
    if !(200..300).contains(&page.status) {
        return links;
    }
    let coding = page.header("content-encoding");
    let decoded = coding::decode(&page.body, coding, decoded_most);
    let limits = Limits::default();
    let found = read_sitemap(&decoded.bytes, url, page.header("content-type"), &limits);
    found.sitemaps.iter().for_each(|entry| push(&mut links, entry, LinkKind::Sitemap));
    found.urls.iter().for_each(|entry| push(&mut links, entry, LinkKind::Listed));
    links
}

fn push(links: &mut Links, entry: &Entry, kind: LinkKind) {
    let Ok(text) = canonicalize(&entry.loc, None) else { return };
    let lastmod: Option<jiff::Timestamp> = entry.lastmod.as_deref().and_then(|at| at.parse().ok());
    let lastmod_s = lastmod.and_then(|at| u32::try_from(at.as_second()).ok());
    links.push_dated(&text, Fingerprint::of(&text), kind, lastmod_s);
}
