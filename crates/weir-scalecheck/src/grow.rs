//! The work of a crawl without its pages: URLs are leased, what is found on them is added, they are
//! settled.

use std::time::{Duration, Instant};

use weir_frontier::{End, Found, Frontier, FrontierError, HostId, Leased, UrlKind};
use weir_types::Fingerprint;

use crate::look::Spent;
use crate::web::{Web, depth, mix};

/// Pages that are out at a time.
const PAGES: usize = 500;
/// New URLs that each of them brings: ten are known for one that is fetched.
const NEW: usize = 10;
/// A crawl hands over what it has a few pages at a time.
const PAGES_A_FRAME: usize = 4;
const TELL_EVERY: Duration = Duration::from_secs(10);

#[derive(Default)]
pub struct Grown {
    pub add: Spent,
    /// Lease and settle together.
    pub lease: Spent,
    /// Looking up links that are known.
    pub seen: Spent,
    /// Looking up links that are not.
    pub unseen: Spent,
    urls: u64,
    bytes: u64,
}

impl Grown {
    pub fn mean_length(&self) -> f64 {
        self.bytes as f64 / self.urls.max(1) as f64
    }
}

/// URLs made beforehand, so that making them is not measured.
struct Batch {
    texts: String,
    /// Number, place of the text, fingerprint.
    urls: Vec<(u64, std::ops::Range<usize>, Fingerprint)>,
}

impl Batch {
    fn of(web: &Web, numbers: impl Iterator<Item = u64>) -> Batch {
        let mut batch = Batch { texts: String::new(), urls: Vec::new() };
        for number in numbers {
            let start = batch.texts.len();
            web.write(number, &mut batch.texts);
            let place = start..batch.texts.len();
            let fingerprint = Fingerprint::of(&batch.texts[place.clone()]);
            batch.urls.push((number, place, fingerprint));
        }
        batch
    }
}

/// Until so many URLs are known.
pub fn grow(frontier: &mut Frontier, web: &Web, until: u64) -> Result<Grown, FrontierError> {
    let mut grown = Grown::default();
    let mut cycle = web.hosts().iter().copied().cycle();
    let mut told = Instant::now();
    while frontier.added() < until {
        let known = frontier.added();
        let pages = if web.is_seed(known) { Vec::new() } else { next(frontier, &mut cycle) };
        let pages = grown.lease.on(pages.len(), || lease(frontier, &pages))?;

        let more = (PAGES * NEW) as u64;
        let batch = Batch::of(web, known..(known + more).min(until));
        grown.urls += batch.urls.len() as u64;
        grown.bytes += batch.texts.len() as u64;
        grown.add.on(batch.urls.len(), || add(frontier, web, &batch, &pages))?;

        grown.lease.on(0, || settle(frontier, &pages))?;
        look_up(frontier, web, &mut grown);
        if told.elapsed() > TELL_EVERY {
            told = Instant::now();
            eprintln!("{} of {until} URLs", frontier.added());
        }
    }
    let upto = frontier.syncer().run()?;
    frontier.synced(upto);
    Ok(grown)
}

/// Hosts that have something, one after the other.
fn next(frontier: &Frontier, cycle: &mut impl Iterator<Item = HostId>) -> Vec<HostId> {
    cycle.filter(|host| frontier.waiting(*host) > 0).take(PAGES).collect()
}

fn lease(frontier: &mut Frontier, hosts: &[HostId]) -> Result<Vec<Leased>, FrontierError> {
    let leases = hosts.iter().map(|host| frontier.lease(*host, u64::MAX));
    leases.filter_map(Result::transpose).collect()
}

fn add(
    frontier: &mut Frontier,
    web: &Web,
    batch: &Batch,
    pages: &[Leased],
) -> Result<(), FrontierError> {
    for (nth, (number, place, fingerprint)) in batch.urls.iter().enumerate() {
        frontier.add(Found {
            url: &batch.texts[place.clone()],
            fingerprint: *fingerprint,
            host: web.host(*number),
            score: 0.0,
            depth: depth(*number),
            redirects: 0,
            parent: pages.get(nth / NEW).map(|page| page.place),
            kind: UrlKind::Page,
            lastmod_s: None,
        })?;
        if nth % (PAGES_A_FRAME * NEW) == 0 {
            frontier.write()?;
        }
    }
    frontier.write()
}

fn settle(frontier: &mut Frontier, pages: &[Leased]) -> Result<(), FrontierError> {
    for frame in pages.chunks(PAGES_A_FRAME) {
        for page in frame {
            let kept = End::Kept { status: 200, bytes_wire: 27_000, bytes_body: 90_000 };
            frontier.settle(page, kept, 1_790_000_000_000 + page.number)?;
        }
        frontier.write()?;
    }
    Ok(())
}

fn look_up(frontier: &Frontier, web: &Web, grown: &mut Grown) {
    let known = frontier.added();
    let lots = |from: u64| (0..PAGES as u64).map(move |nth| mix(known + nth) % known + from);
    let seen = Batch::of(web, lots(0));
    let unseen = Batch::of(web, lots(1 << 40));
    let found = |batch: &Batch| {
        batch.urls.iter().filter(|(.., fingerprint)| frontier.is_seen(*fingerprint)).count()
    };
    let all = grown.seen.on(PAGES, || found(&seen));
    let none = grown.unseen.on(PAGES, || found(&unseen));
    assert_eq!((all, none), (PAGES, 0), "the frontier knows what was added, and nothing else");
}
