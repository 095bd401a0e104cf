//! Pages of earlier rounds that turned out to be nearer: what they lead to is nearer, too. Their
//! links are in tables by now, so this is a job of its own, for the buckets concerned.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use arrow_array::{Int32Array, RecordBatch, StringArray};
use weir_crawl::Traveller;
use weir_frontier::UrlKind;

use crate::TaskError;
use crate::history::column;

/// What is known of one bucket, as far as it matters here.
#[derive(Default)]
pub struct Cascade {
    /// The depth of each page that was kept.
    depths: HashMap<String, u32>,
    links: HashMap<String, Vec<Way>>,
}

struct Way {
    to: String,
    steps: u32,
}

/// What follows.
#[derive(Debug, Default, PartialEq)]
pub struct Followed {
    /// Pages of the bucket that are nearer than was known.
    pub nearer: Vec<(String, u32)>,
    /// Ways to URLs that are no pages of it: they wait, or are elsewhere.
    pub ways: Vec<Traveller>,
}

impl Cascade {
    /// Of several depths the least counts.
    pub fn page(&mut self, url: &str, depth: u32) {
        match self.depths.get_mut(url) {
            Some(known) => *known = depth.min(*known),
            None => {
                self.depths.insert(url.to_owned(), depth);
            }
        }
    }

    /// `kind` is as in the table of links.
    pub fn link(&mut self, from: &str, to: &str, kind: &str) {
        let way = Way { to: to.to_owned(), steps: u32::from(kind != "redirect") };
        match self.links.get_mut(from) {
            Some(ways) => ways.push(way),
            None => {
                self.links.insert(from.to_owned(), vec![way]);
            }
        }
    }

    /// Rows with `url` and `depth`.
    pub fn pages(&mut self, batch: &RecordBatch) -> Result<(), TaskError> {
        let urls: &StringArray = column(batch, "url")?;
        let depths: &Int32Array = column(batch, "depth")?;
        for (url, depth) in urls.iter().zip(depths.iter()) {
            if let (Some(url), Some(depth)) = (url, depth.and_then(|it| u32::try_from(it).ok())) {
                self.page(url, depth);
            }
        }
        Ok(())
    }

    /// Rows with `url`, `target` and `kind`.
    pub fn links(&mut self, batch: &RecordBatch) -> Result<(), TaskError> {
        let [urls, targets, kinds]: [&StringArray; 3] =
            [column(batch, "url")?, column(batch, "target")?, column(batch, "kind")?];
        for ((url, target), kind) in urls.iter().zip(targets).zip(kinds) {
            if let (Some(url), Some(target), Some(kind)) = (url, target, kind) {
                self.link(url, target, kind);
            }
        }
        Ok(())
    }

    /// Follows what comes of these pages: `begin` have these depths now, and have been noted with them;
    /// to `arrived` these ways were found, which may be longer than what is known.
    pub fn follow(mut self, begin: &[(String, u32)], arrived: &[(String, u32)]) -> Followed {
        let mut nearer: HashMap<String, u32> = HashMap::new();
        let mut ways: HashMap<String, Traveller> = HashMap::new();
        begin.iter().for_each(|(url, depth)| self.page(url, *depth));
        let own = |(url, depth): &(String, u32)| Reverse((*depth, url.clone()));
        // The nearest first: none is followed twice.
        let mut next: BinaryHeap<_> = begin.iter().map(own).collect();
        for way in arrived {
            if self.depths.get_mut(&way.0).is_some_and(|known| lower(known, way.1)) {
                nearer.insert(way.0.clone(), way.1);
                next.push(own(way));
            }
        }
        while let Some(Reverse((depth, page))) = next.pop() {
            let is_right = self.depths.get(&page) == Some(&depth);
            let Some(links) = self.links.get(&page).filter(|_| is_right) else { continue };
            for Way { to, steps } in links {
                let far = depth + steps;
                match self.depths.get_mut(to) {
                    Some(known) if far < *known => {
                        *known = far;
                        nearer.insert(to.clone(), far);
                        next.push(Reverse((far, to.clone())));
                    }
                    Some(_) => {}
                    None if ways.get(to).is_some_and(|way| way.depth <= far) => {}
                    None => {
                        ways.insert(to.clone(), traveller(to, &page, far));
                    }
                }
            }
        }
        let mut nearer: Vec<_> = nearer.into_iter().collect();
        nearer.sort();
        let mut ways: Vec<_> = ways.into_values().collect();
        ways.sort_by(|one, other| one.url.cmp(&other.url));
        Followed { nearer, ways }
    }
}

fn lower(known: &mut u32, depth: u32) -> bool {
    let is_lower = depth < *known;
    *known = depth.min(*known);
    is_lower
}

fn traveller(url: &str, parent: &str, depth: u32) -> Traveller {
    let (url, parent) = (url.to_owned(), Some(parent.to_owned()));
    let (redirects, kind, lastmod_s, promise) = (0, UrlKind::Page, None, 0);
    Traveller { url, parent, depth, redirects, kind, lastmod_s, promise }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_nearer_page_leads_to_is_nearer_to_the_end_of_the_chain() {
        let mut cascade = Cascade::default();
        for (page, depth) in [("a", 9), ("b", 10), ("c", 11), ("d", 5)] {
            cascade.page(page, depth);
        }
        for (from, to, kind) in [
            ("a", "b", "anchor"),
            ("b", "c", "redirect"),
            ("c", "d", "anchor"),
            ("c", "elsewhere", "anchor"),
            ("b", "elsewhere", "anchor"),
            ("d", "never", "anchor"),
        ] {
            cascade.link(from, to, kind);
        }
        let followed = cascade.follow(&[("a".to_owned(), 3)], &[]);
        let nearer = [("b", 4), ("c", 4)].map(|(page, depth)| (page.to_owned(), depth));
        assert_eq!(followed.nearer, nearer);
        let ways: Vec<_> = followed.ways.iter().map(|way| (way.url.as_str(), way.depth)).collect();
        assert_eq!(ways, [("elsewhere", 5)]);
    }

    #[test]
    fn a_way_that_was_found_counts_only_where_it_is_shorter() {
        let mut cascade = Cascade::default();
        [("a", 9), ("b", 10), ("c", 2)].iter().for_each(|(page, depth)| cascade.page(page, *depth));
        cascade.link("a", "b", "anchor");
        let arrived = [("a", 4), ("c", 3), ("unknown", 1)];
        let arrived = arrived.map(|(page, depth)| (page.to_owned(), depth));
        let followed = cascade.follow(&[], &arrived);
        let nearer = [("a", 4), ("b", 5)].map(|(page, depth)| (page.to_owned(), depth));
        assert_eq!((followed.nearer, followed.ways), (nearer.into(), Vec::new()));
    }
}
