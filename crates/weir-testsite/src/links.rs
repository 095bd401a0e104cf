//! The link graph, as a function of host and page number.
//!
//! Every page links to its children in a tree rooted at page 0, so every page is reachable; the
//! extras (copies, files, redirects, …) hang evenly on the pages; what is left of the page's
//! links goes to other hosts and to pages drawn by lot.

use crate::item::{Item, extras, item};
use crate::layout::Layout;
use crate::rng::Rng;
use crate::spec::HostSpec;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) host: usize,
    pub(crate) item: Item,
}

/// Where the links of a page lead, in the order they stand in it.
pub(crate) fn links(layout: &Layout, host: usize, page: u32) -> Vec<Target> {
    let spec = &layout.hosts[host].spec;
    let mut rng = layout.rng(host, page);
    let mut targets = Vec::with_capacity(spec.links_per_page as usize + 8);
    let here = |item| Target { host, item };
    targets.extend(children(spec, page).map(Item::Page).map(here));
    targets.extend(extras_of(spec, page).map(here));
    if layout.hosts.len() > 1 {
        targets.extend((0..spec.cross_links).map(|n| other_host(layout, host, page, n, &mut rng)));
    }
    while targets.len() < spec.links_per_page as usize {
        targets.push(here(Item::Page(rng.below(spec.pages))));
    }
    targets
}

fn children(spec: &HostSpec, page: u32) -> impl Iterator<Item = u32> {
    // A quarter of the links, so that the graph is neither a list nor flat.
    let arity = u64::from((spec.links_per_page / 4).clamp(1, 10));
    let first = u64::from(page) * arity + 1;
    let pages = u64::from(spec.pages);
    (first..first + arity).take_while(move |&child| child < pages).map(|child| child as u32)
}

fn extras_of(spec: &HostSpec, page: u32) -> impl Iterator<Item = Item> {
    let numbers = (page..extras(spec)).step_by(spec.pages as usize);
    numbers.map(|extra| item(spec, spec.pages + extra))
}

/// A page on some other host; the first link of page 0 leads to the next host's page 0, so that
/// one seed can reach the whole web.
fn other_host(layout: &Layout, host: usize, page: u32, n: u32, rng: &mut Rng) -> Target {
    let count = layout.hosts.len();
    if page == 0 && n == 0 {
        return Target { host: (host + 1) % count, item: Item::Page(0) };
    }
    let other = (host + 1 + rng.below(count as u32 - 1) as usize) % count;
    Target { host: other, item: Item::Page(rng.below(layout.hosts[other].spec.pages)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    #[test]
    fn every_page_and_extra_is_reachable_from_the_root() {
        for (pages, per_page) in [(1, 8), (2, 0), (50, 1), (1_000, 33), (7, 4)] {
            let spec = HostSpec::pages(pages).links_per_page(per_page);
            let spec = spec.redirects(5).dead_links(4).files(3).duplicates(2).private(1);
            let all = spec.pages + extras(&spec);
            let layout = Layout::new(Spec::new(vec![spec]), 80);
            assert_eq!(reach(&layout), all as usize, "{pages} pages, {per_page} links");
        }
    }

    #[test]
    fn the_benchmark_pages_have_exactly_33_links() {
        let layout = Layout::new(Spec::bench_one(), 80);
        assert!((0..20_000).all(|page| links(&layout, 0, page).len() == 33));
        assert_eq!(reach(&layout), 20_000);
    }

    fn reach(layout: &Layout) -> usize {
        let mut seen = vec![Item::Page(0)];
        let mut known: std::collections::HashSet<String> = [layout.url(0, Item::Page(0))].into();
        let mut next = 0;
        while next < seen.len() {
            if let Item::Page(page) = seen[next] {
                for target in links(layout, 0, page) {
                    if known.insert(layout.url(0, target.item)) {
                        seen.push(target.item);
                    }
                }
            }
            next += 1;
        }
        seen.len()
    }
}
