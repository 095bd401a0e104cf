//! A downloader whose machine is lost, with all that it had: others fetch it again.

use std::collections::BTreeSet;
use std::fs;
use std::slice::from_ref;
use std::time::Duration;

use weir_testsite::Spec;

use crate::killed::interrupted_twice;
use crate::output::{exported, records};
use crate::run::{BOUND, Cluster, sites};
use crate::support::wait_until;
use crate::team::Team;

const PER_HOST: [&str; 2] = ["--per-host", "1"];

/// Some seconds pass before a page that came is stored, and the crawl must not be done by then.
fn spec() -> Spec {
    sites(12, 60).each(|host| host.latency(Duration::from_millis(100)))
}

/// A crawl that is done but for what `b` had, whose machine is lost.
fn without_b(cluster: &Cluster) -> Team<'_> {
    let mut team = Team::start(cluster, &["a", "b", "c"]);
    let folder = cluster.folder_of("b");
    team.wait_for(100);
    wait_until("it to have stored some", || !exported(from_ref(&folder)).is_empty());
    team.take("b").kill();
    fs::remove_dir_all(folder).unwrap();
    for name in ["a", "c"] {
        team.take(name).wait_within(BOUND).expect_code(0);
    }
    // It would wait a minute for who has not stored all.
    let ended = interrupted_twice(team.take_scheduler());
    ended.expect_code(4).says(&["downloader b has not stored its last", "--write-off b"]);
    let there = records(&cluster.folders()).len();
    let urls = cluster.web.truth().urls().filter(|it| it.allowed).count();
    assert!(there < urls, "{there} of {urls}: it had none");
    team
}

fn pages(cluster: &Cluster) -> u64 {
    let is_page = |status: u16| (200..300).contains(&status);
    let truth = cluster.web.truth();
    truth.urls().filter(|it| it.allowed && is_page(it.status)).count() as u64
}

#[test]
fn what_a_lost_downloader_had_is_fetched_again_once_it_is_written_off() {
    let cluster = Cluster::of(spec(), &PER_HOST);
    let mut team = without_b(&cluster);
    team.restart_scheduler_with(&["--write-off", "b"]);
    team.join("a");
    team.join("c");
    team.end();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(1);
    assert_eq!(cluster.report()["pages"], pages(&cluster), "what is lost is not counted twice");
    let status = cluster.status(&[]);
    assert!(
        status.lines().any(|line| line.contains("downloader b") && line.contains("written off"))
    );

    // The same command once more: there is nothing left to do, and nobody to wait for.
    let asked = cluster.requests();
    let again = cluster.start_scheduler(&["--write-off", "b"]).wait_within(BOUND);
    again.expect_code(0);
    assert_eq!(cluster.requests(), asked);
}

#[test]
fn a_scheduler_that_is_killed_while_it_fetches_what_was_lost_loses_nothing() {
    let cluster = Cluster::of(spec(), &PER_HOST);
    let mut team = without_b(&cluster);
    team.restart_scheduler_with(&["--write-off", "b"]);
    team.join("a");
    team.join("c");
    for more in [8, 40] {
        team.wait_for(more);
        team.take_scheduler().kill();
        team.restart_scheduler_with(&["--write-off", "b"]);
    }
    team.end_at_last();
    cluster.expect_each_once();
    assert_eq!(cluster.report()["pages"], pages(&cluster));
}

#[test]
fn a_downloader_that_was_written_off_is_not_let_in_with_its_old_folder() {
    let cluster = Cluster::of(spec(), &PER_HOST);
    let mut team = Team::start(&cluster, &["a", "b"]);
    let folder = cluster.folder_of("b");
    team.wait_for(60);
    wait_until("it to have stored some", || !exported(from_ref(&folder)).is_empty());
    team.take("b").kill();
    team.take_scheduler().kill();
    let unknown = cluster.start_scheduler(&["--write-off", "x"]).wait_within(BOUND);
    unknown.expect_code(2).says(&["write-off = x", "no such downloader", "a (", "b ("]);

    team.restart_scheduler_with(&["--write-off", "b"]);
    let ended = cluster.downloader("b").wait_within(BOUND);
    ended.expect_code(1).says(&["written off", folder.to_str().unwrap(), "another --out"]);
    let scheduler = team.scheduler();
    wait_until("the scheduler to say so", || {
        scheduler.said().contains("was not let in: downloader b was written off")
    });
    // As it says: another folder, under the same name.
    fs::remove_dir_all(folder).unwrap();
    team.join("b");
    team.end();
    cluster.expect_each_once();
}

/// Goes on with one downloader until all is done.
fn end_with(cluster: &Cluster, more: &[&str], name: &str) {
    let scheduler = cluster.scheduler_with(more);
    let downloader = cluster.downloader(name);
    scheduler.wait_within(BOUND).expect_code(0);
    downloader.wait_within(BOUND).expect_code(0);
}

#[test]
fn a_page_that_another_has_found_unchanged_is_lost_with_who_has_its_payload() {
    let cluster = Cluster::of(sites(4, 40), &PER_HOST);
    Team::start(&cluster, &["a", "b"]).end();
    end_with(&cluster, &["--recrawl"], "a");
    let unchanged = records(&[cluster.folder_of("a")]);
    assert!(unchanged.iter().any(|row| row.1 == 304), "nothing was found unchanged");

    fs::remove_dir_all(cluster.folder_of("b")).unwrap();
    end_with(&cluster, &["--write-off", "b"], "a");
    let there = records(&[cluster.folder_of("a")]);
    let whole: BTreeSet<&str> =
        there.iter().filter(|row| row.1 != 304).map(|row| row.0.as_str()).collect();
    let truth = cluster.web.truth();
    let lost: Vec<String> = truth
        .urls()
        .filter(|it| it.allowed && !whole.contains(it.url.as_str()))
        .map(|it| it.url)
        .collect();
    assert!(lost.is_empty(), "{} payloads are lost, such as {:?}", lost.len(), lost.first());
}
