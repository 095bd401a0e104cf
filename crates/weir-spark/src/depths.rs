//! Validation: a task runs ahead as if it knew the shortest way to each page, and a shorter one may
//! show up later. Nothing has to be fetched again for that: the page gets its true depth, and so does
//! what it leads to, as far as this task knows.

use std::collections::HashMap;

use weir_crawl::Traveller;
use weir_frontier::{Frontier, FrontierError, Leased, Spot};
use weir_types::{Fingerprint, LinkKind, Links};

/// The links that one run has read, in the order read.
#[derive(Default)]
pub struct Reads {
    pages: Vec<Page>,
    targets: Vec<Target>,
}

struct Page {
    page: Fingerprint,
    /// Where its targets end.
    end: usize,
}

#[derive(Clone, Copy)]
struct Target {
    to: Fingerprint,
    /// A redirect leads nowhere deeper.
    steps: u32,
}

impl Reads {
    pub fn add(&mut self, from: &Leased, links: &Links) {
        self.targets.extend(links.iter().map(|link| Target {
            to: link.fingerprint,
            steps: u32::from(link.kind != LinkKind::Redirect),
        }));
        self.pages.push(Page { page: Fingerprint::of(&from.url), end: self.targets.len() });
    }

    fn by_page(&self) -> HashMap<Fingerprint, &[Target]> {
        let mut begin = 0;
        let targets = |page: &Page| {
            let all = &self.targets[begin..page.end];
            begin = page.end;
            (page.page, all)
        };
        self.pages.iter().map(targets).collect()
    }
}

/// What came of validation.
#[derive(Default)]
pub struct Validated {
    /// Pages that were kept with another depth, and their true one.
    pub nearer: HashMap<Fingerprint, u32>,
    /// Those among them whose links this run has not read: what they lead to is to be looked at by
    /// whoever has their links.
    pub unfollowed: Vec<Fingerprint>,
    /// The shortest way to each URL of another bucket, as far as this run knows.
    pub elsewhere: HashMap<Fingerprint, u32>,
}

/// Notes shorter ways before a run: those that others have found, and those (`followed`) of which all
/// is known already that follows from them.
pub fn arrive(
    frontier: &mut Frontier,
    arrived: &[Traveller],
    followed: &[(String, u32)],
) -> Result<Validated, FrontierError> {
    let ways = arrived.iter().map(|traveller| (&traveller.url, traveller.depth, true));
    let ways = followed.iter().map(|(url, depth)| (url, *depth, false)).chain(ways);
    let mut news: Vec<_> =
        ways.map(|(url, depth, is_new)| (Fingerprint::of(url), depth, is_new)).collect();
    news.retain(|(page, _, _)| frontier.is_seen(*page));
    let mut validated = Validated::default();
    if news.is_empty() {
        return Ok(validated);
    }
    let mut spots = frontier.spots()?;
    for (page, depth, is_new) in news {
        if let Some(spot) = spots.get_mut(&page).filter(|spot| depth < spot.depth) {
            frontier.come_nearer(spot, depth)?;
            if frontier.is_done(spot) {
                validated.nearer.insert(page, depth);
                validated.unfollowed.extend(is_new.then_some(page));
            }
        }
    }
    Ok(validated)
}

/// Follows shorter ways through all that a run has read, to the end.
pub fn validate(frontier: &mut Frontier, reads: &Reads) -> Result<Validated, FrontierError> {
    let mut spots = frontier.spots()?;
    let by_page = reads.by_page();
    let mut validated = Validated::default();
    let mut next: Vec<Fingerprint> = reads.pages.iter().map(|page| page.page).collect();
    // A depth only ever falls, so this ends.
    while let Some(page) = next.pop() {
        let (Some(depth), Some(targets)) =
            (spots.get(&page).map(|spot| spot.depth), by_page.get(&page))
        else {
            continue;
        };
        for target in *targets {
            let to = depth + target.steps;
            match spots.get_mut(&target.to) {
                Some(spot) if to < spot.depth => {
                    frontier.come_nearer(spot, to)?;
                    note(frontier, spot, target.to, &mut validated);
                    next.push(target.to);
                }
                Some(_) => {}
                None => {
                    let least = validated.elsewhere.entry(target.to).or_insert(to);
                    *least = to.min(*least);
                }
            }
        }
    }
    let is_unfollowed = |page: &&Fingerprint| !by_page.contains_key(*page);
    validated.unfollowed = validated.nearer.keys().filter(is_unfollowed).copied().collect();
    Ok(validated)
}

fn note(frontier: &Frontier, spot: &Spot, page: Fingerprint, validated: &mut Validated) {
    if frontier.is_done(spot) {
        validated.nearer.insert(page, spot.depth);
    }
}
