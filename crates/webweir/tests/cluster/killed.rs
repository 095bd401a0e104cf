//! kill -9 of each role at moments drawn by lot.

use std::time::Duration;

use crate::output::{expect_none_twice, exported, records};
use crate::run::{BOUND, Cluster, sites};
use crate::support::command::{Ended, Weir};
use crate::support::verdict::repeats;
use crate::support::wait_until;
use crate::team::Team;

const NAMES: [&str; 3] = ["a", "b", "c"];
const PER_HOST: u32 = 1;
const HOSTS: usize = 12;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Scheduler,
    Downloader,
    /// Whoever the lot falls on.
    Any,
}

#[test]
fn a_killed_downloader_that_comes_back_loses_nothing() {
    check(80, 4, Victim::Downloader);
}

#[test]
fn a_killed_scheduler_that_comes_back_loses_nothing() {
    check(80, 4, Victim::Scheduler);
}

#[test]
fn six_kills_of_either_role_in_one_crawl_lose_nothing() {
    check(100, 6, Victim::Any);
}

#[test]
#[ignore = "takes minutes: cargo xtask soak"]
fn a_hundred_kills_in_a_crawl_of_20_000_pages_lose_nothing() {
    check(1_700, 100, Victim::Any);
}

/// So many kills of a crawl of `HOSTS` times so many pages.
fn check(pages: u32, kills: u64, victim: Victim) {
    let flags = ["--per-host", &PER_HOST.to_string()];
    let cluster = Cluster::of(sites(HOSTS, pages), &flags);
    let urls = cluster.web.truth().urls().filter(|it| it.allowed).count() as u64;
    let mut lot = lot();
    let mut team = Team::start(&cluster, &NAMES);
    for _ in 0..kills {
        team.wait_for(lot.u64(1..=urls * 14 / 10 / kills));
        match victim {
            Victim::Scheduler => kill_scheduler(&mut team),
            Victim::Any if lot.bool() => kill_scheduler(&mut team),
            _ => kill_downloader(&mut team, NAMES[lot.usize(..NAMES.len())]),
        }
    }
    team.end_at_last();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(PER_HOST);
    let brought = cluster.folders().into_iter().map(|folder| records(&[folder]).len());
    let brought: Vec<usize> = brought.collect();
    assert!(brought.iter().all(|pages| *pages > 0), "all of them had a part in it: {brought:?}");
    let (again, most) = (repeats(&cluster.web), kills * u64::from(PER_HOST) * HOSTS as u64);
    println!("asked for again: {again}; under way at the kills: {most}");
    assert!(again <= most, "asked for again: {again}; under way at the kills: {most}");
}

fn lot() -> fastrand::Rng {
    let seed = std::env::var("WEIR_TEST_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    eprintln!("WEIR_TEST_SEED={seed}");
    fastrand::Rng::with_seed(seed)
}

fn kill_scheduler(team: &mut Team<'_>) {
    team.take_scheduler().kill();
    team.restart_scheduler();
}

fn kill_downloader(team: &mut Team<'_>, name: &str) {
    team.take(name).kill();
    team.join(name);
}

/// Ctrl-C, and once more when it has heard the first.
pub fn interrupted_twice(mut weir: Weir) -> Ended {
    weir.interrupt();
    wait_until("it to hear", || weir.ended().is_some() || weir.said().contains("stopping"));
    if weir.ended().is_none() {
        weir.interrupt();
    }
    weir.wait_within(BOUND)
}

#[test]
fn what_a_downloader_had_that_never_comes_back_is_fetched_by_others() {
    let flags = ["--per-host", &PER_HOST.to_string()];
    let spec = sites(HOSTS, 80).each(|host| host.latency(Duration::from_millis(60)));
    let cluster = Cluster::of(spec, &flags);
    let mut team = Team::start(&cluster, &NAMES);
    let folder = [cluster.folder_of("b")];
    team.wait_for(100);
    wait_until("it to have stored some", || !exported(&folder).is_empty());
    team.take("b").kill();
    let stored = exported(&folder);
    // The others end when the crawl is done; the scheduler would wait a minute for the third.
    for name in ["a", "c"] {
        team.take(name).wait_within(BOUND).expect_code(0);
    }
    let ended = interrupted_twice(team.take_scheduler());
    assert!(matches!(ended.code, Some(0 | 4)), "{ended:?}");

    // Only what it had handed in, and could not be told to store, is still in its spool.
    let rows = exported(&cluster.folders());
    expect_none_twice(&rows);
    let report = cluster.report();
    let all = report["downloaders"].as_array().unwrap();
    let waiting: u64 = all.iter().map(|it| it["unconfirmed"].as_u64().unwrap()).sum();
    let urls = cluster.web.truth().urls().filter(|it| it.allowed).count();
    assert!(rows.len() as u64 + waiting >= urls as u64, "{} of {urls}, {waiting}", rows.len());
    assert_eq!(exported(&folder), stored, "what it had stored is there");
    assert_eq!(waiting > 0, ended.code == Some(4), "{}", ended.stderr);
    if waiting > 0 {
        ended.says(&["downloader b has not stored", "start it and this command again"]);
        ended.says(&["if it is lost", "--write-off b"]);
    }

    // It comes back after all.
    team.restart_scheduler();
    team.join("b");
    team.end_at_last();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(PER_HOST);
    let again = repeats(&cluster.web);
    let most = u64::from(PER_HOST) * HOSTS as u64;
    assert!(again <= most, "asked for again: {again}; under way at the kill: {most}");
}
