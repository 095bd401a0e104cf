//! Tasks that run at the same time and whose hosts are on one server: they ask it as one crawl would.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::watch;
use weir_cluster::bank::{Answer, Bank, Claim, Held, Teller};
use weir_crawl::{Config, HandedOn, Settings, Stop, Traveller, bucket_of};
use weir_frontier::UrlKind;
use weir_spark::{Bounds, Done, Task, run_held};
use weir_testsite::{HostSpec, Script, Spec, Visit, Web};

const BUCKETS: u32 = 2;
/// Times are kept in whole milliseconds, on both sides.
const SLACK: Duration = Duration::from_millis(5);

/// One server with the same small site under each of its names, two or more of each bucket.
struct Shared {
    web: Web,
    settings: Settings,
    pages: usize,
}

impl Shared {
    fn new(latency_ms: u64, pages: usize, names: usize, change: fn(&mut Settings)) -> Shared {
        let links: String = (1..pages).map(|page| format!("<a href=\"/{page}\">x</a>")).collect();
        let site = HostSpec::scripted(move |asked| {
            Some(match asked.path {
                "/robots.txt" => Script::answer(404, "", ""),
                "/" => Script::answer(200, "content-type: text/html\r\n", &links),
                _ => Script::answer(200, "content-type: text/html\r\n", "a page"),
            })
        });
        let site = site.latency(Duration::from_millis(latency_ms));
        let web = Web::start(Spec::new(vec![site])).unwrap();
        let seeds = spread(names, web.port());
        let first = web.seeds()[0].parse::<url::Url>().unwrap();
        let address = first.host_str().unwrap();
        let place =
            |seed: &String| seed.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let resolve = seeds.iter().map(|seed| format!("{}:{address}", place(seed))).collect();
        let mut settings = Settings {
            urls: Some(seeds),
            resolve: Some(resolve),
            allow_private: Some(true),
            content: Some("none".to_owned()),
            store: Some("parquet".to_owned()),
            ..Settings::default()
        };
        change(&mut settings);
        Shared { web, settings, pages }
    }

    /// Crawls both buckets at the same time, each by a task of its own.
    fn crawl(&self) -> Vec<Visit> {
        let bank = Bank::open(SocketAddr::from(([127, 0, 0, 1], 0)), None, None).unwrap();
        bank.begin_round(0, BUCKETS);
        let done: Vec<Done> = std::thread::scope(|scope| {
            let helds = (0..BUCKETS).map(|bucket| begin(&bank, bucket));
            let helds: Vec<Held> = helds.collect();
            let tasks = helds.into_iter().enumerate();
            let tasks: Vec<_> = tasks
                .map(|(bucket, held)| scope.spawn(move || self.run(bucket as u32, held)))
                .collect();
            tasks.into_iter().map(|task| task.join().unwrap()).collect()
        });
        let seeds = self.settings.urls.as_ref().unwrap().len();
        let kept: u64 = done.iter().map(|done| done.report.pages).sum();
        assert_eq!(kept as usize, seeds * self.pages, "both have finished");
        let visits = self.web.visits(0);
        assert_eq!(visits.len(), seeds * (self.pages + 1), "with a robots.txt each");
        visits
    }

    fn run(&self, bucket: u32, held: Held) -> Done {
        let dir = tempfile::tempdir().unwrap();
        let (_keep, stop) = watch::channel(Stop::No);
        let done = run_held(self.task(bucket, dir.path()), &held, stop, &mut |_| {}).unwrap();
        held.finish(b"").unwrap();
        done
    }

    fn task(&self, bucket: u32, dir: &std::path::Path) -> Task {
        let settings = Settings { out: Some(dir.to_owned()), ..self.settings.clone() };
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
        let own = |seed: &&url::Url| bucket_of(seed.as_str(), BUCKETS) == bucket;
        Task {
            settings: HandedOn::of_part(&settings, &seeds).unwrap(),
            bucket,
            buckets: BUCKETS,
            label: format!("r0b{bucket}"),
            dir: dir.to_owned(),
            arrived: seeds.iter().filter(own).map(arrived).collect(),
            nearer: Vec::new(),
            again: Vec::new(),
            bounds: Bounds::default(),
            tries_failed: true,
            shaper: None,
        }
    }
}

/// First pages under so many names of each bucket.
fn spread(names: usize, port: u16) -> Vec<String> {
    let all = |bucket: u32| {
        let urls = (0..).map(move |number| format!("http://name{number}.test:{port}/"));
        urls.filter(move |url| bucket_of(url, BUCKETS) == bucket).take(names)
    };
    (0..BUCKETS).flat_map(all).collect()
}

fn begin(bank: &Bank, bucket: u32) -> Held {
    let url = format!("http://{}", bank.address());
    let claim = Claim { round: 0, bucket, attempt: [bucket as u8; 16] };
    match Teller::claim(&url, None, claim, Duration::from_secs(5)).unwrap() {
        Answer::Begin(held) => held,
        Answer::Done(_) => panic!("it is done already"),
    }
}

/// The bucket that a request came from.
fn bucket(visit: &Visit) -> u32 {
    bucket_of(&format!("http://{}/", visit.host), BUCKETS)
}

fn most_at_once(visits: &[Visit]) -> usize {
    let at = |time: Duration| {
        visits.iter().filter(|it| it.at <= time && it.ended.is_none_or(|end| end > time)).count()
    };
    visits.iter().map(|visit| at(visit.at)).max().unwrap()
}

/// From the end of each request to the begin of the next.
fn gaps(visits: &[Visit]) -> Vec<Duration> {
    visits.windows(2).map(|two| two[1].at.saturating_sub(two[0].ended.unwrap())).collect()
}

/// How often the server passed from one task to the other.
fn passed_on(visits: &[Visit]) -> usize {
    visits.windows(2).filter(|two| bucket(&two[0]) != bucket(&two[1])).count()
}

#[test]
fn two_tasks_with_names_on_one_address_ask_it_for_one_page_at_a_time_and_take_turns() {
    let visits = Shared::new(40, 50, 2, |_| {}).crawl();
    assert_eq!(most_at_once(&visits), 1);
    let passed = passed_on(&visits);
    assert!((2..visits.len() / 5).contains(&passed), "it was passed on {passed} times");
}

#[test]
fn a_pause_is_kept_between_any_two_requests_of_two_tasks() {
    let visits = Shared::new(1, 6, 2, |settings| settings.delay = Some("200ms".to_owned())).crawl();
    let gaps = gaps(&visits);
    let least = Duration::from_millis(200) - SLACK;
    assert!(gaps.iter().all(|gap| *gap >= least), "{gaps:?}");
    assert!(passed_on(&visits) >= 1);
}

#[test]
fn requests_at_a_time_are_divided_between_two_tasks() {
    let visits = Shared::new(80, 12, 4, |settings| settings.per_ip = Some(4)).crawl();
    assert_eq!(most_at_once(&visits), 4);
    let first_end = |number| {
        visits.iter().filter(|visit| bucket(visit) == number).filter_map(|visit| visit.ended).min()
    };
    let last_begin =
        |number| visits.iter().filter(|visit| bucket(visit) == number).map(|visit| visit.at).max();
    assert!(first_end(0) < last_begin(1) && first_end(1) < last_begin(0), "side by side");
}
