//! 429 and 503: the host is left alone for as long as it asks, and no page is lost.

use std::time::{Duration, SystemTime};

use weir_testsite::{HostSpec, Script, Visit, http_date};

use crate::site::{SLACK, Site};

const FOUR: Duration = Duration::from_secs(4);

#[test]
fn nothing_is_asked_for_within_4_s_of_a_429_with_retry_after_4_and_no_page_is_lost() {
    let site = busy_site(429, || "4".to_owned());
    site.crawl(&[]);
    site.expect_all_pages();
    assert!(quiet_after(&site.visits(), 429) >= FOUR - SLACK);
}

#[test]
fn a_503_with_retry_after_is_no_different() {
    let site = busy_site(503, || "4".to_owned());
    site.crawl(&[]);
    site.expect_all_pages();
    assert!(quiet_after(&site.visits(), 503) >= FOUR - SLACK);
}

#[test]
fn a_date_in_retry_after_is_waited_for() {
    // Cut to whole seconds by its form, so that five from now are four at least.
    let site = busy_site(429, || http_date(SystemTime::now() + FOUR + Duration::from_secs(1)));
    site.crawl(&[]);
    site.expect_all_pages();
    assert!(quiet_after(&site.visits(), 429) >= FOUR - SLACK);
}

#[test]
fn without_retry_after_the_rests_grow() {
    let host = HostSpec::pages(10).with_play(|asked| {
        let busy = asked.path == "/dir/5/" && asked.times < 3;
        busy.then(|| Script::answer(503, "", "not now"))
    });
    let site = Site::new(host);
    site.crawl(&[]);
    site.expect_all_pages();
    let visits = site.visits();
    let refused = visits.iter().enumerate().filter(|(_, visit)| visit.path == "/dir/5/").take(3);
    let rests: Vec<Duration> = refused.map(|(at, _)| rest_after(&visits, at)).collect();
    for (rest, least_ms) in rests.iter().zip([500, 1000, 2000]) {
        assert!(*rest >= Duration::from_millis(least_ms) - SLACK, "{rests:?}");
    }
}

/// With several requests at a time, those that were on their way may still arrive.
#[test]
fn a_rest_holds_for_all_connections_of_a_host() {
    let on_their_way = Duration::from_millis(500);
    let host = HostSpec::pages(60).latency(Duration::from_millis(20)).with_play(|asked| {
        let busy = asked.path == "/dir/5/" && asked.times == 0;
        busy.then(|| Script::answer(429, "retry-after: 3\r\n", "not now"))
    });
    let site = Site::new(host);
    site.crawl(&["--per-host", "4"]);
    site.expect_all_pages();
    let visits = site.visits();
    let refused = visits.iter().find(|visit| visit.path == "/dir/5/").unwrap().ended.unwrap();
    let rest = refused + on_their_way..refused + Duration::from_secs(3) - SLACK;
    let early: Vec<&Visit> = visits.iter().filter(|visit| rest.contains(&visit.at)).collect();
    assert!(early.is_empty(), "{early:?}");
}

/// Ten pages, one of which refuses the first time.
fn busy_site(status: u16, retry_after: fn() -> String) -> Site {
    Site::new(HostSpec::pages(10).with_play(move |asked| {
        let busy = asked.path == "/dir/5/" && asked.times == 0;
        let headers = || format!("retry-after: {}\r\n", retry_after());
        busy.then(|| Script::answer(status, &headers(), "not now"))
    }))
}

/// The time between the refusal and the next request for anything.
fn quiet_after(visits: &[Visit], status: u16) -> Duration {
    let refused = visits.iter().position(|visit| visit.path == "/dir/5/");
    rest_after(visits, refused.unwrap_or_else(|| panic!("{status} was never answered")))
}

fn rest_after(visits: &[Visit], refused: usize) -> Duration {
    visits[refused + 1].at - visits[refused].ended.unwrap()
}
