//! A crawl that is killed again and again, and goes on each time as if nothing had been.

use std::time::Duration;

use weir_testsite::{HostSpec, RobotsSpec, Spec, Web};

use crate::support::command::{Ended, Weir, crawl};
use crate::support::python::python;
use crate::support::verdict::{expect_everything, expect_good_manners, read_output, repeats};
use crate::support::wait_until;

#[test]
fn a_killed_crawl_loses_nothing_with_one_connection() {
    check(Spec::new(vec![site(3_000)]), 1);
}

#[test]
fn a_killed_crawl_loses_nothing_with_eight_connections() {
    check(Spec::new(vec![site(3_000).compressed().chunked()]), 8);
}

#[test]
fn a_killed_crawl_of_many_hosts_loses_nothing() {
    let host = site(300).cross_links(2);
    check(Spec::new(vec![host; 10]), 2);
}

#[test]
#[ignore = "takes minutes: cargo xtask soak"]
fn a_killed_crawl_of_200_000_urls_loses_nothing() {
    check(Spec::new(vec![site(200_000).page_bytes(300..=900).links_per_page(8)]), 8);
}

/// Before its first request a crawl reads and mends what the last one left.
#[test]
fn a_crawl_killed_while_it_starts_loses_nothing() {
    let Some(python) = python("kill") else { return };
    let web = Web::start(Spec::new(vec![site(500)])).unwrap();
    let out = tempfile::tempdir().unwrap();
    let start = || crawl(&web.seeds(), out.path(), &["--per-host", "4"]);
    for looks in 0..30 {
        // Each look is a millisecond after the one before, sooner or later in the start.
        let mut left = looks;
        let killed = kill_when(start(), || {
            left -= 1;
            left < 0
        });
        if let Err(ended) = killed {
            ended.expect_code(0);
        }
    }
    start().wait().expect_code(0);
    expect_good_manners(&web);
    expect_everything(&web, &read_output(&python, out.path()));
}

#[test]
fn an_interrupted_crawl_finishes_what_is_in_flight_and_asks_for_nothing_twice() {
    let Some(python) = python("interrupt") else { return };
    let web = Web::start(Spec::new(vec![site(1_000)])).unwrap();
    let out = tempfile::tempdir().unwrap();
    let start = || crawl(&web.seeds(), out.path(), &["--per-host", "4"]);
    for gap in [1, 50, 250, 2, 400] {
        let moment = requests(&web) + gap;
        let mut weir = start();
        wait_until("the moment to interrupt", || {
            weir.ended().is_some() || requests(&web) >= moment
        });
        weir.interrupt();
        weir.wait().expect_code(4).says(&["again|resume|go on|goes on"]);
    }
    start().wait().expect_code(0);
    expect_good_manners(&web);
    expect_everything(&web, &read_output(&python, out.path()));
    assert_eq!(repeats(&web), 0);
}

#[test]
fn a_second_crawl_into_the_same_folder_is_refused() {
    let web = Web::start(Spec::new(vec![site(200).latency(PAUSE)])).unwrap();
    let out = tempfile::tempdir().unwrap();
    let first = crawl(&web.seeds(), out.path(), &[]);
    wait_until("the first crawl to begin", || requests(&web) > 1);
    let second = crawl(&web.seeds(), out.path(), &[]).wait();
    second.expect_code(1).says(&[out.path().to_str().unwrap(), "another|already|in use"]);
    first.kill();
}

/// Long enough that a crawl of 200 pages does not end before another has tried to begin.
const PAUSE: Duration = Duration::from_millis(300);

/// A bit of everything that a crawl meets.
fn site(pages: u32) -> HostSpec {
    let some = pages / 50;
    let site = HostSpec::pages(pages).links_per_page(12).robots(RobotsSpec::Private);
    site.redirects(some).dead_links(some).duplicates(some * 2).files(some)
}

const KILLS: usize = 20;

fn check(spec: Spec, per_host: usize) {
    let Some(python) = python("kill") else { return };
    let in_flight = (KILLS + 1) * per_host * spec.hosts.len();
    let web = Web::start(spec).unwrap();
    let out = tempfile::tempdir().unwrap();
    let start = || crawl(&web.seeds(), out.path(), &["--per-host", &per_host.to_string()]);

    for gap in gaps(web.truth().urls().filter(|it| it.allowed).count()) {
        let moment = requests(&web) + gap;
        kill_when(start(), || requests(&web) >= moment).expect("there was more to crawl");
    }
    // Once more when all is fetched but perhaps not all of it kept.
    if let Err(ended) = kill_when(start(), || web.missing().next().is_none()) {
        ended.expect_code(0);
    }
    start().wait().expect_code(0);

    expect_good_manners(&web);
    expect_everything(&web, &read_output(&python, out.path()));
    let again = repeats(&web);
    println!("asked for again: {again}; in flight at the kills: {in_flight}");
    assert!(again <= in_flight as u64, "asked for again: {again}; in flight: {in_flight}");
}

/// The error is a crawl that ended before its moment came.
fn kill_when(mut weir: Weir, mut now: impl FnMut() -> bool) -> Result<(), Ended> {
    let mut early = false;
    wait_until("the moment to kill", || {
        early = weir.ended().is_some();
        early || now()
    });
    if early {
        return Err(weir.wait());
    }
    weir.kill();
    Ok(())
}

fn requests(web: &Web) -> u64 {
    web.counts().total().requests
}

/// How many requests after each start the kill comes: drawn by lot, all together fewer than there
/// are URLs, and every fifth so few that the crawl has hardly begun.
fn gaps(urls: usize) -> Vec<u64> {
    let seed = std::env::var("WEIR_TEST_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    eprintln!("WEIR_TEST_SEED={seed}");
    let mut lot = fastrand::Rng::with_seed(seed);
    let longest = urls * 14 / 10 / KILLS;
    (0..KILLS).map(|n| lot.u64(1..=if n % 5 == 4 { 3 } else { longest as u64 })).collect()
}
