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
    kind: LinkKind,
}

impl Links {
    /// `canonical` is the canonical text that `fingerprint` was made of.
    pub fn push(&mut self, canonical: &str, fingerprint: Fingerprint, kind: LinkKind) {
        self.text.push_str(canonical);
        let end = u32::try_from(self.text.len()).expect("a page is far smaller than 4 GiB");
        self.items.push(Item { fingerprint, end, kind });
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Fingerprint, LinkKind)> {
        let mut start = 0;
        self.items.iter().map(move |item| {
            let url = &self.text[start..item.end as usize];
            start = item.end as usize;
            (url, item.fingerprint, item.kind)
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
        let back: Vec<&str> = links.iter().map(|(url, _, _)| url).collect();
        assert_eq!(back, ["http://a/1", "http://a/22", "http://b/"]);
        assert!(links.iter().all(|(url, fingerprint, _)| Fingerprint::of(url) == fingerprint));
    }
}
