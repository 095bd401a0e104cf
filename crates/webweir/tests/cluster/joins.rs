//! Downloaders that come when they like and leave when they must.

use crate::run::{BOUND, Cluster, sites};
use crate::support::verdict::repeats;
use crate::support::wait_until;
use crate::team::Team;

#[test]
fn one_joins_late_and_another_leaves_in_the_middle() {
    let cluster = Cluster::of(sites(4, 130), &["--per-host", "2", "--dispatch", "shortest-queue"]);
    let mut team = Team::start(&cluster, &["a", "b"]);
    team.wait_for(100);
    team.join("late");
    team.wait_for(120);
    let leaving = team.take("a");
    leaving.signal("TERM");
    leaving.wait_within(BOUND).expect_code(0).says(&["left", "pages are in"]);
    team.end();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(2);
    assert_eq!(repeats(&cluster.web), 0, "who leaves finishes what it has begun");
    let report = cluster.report();
    let brought = report["downloaders"].as_array().unwrap();
    assert!(brought.iter().all(|it| it["pages"].as_u64().unwrap() > 0), "{brought:?}");
    assert_eq!(brought.len(), 3);
}

fn progress_says(team: &mut Team<'_>, words: &str) -> bool {
    let said = team.scheduler().said();
    said.lines().any(|line| line.contains(" pages/s, ") && line.contains(words))
}

#[test]
fn a_scheduler_waits_for_its_first_downloader_and_for_the_next_one() {
    let cluster = Cluster::of(sites(2, 100), &["--per-host", "2"]);
    let mut team = Team::start(&cluster, &[]);
    wait_until("progress to say so", || progress_says(&mut team, "waiting for downloaders"));
    assert!(!progress_says(&mut team, "done about"), "nobody can know when");
    assert_eq!(cluster.requests(), 0, "nobody was there to ask");
    team.join("a");
    team.wait_for(60);
    let only = team.take("a");
    only.signal("TERM");
    only.wait_within(BOUND).expect_code(0);
    let before = cluster.requests();
    wait_until("progress to say so", || progress_says(&mut team, "no downloader is connected"));
    assert_eq!(cluster.requests(), before, "nobody is there to ask");
    team.join("b");
    team.end();
    cluster.expect_each_once();
    assert_eq!(repeats(&cluster.web), 0);
}

#[test]
fn an_interrupted_scheduler_goes_on_with_downloaders_that_have_waited_for_it() {
    let cluster = Cluster::of(sites(4, 100), &["--per-host", "2"]);
    let mut team = Team::start(&cluster, &["a", "b"]);
    team.wait_for(200);
    let scheduler = team.take_scheduler();
    scheduler.interrupt();
    scheduler.wait_within(BOUND).expect_code(4).says(&["go on"]);
    team.restart_scheduler();
    team.end();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(2);
    assert_eq!(repeats(&cluster.web), 0);
}
