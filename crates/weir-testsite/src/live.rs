//! The counters of a host while it serves.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::counts::Totals;
use crate::item::{Item, extras, item, number};
use crate::layout::Host;
use crate::visits::Visits;

pub(crate) struct Live {
    /// By item number: requests, and bodies handed over whole.
    asked: Vec<AtomicU32>,
    complete: Vec<AtomicU32>,
    /// By item number: the edition that the last client has, and one more.
    shown: Vec<AtomicU32>,
    requests: AtomicU64,
    robots: AtomicU64,
    violations: AtomicU64,
    false_links: AtomicU64,
    unknown: AtomicU64,
    bad: AtomicU64,
    bytes: AtomicU64,
    connections: AtomicU64,
    pub(crate) running: Gauge,
    pub(crate) open: Gauge,
    pub(crate) visits: Visits,
    /// The wait before each answer, in nanoseconds.
    latency_ns: AtomicU64,
}

impl Live {
    pub(crate) fn new(host: &Host, start: Instant) -> Live {
        let items = (host.spec.pages + extras(&host.spec)) as usize;
        let zeros = || (0..items).map(|_| AtomicU32::new(0)).collect();
        Live {
            asked: zeros(),
            complete: zeros(),
            shown: zeros(),
            requests: AtomicU64::new(0),
            robots: AtomicU64::new(0),
            violations: AtomicU64::new(0),
            false_links: AtomicU64::new(0),
            unknown: AtomicU64::new(0),
            bad: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            running: Gauge::default(),
            open: Gauge::default(),
            visits: Visits::new(start),
            latency_ns: AtomicU64::new(nanoseconds(host.spec.latency)),
        }
    }

    /// Counts a request for an item and returns how many came before it.
    pub(crate) fn ask(&self, host: &Host, wanted: Item) -> u32 {
        self.requests.fetch_add(1, Relaxed);
        self.violations.fetch_add(u64::from(host.forbids(wanted)), Relaxed);
        self.asked[number(&host.spec, wanted) as usize].fetch_add(1, Relaxed)
    }
    pub(crate) fn ask_robots(&self) {
        self.requests.fetch_add(1, Relaxed);
        self.robots.fetch_add(1, Relaxed);
    }
    pub(crate) fn ask_sitemap(&self) {
        self.requests.fetch_add(1, Relaxed);
    }
    pub(crate) fn ask_false_link(&self) {
        self.requests.fetch_add(1, Relaxed);
        self.false_links.fetch_add(1, Relaxed);
    }
    pub(crate) fn ask_unknown(&self) {
        self.requests.fetch_add(1, Relaxed);
        self.unknown.fetch_add(1, Relaxed);
    }
    pub(crate) fn ask_badly(&self) {
        self.requests.fetch_add(1, Relaxed);
        self.bad.fetch_add(1, Relaxed);
    }
    /// Counts a request that a script answers.
    pub(crate) fn ask_scripted(&self) {
        self.requests.fetch_add(1, Relaxed);
    }
    /// Counts a connection and returns its number.
    pub(crate) fn connect(&self) -> u32 {
        self.connections.fetch_add(1, Relaxed) as u32
    }
    /// A client has this edition, because it was sent or because it had it already.
    pub(crate) fn show(&self, number: u32, edition: u32) {
        self.shown[number as usize].store(edition + 1, Relaxed);
    }
    pub(crate) fn has(&self, number: u32, edition: u32) -> bool {
        self.shown[number as usize].load(Relaxed) == edition + 1
    }
    pub(crate) fn complete(&self, number: u32) {
        self.complete[number as usize].fetch_add(1, Relaxed);
    }
    pub(crate) fn take_back(&self, number: u32) {
        self.complete[number as usize].fetch_sub(1, Relaxed);
    }
    pub(crate) fn send(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Relaxed);
    }

    pub(crate) fn latency(&self) -> Duration {
        Duration::from_nanos(self.latency_ns.load(Relaxed))
    }
    pub(crate) fn set_latency(&self, latency: Duration) {
        self.latency_ns.store(nanoseconds(latency), Relaxed);
    }

    pub(crate) fn reset(&self) {
        self.asked.iter().chain(&self.complete).for_each(|count| count.store(0, Relaxed));
        for count in [
            &self.requests,
            &self.robots,
            &self.violations,
            &self.false_links,
            &self.unknown,
            &self.bad,
            &self.bytes,
            &self.connections,
        ] {
            count.store(0, Relaxed);
        }
        self.running.reset();
        self.open.reset();
        self.visits.clear();
    }

    /// Numbers of the items that have a body and were never handed over whole.
    pub(crate) fn missing<'a>(&'a self, host: &'a Host) -> impl Iterator<Item = Item> + 'a {
        let never = self.complete.iter().enumerate().filter(|(_, count)| count.load(Relaxed) == 0);
        let never = never.map(|(n, _)| item(&host.spec, n as u32));
        never.filter(|item| has_body(item) && !host.spec.lawless)
    }

    /// How often each item was asked for, by its number.
    pub(crate) fn asked(&self) -> Vec<u32> {
        self.asked.iter().map(|count| count.load(Relaxed)).collect()
    }

    pub(crate) fn totals(&self, host: &Host) -> Totals {
        let pages = &self.complete[..host.spec.pages as usize];
        Totals {
            requests: self.requests.load(Relaxed),
            robots: self.robots.load(Relaxed),
            violations: self.violations.load(Relaxed),
            false_links: self.false_links.load(Relaxed),
            unknown: self.unknown.load(Relaxed),
            bad: self.bad.load(Relaxed),
            bytes: self.bytes.load(Relaxed),
            connections: self.connections.load(Relaxed),
            pages_complete: pages.iter().filter(|n| n.load(Relaxed) > 0).count() as u64,
            repeated: self.asked.iter().filter(|n| n.load(Relaxed) > 1).count() as u64,
            peak_requests: self.running.peak(),
            peak_connections: self.open.peak(),
        }
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn has_body(item: &Item) -> bool {
    matches!(item, Item::Page(_) | Item::Copy(_) | Item::File(_))
}

/// How many there are now, and at most.
#[derive(Default)]
pub(crate) struct Gauge {
    now: AtomicU32,
    peak: AtomicU32,
}

impl Gauge {
    /// One more, until the guard is dropped.
    pub(crate) fn enter(&self) -> impl Drop + Send + '_ {
        struct Guard<'a>(&'a Gauge);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                self.0.now.fetch_sub(1, Relaxed);
            }
        }
        self.peak.fetch_max(self.now.fetch_add(1, Relaxed) + 1, Relaxed);
        Guard(self)
    }

    fn peak(&self) -> u32 {
        self.peak.load(Relaxed)
    }

    fn reset(&self) {
        self.peak.store(self.now.load(Relaxed), Relaxed);
    }
}
