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

    /// Forgets all but the first `count`.
    pub fn truncate(&mut self, count: usize) {
        if count < self.items.len() {
            self.text.truncate(self.end_of(count));
            self.items.truncate(count);
        }
    }

    /// Where the texts of the first `count` end.
    fn end_of(&self, count: usize) -> usize {
        count.checked_sub(1).map_or(0, |last| self.items[last].end as usize)
    }

    /// Of those after the first `before`, keeps what `is_wanted`.
    pub fn retain_after(&mut self, before: usize, mut is_wanted: impl FnMut(Fingerprint) -> bool) {
        let (mut from, mut to) = (self.end_of(before), before);
        // Texts move only downwards, byte by whole text, so that the buffer is the same one.
        let mut text = std::mem::take(&mut self.text).into_bytes();
        let mut text_end = from;
        for at in before..self.items.len() {
            let mut item = self.items[at];
            let range = from..item.end as usize;
            from = range.end;
            if is_wanted(item.fingerprint) {
                let length = range.len();
                text.copy_within(range, text_end);
                text_end += length;
                item.end = text_end as u32;
                self.items[to] = item;
                to += 1;
            }
        }
        text.truncate(text_end);
        self.items.truncate(to);
        self.text = String::from_utf8(text).expect("whole texts were moved");
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
    fn links_after_a_place_are_kept_or_not() {
        let urls = ["http://a/1", "http://a/22", "http://b/", "http://ä/", "http://c/4444"];
        for wanted in 0..1_u32 << urls.len() {
            for before in 0..=urls.len() {
                let mut links = Links::default();
                urls.iter().for_each(|url| links.push(url, Fingerprint::of(url), LinkKind::Anchor));
                let is_wanted = |at: usize| wanted & 1 << at != 0;
                let place = |found| urls.iter().position(|url| Fingerprint::of(url) == found);
                links.retain_after(before, |found| is_wanted(place(found).unwrap()));
                let back: Vec<&str> = links.iter().map(|link| link.url).collect();
                let kept = urls.iter().enumerate().filter(|(at, _)| *at < before || is_wanted(*at));
                assert_eq!(back, kept.map(|(_, url)| *url).collect::<Vec<_>>());
                assert!(links.iter().all(|link| Fingerprint::of(link.url) == link.fingerprint));
            }
        }
    }

    #[test]
    fn links_after_a_place_can_be_forgotten() {
        let urls = ["http://a/1", "http://a/22", "http://ä/"];
        for count in 0..=urls.len() + 1 {
            let mut links = Links::default();
            urls.iter().for_each(|url| links.push(url, Fingerprint::of(url), LinkKind::Anchor));
            links.truncate(count);
            links.push("http://b/", Fingerprint::of("http://b/"), LinkKind::Anchor);
            let back: Vec<&str> = links.iter().map(|link| link.url).collect();
            assert_eq!(back, [&urls[..count.min(urls.len())], &["http://b/"]].concat());
        }
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
