//! The frontier's promises, on real files.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;
use weir_frontier::{
    Added, Config, End, Event, Found, Frontier, FrontierError, HostId, Leased, UrlKind, history,
};
use weir_types::{Fingerprint, Skip};

const KEPT: End<'static> = End::Kept { status: 200, bytes_wire: 10, bytes_body: 20 };
const FAR: u64 = u64::MAX;

fn open(folder: &Path) -> Frontier {
    Frontier::open(folder, Config { hot_most: 100, ..Config::default() }).unwrap().0
}

fn found(url: &str, host: HostId, score: f32, depth: u32) -> Found<'_> {
    let fingerprint = Fingerprint::of(url);
    Found {
        url,
        fingerprint,
        host,
        score,
        depth,
        redirects: 0,
        parent: None,
        kind: UrlKind::Page,
        lastmod_s: None,
    }
}

fn lease_all(frontier: &mut Frontier, host: HostId) -> Vec<Leased> {
    std::iter::from_fn(|| frontier.lease(host, FAR).unwrap()).collect()
}

fn urls(leased: &[Leased]) -> Vec<&str> {
    leased.iter().map(|leased| leased.url.as_str()).collect()
}

#[test]
fn urls_go_out_by_score_then_depth_then_order_found() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for (url, score, depth) in
        [("late", 0.0, 1), ("deep", 0.0, 2), ("best", 2.0, 9), ("early", 0.0, 0), ("also", 0.0, 1)]
    {
        frontier.add(found(url, host, score, depth)).unwrap();
    }
    assert_eq!(frontier.next_depth(host).unwrap(), Some(9));
    let order = lease_all(&mut frontier, host);
    assert_eq!(urls(&order), ["best", "early", "late", "also", "deep"]);
}

#[test]
fn a_url_that_comes_nearer_goes_out_with_its_new_depth_and_no_longer_waits_for_a_deeper_run() {
    let dir = tempfile::tempdir().unwrap();
    let shallow = Config { max_depth: Some(3), ..Config::default() };
    let (mut frontier, _) = Frontier::open(dir.path(), shallow).unwrap();
    let host = frontier.host("a", "a");
    for (url, depth) in [("kept", 1), ("waiting", 3), ("parked", 7), ("far", 9)] {
        frontier.add(found(url, host, 0.0, depth)).unwrap();
    }
    let kept = frontier.lease(host, FAR).unwrap().unwrap();
    frontier.settle(&kept, KEPT, 0).unwrap();
    let mut spots = frontier.spots().unwrap();
    for (url, depth) in [("kept", 0), ("waiting", 2), ("parked", 3), ("far", 8)] {
        let spot = spots.get_mut(&Fingerprint::of(url)).unwrap();
        assert_eq!(frontier.is_done(spot), url == "kept");
        frontier.come_nearer(spot, depth).unwrap();
        assert_eq!(spot.depth, depth);
    }
    assert_eq!((frontier.counts().open, frontier.counts().parked), (2, 1));
    let depths = |frontier: &mut Frontier| {
        let leased = lease_all(frontier, host).into_iter();
        leased.map(|leased| (leased.url, leased.depth)).collect::<Vec<_>>()
    };
    let expected = [("waiting".to_owned(), 2), ("parked".to_owned(), 3)];
    assert_eq!(depths(&mut frontier), expected);
    frontier.close().unwrap();

    let (mut frontier, _) = Frontier::open(dir.path(), shallow).unwrap();
    assert_eq!((frontier.counts().open, frontier.counts().parked), (2, 1));
    assert_eq!(frontier.spots().unwrap()[&Fingerprint::of("far")].depth, 8);
    assert_eq!(depths(&mut frontier), expected, "and so it is after opening again");
    assert_eq!(history(dir.path(), Fingerprint::of("kept")).unwrap().unwrap().depth, 0);
}

/// Opens it to go three steps deep, along the shortest ways.
fn follow(folder: &Path) -> Frontier {
    let config = Config { max_depth: Some(3), ..Config::default() };
    let mut frontier = Frontier::open(folder, config).unwrap().0;
    frontier.follow_ways().unwrap();
    frontier
}

/// What is read off a URL; links that are new are added as dispatch does it.
fn read(frontier: &mut Frontier, leased: &Leased, links: &[&str]) {
    frontier.settle(leased, KEPT, 0).unwrap();
    let depth = frontier.depth_of(leased) + 1;
    for url in links {
        if !frontier.is_seen(Fingerprint::of(url)) {
            frontier.add(found(url, leased.host, 0.0, depth)).unwrap();
        }
    }
    frontier.lead(leased, links.iter().map(|url| (Fingerprint::of(url), 1))).unwrap();
}

#[test]
fn a_shorter_way_counts_whatever_became_of_a_url_before_and_brings_nearer_what_it_leads_to() {
    for reopens in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let mut frontier = follow(dir.path());
        let [slow, fast] = ["slow", "fast"].map(|name| frontier.host(name, name));
        frontier.add(found("seed", slow, 0.0, 0)).unwrap();
        frontier.add(found("fetched", fast, 0.0, 3)).unwrap();
        let fetched = frontier.lease(fast, FAR).unwrap().unwrap();
        read(&mut frontier, &fetched, &["behind it", "seed"]);
        frontier.add(found("waits", fast, 0.0, 3)).unwrap();
        frontier.add(found("too deep", fast, 0.0, 4)).unwrap();
        assert_eq!((frontier.counts().open, frontier.counts().parked), (2, 2));
        if reopens {
            frontier.close().unwrap();
            frontier = follow(dir.path());
        }
        let out = frontier.lease(fast, FAR).unwrap().unwrap();
        assert_eq!((&*out.url, out.depth), ("waits", 3));
        let seed = frontier.lease(slow, FAR).unwrap().unwrap();
        read(&mut frontier, &seed, &["fetched", "waits", "too deep"]);
        assert_eq!(frontier.depth_of(&out), 1, "while it was out");
        let mut woken = Vec::new();
        frontier.wake(0, |host| woken.push(host)).unwrap();
        assert_eq!(woken, [fast, fast]);
        let leased = lease_all(&mut frontier, fast);
        let depths: Vec<_> = leased.iter().map(|it| (it.url.as_str(), it.depth)).collect();
        assert_eq!(depths, [("too deep", 1), ("behind it", 2)]);
        assert_eq!((frontier.counts().open, frontier.counts().parked), (3, 0));
        assert_eq!(frontier.hosts().nth(1).unwrap().3.known, 4);
        frontier.close().unwrap();
        for (url, depth) in [("seed", 0), ("fetched", 1), ("waits", 1), ("behind it", 2)] {
            let history = history(dir.path(), Fingerprint::of(url)).unwrap().unwrap();
            assert_eq!(history.depth, depth, "{url}");
        }
    }
}

#[test]
fn a_url_that_is_named_as_a_seed_later_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = follow(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("deep", host, 0.0, 9)).unwrap();
    assert_eq!(frontier.lease(host, FAR).unwrap(), None);
    assert_eq!(frontier.add(found("deep", host, 0.0, 0)).unwrap(), Added::Seen);
    assert_eq!(frontier.lease(host, FAR).unwrap().unwrap().depth, 0);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// Pages of eight hosts are read, whichever host has its turn, with the end of a process now and then: what was read is
    /// what is within three steps, and all depths are the least.
    #[test]
    fn depths_are_the_least_in_whatever_order_pages_are_read(
        links in prop::collection::vec(prop::collection::vec(0usize..32, 1..4), 32),
        turns in prop::collection::vec((0usize..8, prop::bool::weighted(0.05)), 80),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let mut frontier = follow(dir.path());
        let hosts = ["a", "b", "c", "d", "e", "f", "g", "h"].map(|name| frontier.host(name, name));
        frontier.add(found("0", hosts[0], 0.0, 0)).unwrap();
        let mut read = BTreeSet::new();
        let rest = (0..8 * 32).map(|turn| (turn % 8, false));
        for (turn, ends) in turns.into_iter().chain(rest) {
            if ends {
                frontier.write().unwrap();
                drop(frontier);
                frontier = follow(dir.path());
            }
            let Some(leased) = frontier.lease(hosts[turn], FAR).unwrap() else { continue };
            frontier.settle(&leased, KEPT, 0).unwrap();
            let page: usize = leased.url.parse().unwrap();
            prop_assert!(read.insert(page), "twice");
            let depth = frontier.depth_of(&leased) + 1;
            let urls: Vec<String> = links[page].iter().map(usize::to_string).collect();
            for (url, to) in urls.iter().zip(&links[page]) {
                if !frontier.is_seen(Fingerprint::of(url)) {
                    frontier.add(found(url, hosts[to % 8], 0.0, depth)).unwrap();
                }
            }
            frontier.lead(&leased, urls.iter().map(|url| (Fingerprint::of(url), 1))).unwrap();
        }
        frontier.close().unwrap();
        let mut depths = [u32::MAX; 32];
        depths[0] = 0;
        for far in 0..3 {
            for (page, links) in links.iter().enumerate() {
                let near = depths[page] == far;
                links.iter().filter(|_| near).for_each(|to| depths[*to] = depths[*to].min(far + 1));
            }
        }
        for (page, depth) in depths.iter().enumerate() {
            prop_assert_eq!(read.contains(&page), *depth <= 3, "page {} of depth {}", page, depth);
            if *depth <= 3 {
                let history = history(dir.path(), Fingerprint::of(&page.to_string())).unwrap();
                prop_assert_eq!(history.unwrap().depth, *depth);
            }
        }
    }
}

#[test]
fn a_host_may_go_less_deep_than_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = follow(dir.path());
    let [one, other] = ["one", "other"].map(|name| frontier.host(name, name));
    frontier.limit_depth(one, Some(1));
    for (host, url) in [(one, "1 of one"), (other, "1 of other")] {
        frontier.add(found(url, host, 0.0, 1)).unwrap();
    }
    assert_eq!(frontier.add(found("2 of one", one, 0.0, 2)).unwrap(), Added::TooDeep);
    assert_eq!(frontier.add(found("2 of other", other, 0.0, 2)).unwrap(), Added::New);
    assert_eq!((frontier.counts().open, frontier.counts().parked), (3, 1));
    frontier.close().unwrap();
    let mut frontier = follow(dir.path());
    assert_eq!(frontier.counts().open, 4, "what a host goes by is not in the log");
    frontier.limit_depth(one, Some(1));
    frontier.park_deep().unwrap();
    assert_eq!((frontier.counts().open, frontier.counts().parked), (3, 1));
    assert_eq!(urls(&lease_all(&mut frontier, one)), ["1 of one"]);
    assert_eq!(urls(&lease_all(&mut frontier, other)), ["1 of other", "2 of other"]);
}

#[test]
fn what_failed_is_left_alone_by_a_run_that_only_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("broken", host, 0.0, 0)).unwrap();
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    frontier.settle(&leased, End::Dropped { skip: None, why: "reset" }, 0).unwrap();
    frontier.close().unwrap();
    let goes_on = Config { tries_failed: false, ..Config::default() };
    let (frontier, _) = Frontier::open(dir.path(), goes_on).unwrap();
    assert_eq!((frontier.counts().open, frontier.counts().dropped), (0, 1));
    drop(frontier);
    assert_eq!(open(dir.path()).counts().open, 1, "and a new run tries it again");
}

#[test]
fn a_url_is_known_once_whatever_became_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    assert_eq!(frontier.add(found("x", host, 0.0, 0)).unwrap(), Added::New);
    assert_eq!(frontier.add(found("x", host, 9.0, 0)).unwrap(), Added::Seen);
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    assert!(frontier.settle(&leased, KEPT, 0).unwrap());
    assert_eq!(frontier.add(found("x", host, 0.0, 0)).unwrap(), Added::Seen);
    assert!(frontier.skip(Fingerprint::of("y"), Skip::Scope));
    assert!(!frontier.skip(Fingerprint::of("y"), Skip::Scope));
    frontier.write().unwrap();
    drop(frontier);
    let mut frontier = open(dir.path());
    for url in ["x", "y"] {
        assert_eq!(frontier.add(found(url, host, 0.0, 0)).unwrap(), Added::Seen);
    }
    let counts = frontier.counts();
    assert_eq!((counts.known, counts.open, counts.kept), (2, 0, 1));
    assert_eq!(counts.skipped[Skip::Scope as usize], 1);
}

#[test]
fn a_lease_ends_by_settling_by_expiry_or_by_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for url in ["1", "2", "3"] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
    }
    let first = frontier.lease(host, 100).unwrap().unwrap();
    let second = frontier.lease(host, 200).unwrap().unwrap();
    frontier.lease(host, FAR).unwrap().unwrap();
    assert!(frontier.settle(&second, KEPT, 0).unwrap());

    let mut woken = Vec::new();
    frontier.wake(150, |host| woken.push(host)).unwrap();
    assert_eq!(woken, [host], "only the first lease is over");
    let again = frontier.lease(host, FAR).unwrap().unwrap();
    assert_eq!(again, first);

    frontier.write().unwrap();
    drop(frontier);
    let mut frontier = open(dir.path());
    assert_eq!(urls(&lease_all(&mut frontier, host)), ["1", "3"]);
}

#[test]
fn an_outcome_that_comes_late_or_twice_counts_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("x", host, 0.0, 0)).unwrap();
    let leased = frontier.lease(host, 10).unwrap().unwrap();
    frontier.wake(11, |_| {}).unwrap();
    assert!(frontier.settle(&leased, KEPT, 0).unwrap(), "late, but the first");
    assert!(!frontier.settle(&leased, KEPT, 0).unwrap());
    assert_eq!(frontier.lease(host, FAR).unwrap(), None, "it must not go out again");
    assert_eq!(frontier.counts().kept, 1);
}

#[test]
fn a_retry_waits_for_its_time_and_remembers_its_attempts_across_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("x", host, 0.0, 0)).unwrap();
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    let retry = End::Retry { attempts: 1, due_ms: 500, why: "connection reset" };
    frontier.settle(&leased, retry, 0).unwrap();
    frontier.write().unwrap();
    for _ in ["same process", "reopened"] {
        assert_eq!(frontier.next_due_ms(), Some(500));
        assert_eq!(frontier.lease(host, FAR).unwrap(), None);
        assert_eq!(frontier.counts().open, 1);
        drop(frontier);
        frontier = open(dir.path());
    }
    frontier.wake(500, |_| {}).unwrap();
    assert_eq!(frontier.lease(host, FAR).unwrap().unwrap().attempts, 1);
}

#[test]
fn a_retry_that_a_wrong_clock_put_off_is_due_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for (url, due_ms) in [("soon", 500), ("in twelve hours", 43_200_000)] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
        let leased = frontier.lease(host, FAR).unwrap().unwrap();
        frontier.settle(&leased, End::Retry { attempts: 1, due_ms, why: "refused" }, 0).unwrap();
    }
    frontier.write().unwrap();
    drop(frontier);
    let mut frontier = open(dir.path());
    frontier.distrust_retries_after(90_000);
    frontier.wake(1, |_| {}).unwrap();
    assert_eq!(urls(&lease_all(&mut frontier, host)), ["in twelve hours"]);
    assert_eq!(frontier.next_due_ms(), Some(500), "the other one waits for its time");
}

#[test]
fn a_url_that_goes_back_is_next_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for url in ["1", "2"] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
    }
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    frontier.settle(&leased, End::Back, 0).unwrap();
    assert_eq!(urls(&lease_all(&mut frontier, host)), ["1", "2"]);
}

#[test]
fn hosts_notes_and_totals_come_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let one = frontier.host("site", "one");
    let two = frontier.host("site", "two");
    assert_eq!(frontier.host("site", "one"), one);
    frontier.add(found("x", two, 0.0, 0)).unwrap();
    let leased = frontier.lease(two, FAR).unwrap().unwrap();
    frontier.settle(&leased, KEPT, 0).unwrap();
    frontier.set_note("mark", b"7");
    let robots = vec![b'r'; 70_000];
    frontier.set_host_note(two, &robots);
    frontier.close().unwrap();

    let frontier = open(dir.path());
    assert_eq!(frontier.note("mark"), Some(&b"7"[..]));
    assert_eq!(frontier.host_note(two).unwrap(), Some(robots));
    assert_eq!(frontier.host_note(one).unwrap(), None);
    let (_, site, name, totals) = frontier.hosts().nth(1).unwrap();
    assert_eq!((site, name), ("site", "two"));
    assert_eq!((totals.pages, totals.bytes_wire, totals.bytes_body), (1, 10, 20));
}

#[test]
fn a_url_found_too_deep_waits_for_a_run_that_goes_deeper() {
    let dir = tempfile::tempdir().unwrap();
    let shallow = Config { max_depth: Some(1), ..Config::default() };
    let mut frontier = Frontier::open(dir.path(), shallow).unwrap().0;
    let host = frontier.host("a", "a");
    assert_eq!(frontier.add(found("1", host, 0.0, 1)).unwrap(), Added::New);
    assert_eq!(frontier.add(found("2", host, 0.0, 2)).unwrap(), Added::TooDeep);
    frontier.write().unwrap();
    for _ in ["same process", "reopened"] {
        assert_eq!((frontier.counts().open, frontier.counts().parked), (1, 1));
        assert_eq!(urls(&lease_all(&mut frontier, host)), ["1"]);
        drop(frontier);
        frontier = Frontier::open(dir.path(), shallow).unwrap().0;
    }
    drop(frontier);
    assert_eq!(urls(&lease_all(&mut open(dir.path()), host)), ["1", "2"]);
}

#[test]
fn what_failed_is_tried_again_by_the_next_run_and_what_was_left_out_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for url in ["fails", "forbidden", "unsaid"] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
    }
    for skip in [None, Some(Skip::Robots), Some(Skip::RobotsAway)] {
        let leased = frontier.lease(host, FAR).unwrap().unwrap();
        frontier.settle(&leased, End::Dropped { skip, why: "refused" }, 0).unwrap();
    }
    assert_eq!((frontier.counts().open, frontier.counts().dropped), (0, 1));
    frontier.write().unwrap();
    drop(frontier);

    let mut frontier = open(dir.path());
    assert_eq!((frontier.counts().open, frontier.counts().dropped), (2, 0));
    assert_eq!(frontier.counts().skipped[Skip::RobotsAway as usize], 0);
    let leased = lease_all(&mut frontier, host);
    assert_eq!(urls(&leased), ["fails", "unsaid"]);
    for leased in &leased {
        frontier.settle(leased, KEPT, 0).unwrap();
    }
    frontier.write().unwrap();
    drop(frontier);
    let frontier = open(dir.path());
    let counts = frontier.counts();
    assert_eq!((counts.open, counts.dropped, counts.kept), (0, 0, 2));
}

#[test]
fn two_crawls_cannot_use_one_folder() {
    let dir = tempfile::tempdir().unwrap();
    let frontier = open(dir.path());
    let second = Frontier::open(dir.path(), Config::default());
    assert!(matches!(second, Err(FrontierError::InUse { .. })));
    drop(frontier);
    Frontier::open(dir.path(), Config::default()).unwrap();
}

#[test]
fn the_history_of_a_url_tells_how_it_was_found_and_what_became_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("seed", host, 0.0, 0)).unwrap();
    let seed = frontier.lease(host, FAR).unwrap().unwrap();
    frontier.add(Found { parent: Some(seed.place), ..found("page", host, 0.0, 1) }).unwrap();
    frontier.settle(&seed, KEPT, 5).unwrap();
    let page = frontier.lease(host, FAR).unwrap().unwrap();
    assert_eq!(page.parent.as_deref(), Some("seed"));
    frontier.settle(&page, End::Dropped { skip: Some(Skip::Robots), why: "rule" }, 6).unwrap();
    frontier.skip(Fingerprint::of("out"), Skip::Scope);
    frontier.write().unwrap();

    let of = |url| history(dir.path(), Fingerprint::of(url)).unwrap();
    let page = of("page").unwrap();
    assert_eq!((page.path, page.depth), (vec!["seed".to_owned(), "page".to_owned()], 1));
    let dropped = Event::Dropped { skip: Some(Skip::Robots), at_ms: 6, why: "rule".to_owned() };
    assert_eq!(page.events, [dropped]);
    assert_eq!(of("out").unwrap().events, [Event::Skipped { skip: Skip::Scope }]);
    assert_eq!(of("never"), None);
}

#[test]
fn a_sitemap_is_read_and_is_no_page_and_its_dates_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(Found { kind: UrlKind::Sitemap, ..found("map", host, 0.0, 0) }).unwrap();
    frontier.write().unwrap();
    drop(frontier);

    let mut frontier = open(dir.path());
    let map = frontier.lease(host, FAR).unwrap().unwrap();
    assert_eq!(map.kind, UrlKind::Sitemap);
    let page = Found { lastmod_s: Some(77), ..found("page", host, 0.0, 1) };
    frontier.add(Found { parent: Some(map.place), ..page }).unwrap();
    frontier.settle(&map, End::Read { listed: 1 }, 5).unwrap();
    frontier.write().unwrap();
    drop(frontier);

    let mut frontier = open(dir.path());
    assert_eq!(urls(&lease_all(&mut frontier, host)), ["page"]);
    let (counts, totals) = (*frontier.counts(), *frontier.hosts().next().unwrap().3);
    assert_eq!((counts.read, counts.kept, counts.open, totals.known), (1, 0, 1, 1));
    let of = |url| history(dir.path(), Fingerprint::of(url)).unwrap().unwrap();
    assert_eq!(of("map").events, [Event::Read { listed: 1, at_ms: 5 }]);
    assert_eq!(of("page").lastmod_s, Some(77));
}

#[test]
fn when_the_machine_went_down_only_what_was_synced_counts() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("safe", host, 0.0, 0)).unwrap();
    frontier.write().unwrap();
    let upto = frontier.syncer().run().unwrap();
    frontier.synced(upto);
    frontier.set_note("boot", b"an earlier start of the machine");
    frontier.add(found("unsure", host, 0.0, 0)).unwrap();
    frontier.write().unwrap();
    drop(frontier);
    let (mut frontier, opened) = Frontier::open(dir.path(), Config::default()).unwrap();
    assert!(opened.unsynced > 0 && !opened.was_closed);
    assert_eq!(urls(&lease_all(&mut frontier, host)), ["safe"]);
    frontier.close().unwrap();
    let opened = || Frontier::open(dir.path(), Config::default()).unwrap();
    let (mut frontier, after_a_close) = opened();
    frontier.write().unwrap();
    drop(frontier);
    assert!(after_a_close.was_closed && !opened().1.was_closed);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Cut the log anywhere: what comes back is exactly what some earlier `write` had handed over.
    #[test]
    fn a_crash_at_any_byte_returns_to_a_transaction(
        turns in prop::collection::vec((1usize..6, 0usize..6), 1..12),
        cut in 0.0f64..1.0,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let mut frontier = open(dir.path());
        let host = frontier.host("a", "a");
        // After each write: how long the log is, and which URLs are known and which are kept.
        let mut states = vec![(0, BTreeSet::new(), BTreeSet::new())];
        let (mut known, mut kept) = (BTreeSet::new(), BTreeSet::new());
        for (adds, settles) in turns {
            for _ in 0..adds {
                let url = format!("http://a/{}", known.len());
                frontier.add(found(&url, host, 0.0, known.len() as u32 % 3)).unwrap();
                known.insert(url);
            }
            for _ in 0..settles {
                let Some(leased) = frontier.lease(host, FAR).unwrap() else { break };
                frontier.settle(&leased, KEPT, 0).unwrap();
                kept.insert(leased.url);
            }
            frontier.write().unwrap();
            states.push((log.metadata().unwrap().len(), known.clone(), kept.clone()));
        }
        drop(frontier);
        let bytes = std::fs::read(&log).unwrap();
        let cut = (bytes.len() as f64 * cut) as u64;
        std::fs::write(&log, &bytes[..cut as usize]).unwrap();
        let (_, known, kept) = states.iter().rfind(|(len, _, _)| *len <= cut).unwrap();

        let mut frontier = open(dir.path());
        let host = frontier.host("a", "a");
        let waiting: BTreeSet<String> =
            lease_all(&mut frontier, host).into_iter().map(|leased| leased.url).collect();
        prop_assert_eq!(&waiting, &(known - kept));
        prop_assert_eq!(frontier.counts().kept, kept.len() as u64);
        for url in known {
            prop_assert_eq!(frontier.add(found(url, host, 0.0, 0)).unwrap(), Added::Seen);
        }
    }
}

#[test]
fn what_was_settled_waits_once_more_and_is_counted_anew() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let (host, other) = (frontier.host("a", "a"), frontier.host("b", "b"));
    for url in ["kept", "failed", "refused", "far", "waits"] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
    }
    frontier.add(Found { kind: UrlKind::Sitemap, ..found("map", host, 0.0, 0) }).unwrap();
    frontier.add(found("else", other, 0.0, 0)).unwrap();
    let at_first = frontier.hosts().next().map(|(_, _, _, totals)| *totals).unwrap();
    let ends = |url: &str| match url {
        "kept" | "else" => KEPT,
        "failed" => End::Dropped { skip: None, why: "gone" },
        "refused" => End::Dropped { skip: Some(Skip::Robots), why: "no" },
        "far" => End::Dropped { skip: Some(Skip::Depth), why: "far" },
        "map" => End::Read { listed: 5 },
        _ => End::Back,
    };
    for leased in lease_all(&mut frontier, host).into_iter().chain(lease_all(&mut frontier, other))
    {
        frontier.settle(&leased, ends(&leased.url), 1).unwrap();
        if leased.url == "kept" {
            frontier.set_url_note(&leased, b"tag");
        }
    }
    assert_eq!(again(&mut frontier, host), 4, "not what was left out for good");

    let check = |frontier: &mut Frontier| {
        let counts = *frontier.counts();
        assert_eq!((counts.kept, counts.dropped, counts.open), (1, 0, 5), "{counts:?}");
        let totals = frontier.hosts().next().map(|(_, _, _, totals)| *totals).unwrap();
        assert_eq!(totals, weir_frontier::HostTotals { skipped: 1, ..at_first });
        let past = frontier.past();
        assert_eq!((past.pages, past.kept, past.bytes_wire), (1, 1, 10));
        assert_eq!(frontier.waiting(host), 5);
    };
    check(&mut frontier);
    frontier.write().unwrap();
    drop(frontier);
    let mut frontier = open(dir.path());
    check(&mut frontier);
    let order = lease_all(&mut frontier, host);
    assert_eq!(urls(&order), ["kept", "failed", "refused", "waits", "map"], "each once");
    let notes: Vec<Option<&[u8]>> = order.iter().map(|leased| leased.note.as_deref()).collect();
    assert_eq!(notes, [Some(&b"tag"[..]), None, None, None, None]);
    for leased in &order {
        frontier.settle(leased, ends(&leased.url), 2).unwrap();
    }
    assert_eq!(frontier.add(found("kept", host, 0.0, 0)).unwrap(), Added::Seen);
    frontier.write().unwrap();
    assert_eq!(again(&mut frontier, host), 4, "and once more");
    frontier.write().unwrap();
    let first = frontier.lease(host, FAR).unwrap().unwrap();
    assert_eq!((first.url.as_str(), first.note), ("kept", None), "what was kept since has no note");
    let events = history(dir.path(), Fingerprint::of("kept")).unwrap().unwrap().events;
    let kinds: Vec<bool> = events.iter().map(|event| matches!(event, Event::Again)).collect();
    assert_eq!(kinds, [false, true, false, true]);
}

/// All that can be asked for again is; how many that are.
fn again(frontier: &mut Frontier, host: HostId) -> usize {
    let resting = frontier.resting(|id| id == host).unwrap();
    resting.iter().filter(|one| frontier.ask_again(one).unwrap()).count()
}

#[test]
fn errors_are_counted_by_status_until_they_are_asked_for_again() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for (url, status) in [("1", 404), ("2", 404), ("3", 500), ("4", 200)] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
        let leased = frontier.lease(host, FAR).unwrap().unwrap();
        let end = End::Kept { status, bytes_wire: 10, bytes_body: 20 };
        frontier.settle(&leased, end, 0).unwrap();
    }
    assert_eq!(errors(&frontier), [(404, 2), (500, 1)]);
    frontier.close().unwrap();

    let mut frontier = open(dir.path());
    assert_eq!(errors(&frontier), [(404, 2), (500, 1)]);
    assert_eq!(again(&mut frontier, host), 4);
    assert_eq!(errors(&frontier), []);
}

fn errors(frontier: &Frontier) -> Vec<(u16, u64)> {
    let statuses = frontier.error_statuses().iter();
    statuses.map(|(status, count)| (*status, *count)).filter(|(_, count)| *count > 0).collect()
}

#[test]
fn a_new_round_that_was_not_written_did_not_begin() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    frontier.add(found("x", host, 0.0, 0)).unwrap();
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    frontier.settle(&leased, KEPT, 0).unwrap();
    assert_eq!(again(&mut frontier, host), 1);
    frontier.set_note("round", b"2");
    drop(frontier);
    let frontier = open(dir.path());
    assert_eq!((frontier.counts().open, frontier.counts().kept), (0, 1));
    assert_eq!(frontier.note("round"), None);
}

#[test]
fn what_is_not_chosen_rests_with_its_note_until_somebody_asks() {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = open(dir.path());
    let host = frontier.host("a", "a");
    for url in ["1", "2", "3"] {
        frontier.add(found(url, host, 0.0, 0)).unwrap();
    }
    for leased in lease_all(&mut frontier, host) {
        frontier.settle(&leased, KEPT, 0).unwrap();
        frontier.set_url_note(&leased, leased.url.as_bytes());
    }
    let resting = frontier.resting(|id| id == host).unwrap();
    let notes: Vec<Vec<u8>> =
        resting.iter().map(|one| frontier.note_of(one).unwrap().unwrap()).collect();
    assert_eq!(notes, [b"1", b"2", b"3"]);
    assert!(frontier.ask_again(&resting[1]).unwrap());
    assert!(!frontier.ask_again(&resting[1]).unwrap(), "it waits already");
    assert_eq!((frontier.counts().kept, frontier.counts().open), (2, 1));
    frontier.write().unwrap();
    drop(frontier);

    let mut frontier = open(dir.path());
    let resting = frontier.resting(|_| true).unwrap();
    assert_eq!(resting.len(), 2, "the other one waits");
    assert_eq!(frontier.note_of(&resting[1]).unwrap().unwrap(), b"3");
    let leased = frontier.lease(host, FAR).unwrap().unwrap();
    assert_eq!((leased.url.as_str(), leased.note.as_deref()), ("2", Some(&b"2"[..])));
}
