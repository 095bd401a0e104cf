//! A crawl whose hands are elsewhere and answer at once.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use weir_crawl::{
    Answer, Config, Hands, Job, PageWorked, RobotsReply, Settings, Start, Stop, Worked, crawl_with,
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

impl AtOnce {
    fn page(&mut self) -> Outcome {
        let mut links = Links::default();
        for _ in 0..2 {
            self.pages += 1;
            let url = format!("http://a.example/{}", self.pages);
            links.push(&url, Fingerprint::of(&url), LinkKind::Anchor);
        }
        Outcome::Kept { status: 200, bytes_wire: 1, bytes_body: 1, links }
    }
}

impl Hands for AtOnce {
    fn start_job(&mut self, _host: HostId, job: Job) -> bool {
        let address = "9.9.9.9:80".parse().unwrap();
        let worked = match job {
            Job::Resolve { host, .. } => Worked::Resolved { host, answer: Ok(vec![address]) },
            Job::Robots { host, ticket, .. } => {
                let reply =
                    RobotsReply { status: 404, body: Vec::new(), rest: None, took: Duration::ZERO };
                Worked::Robots { host, ticket, answer: Ok(reply), bytes_wire: 0 }
            }
            Job::Page(job) => {
                let (took, elapsed, held) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
                let answer = Answer { address, took, is_whole: true, elapsed, held };
                let outcome = self.page();
                Worked::Page(Box::new(PageWorked::of(*job, outcome, Some(answer))))
            }
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
