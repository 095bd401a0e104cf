//! `weir crawl --downloaders 3`: all of it on one machine.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::output::{expect_each_once, exported, records};
use crate::run::{BOUND, Cluster, sites};
use crate::support::outcome::report;
use crate::support::verdict::repeats;
use crate::support::wait_until;

const FLAGS: [&str; 2] = ["--per-host", "1"];
const THREE: [&str; 4] = ["--downloaders", "3", "--slots", "4"];

#[test]
fn three_downloaders_on_one_machine_bring_what_one_process_brings() {
    let cluster = Cluster::of(sites(8, 50), &FLAGS);
    let [alone, together] = ["alone", "together"].map(|name| cluster.path(name));
    cluster.crawl("alone", &[]).wait_within(BOUND).expect_code(0);
    cluster.web.reset();
    cluster.crawl("together", &THREE).wait_within(BOUND).expect_code(0);
    cluster.expect_at_most_at_once(1);
    assert_eq!(repeats(&cluster.web), 0);

    let (alone, together) = ([alone], [together]);
    expect_each_once(&cluster.web, &together);
    assert_eq!(records(&together), records(&alone));
    assert_eq!(exported(&together), exported(&alone));
    expect_same_report(&report(&alone[0]), &report(&together[0]));

    let before = files(&together[0]);
    assert!(before.iter().any(|file| file.starts_with("warc")), "{before:?}");
    let requests = cluster.requests();
    let again = cluster.crawl("together", &THREE).wait_within(BOUND);
    again.expect_code(0).says(&["done"]);
    assert_eq!(files(&together[0]), before);
    assert_eq!(cluster.requests(), requests, "it asked for something once more");
    expect_each_once(&cluster.web, &together);
}

/// What must not depend on who fetched.
fn expect_same_report(alone: &Value, together: &Value) {
    let names = |value: &Value| -> Vec<String> {
        let all = value.as_object().unwrap().keys();
        all.filter(|name| *name != "downloaders").cloned().collect()
    };
    assert_eq!(names(alone), names(together));
    for name in [
        "outcome",
        "pages",
        "failed",
        "failures",
        "fetches",
        "urls_known",
        "urls_waiting",
        "skipped",
        "records",
    ] {
        assert_eq!(alone[name], together[name], "{name}");
    }
    let sites = |value: &Value| {
        let site = |it: &Value| ["site", "pages", "failed"].map(|name| it[name].clone());
        let mut all: Vec<[Value; 3]> =
            value["sites"].as_array().unwrap().iter().map(site).collect();
        all.sort_by_key(|site| site[0].to_string());
        all
    };
    assert_eq!(sites(alone), sites(together));
    let brought = together["downloaders"].as_array().unwrap();
    assert_eq!(brought.len(), 3);
    assert!(brought.iter().any(|it| it["pages"].as_u64().unwrap() > 0), "{brought:?}");
}

/// What stands in the folders for users, with sizes.
fn files(out: &Path) -> Vec<String> {
    let of = |part: &str| -> Vec<PathBuf> {
        let entries = fs::read_dir(out.join(part)).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let told = |path: PathBuf| {
        let name = path.strip_prefix(out).unwrap().display().to_string();
        format!("{name} {}", fs::metadata(&path).unwrap().len())
    };
    let mut all: Vec<String> =
        ["warc", "pages"].iter().flat_map(|part| of(part)).map(told).collect();
    all.sort();
    all
}

#[test]
fn ctrl_c_stops_all_of_it_and_the_same_command_goes_on() {
    let cluster = Cluster::of(sites(8, 50), &FLAGS);
    for gap in [1, 120] {
        let mut weir = cluster.crawl("out", &THREE);
        let upto = cluster.requests() + gap;
        wait_until("the moment to interrupt", || {
            assert!(weir.ended().is_none(), "it ended too early: {}", weir.said());
            cluster.requests() >= upto
        });
        weir.interrupt();
        weir.wait_within(BOUND).expect_code(4).says(&["go on"]);
    }
    cluster.crawl("out", &THREE).wait_within(BOUND).expect_code(0);
    expect_each_once(&cluster.web, &[cluster.path("out")]);
    cluster.expect_at_most_at_once(1);
    assert_eq!(repeats(&cluster.web), 0, "what was under way is waited for");
}

/// With its downloaders, which end with it.
#[test]
fn killed_with_all_its_downloaders_it_goes_on_and_loses_nothing() {
    let cluster = Cluster::of(sites(8, 50), &FLAGS);
    for gap in [60, 200] {
        let mut weir = cluster.crawl("out", &THREE);
        let upto = cluster.requests() + gap;
        wait_until("the moment to kill", || {
            assert!(weir.ended().is_none(), "it ended too early: {}", weir.said());
            cluster.requests() >= upto
        });
        weir.kill();
    }
    cluster.crawl("out", &THREE).wait_within(BOUND).expect_code(0);
    expect_each_once(&cluster.web, &[cluster.path("out")]);
    let again = repeats(&cluster.web);
    assert!(again <= 2 * 8, "{again} asked for again, and no more than 8 were under way twice");
}
