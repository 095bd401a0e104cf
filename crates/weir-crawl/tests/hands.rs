//! A crawl whose hands are elsewhere and answer at once.
#![allow(clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use weir_crawl::{
    Admitted, Answer, Config, Hands, Job, Origin, PageJob, PageWorked, RobotsReply, Settings,
    Start, Stop, Worked, crawl_with,
};
use weir_fetch::Shaper;
use weir_frontier::HostId;
use weir_types::{Fingerprint, LinkKind, Links, Outcome};

/// Every page has two links that nobody knows.
struct AtOnce {
    results: mpsc::Sender<Worked>,
    pages: u32,
    ticks: Arc<AtomicU32>,
}

impl Hands for AtOnce {
    fn start_job(&mut self, _host: HostId, job: Job) -> bool {
        let worked = match page_or_answer(job) {
            Ok(page) => {
                self.pages += 2;
                let urls = [self.pages - 1, self.pages].map(|at| format!("http://a.example/{at}"));
                kept(*page, &urls)
            }
            Err(answer) => answer,
        };
        self.results.try_send(worked).is_ok()
    }

    fn room(&self) -> Option<usize> {
        Some(100)
    }

    fn tick(&mut self, _book: Option<&Shaper>, _cap: Option<f64>) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }
}

/// Two were given the first page. It was not the same for both, and so were its links.
struct Two {
    results: mpsc::Sender<Worked>,
    seen: Arc<Mutex<Seen>>,
    /// Whoever was first did not get it.
    fails: bool,
}

/// What was asked for, and which outcomes counted.
#[derive(Default)]
struct Seen {
    asked: Vec<String>,
    counts: Vec<bool>,
}

impl Two {
    fn bring(&self, page: PageJob, number: u32, urls: &[String]) -> bool {
        let Worked::Page(mut worked) = kept(page, urls) else { unreachable!() };
        if self.fails && number == 1 {
            worked.outcome = Outcome::Retry { why: "it was closed".to_owned() };
        }
        let from = Some(Origin { member: number, number: 1 });
        let worked = PageWorked { from, is_late: number > 1, ..*worked };
        self.results.try_send(Worked::Page(Box::new(worked))).is_ok()
    }
}

impl Hands for Two {
    fn start_job(&mut self, _host: HostId, job: Job) -> bool {
        let page = match page_or_answer(job) {
            Ok(page) => page,
            Err(answer) => return self.results.try_send(answer).is_ok(),
        };
        self.seen.lock().unwrap().asked.push(page.leased.url.clone());
        if page.leased.depth > 0 {
            self.fails = false;
            return self.bring(*page, 1, &[]);
        }
        let links = |number| [format!("http://a.example/of/{number}")];
        let second = again(&page);
        self.bring(*page, 1, &links(1)) && self.bring(second, 2, &links(2))
    }

    fn room(&self) -> Option<usize> {
        Some(1)
    }

    fn settled(&mut self, _from: Origin, counts: bool) {
        self.seen.lock().unwrap().counts.push(counts);
    }
}

/// Whatever is no page is answered.
fn page_or_answer(job: Job) -> Result<Box<PageJob>, Worked> {
    match job {
        Job::Resolve { host, .. } => Err(Worked::Resolved { host, answer: Ok(vec![address()]) }),
        Job::Robots { host, ticket, .. } => {
            let reply =
                RobotsReply { status: 404, body: Vec::new(), rest: None, took: Duration::ZERO };
            Err(Worked::Robots { host, ticket, answer: Ok(reply), bytes_wire: 0 })
        }
        Job::Page(job) => Ok(job),
    }
}

fn kept(job: PageJob, urls: &[String]) -> Worked {
    let mut links = Links::default();
    urls.iter().for_each(|url| links.push(url, Fingerprint::of(url), LinkKind::Anchor));
    let (took, elapsed, held) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let answer = Answer { address: address(), took, is_whole: true, elapsed, held };
    let outcome = Outcome::Kept { status: 200, bytes_wire: 1, bytes_body: 1, links };
    Worked::Page(Box::new(PageWorked::of(Box::new(job), outcome, Some(answer))))
}

fn address() -> SocketAddr {
    "9.9.9.9:80".parse().unwrap()
}

/// What a ticket tells of it.
fn again(job: &PageJob) -> PageJob {
    PageJob {
        leased: job.leased.clone(),
        url: job.url.clone(),
        site: job.site.clone(),
        addresses: job.addresses.clone(),
        claim: None,
        ticket: 0,
        admitted: Admitted::default(),
        obeys_robots: job.obeys_robots,
        promise: job.promise,
        habits: job.habits,
    }
}

#[test]
fn a_crawl_that_always_has_results_to_settle_still_syncs_and_tells_how_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        urls: Some(vec!["http://a.example/".to_owned()]),
        out: Some(dir.path().to_owned()),
        store: Some("none".to_owned()),
        traps: Some("ignore".to_owned()),
        per_host: Some(100),
        // Enough for this time, and the end of it if nobody stops it.
        max_pages: Some(3_000_000),
        ..Settings::default()
    };
    let (sender, stop) = watch::channel(Stop::No);
    let ticks = Arc::new(AtomicU32::new(0));
    let (counted, mut watched) = (ticks.clone(), 0);
    let hands = |start: Start<'_>| {
        let hands = AtOnce { results: start.results, pages: 0, ticks: counted };
        Ok(Box::new(hands) as Box<dyn Hands>)
    };
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(2));
        sender.send_replace(Stop::Now);
    });
    let config = Config::try_from(settings).unwrap();
    crawl_with(config, Box::new(hands), stop, &mut |_| watched += 1).unwrap();
    // One comes at once, and one every 200 ms on a machine that is not busy.
    let ticks = ticks.load(Ordering::Relaxed);
    assert!(ticks >= 3 && watched >= 3, "{ticks} ticks, {watched} times watched");
}

/// What was asked for after the first page, which outcomes counted, and how many pages that were.
fn by_two(fails: bool) -> (Vec<String>, Vec<bool>, u64) {
    let dir = tempfile::tempdir().unwrap();
    let settings = Settings {
        urls: Some(vec!["http://a.example/".to_owned()]),
        out: Some(dir.path().to_owned()),
        store: Some("none".to_owned()),
        delay: Some("0s".to_owned()),
        ..Settings::default()
    };
    let seen = Arc::new(Mutex::new(Seen::default()));
    let theirs = seen.clone();
    let hands = move |start: Start<'_>| {
        let hands = Two { results: start.results, seen: theirs, fails };
        Ok(Box::new(hands) as Box<dyn Hands>)
    };
    let (_sender, stop) = watch::channel(Stop::No);
    let config = Config::try_from(settings).unwrap();
    let ended = crawl_with(config, Box::new(hands), stop, &mut |_| {}).unwrap();
    let Seen { mut asked, counts } = std::mem::take(&mut *seen.lock().unwrap());
    assert_eq!(asked.remove(0), "http://a.example/");
    (asked, counts, ended.report.pages)
}

#[test]
fn links_of_a_page_that_somebody_else_brought_first_are_followed_all_the_same() {
    let (asked, counts, pages) = by_two(false);
    assert_eq!(asked, ["http://a.example/of/1", "http://a.example/of/2"]);
    assert_eq!((counts, pages), (vec![true, false, true, true], 3), "the page itself counts once");
}

#[test]
fn a_page_that_comes_late_counts_if_it_was_to_be_asked_for_again() {
    let (asked, counts, pages) = by_two(true);
    assert_eq!(asked, ["http://a.example/of/2"]);
    assert_eq!((counts, pages), (vec![true, true, true], 2));
}
