//! Caps and weights of sites.

use std::time::{Duration, Instant};

use crate::run::{BOUND, Crawl, sleep_until};
use crate::server::Server;
use crate::support::wait_until;

#[test]
fn a_site_with_a_limit_is_held_to_it_and_the_others_are_not() {
    let (held, free) = (Server::of(14, 20_000), Server::of(50, 20_000));
    let crawl = Crawl::of(&[&held, &free]);
    let site = format!("[[site]]\nname = \"{}\"\nlimit = \"70KB/s\"\n", held.name());
    let begun = Instant::now();
    crawl.start_with(&site, &[]).wait_within(BOUND).expect_code(0);
    let took = begun.elapsed().as_secs_f64();
    let least = held.payload() as f64 / 70_000.0;
    assert!(took >= least * 0.99, "{:?} in {took} s", held.sent());
    assert_eq!(crawl.pages(), 14 + 50 + 2);
    let last = |server: &Server| server.asked().last().unwrap().at;
    let ends = (last(&free) - begun, last(&held) - begun);
    assert!(
        ends.0 < ends.1,
        "more than three times as much takes longer without a limit: {ends:?}"
    );
}

/// Beside a limit for all, too.
#[test]
fn a_site_keeps_its_limit_though_there_is_more_for_all() {
    let (held, free) = (Server::of(6, 30_000), Server::of(30, 30_000));
    let crawl = Crawl::of(&[&held, &free]);
    let site = format!("[[site]]\nname = \"{}\"\nlimit = \"60KB/s\"\n", held.name());
    let begun = Instant::now();
    let ended = crawl.start_with(&site, &["--limit", "400KB/s"]).wait_within(BOUND);
    ended.expect_code(0);
    let took = begun.elapsed().as_secs_f64();
    let least = (held.payload() as f64 / 60_000.0)
        .max((held.payload() + free.payload()) as f64 / 400_000.0);
    assert!(took >= least * 0.99, "{:?} and {:?} in {took} s", held.sent(), free.sent());
    assert_eq!(crawl.pages(), 6 + 30 + 2);
}

#[test]
fn sites_share_by_their_weights() {
    let servers = [Server::of(50, 300_000), Server::of(50, 300_000)];
    let crawl = Crawl::of(&[&servers[0], &servers[1]]);
    let site = format!("[[site]]\nname = \"{}\"\nweight = 3.0\n", servers[1].name());
    let _weir = crawl.start_with(&site, &["--limit", "400KB/s"]);
    wait_until("both to begin", || servers.iter().all(|server| server.payload() > 60_000));
    let before = [servers[0].payload(), servers[1].payload()];
    // A site that has just got a page asks for the next one, and nothing of it comes meanwhile: some
    // pages of each are looked at, so that one pause more or less says little.
    sleep_until(Instant::now() + Duration::from_secs(10));
    let came = [0, 1].map(|n| (servers[n].payload() - before[n]) as f64);
    let part = came[1] / (came[0] + came[1]);
    assert!((0.75 * 0.85..=0.75 * 1.15).contains(&part), "{part}: {came:?}");
}
