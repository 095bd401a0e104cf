//! What is promised and what is kept.

use weir_testsite::{HostSpec, Script};

use crate::job::{Job, expect_words, number};

#[test]
fn deadlines_that_can_be_kept_are_kept_and_reported() {
    let site = || HostSpec::pages(60).page_bytes(9_000..=11_000);
    let job = Job::new(
        "limit = \"200KB/s\"",
        vec![(site(), "within = \"2m\""), (site(), "within = \"1m\""), (site(), "")],
    );
    let ended = job.run("crawl", &[]);
    ended.expect_code(0);
    expect_words(&ended, &["plan: All 2 deadlines hold", "deadlines: 2 met, none missed"]);
    let report = job.report();
    assert_eq!(
        (&report["deadlines"]["met"], &report["deadlines"]["missed"]),
        (&2.into(), &0.into())
    );
    for at in 0..2 {
        let site = job.site(&report, at);
        assert_eq!((&site["met"], number(&site["late_by_s"])), (&true.into(), 0.0));
        for field in ["deadline", "predicted_finish", "predicted_bytes", "finished", "at_start"] {
            assert!(!site[field].is_null(), "{field} in {site}");
        }
    }
    let free = job.site(&report, 2);
    assert!(free["met"].is_null() && free["deadline"].is_null(), "{free}");
    assert_eq!(job.plan()["feasible"], true);
}

/// Two sites of 600 KB at 100 KB/s: one of them is in time if it comes first.
#[test]
fn the_site_with_the_near_deadline_comes_first() {
    let site = || HostSpec::pages(60).page_bytes(9_900..=10_100);
    let job = Job::new(
        "limit = \"150KB/s\"",
        vec![(site(), "within = \"1h\""), (site(), "within = \"10s\"")],
    );
    job.run("crawl", &["--per-host", "4"]).expect_code(0);
    let report = job.report();
    assert_eq!(report["deadlines"]["met"], 2, "{report}");
}

#[test]
fn a_deadline_that_cannot_be_kept_is_a_warning_first_and_an_exit_code_at_last() {
    let site = HostSpec::pages(100).page_bytes(9_900..=10_100).sitemap();
    let job = Job::new("limit = \"120KB/s\"", vec![(site, "within = \"4s\"")]);
    let ended = job.run("crawl", &["--per-host", "4"]);
    ended.expect_code(3);
    expect_words(
        &ended,
        &[
            "plan: 1 of 1 deadline missed",
            "the limit is not enough",
            "what would help: a limit of",
            "the deadline of",
            "deadlines: 0 met, 1 MISSED",
        ],
    );
    let report = job.report();
    assert_eq!((&report["outcome"], &report["pages"]), (&"complete".into(), &100.into()));
    assert_eq!(report["deadlines"]["missed"], 1);
    let site = job.site(&report, 0);
    assert_eq!(site["met"], false);
    assert!(number(&site["late_by_s"]) > 2.0, "{site}");
    assert_eq!(report["warnings"].as_array().unwrap().len(), 2, "{report}");
}

#[test]
fn a_server_that_is_too_slow_is_named_as_the_reason() {
    let site = HostSpec::pages(80).latency(std::time::Duration::from_millis(190)).sitemap();
    let job = Job::new("", vec![(site, "within = \"6s\"")]);
    let ended = job.run("crawl", &[]);
    ended.expect_code(3);
    expect_words(&ended, &["its server gives no more than", "per-host, now 1"]);
}

#[test]
fn a_pause_that_is_too_long_is_named_as_the_reason() {
    let site = HostSpec::pages(30).sitemap();
    let job = Job::new("limit = \"1MB/s\"", vec![(site, "within = \"5s\"\ndelay = \"300ms\"")]);
    let ended = job.run("crawl", &[]);
    ended.expect_code(3);
    expect_words(&ended, &["it is asked only once in", "a shorter delay"]);
}

#[test]
fn status_shows_when_each_site_is_expected() {
    let site = || HostSpec::pages(100).page_bytes(9_900..=10_100).sitemap();
    let job = Job::new(
        "limit = \"100KB/s\"",
        vec![(site(), "within = \"1h\""), (site(), "within = \"2h\"")],
    );
    let weir = job.start("crawl", &[]);
    crate::support::wait_until("a prediction", || {
        let status = job.run("status", &[]).stdout;
        status.contains("expected") && status.contains("to spare")
    });
    weir.kill();
}

#[test]
fn only_so_many_sites_run_at_a_time() {
    let site = || HostSpec::pages(12).latency(std::time::Duration::from_millis(20)).watched();
    let job = Job::new("max-sites = 1\nwithin = \"1h\"", (0..4).map(|_| (site(), "")).collect());
    job.run("crawl", &[]).expect_code(0);
    // Visits of one site are not among those of another, but for the samples at the beginning.
    let spans: Vec<(u64, u64)> = (0..4)
        .map(|host| {
            let visits = job.web.visits(host);
            let page = |at: usize| visits[at].at.as_millis() as u64;
            (page(2), page(visits.len() - 1))
        })
        .collect();
    for (at, (from, to)) in spans.iter().enumerate() {
        for (other, (begin, end)) in spans.iter().enumerate() {
            assert!(at == other || to <= begin || end <= from, "{at} and {other} of {spans:?}");
        }
    }
}

/// The first site asks for a year of rest; the second has its turn only when the first is given up.
#[test]
fn a_site_that_rests_for_long_takes_nobody_with_it() {
    let rests = HostSpec::pages(5).with_play(|asked| {
        let page = asked.path != "/" && asked.path != "/robots.txt";
        page.then(|| Script::answer(429, "retry-after: 31536000\r\n", "not now\n"))
    });
    let job = Job::new(
        "max-sites = 1",
        vec![(rests, "within = \"1h\""), (HostSpec::pages(40), "within = \"2h\"")],
    );
    job.run("crawl", &[]).expect_code(0);
    assert_eq!(job.site(&job.report(), 1)["pages"], 40, "{}", job.report());
}
