use crate::Fingerprint;

/// Where a link stood in the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LinkKind {
    /// `a` or `area`.
    Anchor = 0,
    /// `frame` or `iframe`.
    Frame = 1,
    /// `link rel=next|alternate|canonical`.
    Related = 2,
    /// `meta http-equiv=refresh`.
    Refresh = 3,
    /// An image, script, style sheet or the like; found only when asked for.
    Asset = 4,
    /// The `Location` of a redirect.
    Redirect = 5,
    /// A page that a sitemap lists.
    Listed = 6,
    /// A sitemap that robots.txt or another sitemap names.
    Sitemap = 7,
}

/// One of [`Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkRef<'a> {
    pub url: &'a str,
    pub fingerprint: Fingerprint,
    pub kind: LinkKind,
    /// When it was last changed, in seconds since 1970, where a sitemap says so.
    pub lastmod_s: Option<u32>,
    /// How much a focused crawl expects of it, 255 being the most; 0 where nobody asks.
    pub promise: u8,
}

/// The links of one page, in the order found: canonical texts in one buffer, so that a page with
/// many links costs two allocations and not one a link.
#[derive(Clone, Debug, Default)]
pub struct Links {
    text: String,
    items: Vec<Item>,
}

/// More than the texts of nearly all pages take.
const ROOM_KEPT: usize = 64 << 10;

#[derive(Clone, Copy, Debug)]
struct Item {
    fingerprint: Fingerprint,
    end: u32,
    /// 0 for none; it takes no room that would not be padding otherwise.
    lastmod_s: u32,
    kind: LinkKind,
    promise: u8,
}

impl Links {
    /// `canonical` is the canonical text that `fingerprint` was made of.
    pub fn push(&mut self, canonical: &str, fingerprint: Fingerprint, kind: LinkKind) {
        self.push_dated(canonical, fingerprint, kind, None);
    }

    pub fn push_dated(
        &mut self,
        canonical: &str,
        fingerprint: Fingerprint,
        kind: LinkKind,
        lastmod_s: Option<u32>,
    ) {
        self.text.push_str(canonical);
        let end = u32::try_from(self.text.len()).expect("a page is far smaller than 4 GiB");
        self.items.push(Item {
            fingerprint,
            end,
            lastmod_s: lastmod_s.unwrap_or(0),
            kind,
            promise: 0,
        });
    }

    /// Asks of each link how much it promises.
    pub fn promise(&mut self, mut of: impl FnMut(LinkRef<'_>) -> u8) {
        let promises: Vec<u8> = self.iter().map(&mut of).collect();
        self.items.iter_mut().zip(promises).for_each(|(item, promise)| item.promise = promise);
    }

    /// Forgets all that stood in the page itself.
    pub fn retain_redirects(&mut self) {
        let mut kept = Links::default();
        for link in self.iter().filter(|link| link.kind == LinkKind::Redirect) {
            kept.push(link.url, link.fingerprint, LinkKind::Redirect);
        }
        *self = kept;
    }

    /// One that was found elsewhere, as it is.
    pub fn take(&mut self, link: LinkRef<'_>) {
        let LinkRef { url, fingerprint, kind, lastmod_s, promise } = link;
        self.push_dated(url, fingerprint, kind, lastmod_s);
        if let Some(item) = self.items.last_mut() {
            item.promise = promise;
        }
    }

    /// Forgets all, and keeps the room that they took unless a page had very many.
    pub fn clear(&mut self) {
        if self.text.capacity() > ROOM_KEPT {
            *self = Links::default();
        }
        self.text.clear();
        self.items.clear();
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = LinkRef<'_>> {
        let mut start = 0;
        self.items.iter().map(move |item| {
            let url = &self.text[start..item.end as usize];
            start = item.end as usize;
            let Item { fingerprint, kind, lastmod_s, promise, .. } = *item;
            let lastmod_s = (lastmod_s > 0).then_some(lastmod_s);
            LinkRef { url, fingerprint, kind, lastmod_s, promise }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_back_in_the_order_found() {
        let mut links = Links::default();
        for url in ["http://a/1", "http://a/22", "http://b/"] {
            links.push(url, Fingerprint::of(url), LinkKind::Anchor);
        }
        let back: Vec<&str> = links.iter().map(|link| link.url).collect();
        assert_eq!(back, ["http://a/1", "http://a/22", "http://b/"]);
        assert!(links.iter().all(|link| Fingerprint::of(link.url) == link.fingerprint));
    }

    #[test]
    fn links_are_taken_over_as_they_are_and_forgotten() {
        let mut links = Links::default();
        links.push_dated("http://a/1", Fingerprint::of("http://a/1"), LinkKind::Listed, Some(7));
        links.push("http://ä/", Fingerprint::of("http://ä/"), LinkKind::Anchor);
        links.promise(|link| link.url.len() as u8);
        let mut taken = Links::default();
        links.iter().for_each(|link| taken.take(link));
        assert!(taken.iter().eq(links.iter()));
        let long = "x".repeat(2 * ROOM_KEPT);
        taken.push(&long, Fingerprint::of(&long), LinkKind::Anchor);
        taken.clear();
        assert!(taken.is_empty() && taken.text.capacity() <= ROOM_KEPT);
        links.iter().for_each(|link| taken.take(link));
        assert!(taken.iter().eq(links.iter()));
    }

    #[test]
    fn a_link_promises_what_it_is_asked_for() {
        let mut links = Links::default();
        links.push("http://a/", Fingerprint::of("http://a/"), LinkKind::Anchor);
        links.push("http://a/bb", Fingerprint::of("http://a/bb"), LinkKind::Redirect);
        assert!(links.iter().all(|link| link.promise == 0));
        links.promise(|link| link.url.len() as u8);
        let promises: Vec<u8> = links.iter().map(|link| link.promise).collect();
        assert_eq!(promises, [9, 11]);
    }
}
