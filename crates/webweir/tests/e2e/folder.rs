//! What is in the folder already: of a crawl that runs, and of one whose books are gone.

use std::fs;
use std::path::Path;
use std::time::Duration;

use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::crawl;
use crate::support::outcome::report;
use crate::support::{wait_until, warc};

const PAGES: u32 = 30;

fn web() -> Web {
    let spec = Spec::new(vec![HostSpec::pages(PAGES).latency(Duration::from_millis(50))]);
    Web::start(spec).unwrap()
}

fn kept(out: &Path) -> usize {
    warc::pages(out).len()
}

#[test]
fn a_crawl_that_runs_is_not_thrown_away_by_another_that_begins_anew() {
    for more in [&["--fresh"][..], &["--fresh", "--downloaders", "2"]] {
        let (web, out) = (web(), tempfile::tempdir().unwrap());
        let first = crawl(&web.seeds(), out.path(), &[]);
        wait_until("some pages", || web.counts().total().requests > 5);
        let second = crawl(&web.seeds(), out.path(), more);
        second.wait().expect_code(1).says(&["another weir is using"]);
        first.wait().expect_code(0);
        assert_eq!(report(out.path())["pages"], PAGES);
        assert_eq!(kept(out.path()), PAGES as usize);
    }
}

/// Whether what was typed is wrong, or a database that rows were to go to.
#[test]
fn a_crawl_that_cannot_begin_anew_throws_nothing_away() {
    let (web, out) = (web(), tempfile::tempdir().unwrap());
    crawl(&web.seeds(), out.path(), &[]).wait().expect_code(0);
    let before = (web.counts().total().requests, warc::pages(out.path()));
    let one = web.seeds();
    for (urls, more, words) in [
        (&[][..], &[][..], &["nothing to crawl"][..]),
        (&one, &["--ca-file", "no/such.pem"], &["ca-file", "no/such.pem", "PEM"]),
        (&one, &["--user-agent", "b\u{f6}t/1.0"], &["user-agent", "ASCII"]),
        (&one, &["--sink", "sqlite:/no/such/folder/x.db"], &["/no/such/folder"]),
        (&one, &["--report", "/no/such/folder/r.json"], &["report", "/no/such/folder"]),
    ] {
        let more = [&["--fresh"], more].concat();
        crawl(urls, out.path(), &more).wait().expect_code(2).says(words);
        assert_eq!(warc::pages(out.path()), before.1, "{more:?}");
    }
    crawl(&web.seeds(), out.path(), &[]).wait().expect_code(0);
    assert_eq!((web.counts().total().requests, warc::pages(out.path())), before);
}

#[test]
fn pages_whose_books_are_gone_are_thrown_away_only_when_told_to() {
    let (web, out) = (web(), tempfile::tempdir().unwrap());
    crawl(&web.seeds(), out.path(), &[]).wait().expect_code(0);
    fs::remove_dir_all(out.path().join("frontier")).unwrap();
    let refused = crawl(&web.seeds(), out.path(), &[]).wait();
    refused.expect_code(1).says(&["cannot go on", "--fresh"]);
    assert_eq!(kept(out.path()), PAGES as usize);
    let requests = web.counts().total().requests;
    let fresh = crawl(&web.seeds(), out.path(), &["--fresh"]).wait();
    fresh.expect_code(0);
    assert!(!fresh.stderr.contains("complete before"), "{}", fresh.stderr);
    assert_eq!(web.counts().total().requests, 2 * requests);
    assert_eq!(kept(out.path()), PAGES as usize);
}

#[test]
fn rows_that_are_not_parquet_yet_are_pages_too() {
    let (web, out) = (web(), tempfile::tempdir().unwrap());
    let rows = || fs::metadata(out.path().join("store/rows-000001.jsonl")).map_or(0, |it| it.len());
    let first = crawl(&web.seeds(), out.path(), &["--store", "parquet"]);
    wait_until("some rows", || rows() > 0);
    first.kill();
    let before = rows();
    fs::remove_dir_all(out.path().join("frontier")).unwrap();
    let refused = crawl(&web.seeds(), out.path(), &["--store", "parquet"]).wait();
    refused.expect_code(1).says(&["rows-000001.jsonl", "cannot go on", "--fresh"]);
    assert_eq!(rows(), before);
}
