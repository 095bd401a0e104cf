//! What every sink promises, on the two kinds that need no server. PostgreSQL is tested with the
//! command, in `crates/webweir/tests/sinks`.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::*;
use crate::mark::State;
use crate::pages::{Columns, Row};

fn rows(pages: &[(&str, i64, &str)]) -> RecordBatch {
    let mut columns = Columns::new();
    for (url, fetched_at, title) in pages {
        let row = Row {
            url: (*url).into(),
            fetched_at: *fetched_at,
            title: Some((*title).into()),
            ..Row::default()
        };
        columns.push(&row).unwrap();
    }
    columns.take().unwrap()
}

fn progress(row: u32) -> Progress {
    Progress { at: Position { file: 1, row }, rows: row.into() }
}

fn step(from: u32, to: u32) -> Step<'static> {
    Step { crawl: "c", from: progress(from), to: progress(to) }
}

fn open(target: &str) -> Box<dyn Sink> {
    target.parse::<SinkTarget>().unwrap().open("pages").unwrap()
}

fn targets(dir: &Path) -> [String; 3] {
    ["sqlite", "jsonl", "csv"].map(|kind| format!("{kind}:{}", dir.join(kind).display()))
}

#[test]
fn a_sink_goes_on_where_it_was_for_each_crawl() {
    let dir = tempfile::tempdir().unwrap();
    for target in targets(dir.path()) {
        let mut sink = open(&target);
        assert_eq!(sink.begin("c").unwrap(), Progress::NONE);
        sink.put(&rows(&[("http://a/", 1, "x")]), Some(&step(0, 1))).unwrap();
        drop(sink);
        let mut sink = open(&target);
        assert_eq!(sink.begin("c").unwrap(), progress(1), "{target}");
        assert_eq!(sink.begin("another").unwrap(), Progress::NONE);
    }
}

#[test]
fn lines_that_were_written_and_not_noted_are_cut_off() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("jsonl");
    let target = format!("jsonl:{}", file.display());
    let mut sink = open(&target);
    sink.put(&rows(&[("http://a/", 1, "x")]), Some(&step(0, 1))).unwrap();
    drop(sink);
    let whole = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{whole}{{\"url\":\"http://half")).unwrap();
    let mut sink = open(&target);
    sink.put(&rows(&[("http://b/", 1, "y")]), Some(&step(1, 2))).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with(&whole) && !text.contains("half"), "{text}");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn a_kill_before_the_first_lines_were_noted_leaves_a_file_that_is_ours() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("jsonl");
    let target = format!("jsonl:{}", file.display());
    drop(open(&target));
    fs::write(&file, "{\"url\":\"http://half").unwrap();
    open(&target).put(&rows(&[("http://b/", 1, "y")]), Some(&step(0, 1))).unwrap();
    assert!(fs::read_to_string(&file).unwrap().starts_with("{\"url\":\"http://b/\""));
}

#[test]
fn lines_that_are_gone_are_missed() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("jsonl");
    let target = format!("jsonl:{}", file.display());
    open(&target).put(&rows(&[("http://a/", 1, "x")]), Some(&step(0, 1))).unwrap();
    fs::write(&file, "").unwrap();
    let refused = target.parse::<SinkTarget>().unwrap().open("pages");
    assert!(matches!(refused, Err(SinkError::Refused { .. })));
}

#[test]
fn two_writers_of_one_crawl_do_not_both_move_its_place() {
    let dir = tempfile::tempdir().unwrap();
    let [sqlite, jsonl, _] = targets(dir.path());
    let (mut one, mut two) = (open(&sqlite), open(&sqlite));
    one.begin("c").unwrap();
    two.begin("c").unwrap();
    one.put(&rows(&[("http://a/", 1, "x")]), Some(&step(0, 1))).unwrap();
    let late = two.put(&rows(&[("http://a/", 2, "y")]), Some(&step(0, 1)));
    assert!(matches!(late, Err(SinkError::Moved { .. })));
    let _held = open(&jsonl);
    let second = jsonl.parse::<SinkTarget>().unwrap().open("pages");
    assert!(matches!(second, Err(SinkError::Away { .. })));
}

#[test]
fn a_table_of_an_earlier_version_gets_the_columns_it_lacks() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("old.db");
    let old = "CREATE TABLE pages (url TEXT PRIMARY KEY, fetched_at TEXT, mine TEXT)";
    rusqlite::Connection::open(&file).unwrap().execute_batch(old).unwrap();
    let mut sink = open(&format!("sqlite:{}", file.display()));
    sink.put(&rows(&[("http://a/", 1, "x")]), None).unwrap();
    let database = rusqlite::Connection::open(&file).unwrap();
    let ask = "SELECT title, mine FROM pages";
    let row: (String, Option<String>) =
        database.query_row(ask, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(row, ("x".to_owned(), None));
}

/// The follower's side: rows files as a crawl leaves them, marks as it journals them.
struct Crawl {
    dir: tempfile::TempDir,
    rows: u32,
}

impl Crawl {
    fn new() -> Crawl {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("store")).unwrap();
        Crawl { dir, rows: 0 }
    }

    /// One more row, and the mark that covers it.
    fn append(&mut self) -> crate::Mark {
        let url = format!("http://a/{}", self.rows);
        let mut line = Row { url: url.into(), ..Row::default() }.line();
        line.extend_from_slice(b"}\n");
        let path = crate::names::Names::kept_in(self.dir.path()).unwrap().rows_path(1);
        let mut text = fs::read(&path).unwrap_or_default();
        text.extend_from_slice(&line);
        fs::write(path, text).unwrap();
        self.rows += 1;
        State { rows_count: self.rows, pages: self.rows.into(), ..State::START }.encode()
    }

    fn follow(&self, target: &str) -> Followers {
        let target: SinkTarget = target.parse().unwrap();
        Followers::start(self.dir.path(), &Feeder::whole("c"), &[target], "pages").unwrap()
    }
}

fn wait(followers: &Followers, until: Extent) {
    let begun = Instant::now();
    while !followers.have(until) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", followers.states());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_follower_delivers_what_is_committed_and_no_more() {
    let mut crawl = Crawl::new();
    let file = crawl.dir.path().join("x.jsonl");
    let followers = crawl.follow(&format!("jsonl:{}", file.display()));
    let lines = || fs::read_to_string(&file).unwrap().lines().count();
    for count in [1, 2] {
        let mark = crawl.append();
        crawl.append();
        wait(&followers, followers.committed(mark, false).unwrap());
        assert_eq!(lines(), count * 2 - 1);
    }
}

#[test]
fn a_sink_that_was_away_is_tried_again_until_it_is_back() {
    let mut crawl = Crawl::new();
    let file = crawl.dir.path().join("x.jsonl");
    let target = format!("jsonl:{}", file.display());
    let held = open(&target);
    let followers = crawl.follow(&target);
    followers.try_once(Duration::from_secs(60)).unwrap();
    let until = followers.committed(crawl.append(), false).unwrap();
    let state = &followers.states()[0];
    assert!(state.trouble.as_ref().unwrap().contains("another weir"), "{state:?}");
    assert_eq!(followers.news().len(), 1);
    drop(held);
    wait(&followers, until);
    assert_eq!((followers.states()[0].delivered, followers.news().len()), (Some(1), 0));
}

#[test]
fn a_sink_that_has_more_than_the_folder_is_not_fed() {
    let mut crawl = Crawl::new();
    let file = crawl.dir.path().join("x.jsonl");
    let target = format!("jsonl:{}", file.display());
    open(&target).put(&rows(&[("http://a/", 1, "x")]), Some(&step(0, 5))).unwrap();
    let followers = crawl.follow(&target);
    let mark = crawl.append();
    followers.committed(mark, false).unwrap();
    let begun = Instant::now();
    while followers.states()[0].trouble.is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(followers.states()[0].trouble.as_ref().unwrap().contains("older copy"));
}

#[test]
fn a_sink_that_can_never_work_is_known_at_once() {
    let crawl = Crawl::new();
    let followers = crawl.follow("sqlite:/no/such/folder/x.db");
    let refused = followers.try_once(Duration::from_secs(60));
    assert!(matches!(refused, Err(SinkError::Refused { .. })), "{refused:?}");
}

/// Full rows files are followed by new ones, and a crawl that ends leaves an empty one behind them.
#[test]
fn a_sink_that_has_all_rows_of_a_full_file_has_all() {
    let mut crawl = Crawl::new();
    let file = crawl.dir.path().join("x.jsonl");
    let followers = crawl.follow(&format!("jsonl:{}", file.display()));
    wait(&followers, followers.committed(crawl.append(), false).unwrap());
    let closed = State { rows: 2, pages: 1, converted: 1, ..State::START }.encode();
    wait(&followers, followers.committed(closed, true).unwrap());
    assert_eq!(followers.states()[0].delivered, Some(1));
    drop(followers);
    let again = crawl.follow(&format!("jsonl:{}", file.display()));
    wait(&again, again.committed(closed, true).unwrap());
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 1);
}

/// As downloaders do that begin together: some lack the table, some a column, all write.
#[test]
fn several_may_begin_and_write_one_sqlite_table_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.db");
    let (target, table) = (format!("sqlite:{}", file.display()), "pages");
    drop(open(&target));
    let database = rusqlite::Connection::open(&file).unwrap();
    database.execute_batch("ALTER TABLE pages DROP COLUMN title").unwrap();
    let write = &|part: usize| {
        let target: SinkTarget = target.parse().unwrap();
        let mut sink = target.open(table).unwrap();
        let crawl = format!("c-{part}");
        let mut from = sink.begin(&crawl).unwrap();
        for row in 1..=20 {
            let to = progress(row);
            let url = format!("http://a/{part}/{row}");
            let step = Step { crawl: &crawl, from, to };
            sink.put(&rows(&[(&url, 1, "x")]), Some(&step)).unwrap();
            from = to;
        }
    };
    std::thread::scope(|scope| {
        (0..6).for_each(|part| drop(scope.spawn(move || write(part))));
    });
    let count = |sql: &str| database.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap();
    assert_eq!(count("SELECT count(title) FROM pages"), 120);
    assert_eq!(count("SELECT sum(delivered) FROM weir_sink"), 120);
}

#[test]
fn each_store_of_a_crawl_has_a_place_of_its_own() {
    let parts = ["one", "two"].map(|part| Some(part.to_owned()));
    let places = parts.map(|part| Feeder { crawl: "c".to_owned(), part }.place());
    assert_eq!(places, ["c-one", "c-two"]);
    assert_eq!(Feeder::whole("c").place(), "c");
}
