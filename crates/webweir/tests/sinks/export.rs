//! What `weir export` hands over.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use serde_json::Value;

use crate::made::{made, store, unchanged};
use crate::place::{of_csv, of_jsonl, of_postgres, of_sqlite, table_of};
use crate::postgres::Server;
use crate::site::{Site, expect_same, watch};
use crate::support::command::{Ended, weir};
use crate::support::warc::pages;

const COLUMNS: &str = "url final_url site depth parent status fetched_at elapsed_ms content_type \
    charset bytes_wire bytes_body digest etag last_modified duplicate_of lang title published \
    author copyright text videos fields warc_file warc_offset";

fn export(out: &Path, words: &[&str]) -> Ended {
    let mut arguments = vec!["export", "-o", out.to_str().unwrap()];
    arguments.extend_from_slice(words);
    let ended = weir(&arguments);
    ended.expect_code(0);
    ended
}

fn jsonl(out: &Path, more: &[&str]) -> String {
    export(out, &[&["--to", "jsonl", "--file", "-"], more].concat()).stdout
}

#[test]
fn every_page_is_in_every_format_with_every_column() {
    let site = Site::quick(400);
    site.crawl(&[]).wait().expect_code(0);
    let lines = jsonl(site.out(), &[]);
    site.expect_each_once(&of_jsonl(&lines));
    for line in lines.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        COLUMNS.split_whitespace().for_each(|name| assert!(row.get(name).is_some(), "{name}"));
    }

    export(site.out(), &["--to", "jsonl"]).says(&["exported", "rows to", "export.jsonl"]);
    assert_eq!(fs::read_to_string(site.out().join("export.jsonl")).unwrap(), lines);

    export(site.out(), &["--to", "csv"]);
    let records = fs::read_to_string(site.out().join("export.csv")).unwrap();
    site.expect_each_once(&of_csv(&records));

    // What was exported as Parquet is read as any other table.
    export(site.out(), &["--to", "parquet"]);
    let copy = table_of(&site.out().join("export.parquet"));
    assert_eq!(jsonl(copy.path(), &[]), lines);
}

#[test]
fn databases_have_each_page_once_however_often_it_is_exported() {
    let site = Site::quick(400);
    site.crawl(&[]).wait().expect_code(0);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b.db");
    let to = format!("sqlite:{}", file.display());
    for _ in 0..2 {
        export(site.out(), &["--to", &to]).says(&["exported"]);
        site.expect_each_once(&of_sqlite(&file));
    }
    let Some(server) = Server::start("postgres export") else { return };
    for _ in 0..2 {
        export(site.out(), &["--to", &server.address()]);
        site.expect_each_once(&of_postgres(&server));
    }
    server.ask("CREATE SCHEMA crawl");
    export(site.out(), &["--to", &server.address(), "--table", "crawl.seen"]);
    let counts = "SELECT (SELECT count(*) FROM pages) - (SELECT count(*) FROM crawl.seen)";
    assert_eq!(server.ask(counts), ["0"]);
}

#[test]
fn a_crawl_that_runs_or_was_killed_is_exported_as_far_as_it_is_committed() {
    let site = Site::slow(600);
    let mut weir = site.crawl(&[]);
    watch(&mut weir, "some pages", || site.requests() > 100);
    let running = of_jsonl(&jsonl(site.out(), &[]));
    weir.kill();
    let killed = of_jsonl(&jsonl(site.out(), &[]));
    assert!(running.len() > 50 && killed.len() >= running.len(), "{} rows", running.len());
    site.crawl(&[]).wait().expect_code(0);
    let stored = pages(site.out());
    for row in running.iter().chain(&killed) {
        assert!(stored.binary_search(row).is_ok(), "{row:?}");
    }
    expect_same(&stored, &of_jsonl(&jsonl(site.out(), &[])));
}

#[test]
fn of_a_page_that_was_fetched_again_the_newest_row_counts() {
    let out = tempfile::tempdir().unwrap();
    let pages = [
        made("http://a/", 10, "old"),
        made("http://b/", 10, "only"),
        made("http://a/", 30, "new"),
        made("http://a/", 20, "between"),
        made("http://c/", 10, "first"),
        made("http://c/", 10, "later"),
    ];
    store(out.path(), &pages);
    let titles = |text: &str| -> Vec<String> {
        let row = |line| serde_json::from_str::<Value>(line).unwrap();
        text.lines().map(|line| row(line)["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&jsonl(out.path(), &[])).len(), 6);
    assert_eq!(titles(&jsonl(out.path(), &["--latest"])), ["only", "new", "later"]);

    let file = out.path().join("pages.db");
    export(out.path(), &["--to", &format!("sqlite:{}", file.display())]);
    let database = Connection::open(&file).unwrap();
    let ask = "SELECT group_concat(title) FROM (SELECT title FROM pages ORDER BY url)";
    let title: String = database.query_row(ask, [], |row| row.get(0)).unwrap();
    assert_eq!(title, "new,only,later");

    let Some(server) = Server::start("postgres newest") else { return };
    export(out.path(), &["--to", &server.address()]);
    assert_eq!(server.ask("SELECT title FROM pages ORDER BY url"), ["new", "only", "later"]);
    // What is newer in the database than in the folder stays.
    server.ask(
        "UPDATE pages SET title = 'newer', fetched_at = fetched_at + interval '1 day' \
         WHERE url = 'http://a/'; \
         UPDATE pages SET title = 'older', fetched_at = fetched_at - interval '1 day' \
         WHERE url = 'http://b/'",
    );
    export(out.path(), &["--to", &server.address()]);
    assert_eq!(server.ask("SELECT title FROM pages ORDER BY url"), ["newer", "only", "later"]);
}

#[test]
fn an_answer_that_nothing_has_changed_replaces_nothing() {
    let out = tempfile::tempdir().unwrap();
    // Three rows a file, so some of these come together and others do not.
    let pages = [
        made("http://a/", 10, "a"),
        unchanged("http://a/", 20),
        unchanged("http://b/", 10),
        unchanged("http://a/", 30),
        made("http://b/", 5, "b"),
        unchanged("http://c/", 5),
    ];
    store(out.path(), &pages);
    let all = jsonl(out.path(), &[]);
    assert_eq!(all.lines().count(), 6);
    let latest = jsonl(out.path(), &["--latest"]);
    let statuses: Vec<u16> = of_jsonl(&latest).into_iter().map(|it| it.1).collect();
    assert_eq!(statuses, [200, 200, 304]);
    let ask = "SELECT title FROM pages ORDER BY url";
    let file = out.path().join("pages.db");
    export(out.path(), &["--to", &format!("sqlite:{}", file.display())]);
    let database = Connection::open(&file).unwrap();
    let mut titles = database.prepare(ask).unwrap();
    let titles: Vec<String> =
        titles.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    assert_eq!(titles, ["a", "b", "nothing new"]);
    let Some(server) = Server::start("postgres unchanged") else { return };
    export(out.path(), &["--to", &server.address()]);
    assert_eq!(server.ask(ask), ["a", "b", "nothing new"]);
}

#[test]
fn a_device_or_a_link_stays_one() {
    let site = Site::quick(5);
    site.crawl(&[]).wait().expect_code(0);
    let (file, link) = (site.out().join("real.csv"), site.out().join("link.csv"));
    fs::write(&file, "old").unwrap();
    std::os::unix::fs::symlink("real.csv", &link).unwrap();
    export(site.out(), &["--to", "csv", "--file", link.to_str().unwrap()]);
    assert!(link.is_symlink() && fs::read_to_string(&file).unwrap().starts_with("url,"));
    let pipe = site.out().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    export(site.out(), &["--to", "csv", "--file", pipe.to_str().unwrap()]);
    assert_eq!(reader.join().unwrap(), fs::read_to_string(&file).unwrap());
}

#[test]
fn no_page_is_too_odd_for_a_database() {
    let long = format!("http://a/?q={}", noise(8_000));
    let pages =
        [made(&long, 1, "long"), made("http://a/nul", 1, "a\0b"), made("http://a/", 1, "ü")];
    let out = tempfile::tempdir().unwrap();
    store(out.path(), &pages);
    let file = out.path().join("pages.db");
    export(out.path(), &["--to", &format!("sqlite:{}", file.display())]);
    assert_eq!(of_sqlite(&file).len(), 3);
    let database = Connection::open(&file).unwrap();
    let ask = "SELECT fields ->> 'price', fetched_at FROM pages WHERE url = 'http://a/'";
    let (price, at): (String, String) =
        database.query_row(ask, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!((price.as_str(), at.as_str()), ("7 \"EUR\"\n", "1970-01-01T00:00:01.000Z"));

    let Some(server) = Server::start("postgres odd") else { return };
    export(out.path(), &["--to", &server.address()]);
    let ask = "SELECT title, fields ->> 'price' = E'7 \"EUR\"\\n', jsonb_array_length(videos), \
               extract(epoch FROM fetched_at)::int, length(url) FROM pages ORDER BY url";
    let expected = [
        "ü\tt\t1\t1\t9".to_owned(),
        format!("long\tt\t1\t1\t{}", long.len()),
        "a\u{fffd}b\tt\t1\t1\t12".to_owned(),
    ];
    assert_eq!(server.ask(ask), expected);
}

#[test]
fn a_reader_who_leaves_is_no_failure() {
    let site = Site::quick(200);
    site.crawl(&[]).wait().expect_code(0);
    let program = env!("CARGO_BIN_EXE_weir");
    let words =
        format!("{program} export -q --to jsonl --file - -o {} | head -n 1", site.out().display());
    let output = std::process::Command::new("bash").args(["-o", "pipefail", "-c", &words]).output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Letters that do not compress, so that no index can make them shorter.
fn noise(length: usize) -> String {
    let mut lot = fastrand::Rng::with_seed(7);
    std::iter::repeat_with(|| lot.alphanumeric()).take(length).collect()
}
