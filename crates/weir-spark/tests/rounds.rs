//! A whole crawl by rounds of buckets, with a driver of a few lines in place of Spark: it must bring
//! what `weir crawl` brings, whether tasks run ahead or not.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tokio::sync::watch;
use weir_crawl::{Config, HandedOn, Settings, Stop, Traveller, bucket_of, crawl};
use weir_frontier::UrlKind;
use weir_spark::{Bounds, Cascade, Done, Task, run};
use weir_testsite::{HostSpec, Spec, Web};

const BUCKETS: u32 = 4;
const MOST_ROUNDS: u32 = 200;

/// What is under `--out`, as it were.
struct Driver {
    root: tempfile::TempDir,
    settings: HandedOn,
    logs: BTreeMap<u32, PathBuf>,
    inbox: BTreeMap<u32, BTreeMap<String, Traveller>>,
    followed: BTreeMap<u32, Vec<(String, u32)>>,
    waiting: BTreeMap<u32, u64>,
    pages: BTreeMap<String, (u32, String)>,
    links: Vec<(String, String, String)>,
    rounds: u32,
    ahead: u64,
    corrected: u64,
}

impl Driver {
    fn new(settings: Settings) -> Driver {
        let config = Config::try_from(settings.clone()).unwrap();
        let mut driver = Driver {
            root: tempfile::tempdir().unwrap(),
            settings: HandedOn::of_part(&settings, &config.seeds).unwrap(),
            logs: BTreeMap::new(),
            inbox: BTreeMap::new(),
            followed: BTreeMap::new(),
            waiting: BTreeMap::new(),
            pages: BTreeMap::new(),
            links: Vec::new(),
            rounds: 0,
            ahead: 0,
            corrected: 0,
        };
        config.seeds.iter().for_each(|seed| driver.send(traveller(seed.as_str(), None, 0)));
        driver
    }

    fn send(&mut self, traveller: Traveller) {
        let box_of = self.inbox.entry(bucket_of(&traveller.url, BUCKETS)).or_default();
        let known = box_of.entry(traveller.url.clone()).or_insert_with(|| traveller.clone());
        if traveller.depth < known.depth {
            *known = traveller;
        }
    }

    fn crawl(&mut self, runs_ahead: Option<Bounds>) {
        while self.rounds < MOST_ROUNDS && self.round(runs_ahead) {}
        assert!(self.rounds < MOST_ROUNDS, "it comes to an end");
    }

    /// False if nothing is left to do.
    fn round(&mut self, runs_ahead: Option<Bounds>) -> bool {
        let inbox = std::mem::take(&mut self.inbox);
        let followed = std::mem::take(&mut self.followed);
        let waiting =
            self.waiting.iter().filter(|(_, count)| **count > 0).map(|(bucket, _)| *bucket);
        let active: BTreeSet<u32> = inbox.keys().copied().chain(waiting).collect();
        if active.is_empty() {
            return false;
        }
        let mut unfollowed = Vec::new();
        for bucket in active {
            let arrived = inbox.get(&bucket).map(|all| all.values().cloned().collect());
            let nearer = followed.get(&bucket).cloned().unwrap_or_default();
            let done = self.task(bucket, arrived.unwrap_or_default(), nearer, runs_ahead);
            unfollowed.extend(self.take(bucket, &done));
        }
        self.rounds += 1;
        self.cascade(unfollowed);
        true
    }

    fn task(
        &mut self,
        bucket: u32,
        arrived: Vec<Traveller>,
        nearer: Vec<(String, u32)>,
        runs_ahead: Option<Bounds>,
    ) -> Done {
        let label = format!("r{}b{bucket}", self.rounds);
        let dir = self.root.path().join(&label);
        fs::create_dir_all(dir.join("frontier")).unwrap();
        if let Some(log) = self.logs.get(&bucket) {
            fs::copy(log, dir.join("frontier/log")).unwrap();
        }
        self.logs.insert(bucket, dir.join("frontier/log"));
        let layer = Bounds { depth: Some(self.rounds), ..Bounds::default() };
        let task = Task {
            settings: self.settings.clone(),
            bucket,
            buckets: BUCKETS,
            label,
            dir,
            arrived,
            nearer,
            again: Vec::new(),
            bounds: runs_ahead.unwrap_or(layer),
            tries_failed: self.rounds == 0,
            shaper: None,
        };
        let (_keep, stop) = watch::channel(Stop::No);
        run(task, stop, &mut |_| {}).unwrap()
    }

    fn take(&mut self, bucket: u32, done: &Done) -> Vec<(String, u32)> {
        self.waiting.insert(bucket, done.waiting);
        self.ahead += done.ahead;
        for file in &done.files.pages {
            for row in rows(file, &["url", "depth", "digest"]) {
                let page = (row[1].parse().unwrap(), row[2].clone());
                let before = self.pages.insert(row[0].clone(), page);
                assert!(before.is_none(), "{} is kept twice", row[0]);
            }
        }
        for row in table(&done.files.links, &["url", "target", "kind"]) {
            self.links.push((row[0].clone(), row[1].clone(), row[2].clone()));
        }
        for row in table(&done.files.nearer, &["url", "depth"]) {
            self.correct(&row[0], row[1].parse().unwrap());
        }
        let names = ["url", "parent", "depth", "redirects", "kind"];
        for row in table(&done.files.outbox, &names) {
            let mut found = traveller(&row[0], Some(&row[1]), row[2].parse().unwrap());
            found.redirects = row[3].parse().unwrap();
            found.kind = if row[4] == "sitemap" { UrlKind::Sitemap } else { UrlKind::Page };
            self.send(found);
        }
        let unfollowed = table(&done.files.unfollowed, &["url", "depth"]).into_iter();
        unfollowed.map(|row| (row[0].clone(), row[1].parse().unwrap())).collect()
    }

    fn correct(&mut self, url: &str, depth: u32) {
        if let Some((known, _)) = self.pages.get_mut(url) {
            self.corrected += u64::from(depth < *known);
            *known = depth.min(*known);
        }
    }

    fn cascade(&mut self, unfollowed: Vec<(String, u32)>) {
        let mut by_bucket: BTreeMap<u32, Vec<(String, u32)>> = BTreeMap::new();
        for (url, depth) in unfollowed {
            by_bucket.entry(bucket_of(&url, BUCKETS)).or_default().push((url, depth));
        }
        for (bucket, begin) in by_bucket {
            let mut cascade = Cascade::default();
            let is_here = |url: &str| bucket_of(url, BUCKETS) == bucket;
            let pages = self.pages.iter().filter(|(url, _)| is_here(url));
            pages.for_each(|(url, (depth, _))| cascade.page(url, *depth));
            let links = self.links.iter().filter(|(from, _, _)| is_here(from));
            links.for_each(|(from, to, kind)| cascade.link(from, to, kind));
            let followed = cascade.follow(&begin, &[]);
            followed.nearer.iter().for_each(|(url, depth)| self.correct(url, *depth));
            self.followed.insert(bucket, followed.nearer);
            followed.ways.into_iter().for_each(|way| self.send(way));
        }
    }

    /// No link is a shorter way than was found.
    fn check_depths(&self) {
        for (from, to, kind) in &self.links {
            let steps = u32::from(kind != "redirect");
            if let (Some((near, _)), Some((far, _))) = (self.pages.get(from), self.pages.get(to)) {
                let (one, other) = (bucket_of(from, BUCKETS), bucket_of(to, BUCKETS));
                assert!(
                    *far <= near + steps,
                    "{from} ({near}, bucket {one}) leads to {to} ({far}, bucket {other}) by {kind}"
                );
            }
        }
    }

    fn kept(&self) -> BTreeMap<&str, &str> {
        self.pages.iter().map(|(url, (_, digest))| (url.as_str(), digest.as_str())).collect()
    }

    /// Of pages; with errors and redirects.
    fn depths(&self) -> BTreeMap<&str, u32> {
        self.pages.iter().map(|(url, (depth, _))| (url.as_str(), *depth)).collect()
    }
}

fn traveller(url: &str, parent: Option<&str>, depth: u32) -> Traveller {
    let (url, parent) = (url.to_owned(), parent.map(str::to_owned));
    let (redirects, kind, lastmod_s, promise) = (0, UrlKind::Page, None, 0);
    Traveller { url, parent, depth, redirects, kind, lastmod_s, promise }
}

fn table(path: &Option<PathBuf>, names: &[&str]) -> Vec<Vec<String>> {
    path.as_ref().map(|path| rows(path, names)).unwrap_or_default()
}

fn rows(path: &Path, names: &[&str]) -> Vec<Vec<String>> {
    let file = File::open(path).unwrap();
    let batches = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let mut all = Vec::new();
    for batch in batches {
        let batch = batch.unwrap();
        let columns: Vec<Vec<String>> = names.iter().map(|name| texts(&batch, name)).collect();
        all.extend(
            (0..batch.num_rows())
                .map(|row| columns.iter().map(|column| column[row].clone()).collect::<Vec<_>>()),
        );
    }
    all
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).unwrap();
    let text = arrow_cast(column);
    (0..column.len()).map(text).collect()
}

fn arrow_cast(column: &dyn Array) -> Box<dyn Fn(usize) -> String + '_> {
    use arrow_schema::DataType;
    match column.data_type() {
        DataType::Utf8 => {
            let all = column.as_string::<i32>();
            Box::new(|row| all.value(row).to_owned())
        }
        DataType::Dictionary(_, _) => {
            let all = column.as_dictionary::<Int32Type>();
            let values = all.values().as_string::<i32>();
            Box::new(|row| values.value(all.key(row).unwrap()).to_owned())
        }
        DataType::Int32 => {
            let all = column.as_primitive::<Int32Type>();
            Box::new(|row| all.value(row).to_string())
        }
        other => panic!("a column of {other}"),
    }
}

/// Hosts that lead to each other, each with all that a page may be.
fn web(hosts: u32, pages: u32) -> Web {
    let host = || {
        HostSpec::pages(pages)
            .page_bytes(500..=2000)
            .links_per_page(6)
            .cross_links(1)
            .redirects(5)
            .dead_links(3)
            .files(2)
    };
    Web::start(Spec::new((0..hosts).map(|_| host()).collect())).unwrap()
}

fn settings(web: &Web, out: &Path, depth: Option<u32>) -> Settings {
    Settings {
        urls: Some(web.seeds().into_iter().take(1).collect()),
        scope: Some("any".to_owned()),
        out: Some(out.to_owned()),
        allow_private: Some(true),
        content: Some("none".to_owned()),
        traps: Some("ignore".to_owned()),
        store: Some("parquet".to_owned()),
        depth,
        ..Settings::default()
    }
}

fn whole(settings: Settings) -> BTreeMap<String, String> {
    let out = settings.out.clone().unwrap();
    let (_keep, stop) = watch::channel(Stop::No);
    crawl(Config::try_from(settings).unwrap(), stop, &mut |_| {}).unwrap();
    let mut files: Vec<_> =
        fs::read_dir(out.join("pages")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let all = files.iter().flat_map(|file| rows(file, &["url", "digest"]));
    all.map(|row| (row[0].clone(), row[1].clone())).collect()
}

fn texts_of(pages: &BTreeMap<String, String>) -> BTreeMap<&str, &str> {
    pages.iter().map(|(url, digest)| (url.as_str(), digest.as_str())).collect()
}

/// Thousands of rows are better not shown.
fn same<T: PartialEq + std::fmt::Debug>(
    one: &BTreeMap<&str, T>,
    other: &BTreeMap<&str, T>,
    words: &str,
) {
    let keys: BTreeSet<_> = one.keys().chain(other.keys()).collect();
    let count = keys.len();
    let differ: Vec<_> = keys.into_iter().filter(|key| one.get(*key) != other.get(*key)).collect();
    let shown: Vec<_> =
        differ.iter().take(5).map(|key| (key, one.get(**key), other.get(**key))).collect();
    assert!(differ.is_empty(), "{words}: {} of {count} differ, such as {shown:?}", differ.len());
}

const FREE: Bounds = Bounds { depth: None, pages: None, bytes: None, time: None };

#[test]
fn rounds_bring_what_one_crawl_brings_and_running_ahead_needs_fewer() {
    let web = web(12, 40);
    let out = tempfile::tempdir().unwrap();
    let one = whole(settings(&web, out.path(), None));
    let mut layers = Driver::new(settings(&web, out.path(), None));
    layers.crawl(None);
    let mut ahead = Driver::new(settings(&web, out.path(), None));
    ahead.crawl(Some(FREE));
    assert!(one.len() > 12 * 40);
    same(&layers.kept(), &texts_of(&one), "layers");
    same(&ahead.kept(), &texts_of(&one), "ahead");
    ahead.check_depths();
    layers.check_depths();
    same(&ahead.depths(), &layers.depths(), "each page has its least depth");
    // Targets of redirects are of the same layer.
    assert!(layers.ahead * 10 < ahead.ahead, "{} and {} ahead", layers.ahead, ahead.ahead);
    assert!(ahead.ahead > 0 && ahead.corrected > 0, "{} {}", ahead.ahead, ahead.corrected);
    assert!(ahead.rounds < layers.rounds, "{} and {} rounds", ahead.rounds, layers.rounds);
}

#[test]
fn a_depth_is_the_least_whoever_found_the_page_first() {
    let web = web(8, 40);
    let out = tempfile::tempdir().unwrap();
    for depth in [2, 4] {
        let mut layers = Driver::new(settings(&web, out.path(), Some(depth)));
        layers.crawl(None);
        for pages in [None, Some(15)] {
            let mut ahead = Driver::new(settings(&web, out.path(), Some(depth)));
            ahead.crawl(Some(Bounds { pages, ..FREE }));
            let words = format!("depth {depth}, pages {pages:?}");
            same(&ahead.depths(), &layers.depths(), &words);
            assert!(ahead.depths().values().all(|far| *far <= depth));
        }
    }
}

#[test]
fn a_task_stops_at_its_bounds_and_the_next_goes_on() {
    let web = web(3, 80);
    let out = tempfile::tempdir().unwrap();
    let one = whole(settings(&web, out.path(), None));
    for bounds in [
        Bounds { pages: Some(20), ..FREE },
        Bounds { bytes: Some(60_000), ..FREE },
        Bounds { time: Some(Duration::from_millis(50)), ..FREE },
    ] {
        let before = web.counts().total().requests;
        let mut driver = Driver::new(settings(&web, out.path(), None));
        driver.crawl(Some(bounds));
        same(&driver.kept(), &texts_of(&one), "bounded");
        assert!(driver.rounds > 2, "{} rounds", driver.rounds);
        let asked = web.counts().total().requests - before;
        let robots = 3 * 2;
        assert!(asked <= one.len() as u64 + robots, "{asked} requests for {} pages", one.len());
    }
}
