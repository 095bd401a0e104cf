//! Pages that are visited again, by tasks as Spark runs them, and what their rows tell.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tokio::sync::watch;
use weir_crawl::{CameBack, Config, HandedOn, Settings, Stop, Summary, Traveller, Visit};
use weir_frontier::{Frontier, UrlKind};
use weir_spark::{Bounds, Done, Pages, Sites, Task, everywhere, run, worth};
use weir_testsite::{HostSpec, Script, Spec, Web};
use weir_types::Fingerprint;

const PAGES: u32 = 40;

/// Every fourth page is another one at each tick.
fn web() -> Web {
    let periods = [None, None, None, Some(Duration::from_secs(1))];
    let site = HostSpec::pages(PAGES).page_bytes(4000..=6000).changing(&periods);
    let web = Web::start(Spec::new(vec![site])).unwrap();
    web.set_time(Duration::ZERO);
    web
}

fn settings(web: &Web) -> (HandedOn, Vec<String>) {
    let settings = Settings {
        urls: Some(web.seeds()),
        allow_private: Some(true),
        content: Some("none".to_owned()),
        store: Some("parquet".to_owned()),
        ..Settings::default()
    };
    let seeds = Config::try_from(settings.clone()).unwrap().seeds;
    let handed = HandedOn::of_part(&settings, &seeds).unwrap();
    (handed, seeds.iter().map(url::Url::to_string).collect())
}

/// The whole web in one bucket, round after round.
struct Crawl {
    root: tempfile::TempDir,
    settings: HandedOn,
    seeds: Vec<String>,
    log: Option<PathBuf>,
    rounds: u32,
    rows: Vec<PathBuf>,
}

impl Crawl {
    fn new(web: &Web) -> Crawl {
        let (settings, seeds) = settings(web);
        let root = tempfile::tempdir().unwrap();
        Crawl { root, settings, seeds, log: None, rounds: 0, rows: Vec::new() }
    }

    fn round(&mut self, again: Vec<String>) -> Done {
        let label = format!("r{}b0", self.rounds);
        let dir = self.root.path().join(&label);
        fs::create_dir_all(dir.join("frontier")).unwrap();
        if let Some(log) = &self.log {
            fs::copy(log, dir.join("frontier/log")).unwrap();
        }
        self.log = Some(dir.join("frontier/log"));
        let seeds = self.seeds.iter().filter(|_| self.rounds == 0);
        let task = Task {
            settings: self.settings.clone(),
            bucket: 0,
            buckets: 1,
            label,
            dir,
            arrived: seeds.map(|seed| traveller(seed)).collect(),
            nearer: Vec::new(),
            again,
            bounds: Bounds::default(),
            tries_failed: false,
            shaper: None,
        };
        let (_keep, stop) = watch::channel(Stop::No);
        let done = run(task, stop, &mut |_| {}).unwrap();
        self.rounds += 1;
        self.rows.extend(done.files.pages.clone());
        done
    }

    /// What the frontier has noted of each page, by its URL.
    fn notes(&self) -> BTreeMap<String, Summary> {
        let folder = self.log.as_ref().unwrap().parent().unwrap();
        let mut urls = BTreeMap::new();
        weir_frontier::known(folder, |known| {
            urls.insert(known.fingerprint.0, known.url.to_owned());
        })
        .unwrap();
        let (mut frontier, _) = Frontier::open(folder, weir_frontier::Config::default()).unwrap();
        let resting = frontier.resting(|_| true).unwrap();
        let note = |resting: &weir_frontier::Resting| {
            let note = frontier.note_of(resting).unwrap()?;
            let Fingerprint(print) = resting.fingerprint;
            Some((urls[&print].clone(), Summary::of(&Visit::from_bytes(&note)?)))
        };
        resting.iter().filter_map(note).collect()
    }
}

fn traveller(url: &str) -> Traveller {
    let (url, parent, kind) = (url.to_owned(), None, UrlKind::Page);
    Traveller { url, parent, depth: 0, redirects: 0, kind, lastmod_s: None, promise: 0 }
}

fn batches(path: &Path) -> Vec<RecordBatch> {
    let file = File::open(path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> &'a ArrayRef {
    batch.column_by_name(name).unwrap()
}

/// (url, status, digest) of one round.
fn rows(done: &Done) -> Vec<(String, i32, String)> {
    let mut rows = Vec::new();
    for batch in done.files.pages.iter().flat_map(|path| batches(path)) {
        let (url, digest) = (texts(&batch, "url"), texts(&batch, "digest"));
        let status = column(&batch, "status").as_primitive::<Int32Type>();
        let row =
            |at: usize| (url[at].clone().unwrap(), status.value(at), digest[at].clone().unwrap());
        rows.extend((0..batch.num_rows()).map(row));
    }
    rows
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = column(batch, name);
    let text = |at: usize| match column.as_dictionary_opt::<Int32Type>() {
        Some(words) => words.values().as_string::<i32>().value(words.key(at).unwrap()).to_owned(),
        None => column.as_string::<i32>().value(at).to_owned(),
    };
    (0..column.len()).map(|at| column.is_valid(at).then(|| text(at))).collect()
}

#[test]
fn each_page_is_asked_for_once_and_only_what_has_changed_is_sent() {
    let web = web();
    let mut crawl = Crawl::new(&web);
    let first = rows(&crawl.round(Vec::new()));
    assert_eq!(first.len(), PAGES as usize);
    let before = web.counts().total();
    web.set_time(Duration::from_secs(5));
    let chosen: Vec<String> = first.iter().step_by(2).map(|row| row.0.clone()).collect();
    let done = crawl.round(chosen.clone());
    let again = rows(&done);
    assert_eq!(web.counts().total().requests - before.requests, chosen.len() as u64);
    let mut asked: Vec<_> = again.iter().map(|row| row.0.clone()).collect();
    let mut wanted = chosen;
    asked.sort();
    wanted.sort();
    assert_eq!(asked, wanted);
    let digests: BTreeMap<_, _> = first.iter().map(|(url, _, digest)| (url, digest)).collect();
    for (url, status, digest) in &again {
        assert_eq!(digests[url] == digest, *status == 304, "{url} {status}");
    }
    let unchanged = again.iter().filter(|row| row.1 == 304).count() as u64;
    let changed = again.len() as u64 - unchanged;
    assert!(unchanged > 0 && changed > 0, "{unchanged} {changed}");
    assert_eq!(done.came, CameBack { new: 0, unchanged, changed });
    assert_eq!(done.waiting, 0);
}

#[test]
fn what_a_changed_page_leads_to_is_followed_at_once() {
    let version = Arc::new(AtomicU32::new(0));
    let told = version.clone();
    let site = HostSpec::scripted(move |asked| {
        let more = "<a href=/new>more</a>".repeat(told.load(Ordering::Relaxed) as usize);
        match asked.path {
            "/" => Some(Script::html(format!("<a href=/old>old</a>{more} words and more words"))),
            "/old" | "/new" => Some(Script::html("a page")),
            _ => Some(Script::answer(404, "", "")),
        }
    });
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let mut crawl = Crawl::new(&web);
    assert_eq!(rows(&crawl.round(Vec::new())).len(), 2);
    version.store(1, Ordering::Relaxed);
    let done = crawl.round(crawl.seeds.clone());
    let found: Vec<_> = rows(&done).into_iter().map(|row| row.0).collect();
    assert_eq!(found, [crawl.seeds[0].clone(), format!("{}new", crawl.seeds[0])]);
    assert_eq!((done.came.new, done.waiting), (1, 0));
}

#[test]
fn what_nobody_knows_is_not_asked_for() {
    let web = web();
    let mut crawl = Crawl::new(&web);
    crawl.round(Vec::new());
    let before = web.counts().total().requests;
    let done = crawl.round(vec![format!("{}never.html", crawl.seeds[0])]);
    assert_eq!((web.counts().total().requests, rows(&done).len()), (before, 0));
}

/// The table of visits as the job of Spark hands it over.
fn history(crawl: &Crawl) -> RecordBatch {
    let mut lines = Vec::new();
    for batch in crawl.rows.iter().flat_map(|path| batches(path)) {
        let at = column(&batch, "fetched_at").as_primitive::<TimestampMillisecondType>();
        let url = texts(&batch, "url");
        let line = |row: usize| (url[row].clone().unwrap(), at.value(row), batch.clone(), row);
        lines.extend((0..batch.num_rows()).map(line));
    }
    lines.sort_by(|one, other| (&one.0, one.1).cmp(&(&other.0, other.1)));
    let text = |name: &str| -> ArrayRef {
        let value = |(_, _, batch, row): &(String, i64, RecordBatch, usize)| {
            texts(batch, name)[*row].clone()
        };
        Arc::new(lines.iter().map(value).collect::<StringArray>())
    };
    let numbers = |name: &str| -> ArrayRef {
        let value = |(_, _, batch, row): &(String, i64, RecordBatch, usize)| {
            let column = column(batch, name).as_primitive::<Int64Type>();
            column.is_valid(*row).then(|| column.value(*row))
        };
        Arc::new(lines.iter().map(value).collect::<arrow_array::Int64Array>())
    };
    let status = lines
        .iter()
        .map(|(_, _, batch, row)| column(batch, "status").as_primitive::<Int32Type>().value(*row));
    let status: arrow_array::Int32Array = status.collect::<Vec<_>>().into();
    let at: arrow_array::Int64Array = lines.iter().map(|line| line.1).collect::<Vec<_>>().into();
    let seeds: BooleanArray = lines
        .iter()
        .map(|(_, _, batch, row)| Some(texts(batch, "parent")[*row].is_none()))
        .collect();
    let nothing: StringArray = lines.iter().map(|_| None::<&str>).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("url", text("url"), true),
        ("site", text("site"), true),
        ("is_seed", Arc::new(seeds) as ArrayRef, true),
        ("at_ms", Arc::new(at) as ArrayRef, true),
        ("status", Arc::new(status) as ArrayRef, true),
        ("bytes", numbers("bytes_wire"), true),
        ("digest", text("digest"), true),
        ("etag", text("etag"), true),
        ("last_modified", text("last_modified"), true),
        ("text", numbers("simhash"), true),
        ("fields", Arc::new(nothing) as ArrayRef, true),
        ("final_url", text("final_url"), true),
    ])
    .unwrap()
}

/// What is learnt of pages from these rows, cut into batches of so many.
fn learnt(settings: &HandedOn, history: &RecordBatch, size: usize) -> Vec<RecordBatch> {
    let mut pages = Pages::new(settings).unwrap();
    let mut told = Vec::new();
    for from in (0..history.num_rows()).step_by(size) {
        let some = history.slice(from, size.min(history.num_rows() - from));
        told.push(pages.take(&some).unwrap());
    }
    told.push(pages.end().unwrap());
    told
}

fn floats(batch: &RecordBatch, name: &str) -> Vec<f64> {
    column(batch, name).as_primitive::<Float64Type>().values().to_vec()
}

#[test]
fn rows_tell_what_the_notes_of_the_frontier_tell() {
    let web = web();
    let mut crawl = Crawl::new(&web);
    crawl.round(Vec::new());
    for tick in 1..4 {
        web.set_time(Duration::from_secs(tick));
        // A visit at the very moment of the last one tells nothing.
        std::thread::sleep(Duration::from_millis(20));
        let all = crawl.notes().into_keys().collect();
        crawl.round(all);
    }
    let notes = crawl.notes();
    assert_eq!(notes.len(), PAGES as usize);
    let history = history(&crawl);
    assert_eq!(history.num_rows(), 4 * PAGES as usize);
    for size in [1, 7, 1000] {
        let mut found = 0;
        for batch in learnt(&crawl.settings, &history, size) {
            let (changes, days) = (floats(&batch, "seen_changes"), floats(&batch, "seen_days"));
            let visits = column(&batch, "visits").as_primitive::<Int32Type>();
            let fetch = column(&batch, "fetch").as_primitive::<Int64Type>();
            let check = column(&batch, "check").as_primitive::<Int64Type>();
            for (row, url) in texts(&batch, "url").into_iter().flatten().enumerate() {
                let note = &notes[&url];
                assert_eq!(visits.value(row), note.visits as i32, "{url}");
                assert_eq!(
                    (fetch.value(row), check.value(row)),
                    (note.fetch as i64, note.check as i64)
                );
                let near = |one: f64, other: f64| (one - other).abs() <= 2e-3 * other.abs() + 1e-9;
                assert!(near(changes[row], note.evidence.changes), "{url}: {note:?}");
                assert!(near(days[row], note.evidence.days), "{url}: {note:?}");
                found += 1;
            }
        }
        assert_eq!(found, PAGES, "in batches of {size}");
    }
}

/// Two pages visited daily; one is another each time.
fn two_pages() -> RecordBatch {
    const DAY: i64 = 86_400_000;
    let lines: Vec<(&str, i64, String)> = ["http://a.example/fast", "http://a.example/slow"]
        .into_iter()
        .flat_map(|url| {
            (1..6).map(move |day| {
                (
                    url,
                    day,
                    if url.ends_with("fast") { format!("sha1:{day}") } else { "sha1:A".to_owned() },
                )
            })
        })
        .collect();
    let text = |value: fn(&(&str, i64, String)) -> Option<String>| -> ArrayRef {
        Arc::new(lines.iter().map(value).collect::<StringArray>())
    };
    let number = |value: fn(&(&str, i64, String)) -> i64| -> ArrayRef {
        Arc::new(lines.iter().map(|line| Some(value(line))).collect::<arrow_array::Int64Array>())
    };
    let status: arrow_array::Int32Array = vec![200; lines.len()].into();
    let seeds: BooleanArray = vec![false; lines.len()].into();
    RecordBatch::try_from_iter_with_nullable([
        ("url", text(|line| Some(line.0.to_owned())), true),
        ("site", text(|_| Some("a.example".to_owned())), true),
        ("is_seed", Arc::new(seeds) as ArrayRef, true),
        ("at_ms", number(|line| line.1 * DAY), true),
        ("status", Arc::new(status) as ArrayRef, true),
        ("bytes", number(|_| 9000), true),
        ("digest", text(|line| Some(line.2.clone())), true),
        ("etag", text(|_| Some("\"1\"".to_owned())), true),
        ("last_modified", text(|_| None), true),
        ("text", number(|line| i64::from(line.0.ends_with("fast")) * line.1 * 0x0f0f_0f0f), true),
        ("fields", text(|_| None), true),
        ("final_url", text(|line| Some(line.0.to_owned())), true),
    ])
    .unwrap()
}

#[test]
fn a_page_that_changes_gains_more_than_one_that_does_not_and_what_is_unknown_is_visited() {
    let web = web();
    let (settings, _) = settings(&web);
    let pages = learnt(&settings, &two_pages(), 1000).pop().unwrap();
    let more = learnt(&settings, &two_pages(), 1000).remove(0);
    let steps = everywhere(&[(4.0, 4.0), (0.0, 4.0)]);
    let mut sites = Sites::new(&steps);
    assert_eq!(sites.take(&more).unwrap().num_rows(), 0, "more of the site may come");
    sites.take(&pages).unwrap();
    let site = sites.end().unwrap();
    assert_eq!(texts(&site, "site"), [Some("a.example".to_owned())]);
    let prior = (floats(&site, "prior_changes")[0], floats(&site, "prior_days")[0]);
    let gains = |pages: &RecordBatch| {
        let told = worth(&known(pages, Some(prior)), 7 * 86_400_000, 4).unwrap();
        let always = column(&told, "always").as_boolean().value(0);
        (floats(&told, "gain")[0], floats(&told, "rate")[0], always)
    };
    let ((fast, fast_rate, _), (slow, slow_rate, always)) = (gains(&more), gains(&pages));
    assert!(fast_rate > 3.0 * slow_rate, "{fast_rate} {slow_rate}");
    assert!(fast > slow && slow > 0.0 && !always, "{fast} {slow}");
    let never = worth(&never_kept(), 7 * 86_400_000, 4).unwrap();
    assert!(column(&never, "always").as_boolean().value(0));
    assert!(column(&never, "rate").is_null(0));
}

/// As joined with what is known of the site.
fn known(pages: &RecordBatch, prior: Option<(f64, f64)>) -> RecordBatch {
    let size = pages.num_rows();
    let float = |value: Option<f64>| -> ArrayRef {
        Arc::new(vec![value; size].into_iter().collect::<arrow_array::Float64Array>())
    };
    let mut all: Vec<(String, ArrayRef)> = pages
        .schema()
        .fields()
        .iter()
        .zip(pages.columns())
        .map(|(field, column)| (field.name().clone(), column.clone()))
        .collect();
    all.push(("prior_changes".to_owned(), float(prior.map(|prior| prior.0))));
    all.push(("prior_days".to_owned(), float(prior.map(|prior| prior.1))));
    let found: arrow_array::Int64Array = vec![0; size].into();
    all.push(("found".to_owned(), Arc::new(found)));
    RecordBatch::try_from_iter_with_nullable(
        all.iter().map(|(name, column)| (name, column.clone(), true)),
    )
    .unwrap()
}

fn never_kept() -> RecordBatch {
    let (settings, _) = settings(&web());
    let pages = learnt(&settings, &two_pages(), 1000).pop().unwrap();
    let known = known(&pages, None);
    let columns = known
        .schema()
        .fields()
        .iter()
        .zip(known.columns())
        .map(|(field, column)| {
            let is_url = field.name() == "url";
            let none = arrow_array::new_null_array(column.data_type(), column.len());
            (field.name().clone(), if is_url { column.clone() } else { none }, true)
        })
        .collect::<Vec<_>>();
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

#[test]
fn a_batch_without_a_column_is_told() {
    let (settings, _) = settings(&web());
    let empty =
        RecordBatch::try_from_iter([("url", Arc::new(StringArray::from(vec!["a"])) as ArrayRef)]);
    let why = Pages::new(&settings).unwrap().take(&empty.unwrap()).unwrap_err();
    assert!(why.to_string().contains("no column site"), "{why}");
}
