//! Rows go on from the folders of downloaders to one table: each is there exactly once, whoever is killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::output::{expect_each_once, records};
use crate::place::{Rows, count_of_sqlite, of_jsonl, of_postgres, of_sqlite};
use crate::postgres::{PASSWORD, Server};
use crate::run::{BOUND, Cluster, sites, write};
use crate::support::wait_until;
use crate::team::Team;

const FLAGS: [&str; 2] = ["--per-host", "2"];
/// A row comes some three seconds after its page: there is time for three kills.
const SLOWLY: [&str; 2] = ["--delay", "100ms"];
const TWO: [&str; 4] = ["--downloaders", "2", "--slots", "4"];
const ROWS: &str = "SELECT count(*) FROM pages";
const PLACES: &str = "SELECT count(*), sum(delivered) FROM weir_sink";

#[test]
fn two_downloaders_fill_one_postgres_table_though_both_are_killed() {
    let Some(server) = Server::start("downloaders and postgres") else { return };
    let cluster = Cluster::of(sites(8, 120), &SLOWLY).with_outlets(&["--sink", &server.address()]);
    kill_as_rows_come(&cluster, || server.count(ROWS));
    expect_rows(&cluster, &of_postgres(&server));
    assert_eq!(server.ask(PLACES), [format!("2\t{}", server.count(ROWS))]);
}

#[test]
fn two_downloaders_fill_one_sqlite_file_though_both_are_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.db");
    let sink = format!("sqlite:{}", file.display());
    let cluster = Cluster::of(sites(8, 120), &SLOWLY).with_outlets(&["--sink", &sink]);
    kill_as_rows_come(&cluster, || count_of_sqlite(&file));
    expect_rows(&cluster, &of_sqlite(&file));
}

/// In turn, each time as soon as there are new rows.
fn kill_as_rows_come(cluster: &Cluster, rows: impl Fn() -> u64) {
    let mut team = Team::start(cluster, &["a", "b"]);
    let mut seen = Vec::new();
    for name in ["a", "b", "a"] {
        let before = rows();
        let scheduler = team.scheduler();
        wait_until("rows to come", || {
            assert!(scheduler.ended().is_none(), "it ended too early: {}", scheduler.said());
            rows() > before
        });
        team.take(name).kill();
        seen.push(rows());
        team.join(name);
    }
    team.end_at_last();
    println!("rows there at the kills: {seen:?}, in the end {}", rows());
}

fn expect_rows(cluster: &Cluster, rows: &Rows) {
    cluster.expect_each_once();
    assert_eq!(rows, &records(&cluster.folders()), "rows there, and records in the WARC files");
}

#[test]
fn a_page_that_came_again_to_another_downloader_still_has_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pages.db");
    let sink = format!("sqlite:{}", file.display());
    let flags = [&FLAGS[..], &["--recrawl", "--dispatch", "shortest-queue"]].concat();
    let cluster = Cluster::of(sites(4, 30), &flags).with_outlets(&["--sink", &sink]);
    Team::start(&cluster, &["a", "b"]).end();
    let first = of_sqlite(&file);
    let urls = |rows: &Rows| rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>();
    assert_eq!(urls(&first), urls(&records(&cluster.folders())));
    Team::start(&cluster, &["a", "b"]).end();
    assert!(records(&cluster.folders()).len() > first.len(), "nothing came again");
    assert_eq!(urls(&of_sqlite(&file)), urls(&first));
}

#[test]
fn a_sink_that_can_never_work_is_refused_before_anything_is_fetched() {
    let cluster = Cluster::of(sites(2, 20), &FLAGS);
    let scheduler = cluster.scheduler();
    let wrong = ["--sink", "sqlite:/no/such/folder/x.db"];
    let ended = cluster.downloader_with("a", &wrong).wait_within(BOUND);
    ended.expect_code(2).says(&["/no/such/folder", "check the path"]);
    assert_eq!(cluster.requests(), 0);
    let good = cluster.downloader("b");
    scheduler.wait_within(BOUND).expect_code(0);
    good.wait_within(BOUND).expect_code(0);
    cluster.expect_each_once();
    for (flag, value) in [("--sink", "mysql:x"), ("--table", "a b"), ("--sink-wait", "soon")] {
        let ended = cluster.downloader_with("c", &[flag, value]).wait_within(BOUND);
        ended.expect_code(2).says(&[&flag[2..], value]);
        assert!(!cluster.folder_of("c").exists());
    }
}

#[test]
fn what_a_sink_that_is_away_lacks_is_told_and_delivered_by_the_next_start() {
    let cluster = Cluster::of(sites(2, 30), &FLAGS);
    let file = cluster.path("pages.jsonl");
    let sink = format!("jsonl:{}", file.display());
    let flags = ["--sink", &sink, "--sink-wait", "1s"];
    let other = File::create(&file).unwrap();
    other.lock().unwrap();
    let scheduler = cluster.scheduler();
    let downloader = cluster.downloader_with("a", &flags);
    scheduler.wait_within(BOUND).expect_code(0);
    let ended = downloader.wait_within(BOUND);
    ended.expect_code(4).says(&[
        "warning: jsonl",
        "another weir writes to it",
        "not reached",
        "start it again with -o",
    ]);
    drop(other);
    // Nobody has to be there for it to be delivered.
    let again = cluster.downloader_with("a", &flags);
    let rows = || fs::read_to_string(&file).unwrap_or_default();
    let all = records(&cluster.folders()).len();
    wait_until("the rows", || rows().lines().count() >= all);
    again.signal("TERM");
    again.wait_within(BOUND).expect_code(0).says(&["rows delivered"]);
    expect_rows(&cluster, &of_jsonl(&rows()));
}

#[test]
fn downloaders_of_one_command_feed_its_sinks_and_nobody_sees_the_password() {
    let Some(server) = Server::start("downloaders of one command and postgres") else { return };
    let cluster = Cluster::of(sites(8, 60), &FLAGS);
    write(&cluster.path("weir.toml"), &format!("sink = [\"{}\"]", server.address()));
    let more = [&TWO[..], &["-c", "weir.toml"]].concat();
    let mut weir = cluster.crawl("out", &more);
    wait_until("rows to come", || {
        assert!(weir.ended().is_none(), "it ended too early: {}", weir.said());
        server.count(ROWS) > 0
    });
    let lines = command_lines(&cluster.path(""));
    assert!(lines.iter().any(|line| line.contains("--with-parent")), "{lines:?}");
    assert!(lines.iter().all(|line| !line.contains(PASSWORD)));
    weir.kill();
    for _ in ["delivers", "has nothing to deliver"] {
        cluster.crawl("out", &more).wait_within(BOUND).expect_code(0);
    }
    let out = [cluster.path("out")];
    expect_each_once(&cluster.web, &out);
    assert_eq!(of_postgres(&server), records(&out));
    for number in ["1", "2"] {
        let log = fs::read_to_string(out[0].join("downloaders").join(number).join("log.txt"));
        assert!(!log.unwrap().contains(PASSWORD));
    }
}

/// Of the processes that were started in this folder; those of other tests are none of our business.
fn command_lines(folder: &Path) -> Vec<String> {
    let folder = folder.canonicalize().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten().map(|process| process.path());
    let ours = |process: &PathBuf| fs::read_link(process.join("cwd")).is_ok_and(|at| at == folder);
    let lines = processes.filter(ours).filter_map(|process| fs::read(process.join("cmdline")).ok());
    lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect()
}

#[test]
fn one_command_with_downloaders_refuses_what_can_never_work_and_says_what_waits() {
    let cluster = Cluster::of(sites(2, 30), &FLAGS);
    let wrong = ["--sink", "sqlite:/no/such/folder/x.db"];
    let ended = cluster.crawl("out", &[&TWO[..], &wrong].concat()).wait_within(BOUND);
    ended.expect_code(2).says(&["error", "/no/such/folder", "check the path"]);
    assert_eq!(cluster.requests(), 0);

    let file = cluster.path("pages.db");
    let sink = format!("sqlite:{}", file.display());
    let more = [&TWO[..], &["--sink", &sink, "--sink-wait", "1s"]].concat();
    let locked = lock(&file);
    let ended = cluster.crawl("out", &more).wait_within(BOUND);
    ended.expect_code(4).says(&["not all is handed over", "log.txt", "run the same command again"]);
    drop(locked);
    cluster.crawl("out", &more).wait_within(BOUND).expect_code(0);
    assert_eq!(of_sqlite(&file), records(&[cluster.path("out")]));
}

/// Nobody else can write to it, or read it, as long as this is there.
fn lock(file: &Path) -> rusqlite::Connection {
    let database = rusqlite::Connection::open(file).unwrap();
    database.execute_batch("BEGIN EXCLUSIVE").unwrap();
    database
}
