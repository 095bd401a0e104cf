//! Buckets that a bank gives out, crawled as tasks of Spark do it.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use weir_cluster::bank::{Answer, Bank, Claim, Held, Teller};
use weir_crawl::{Config, HandedOn, Settings, Stop, Traveller};
use weir_frontier::UrlKind;
use weir_spark::{Bounds, Done, Task, TaskError, run_held};
use weir_testsite::{HostSpec, Spec, Web};

const PAGES: u32 = 40;

fn web() -> Web {
    Web::start(Spec::new(vec![HostSpec::pages(PAGES).page_bytes(4000..=6000)])).unwrap()
}

/// The whole web in one bucket, as an attempt finds it.
fn task(web: &Web, dir: &Path) -> Task {
    let settings = Settings {
        urls: Some(web.seeds()),
        out: Some(dir.to_owned()),
        allow_private: Some(true),
        content: Some("none".to_owned()),
        store: Some("parquet".to_owned()),
        ..Settings::default()
    };
    let seeds = Config::try_from(settings.clone()).unwrap().seeds;
    let arrived = |seed: &url::Url| Traveller {
        url: seed.to_string(),
        parent: None,
        depth: 0,
        redirects: 0,
        kind: UrlKind::Page,
        lastmod_s: None,
        promise: 0,
    };
    Task {
        settings: HandedOn::of_part(&settings, &seeds).unwrap(),
        bucket: 0,
        buckets: 1,
        label: "r0b0".to_owned(),
        dir: dir.to_owned(),
        arrived: seeds.iter().map(arrived).collect(),
        nearer: Vec::new(),
        again: Vec::new(),
        bounds: Bounds::default(),
        tries_failed: true,
        shaper: None,
    }
}

fn bank(cap: Option<f64>) -> Bank {
    let cap = cap.map(|cap| Box::new(move || cap) as weir_cluster::bank::Cap);
    let bank = Bank::open(SocketAddr::from(([127, 0, 0, 1], 0)), None, cap).unwrap();
    bank.begin_round(0, 1);
    bank
}

fn ask(bank: &Bank, attempt: u8) -> Answer {
    let url = format!("http://{}", bank.address());
    let claim = Claim { round: 0, bucket: 0, attempt: [attempt; 16] };
    Teller::claim(&url, None, claim, Duration::from_secs(5)).unwrap()
}

fn begin(bank: &Bank, attempt: u8) -> Held {
    match ask(bank, attempt) {
        Answer::Begin(held) => held,
        Answer::Done(_) => panic!("it is done already"),
    }
}

fn crawl(web: &Web, held: &Held) -> Result<Done, TaskError> {
    let dir = tempfile::tempdir().unwrap();
    let (_keep, stop) = watch::channel(Stop::No);
    run_held(task(web, dir.path()), held, stop, &mut |_| {})
}

#[test]
fn a_bucket_is_crawled_within_the_limit_and_once() {
    const CAP: f64 = 100_000.0;
    let web = web();
    let bank = bank(Some(CAP));
    let held = begin(&bank, 1);
    let begun = Instant::now();
    let done = crawl(&web, &held).unwrap();
    let took = begun.elapsed().as_secs_f64();
    assert!(done.report.pages >= u64::from(PAGES), "{} pages", done.report.pages);
    let rate = done.report.bytes_wire as f64 / took;
    assert!(rate <= CAP * 1.05, "{rate} bytes a second");
    held.finish(b"names of files").unwrap();
    let requests = web.counts().total().requests;
    let doing = bank.doing();
    assert!(doing.bytes >= done.report.bytes_wire as f64, "{doing:?}");
    assert!(matches!(ask(&bank, 2), Answer::Done(result) if result == b"names of files"));
    assert_eq!(web.counts().total().requests, requests);
}

#[test]
fn a_task_whose_bucket_is_not_its_own_any_more_ends() {
    let web = web();
    // So little that it would take a minute.
    let bank = bank(Some(4_000.0));
    let held = begin(&bank, 1);
    let begun = Instant::now();
    std::thread::scope(|scope| {
        let crawling = scope.spawn(|| crawl(&web, &held));
        std::thread::sleep(Duration::from_secs(1));
        bank.begin_round(1, 1);
        assert!(matches!(crawling.join().unwrap(), Err(TaskError::Lost)));
    });
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}
