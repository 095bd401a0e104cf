//! Sites that are crawled again and again.

use std::time::Duration;

use serde_json::Value;
use weir_testsite::HostSpec;

use crate::job::{Job, expect_words, number};
use crate::support::command::weir;
use crate::support::wait_until;

const BOUND: Duration = Duration::from_secs(120);
const PAGES: u32 = 40;

/// One that comes back and one that does not.
fn job(every: &str) -> Job {
    let site = || HostSpec::pages(PAGES).page_bytes(9_900..=10_100);
    Job::new(
        "limit = \"300KB/s\"\nper-host = 2",
        vec![(site(), every), (site(), "within = \"1h\"")],
    )
}

/// Each page of the two sites was asked for so often.
fn expect_fetched(job: &Job, first: u32, second: u32) {
    let counts = job.web.counts();
    for (at, times) in [(0, first), (1, second)] {
        let pages = counts.hosts[at].paths().filter(|(path, _)| path != "/robots.txt");
        let off: Vec<_> = pages.filter(|(_, count)| *count != times).collect();
        assert!(off.is_empty(), "site {at}, {times} expected: {off:?}");
    }
}

#[test]
fn a_recurring_site_has_its_next_round_when_it_is_due_and_not_before() {
    let job = job("every = \"1h\"\nwithin = \"30m\"");
    expect_words(job.run("crawl", &[]).expect_code(0), &["the next round is due 20"]);
    expect_fetched(&job, 1, 1);
    job.run("crawl", &[]).expect_code(0);
    expect_fetched(&job, 1, 1);
    let first = job.site(&job.report(), 0);
    assert_eq!((&first["round"], &first["met"]), (&1.into(), &true.into()), "{first}");
    assert!(!first["next_round"].is_null() && job.site(&job.report(), 1)["round"].is_null());

    // Who writes a shorter period has a round that is due.
    job.write("limit = \"300KB/s\"\nper-host = 2", &["every = \"1s\"\nwithin = \"1s\"", ""]);
    job.run("crawl", &[]);
    expect_fetched(&job, 2, 1);
    let report = job.report();
    let second = job.site(&report, 0);
    assert_eq!(second["round"], 2, "{second}");
    assert_eq!(second["pages"], PAGES, "a site counts the pages of its round");
    assert_eq!(report["pages"], 3 * PAGES, "and the crawl those of all");
    let told = &report["deadlines"];
    assert_eq!(number(&told["met"]) + number(&told["missed"]), 2.0, "of both rounds: {told}");
}

#[test]
fn the_next_round_is_planned_from_the_last_one_and_a_crawl_that_repeats_stays() {
    let job = job("every = \"6s\"\nwithin = \"6s\"");
    let weir = job.start("crawl", &["--repeat"]);
    wait_until("the third round", || {
        let path = job.out().join("report.json");
        path.exists() && job.site(&job.report(), 0)["round"] == 3
    });
    weir.interrupt();
    let ended = weir.wait_within(BOUND);
    ended.expect_code(4);
    let history: Value =
        serde_json::from_slice(&std::fs::read(job.out().join("history.json")).unwrap()).unwrap();
    let crawls = history["sites"][job.name(0)]["crawls"].as_array().unwrap();
    assert!(crawls.len() >= 2, "{crawls:?}");
    assert!(crawls.iter().all(|crawl| crawl["pages"] == f64::from(PAGES)), "{crawls:?}");
    let plan = job.plan();
    assert_eq!(job.site(&plan, 0)["basis"], "history", "{plan}");
    let told = number(&job.site(&plan, 0)["bytes"]);
    // Nothing had changed in the second round, and little was to be expected to.
    let (first, second) = (number(&crawls[0]["bytes"]), number(&crawls[1]["bytes"]));
    assert!((second * 0.8..first / 5.0).contains(&told), "{told} {crawls:?}");
}

#[test]
fn a_kill_in_the_middle_of_a_round_neither_skips_nor_repeats_it() {
    let slow = "limit = \"60KB/s\"\nper-host = 2";
    let job = job("every = \"1h\"");
    job.run("crawl", &[]).expect_code(0);
    job.write(slow, &["every = \"1s\"", ""]);
    let weir = job.start("crawl", &[]);
    wait_until("half of the second round", || {
        let site = job.site(&job.report(), 0);
        site["round"] == 2 && number(&site["pages"]) > f64::from(PAGES / 2)
    });
    weir.kill();
    let before = job.site(&job.report(), 0);
    job.write(slow, &["every = \"1h\"", ""]);
    job.run("crawl", &[]).expect_code(0);
    let after = job.site(&job.report(), 0);
    assert_eq!((&after["round"], &after["pages"]), (&2.into(), &PAGES.into()), "{before} {after}");
    let counts = job.web.counts();
    let repeats: u32 = counts.hosts[0].paths().map(|(_, count)| count.saturating_sub(2)).sum();
    assert!(repeats <= 2, "only what was under way was asked for again: {repeats}");
    assert!(counts.hosts[0].paths().all(|(path, count)| count >= 2 || path == "/robots.txt"));
}

#[test]
fn a_period_that_makes_no_sense_is_refused() {
    for (lines, words) in [
        ("every = \"often\"", &["site.every", "often", "6h"][..]),
        ("every = \"0s\"", &["site.every", "no time"]),
        ("every = \"1h\"\nwithin = \"2h\"", &["site.every", "within", "2h"]),
        ("every = \"1h\"\nby = \"2026-11-20T18:00:00Z\"", &["site.every", "18:00"]),
    ] {
        let job = job(lines);
        let ended = job.run("crawl", &[]);
        ended.expect_code(2);
        expect_words(&ended, words);
    }
    weir(&["crawl", "http://127.0.0.1:9/", "--repeat"]).expect_code(2).says(&["repeat", "every"]);
}

#[test]
fn a_site_without_a_deadline_has_its_rounds_too() {
    let job = job("every = \"1s\"");
    job.run("crawl", &[]);
    std::thread::sleep(Duration::from_secs(1));
    job.run("crawl", &[]);
    let site = job.site(&job.report(), 0);
    assert_eq!(site["round"], 2, "{site}");
    assert!(number(&site["freshness"]["unchanged"]) > 0.0, "{site}");
}
