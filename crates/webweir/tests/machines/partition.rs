//! A downloader that the scheduler cannot hear, while both go on and the web is there for all.

use std::thread::sleep;
use std::time::Duration;

use weir_testsite::{HostSpec, Visit};

use crate::cluster::Cluster;
use crate::lab::{Lab, web_address, with_machines};

/// Hosts of many small pages, and some of one page that takes longer than anybody may wait unheard. Of these there are
/// fewer than a downloader has slots, and of the others more than it can have at a time, so that whoever connects last has
/// something to do, too.
const QUICK: usize = 16;
const SLOW: usize = 3;
const SLOTS: usize = 4;

/// As in `weir_cluster`: who hears nothing begins nothing any more after `QUIET`, has given up all after
/// `GIVE_UP`, and is replaced after `GONE`.
const QUIET: Duration = Duration::from_secs(3);
const GIVE_UP: Duration = Duration::from_secs(8);
const GONE: Duration = Duration::from_secs(10);
/// For a pulse or two, and a machine with much to do.
const SLACK: Duration = Duration::from_secs(1);
/// Long enough that all of this happens before it ends.
const LASTS: Duration = Duration::from_secs(12);

fn cluster(lab: Lab, pages: u32) -> Cluster {
    let quick = HostSpec::pages(pages).latency(Duration::from_millis(100));
    let slow = HostSpec::pages(1).page_bytes(60_000..=60_000).rate(5_000);
    let hosts = [vec![quick; QUICK], vec![slow; SLOW]].concat();
    Cluster::new(lab, hosts, SLOTS)
}

#[test]
fn a_downloader_that_is_cut_off_stops_is_replaced_and_comes_back() {
    let test = "partition::a_downloader_that_is_cut_off_stops_is_replaced_and_comes_back";
    with_machines(test, |lab| {
        let mut cluster = cluster(lab, 85);
        cluster.run([1, 2]);
        cluster.wait_for(200);
        let cut = cluster.began.elapsed();
        cluster.lab.wire(2).cut();
        sleep(LASTS);
        cluster.lab.wire(2).mend();
        cluster.finish();
        expect_silence(&cluster, cut);
        expect_replaced(&cluster, cut);
        cluster.expect_each_page_once();
        cluster.expect_one_at_a_time();
    });
}

/// The one that is cut off asks for nothing soon after, and again when it is heard.
fn expect_silence(cluster: &Cluster, cut: Duration) {
    let asked = |from: Duration, to: Duration| {
        let is_there = |visit: &&Visit| (from..to).contains(&visit.at);
        let visits: Vec<Visit> =
            (0..QUICK + SLOW).flat_map(|host| cluster.web.visits(host)).collect();
        visits.iter().filter(is_there).filter(|visit| visit.from == web_address(2)).count()
    };
    assert!(asked(Duration::ZERO, cut) > 20, "it had nothing to do");
    assert_eq!(asked(cut + QUIET + SLACK, cut + LASTS), 0, "requests while it was not heard");
    assert!(asked(cut + LASTS, Duration::MAX) > 20, "it did not come back");
}

/// What it had is the other's when it is gone, and no page that it was reading ends later than it may.
fn expect_replaced(cluster: &Cluster, cut: Duration) {
    let mut replaced = 0;
    for host in 0..QUICK + SLOW {
        let visits = cluster.web.visits(host);
        let last = visits.iter().rev().find(|visit| visit.at < cut + QUIET);
        let Some(last) = last.filter(|last| last.from == web_address(2)) else { continue };
        assert!(last.ended.is_some_and(|ended| ended < cut + GIVE_UP + SLACK), "{last:?}");
        let next = visits.iter().find(|visit| visit.at > last.at);
        let Some(next) = next.filter(|next| next.at < cut + LASTS) else { continue };
        assert!(next.at > cut + GONE - SLACK && next.from == web_address(1), "{next:?}");
        replaced += 1;
    }
    assert!(replaced > 0, "nobody took over what it had");
}

/// The wire comes and goes, for shorter and for longer than anybody waits.
#[test]
#[ignore = "minutes: cargo xtask soak"]
fn a_wire_that_comes_and_goes_loses_nothing() {
    with_machines("partition::a_wire_that_comes_and_goes_loses_nothing", |lab| {
        let mut cluster = cluster(lab, 450);
        cluster.run([1, 2, 3]);
        cluster.wait_for(100);
        for (number, seconds) in [(1, 1), (2, 4), (3, 9), (1, 10), (2, 11), (3, 15)] {
            cluster.lab.wire(number).cut();
            sleep(Duration::from_secs(seconds));
            cluster.lab.wire(number).mend();
            sleep(Duration::from_secs(3));
        }
        cluster.finish();
        cluster.expect_each_page_once();
        cluster.expect_one_at_a_time();
    });
}
