//! Pages that were kept on a machine that is lost, with hands that answer at once.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use weir_crawl::{
    Admitted, Answer, Config, Hands, Job, Lost, Origin, PageJob, PageWorked, RobotsReply, Settings,
    Start, Stop, Visit, Worked, crawl_with,
};
use weir_frontier::{HostId, Leased};
use weir_types::{Fingerprint, LinkKind, Links, Outcome};

const PAGES: u64 = 12;

/// What was asked for, whether on a condition, and which outcomes counted.
#[derive(Default)]
struct Seen {
    asked: Vec<(String, bool)>,
    kept_by: BTreeMap<String, u32>,
    counts: Vec<bool>,
}

/// Two machines that take turns.
struct Two {
    results: mpsc::Sender<Worked>,
    seen: Arc<Mutex<Seen>>,
    lost: Lost,
    outcomes: u64,
}

impl Two {
    /// Member 0 alone if the other is lost.
    fn member(&self) -> u32 {
        if self.lost.all.is_empty() { (self.outcomes % 2) as u32 } else { 0 }
    }

    fn send(&mut self, job: PageJob, status: u16, is_late: bool) -> bool {
        self.outcomes += 1;
        let member = self.member();
        let url = job.leased.url.clone();
        let mut links = Links::default();
        for number in 1..=PAGES {
            let url = format!("http://a.example/{number}");
            links.push(&url, Fingerprint::of(&url), LinkKind::Anchor);
        }
        let zero = Duration::ZERO;
        let address = "9.9.9.9:80".parse().unwrap();
        let answer = Answer { address, took: zero, is_whole: true, elapsed: zero, held: zero };
        let outcome = Outcome::Kept { status, bytes_wire: 1, bytes_body: 1, links };
        // Every third came only in part, and nothing is noted of its visit.
        let etag = Some("\"a\"".to_owned());
        let visit = Visit { at_ms: 1, etag, digest: "sha1:X".to_owned(), ..Visit::default() };
        let worked = PageWorked {
            visit: (!self.outcomes.is_multiple_of(3)).then_some(visit),
            from: Some(Origin { member, number: self.outcomes }),
            is_late,
            ..PageWorked::of(Box::new(job), outcome, Some(answer))
        };
        if !is_late {
            self.seen.lock().unwrap().kept_by.insert(url, member);
        }
        self.results.try_send(Worked::Page(Box::new(worked))).is_ok()
    }
}

impl Hands for Two {
    fn start_job(&mut self, _host: HostId, job: Job) -> bool {
        let worked = match job {
            Job::Resolve { host, .. } => {
                let answer = Ok(vec!["9.9.9.9:80".parse().unwrap()]);
                Worked::Resolved { host, answer }
            }
            Job::Robots { host, ticket, .. } => {
                let (body, took) = (Vec::new(), Duration::ZERO);
                let reply = RobotsReply { status: 404, body, rest: None, took };
                Worked::Robots { host, ticket, answer: Ok(reply), bytes_wire: 0 }
            }
            Job::Page(job) => {
                let note = job.leased.note.as_deref().and_then(Visit::from_bytes);
                let on_condition = note.is_some_and(|visit| !visit.conditions().is_empty());
                let url = job.leased.url.clone();
                self.seen.lock().unwrap().asked.push((url, on_condition));
                if !self.lost.anew.is_empty() && self.outcomes == 0 {
                    let is_sent = self.send(once_more(&job), 304, true);
                    assert!(is_sent, "there is room");
                }
                let status = status(&job.leased.url);
                return self.send(*job, status, false);
            }
        };
        self.results.try_send(worked).is_ok()
    }

    fn room(&self) -> Option<usize> {
        Some(1)
    }

    fn settled(&mut self, _from: Origin, counts: bool) {
        self.seen.lock().unwrap().counts.push(counts);
    }

    fn lost(&self) -> Lost {
        self.lost.clone()
    }
}

/// What is kept is not only pages.
fn status(url: &str) -> u16 {
    [200, 301, 404][url.len() % 3]
}

/// As an earlier run has asked for it.
fn once_more(job: &PageJob) -> PageJob {
    PageJob {
        leased: Leased { note: None, ..job.leased.clone() },
        url: job.url.clone(),
        site: job.site.clone(),
        addresses: job.addresses.clone(),
        claim: job.claim,
        ticket: job.ticket,
        admitted: Admitted::default(),
        obeys_robots: job.obeys_robots,
        promise: job.promise,
        habits: job.habits,
    }
}

fn crawl(out: &Path, lost: Lost) -> (Seen, u64) {
    let settings = Settings {
        urls: Some(vec!["http://a.example/".to_owned()]),
        out: Some(out.to_owned()),
        store: Some("none".to_owned()),
        traps: Some("ignore".to_owned()),
        delay: Some("0s".to_owned()),
        ..Settings::default()
    };
    let seen = Arc::new(Mutex::new(Seen::default()));
    let theirs = seen.clone();
    let hands = |start: Start<'_>| {
        let hands = Two { results: start.results, seen: theirs, lost, outcomes: 0 };
        Ok(Box::new(hands) as Box<dyn Hands>)
    };
    let config = Config::try_from(settings).unwrap();
    let (_sender, stop) = watch::channel(Stop::No);
    let ended = crawl_with(config, Box::new(hands), stop, &mut |_| {}).unwrap();
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (seen, ended.report.pages)
}

fn lost(number: u32, is_new: bool) -> Lost {
    let anew = if is_new { BTreeMap::from([(number, "one".to_owned())]) } else { BTreeMap::new() };
    Lost { all: BTreeSet::from([number]), anew }
}

#[test]
fn all_that_a_lost_machine_kept_is_asked_for_once_more_and_without_conditions() {
    let dir = tempfile::tempdir().unwrap();
    let (first, pages) = crawl(dir.path(), Lost::default());
    assert_eq!(first.asked.len() as u64, PAGES + 1);
    let theirs: BTreeSet<&String> =
        first.kept_by.iter().filter(|(_, by)| **by == 1).map(|(url, _)| url).collect();
    assert!(theirs.len() as u64 >= PAGES / 2);

    let (second, again) = crawl(dir.path(), lost(1, true));
    assert!(second.asked.iter().all(|(_, on_condition)| !on_condition), "{:?}", second.asked);
    let asked: BTreeSet<&String> = second.asked.iter().map(|(url, _)| url).collect();
    assert_eq!((asked, second.asked.len()), (theirs.clone(), theirs.len()));
    assert_eq!(again, pages, "what is lost is not counted");
    let (late, others) = second.counts.split_first().unwrap();
    assert!(!late, "that a lost page has not changed, as an earlier run was told, brings nothing");
    assert!(others.iter().all(|counts| *counts));

    let (third, _) = crawl(dir.path(), lost(1, false));
    assert!(third.asked.is_empty(), "{:?}", third.asked);
}
