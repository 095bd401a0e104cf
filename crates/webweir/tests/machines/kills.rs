//! Joining, leaving, and kill -9 of each role.

use std::thread::sleep;
use std::time::Duration;

use weir_testsite::{HostSpec, RobotsSpec};

use crate::cluster::Cluster;
use crate::lab::{Lab, MACHINES, with_machines};

const HOSTS: usize = 8;

fn cluster(lab: Lab, pages: u32) -> Cluster {
    let host = HostSpec::pages(pages).links_per_page(12).robots(RobotsSpec::Private);
    let host = host.redirects(5).dead_links(5).duplicates(5).files(5).cross_links(1);
    let host = host.latency(Duration::from_millis(40));
    Cluster::new(lab, vec![host; HOSTS], 2)
}

#[test]
fn downloaders_join_leave_and_are_killed_and_so_is_the_scheduler() {
    with_machines("kills::downloaders_join_leave_and_are_killed_and_so_is_the_scheduler", |lab| {
        let mut cluster = cluster(lab, 140);
        cluster.run([1, 2]);
        cluster.wait_for(100);
        cluster.join(3);
        cluster.wait_for(250);
        cluster.leave(1);
        cluster.wait_for(400);
        cluster.kill(2);
        cluster.wait_for(480);
        cluster.join(2);
        cluster.wait_for(600);
        cluster.kill_scheduler();
        sleep(Duration::from_millis(500));
        cluster.start();
        cluster.wait_for(750);
        cluster.join(1);
        cluster.join(4);
        cluster.finish();
        cluster.expect_each_page_once();
        cluster.expect_one_at_a_time();
    });
}

/// Somebody is killed or leaves every few seconds, and comes back after a while.
#[test]
#[ignore = "minutes: cargo xtask soak"]
fn whoever_is_killed_at_whatever_moment_each_page_is_kept_once() {
    with_machines("kills::whoever_is_killed_at_whatever_moment_each_page_is_kept_once", |lab| {
        let told = std::env::var("WEIR_TEST_SEED").ok().and_then(|seed| seed.parse().ok());
        let seed = told.unwrap_or_else(|| fastrand::u64(..));
        println!("WEIR_TEST_SEED={seed}");
        let mut lot = fastrand::Rng::with_seed(seed);
        let mut cluster = cluster(lab, 600);
        cluster.run(1..=3);
        for _ in 0..20 {
            sleep(Duration::from_millis(lot.u64(0..3000)));
            let number = lot.usize(1..=MACHINES);
            disturb(&mut cluster, number, &mut lot);
        }
        for number in 1..=MACHINES {
            if cluster.downloaders[number - 1].is_none() {
                cluster.join(number);
            }
        }
        cluster.finish();
        cluster.expect_each_page_once();
        cluster.expect_one_at_a_time();
    });
}

fn disturb(cluster: &mut Cluster, number: usize, lot: &mut fastrand::Rng) {
    let runs = cluster.downloaders[number - 1].is_some();
    let requests = cluster.requests();
    match lot.u8(0..4) {
        0 => {
            println!("{requests}: the scheduler is killed");
            cluster.kill_scheduler();
            sleep(Duration::from_millis(lot.u64(0..3000)));
            cluster.start();
        }
        1 if runs => {
            println!("{requests}: d{number} leaves");
            cluster.leave(number);
        }
        _ if runs => {
            println!("{requests}: d{number} is killed");
            cluster.kill(number);
        }
        _ => {
            println!("{requests}: d{number} joins");
            cluster.join(number);
        }
    }
}
