//! Kills of weir and of the database at moments when rows are on their way: in the end each record
//! is there exactly once.

use std::fs;
use std::time::Duration;

use crate::place::{count_of_sqlite, of_jsonl, of_postgres, of_sqlite};
use crate::postgres::Server;
use crate::site::{Site, watch};
use crate::support::wait_until;

const ROWS: &str = "SELECT count(*) FROM pages";
const KILLS: u64 = 5;

#[test]
#[ignore = "half a minute, and its like is in the usual tests: cargo xtask soak"]
fn postgres_has_each_record_once_though_weir_is_killed() {
    let Some(server) = Server::start("postgres, weir killed") else { return };
    let site = Site::slow(4_000);
    let sink = server.address();
    kill_again_and_again(&site, &sink, || server.count(ROWS));
    site.expect_each_once(&of_postgres(&server));
    let places = server.ask("SELECT count(*), sum(delivered) FROM weir_sink");
    assert_eq!(places, [format!("1\t{}", server.count(ROWS))]);
}

#[test]
#[ignore = "half a minute, and its like is in the usual tests: cargo xtask soak"]
fn postgres_has_each_record_once_though_the_database_is_killed() {
    let Some(mut server) = Server::start("postgres killed") else { return };
    let site = Site::slow(4_000);
    let mut weir = site.crawl(&["--sink", &server.address()]);
    for kill in 0..4 {
        let before = server.count(ROWS);
        watch(&mut weir, "rows to come", || server.count(ROWS) > before);
        if kill % 2 == 1 {
            // Into the midst of the next transaction, if there is luck in it.
            std::thread::sleep(Duration::from_millis(950));
        }
        server.kill();
        let moment = site.requests() + 100;
        watch(&mut weir, "the crawl to go on without it", || site.requests() >= moment);
        server.up();
    }
    weir.wait().expect_code(0);
    site.expect_each_once(&of_postgres(&server));
}

#[test]
fn sqlite_has_each_record_once_though_weir_is_killed() {
    let site = Site::slow(4_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.db");
    kill_again_and_again(&site, &format!("sqlite:{}", file.display()), || count_of_sqlite(&file));
    site.expect_each_once(&of_sqlite(&file));
}

#[test]
fn lines_have_each_record_once_though_weir_is_killed() {
    let site = Site::slow(3_000);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.jsonl");
    let lines = || fs::read(&file).map_or(0, |text| text.iter().filter(|it| **it == b'\n').count());
    kill_again_and_again(&site, &format!("jsonl:{}", file.display()), || lines() as u64);
    site.expect_each_once(&of_jsonl(&fs::read_to_string(&file).unwrap()));
}

#[test]
fn postgres_has_each_record_once_though_it_and_weir_are_killed_in_turn() {
    let Some(mut server) = Server::start("postgres and weir killed") else { return };
    let site = Site::slow(4_000);
    let sink = server.address();
    let mut weir = site.crawl(&["--sink", &sink]);
    watch(&mut weir, "rows to come", || server.count(ROWS) > 0);
    server.kill();
    let moment = site.requests() + 100;
    watch(&mut weir, "the crawl to go on without it", || site.requests() >= moment);
    weir.kill();
    // Neither is there; then weir comes back first, and finds nobody.
    let mut weir = site.crawl(&["--sink", &sink]);
    let moment = site.requests() + 100;
    watch(&mut weir, "the crawl to go on", || site.requests() >= moment);
    let before = server.up_and_count(ROWS);
    watch(&mut weir, "rows to come again", || server.count(ROWS) > before);
    weir.kill();
    server.kill();
    server.up();
    site.crawl(&["--sink", &sink]).wait().expect_code(0);
    site.expect_each_once(&of_postgres(&server));
}

/// Each time as soon as new rows have come, or a moment later, until a run gets to the end before.
fn kill_again_and_again(site: &Site, sink: &str, rows: impl Fn() -> u64) {
    let mut seen = Vec::new();
    for kill in 0..KILLS {
        let before = rows();
        let mut weir = site.crawl(&["--sink", sink]);
        wait_until("rows to come", || weir.ended().is_some() || rows() > before);
        std::thread::sleep(Duration::from_millis(kill * 230));
        if weir.ended().is_some() {
            break;
        }
        weir.kill();
        seen.push(rows());
    }
    assert!(seen.len() >= 2, "too few kills for it to say anything: {seen:?}");
    let weir = site.crawl(&["--sink", sink]).wait();
    weir.expect_code(0);
    println!("rows there at the kills: {seen:?}, in the end {}", rows());
}
