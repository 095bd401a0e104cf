//! A sitemap that was fetched: what it lists, as links.

use url::Url;
use weir_parse::sitemap::{Entry, Limits, read as read_sitemap};
use weir_types::{Fingerprint, LinkKind, Links, Page};

use crate::keeper::Keeper;

/// Its pages, and the sitemaps that it names. One that is not there lists nothing.
pub fn read(page: &Page, url: &Url, keeper: &Keeper) -> Links {
    let mut links = Links::default();
    if keeper.redirect(page, &mut links).is_some() || !(200..300).contains(&page.status) {
        return links;
    }
    let decoded = keeper.decode(page);
    let limits = Limits::default();
    let found = read_sitemap(&decoded.bytes, url, page.header("content-type"), &limits);
    let mut push = |entry, kind| push(&mut links, entry, kind, keeper);
    found.sitemaps.iter().for_each(|entry| push(entry, LinkKind::Sitemap));
    found.urls.iter().for_each(|entry| push(entry, LinkKind::Listed));
    links
}

fn push(links: &mut Links, entry: &Entry, kind: LinkKind, keeper: &Keeper) {
    let Ok(text) = keeper.rules.canonicalize(&entry.loc, None) else { return };
    let lastmod: Option<jiff::Timestamp> = entry.lastmod.as_deref().and_then(|at| at.parse().ok());
    let lastmod_s = lastmod.and_then(|at| u32::try_from(at.as_second()).ok());
    links.push_dated(&text, Fingerprint::of(&text), kind, lastmod_s);
}
