//! Ten polite downloaders are still one polite crawler.

use std::time::Duration;

use weir_testsite::{HostSpec, RobotsSpec, Spec, Visit};

use crate::output::records;
use crate::run::{Cluster, site};
use crate::team::Team;

/// Times are kept in whole milliseconds, on both sides.
const SLACK: Duration = Duration::from_millis(5);
const MS: fn(u64) -> Duration = Duration::from_millis;

/// From the end of each answer to the next request, whoever asks.
fn gaps(visits: &[Visit]) -> Vec<Duration> {
    let gap = |pair: &[Visit]| pair[1].at.saturating_sub(pair[0].ended.unwrap());
    visits.windows(2).map(gap).collect()
}

fn check(host: HostSpec, hosts: usize, flags: &[&str], least: Duration) {
    for dispatch in ["host-affine", "shortest-queue"] {
        let spec = Spec::new(vec![host.clone().latency(MS(10)).watched(); hosts]);
        let cluster = Cluster::of(spec, &[&["--dispatch", dispatch], flags].concat());
        Team::start(&cluster, &["a", "b", "c"]).end();
        cluster.expect_each_once();
        cluster.expect_at_most_at_once(1);
        for number in 0..hosts {
            let gaps = gaps(&cluster.web.visits(number));
            // robots.txt says only then how long to wait.
            assert!(gaps[1..].iter().all(|gap| *gap >= least - SLACK), "{dispatch}: {gaps:?}");
        }
        let folders = cluster.folders();
        let busy = folders.iter().filter(|it| !records(&[it.to_path_buf()]).is_empty()).count();
        // A host may well stay with one; the shortest queue is sometimes this one's, sometimes that one's, and
        // with so little to do a third may never have it.
        assert!(busy > 1 || dispatch == "host-affine", "only {busy} has asked");
    }
}

#[test]
fn a_delay_is_kept_between_the_requests_of_different_downloaders() {
    check(HostSpec::pages(10), 4, &["--delay", "250ms"], MS(250));
}

#[test]
fn a_crawl_delay_is_kept_by_all_of_them_together() {
    let robots = RobotsSpec::Text("User-agent: *\nCrawl-delay: 0.4\n".into());
    check(HostSpec::pages(7).robots(robots).private(0), 4, &[], MS(400));
}

#[test]
fn per_host_is_the_most_that_all_ask_a_host_for_at_a_time() {
    for dispatch in ["host-affine", "shortest-queue"] {
        let spec = Spec::new(vec![site(50).latency(MS(30)); 3]);
        let cluster = Cluster::of(spec, &["--per-host", "3", "--dispatch", dispatch]);
        Team::start(&cluster, &["a", "b", "c"]).end();
        cluster.expect_each_once();
        let peak = cluster.web.counts().total().peak_requests;
        assert_eq!(peak, 3, "{dispatch}");
        // Each host's robots.txt was read once, and what it forbids was not asked for.
        assert_eq!(cluster.web.counts().total().robots, 3, "{dispatch}");
    }
}
