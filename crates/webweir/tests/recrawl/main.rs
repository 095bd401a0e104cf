//! A crawl that is done once more asks only for what has changed.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod changing;
mod freshness;
#[path = "../e2e/support/mod.rs"]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;
use weir_testsite::{HostSpec, Script, Spec, Web};

use crate::support::command::{crawl, weir};
use crate::support::outcome::report;
use crate::support::{wait_until, warc};

fn once_more(web: &Web, out: &Path) -> serde_json::Value {
    crawl(&web.seeds(), out, &["--recrawl", "--per-host", "4"]).wait().expect_code(0);
    report(out)
}

#[test]
fn an_unchanged_site_costs_next_to_nothing_the_second_time() {
    let site = HostSpec::pages(60).page_bytes(20_000..=30_000);
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = TempDir::new().unwrap();
    crawl(&web.seeds(), out.path(), &["--per-host", "4"]).wait().expect_code(0);
    let first = web.counts().total();
    let report = once_more(&web, out.path());
    let second = web.counts().total();
    assert_eq!(second.requests - first.requests, 60, "each page once");
    let bytes = second.bytes - first.bytes;
    assert!(bytes * 20 < first.bytes, "{bytes} of {}", first.bytes);
    assert_eq!((&report["sites"][0]["pages"], &report["pages"]), (&60.into(), &120.into()));
    let page = web.truth().pages().nth(7).unwrap();
    let records = warc::answers(out.path(), &page.url);
    assert_eq!(records.len(), 2);
    assert!(records[0].header.contains("WARC-Type: response\r\n"));
    let revisit = &records[1].header;
    assert!(revisit.contains("revisit/server-not-modified\r\n"), "{revisit}");
    let digest = |header: &str| {
        let line = header.lines().find(|line| line.starts_with("WARC-Payload-Digest"));
        line.map(str::to_owned).unwrap()
    };
    assert_eq!(digest(&records[0].header), digest(revisit));
    let date = records[0].header.lines().find_map(|line| line.strip_prefix("WARC-Date: "));
    assert!(revisit.contains(&format!("WARC-Refers-To-Date: {}\r\n", date.unwrap())), "{revisit}");
}

#[test]
fn coming_back_is_expected_to_cost_little_and_a_new_crawl_as_much_as_ever() {
    let site = HostSpec::pages(60).page_bytes(20_000..=30_000);
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = TempDir::new().unwrap();
    let flags = ["--per-host", "4", "--limit", "10MB/s", "--within", "1h"];
    crawl(&web.seeds(), out.path(), &flags).wait().expect_code(0);
    let first = report(out.path())["sites"][0]["bytes_wire"].as_f64().unwrap();

    let recrawl = [&flags[..], &["--recrawl"]].concat();
    crawl(&web.seeds(), out.path(), &recrawl).wait().expect_code(0);
    let expected = &report(out.path())["sites"][0]["at_start"]["bytes"];
    assert!(expected.as_f64().unwrap() * 5.0 < first, "{expected} of {first}");

    let folder = out.path().to_str().unwrap();
    let plan = ["plan", &web.seeds()[0], "--allow-private", "--json", "--out", folder];
    let plan = weir(&[&plan[..], &flags].concat());
    plan.expect_code(0);
    let plan: serde_json::Value = serde_json::from_str(&plan.stdout).unwrap();
    let predicted = plan["sites"][0]["bytes"].as_f64().unwrap();
    assert!((0.9..1.2).contains(&(predicted / first)), "{predicted} of {first}");
    assert_eq!(plan["sites"][0]["basis"], "history");
}

#[test]
fn a_crawl_that_was_complete_says_how_to_come_back() {
    let web = Web::start(Spec::one_site(10)).unwrap();
    let out = TempDir::new().unwrap();
    let run = |flags: &[&str]| {
        let ended = crawl(&web.seeds(), out.path(), flags).wait();
        ended.expect_code(0);
        ended.stderr.contains("it was complete before")
    };
    assert!(!run(&[]), "it was not");
    assert!(run(&[]), "it was, and nothing was asked for");
    assert!(!run(&["--recrawl"]), "this has asked for something");
}

#[test]
fn what_has_changed_comes_and_what_it_links_to() {
    let version = Arc::new(AtomicU32::new(1));
    let told = version.clone();
    let site = HostSpec::scripted(move |asked| {
        let now = told.load(Ordering::Relaxed);
        let text = "words and words ".repeat(200);
        match asked.path {
            "/" if now > 1 => {
                Some(Script::html(format!("<a href=/same>1</a><a href=/new>2</a>{text}")))
            }
            "/" => Some(Script::html(format!("<a href=/same>1</a>{text}"))),
            "/same" => Some(Script::html(format!("the same {text}"))),
            "/new" if now > 1 => Some(Script::html(format!("new {text}"))),
            _ => Some(Script::answer(404, "", "")),
        }
    });
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = TempDir::new().unwrap();
    let seeds = web.seeds();
    crawl(&seeds, out.path(), &[]).wait().expect_code(0);
    assert_eq!(report(out.path())["sites"][0]["pages"], 2);
    version.store(2, Ordering::Relaxed);
    assert_eq!(once_more(&web, out.path())["sites"][0]["pages"], 3);
    let kinds = |path: &str| {
        let url = format!("{}{path}", seeds[0]);
        let of = |record: &warc::Response| {
            let line = record.header.lines().find_map(|line| line.strip_prefix("WARC-Type: "));
            line.unwrap().to_owned()
        };
        warc::answers(out.path(), &url).iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(kinds(""), ["response", "response"], "it has changed");
    assert_eq!(kinds("same"), ["response", "revisit"], "the server cannot tell, and we can");
    assert_eq!(kinds("new"), ["response"]);
}

#[test]
fn a_recrawl_that_is_killed_goes_on_and_does_not_begin_again() {
    let site = HostSpec::pages(80).page_bytes(20_000..=30_000).without_validators();
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = TempDir::new().unwrap();
    crawl(&web.seeds(), out.path(), &["--per-host", "4"]).wait().expect_code(0);
    let before = web.counts().total().requests;
    let flags = ["--recrawl", "--limit", "400KB/s", "--per-host", "4"];
    let weir = crawl(&web.seeds(), out.path(), &flags);
    wait_until("half of it", || web.counts().total().requests > before + 40);
    weir.kill();
    once_more(&web, out.path());
    let asked: Vec<u32> = web.counts().hosts[0].paths().map(|(_, times)| times).collect();
    assert!(asked.iter().all(|times| *times >= 2), "{asked:?}");
    let repeats: u32 = asked.iter().map(|times| times - 2).sum();
    assert!(repeats <= 8, "no more than was under way: {repeats}");
    assert_eq!(report(out.path())["sites"][0]["pages"], 80);
}
