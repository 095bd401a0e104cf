//! How often one host is asked.

use std::time::Duration;

use weir_testsite::{HostSpec, RobotsSpec};

use crate::site::{SLACK, Site, gaps, most_at_once};

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn twenty_pages_with_crawl_delay_2_take_38_s_at_least() {
    let robots = RobotsSpec::Text("User-agent: *\nCrawl-delay: 2\n".into());
    let site = Site::new(HostSpec::pages(20).robots(robots).private(0));
    site.crawl(&[]);
    site.expect_all_pages();
    let visits = site.visits();
    assert_eq!(visits.len(), 21);
    let (first, last) = (&visits[1], &visits[20]);
    assert!(last.at - first.at >= Duration::from_secs(38) - 19 * SLACK);
    assert!(gaps(&visits[1..]).iter().all(|gap| *gap >= Duration::from_secs(2) - SLACK));
}

#[test]
fn the_longer_of_delay_and_crawl_delay_counts() {
    for (asked, flag) in [("1", "200ms"), ("0.2", "1s")] {
        let robots = RobotsSpec::Text(format!("User-agent: *\nCrawl-delay: {asked}\n"));
        let site = Site::new(HostSpec::pages(4).robots(robots).private(0));
        site.crawl(&["--delay", flag]);
        site.expect_all_pages();
        assert!(gaps(&site.visits()[1..]).iter().all(|gap| *gap >= MS(1000) - SLACK));
    }
}

#[test]
fn delay_is_kept_between_an_answer_and_the_next_request() {
    let site = Site::new(HostSpec::pages(8).latency(MS(30)));
    site.crawl(&["--delay", "300ms"]);
    site.expect_all_pages();
    let gaps = gaps(&site.visits());
    assert!(gaps.iter().all(|gap| *gap >= MS(300) - SLACK), "{gaps:?}");
}

#[test]
fn a_host_is_asked_for_one_page_at_a_time() {
    let site = Site::new(HostSpec::pages(30).latency(MS(20)));
    site.crawl(&[]);
    site.expect_all_pages();
    assert_eq!(most_at_once(&site.visits()), 1);
    assert_eq!(site.web.counts().total().peak_requests, 1);
}

#[test]
fn per_host_is_reached_and_never_passed() {
    let site = Site::new(HostSpec::pages(60).latency(MS(50)));
    site.crawl(&["--per-host", "3"]);
    site.expect_all_pages();
    assert_eq!(site.web.counts().total().peak_requests, 3);
    assert!(most_at_once(&site.visits()) <= 3);
}

/// The pause is what the server took beyond 0.2 s, as it goes lately.
#[test]
fn a_slow_server_is_given_time() {
    let site = Site::new(HostSpec::pages(12).latency(MS(700)));
    site.crawl(&[]);
    site.expect_all_pages();
    let gaps = gaps(&site.visits());
    // By the fifth answer three quarters of the way from nothing to 700 ms are learnt.
    assert!(gaps[4..].iter().all(|gap| *gap >= MS(300)), "{gaps:?}");
}

#[test]
fn a_quick_server_is_not_slowed_down() {
    let site = Site::new(HostSpec::pages(30).latency(MS(20)));
    site.crawl(&[]);
    let gaps = gaps(&site.visits());
    let short = gaps.iter().filter(|gap| **gap < MS(100)).count();
    assert!(short > gaps.len() / 2, "{gaps:?}");
}

#[test]
fn slow_down_0_gives_no_time() {
    let site = Site::new(HostSpec::pages(8).latency(MS(500)));
    site.crawl(&["--slow-down", "0"]);
    site.expect_all_pages();
    let gaps = gaps(&site.visits());
    let short = gaps.iter().filter(|gap| **gap < MS(250)).count();
    assert!(short > gaps.len() / 2, "{gaps:?}");
}
