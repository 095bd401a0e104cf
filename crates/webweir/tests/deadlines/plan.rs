//! `weir plan`: a verdict before the first page.

use std::time::Duration;

use jiff::Timestamp;
use weir_testsite::HostSpec;

use crate::job::{Job, expect_words, number};
use crate::support::command::weir;
use crate::support::wait_until;

fn small() -> HostSpec {
    HostSpec::pages(120).page_bytes(9_000..=11_000)
}

#[test]
fn a_job_that_can_be_done_is_said_to_hold_and_the_sample_is_small() {
    let job = Job::new(
        "limit = \"1MB/s\"\nwithin = \"1h\"",
        vec![(small(), ""), (small().sitemap(), "within = \"30m\"")],
    );
    let ended = job.run("plan", &[]);
    ended.expect_code(0);
    expect_words(&ended, &["All 2 deadlines hold", "requests were made"]);
    let plan = job.plan();
    assert_eq!(plan["feasible"], true);
    assert_eq!((number(&plan["limit"]), &plan["policy"]), (1e6, &"deadline".into()));
    let needed = number(&plan["needed_limit"]);
    assert!(needed > 100.0 && needed < 100_000.0, "2.6 MB within half an hour: {needed}");
    let asked = job.web.counts().total().requests;
    assert!(asked <= 2 * (10 + 2), "{asked} requests for a sample of two sites");
    assert_eq!(number(&plan["spent"]["pages"]) as u64, asked);
    let listed = job.site(&plan, 1);
    assert_eq!(listed["basis"], "sitemap");
    let bytes = number(&listed["bytes"]);
    assert!((1.0e6..1.6e6).contains(&bytes), "120 pages of 10 KB: {bytes}");
    let sampled = job.site(&plan, 0);
    assert_eq!(sampled["basis"], "sample");
    let (low, high) = (number(&sampled["bytes_low"]), number(&sampled["bytes_high"]));
    assert!(low < high && high > 1.0e6, "{sampled}");
    for field in ["max_rate", "deadline", "start", "finish", "rate", "late_by_s"] {
        assert!(!sampled[field].is_null(), "{field} in {sampled}");
    }
    let picture = std::fs::read_to_string(job.out().join("plan.svg")).unwrap();
    assert!(picture.contains("<svg") && picture.contains(&job.name(0)), "{picture}");
    assert!(!job.out().join("plan.tmp").exists() && !job.out().join("warc").exists());
}

#[test]
fn a_job_that_cannot_be_done_says_what_would_help() {
    let job = Job::new(
        "limit = \"100KB/s\"",
        vec![(small(), "within = \"3s\"\nsize = \"1.3MB\""), (small(), "size = \"1.3MB\"")],
    );
    let ended = job.run("plan", &[]);
    ended.expect_code(3);
    expect_words(&ended, &["1 of 1 deadline missed", "a limit of", "time until", "max-bytes"]);
    assert_eq!(job.web.counts().total().requests, 0, "the sizes are given");
    let plan = job.plan();
    assert_eq!((&plan["feasible"], &job.site(&plan, 0)["basis"]), (&false.into(), &"given".into()));
    let needed = number(&plan["needed_limit"]);
    assert!((400_000.0..600_000.0).contains(&needed), "1.3 MB within 3 s: {needed}");
    let late = number(&job.site(&plan, 0)["late_by_s"]);
    assert!((9.0..13.0).contains(&late), "1.3 MB at 100 KB/s take 13 s: {late}");
    let suggestions = plan["suggestions"].as_array().unwrap();
    assert!(suggestions.iter().all(|one| one["site"] == job.name(0)), "{plan}");
    assert!(suggestions.len() >= 2, "{plan}");
    // A crawl with the limit that was named holds the deadline.
    job.write(
        &format!("limit = \"{:.0}B/s\"", needed * 1.05),
        &["within = \"3s\"\nsize = \"1.3MB\""],
    );
    let ended = job.run("plan", &[]);
    ended.expect_code(0);
    expect_words(&ended, &["The deadline holds"]);
}

#[test]
fn a_wrong_url_is_named() {
    weir(&["plan", "ftp://example.com/", "--within", "1h"]).expect_code(2).says(&["ftp"]);
    weir(&["plan", "htp:/example.com", "--within", "1h"]).expect_code(2).says(&["scheme is htp"]);
    weir(&["plan", "--within", "1h"]).expect_code(2).says(&["nothing to crawl"]);
    let folder = tempfile::TempDir::new().unwrap();
    let out = folder.path().to_str().unwrap();
    let ended = weir(&["plan", "http://no-such-name.invalid/", "--within", "1h", "-o", out]);
    ended.expect_code(1);
    expect_words(&ended, &["no-such-name.invalid", "Check the URL"]);
}

#[test]
fn a_site_that_is_down_is_named_beside_the_plan_of_the_others() {
    // A port that nobody listens on: bound once, and given back.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let down = format!("[[site]]\nurls = [\"http://{free}/\"]");
    let job = Job::new("limit = \"1MB/s\"\nwithin = \"1h\"", vec![(small(), &down)]);
    let ended = job.run("plan", &[]);
    ended.expect_code(1);
    expect_words(&ended, &["1 of 2 deadlines can be told to hold; nothing is known of"]);
    expect_words(&ended, &[&free.to_string(), "leave it out"]);
    let plan = job.plan();
    let known = job.site(&plan, 0);
    assert!(number(&known["bytes"]) > 100_000.0 && known["trouble"].is_null(), "{known}");
    let down = plan["sites"].as_array().unwrap().iter().find(|site| !site["trouble"].is_null());
    let down = down.expect("a site that is down");
    assert!(down["finish"].is_null() && plan["feasible"] == false, "{plan}");
}

#[test]
fn fewer_pages_that_would_help_are_counted_from_the_first() {
    // Ten pages are sampled and fetched once more; there is time for about thirty.
    let job = Job::new("limit = \"100KB/s\"\nwithin = \"3s\"", vec![(small().sitemap(), "")]);
    job.run("plan", &[]).expect_code(3);
    let plan = job.plan();
    let all = plan["suggestions"].as_array().unwrap();
    let fewer = all.iter().find(|one| one["change"] == "pages").expect("fewer pages");
    let (pages, part) = (number(&fewer["value"]), number(&fewer["part"]));
    assert!((20.0..36.0).contains(&pages), "{fewer}");
    assert!((part - (1.0 - pages / 120.0)).abs() < 0.02, "{fewer}");
}

#[test]
fn with_history_nothing_is_asked() {
    let job = Job::new("limit = \"2MB/s\"\nwithin = \"1h\"", vec![(small(), "")]);
    job.run("crawl", &[]).expect_code(0);
    let bytes = number(&job.site(&job.report(), 0)["bytes_wire"]);
    job.web.reset();
    let ended = job.run("plan", &[]);
    ended.expect_code(0);
    expect_words(&ended, &["Nothing was fetched"]);
    assert_eq!(job.web.counts().total().requests, 0);
    let planned = job.site(&job.plan(), 0);
    assert_eq!(planned["basis"], "history");
    let told = number(&planned["bytes"]);
    assert!((0.95..1.15).contains(&(told / bytes)), "{told} and {bytes}");
    // Nor does a new crawl begin by guessing.
    job.run("crawl", &["--fresh"]).expect_code(0);
    let start = &job.site(&job.report(), 0)["at_start"];
    assert!((0.9..1.1).contains(&(number(&start["bytes"]) / bytes)), "{start}");
}

#[test]
fn a_plan_that_was_stopped_is_none_and_spoils_none() {
    let slow = HostSpec::pages(50).latency(Duration::from_secs(2));
    let job = Job::new("limit = \"1MB/s\"\nwithin = \"1h\"", vec![(slow, "")]);
    let plan = job.start("plan", &["--progress", "plain"]);
    wait_until("a request", || job.web.counts().total().requests > 0);
    plan.interrupt();
    let ended = plan.wait();
    ended.expect_code(4);
    expect_words(&ended, &["stopped before there was a plan"]);
    assert!(!job.out().join("plan.json").exists());
}

#[test]
fn a_deadline_that_is_typed_is_that_of_the_typed_urls() {
    let job = Job::new(
        "limit = \"1MB/s\"\nby = \"2099-01-01T00:00:00Z\"",
        vec![(small(), "within = \"2h\"\nsize = \"1MB\""), (small(), "size = \"1MB\"")],
    );
    let due_in_hours = |at: usize| {
        let plan = job.plan();
        let due: Timestamp = job.site(&plan, at)["deadline"].as_str().unwrap().parse().unwrap();
        (due.duration_since(Timestamp::now()).as_secs() as f64 / 3600.0).round()
    };
    // One of the two, in place of what the file says of its site.
    let first = job.web.seeds()[0].clone();
    job.run("plan", &[&first, "--within", "5h"]).expect_code(0);
    assert_eq!(due_in_hours(0), 5.0);
    // None: all that have no deadline of their own, in place of the file's.
    job.run("plan", &["--within", "7h"]).expect_code(0);
    assert_eq!((due_in_hours(0), due_in_hours(1)), (2.0, 7.0));
}

#[test]
fn a_plan_is_json_for_who_wants_it() {
    let job = Job::new("limit = \"1MB/s\"", vec![(small(), "size = \"1MB\"\nwithin = \"1h\"")]);
    let ended = job.run("plan", &["--json", "--quiet"]);
    ended.expect_code(0);
    let plan: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(plan, job.plan());
}
