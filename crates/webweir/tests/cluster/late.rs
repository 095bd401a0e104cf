//! Who is not heard of for a while: a downloader that stands still, and a scheduler that is gone.

use std::time::Duration;

use weir_testsite::HostSpec;

use crate::run::{Cluster, sites};
use crate::support::verdict::repeats;
use crate::support::wait_until;
use crate::team::Team;

/// The scheduler gives the jobs of a downloader to others after 10 s without a word.
const PATIENCE: Duration = Duration::from_secs(10);
/// A downloader that hears nothing begins nothing new after 3 s; a few pulses are added.
const QUIET: Duration = Duration::from_millis(4_500);

#[test]
fn a_late_outcome_is_settled_once() {
    // Answers are slow enough that the one who stands still has some under way.
    let spec = sites(12, 50).each(|host| host.latency(Duration::from_millis(150)));
    let cluster = Cluster::of(spec, &["--per-host", "1"]);
    let mut team = Team::start(&cluster, &["a", "b", "c"]);
    team.wait_for(120);
    team.of("b").signal("STOP");
    std::thread::sleep(PATIENCE);
    let scheduler = team.scheduler();
    wait_until("its jobs to be given to others", || scheduler.said().contains("given to others"));
    team.of("b").signal("CONT");
    team.end();
    cluster.expect_each_once();
    let (again, most) = (repeats(&cluster.web), 12);
    assert!(again <= most, "{again} asked for again, and no more than {most} were under way");
}

#[test]
fn a_downloader_without_a_scheduler_asks_for_nothing_new_and_goes_on_when_it_is_back() {
    let cluster = Cluster::of(sites(4, 100), &["--per-host", "2"]);
    let mut team = Team::start(&cluster, &["a", "b"]);
    team.wait_for(100);
    team.take_scheduler().kill();
    let gone = cluster.requests();
    std::thread::sleep(QUIET);
    let quiet = cluster.requests();
    // What was handed out may be asked for: as many as the hosts may be asked for at a time.
    assert!(quiet - gone <= 4 * 2, "{} requests after it was gone", quiet - gone);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(cluster.requests(), quiet, "asked for though nobody was heard of");
    team.restart_scheduler();
    team.end();
    cluster.expect_each_once();
    cluster.expect_at_most_at_once(2);
    assert_eq!(repeats(&cluster.web), 0, "what it has fetched meanwhile counts");
}

/// Its connection outlives that: the downloader gives up what it has, and has to learn of the scheduler again, and this of it.
#[test]
fn a_downloader_goes_on_when_its_scheduler_has_stood_still() {
    let mut spec = sites(6, 60);
    spec.hosts.push(HostSpec::pages(1).latency(PATIENCE + Duration::from_secs(1)));
    let cluster = Cluster::of(spec, &["--per-host", "1"]);
    let mut team = Team::start(&cluster, &["a"]);
    team.wait_for(20);
    let scheduler = team.scheduler();
    scheduler.signal("STOP");
    std::thread::sleep(PATIENCE - Duration::from_millis(1_200));
    scheduler.signal("CONT");
    team.end();
    cluster.expect_each_once();
}
