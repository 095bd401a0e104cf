//! The server's own account of what it was asked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

use crate::item::{Item, extras, item, number, parse_path, write_path};
use crate::layout::{Host, Layout};

/// One host's counters while it serves.
pub(crate) struct Live {
    /// By item number: requests, and bodies handed over whole.
    asked: Vec<AtomicU32>,
    complete: Vec<AtomicU32>,
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
}

impl Live {
    pub(crate) fn new(host: &Host) -> Live {
        let items = (host.spec.pages + extras(&host.spec)) as usize;
        let zeros = || (0..items).map(|_| AtomicU32::new(0)).collect();
        Live {
            asked: zeros(),
            complete: zeros(),
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
    pub(crate) fn connect(&self) {
        self.connections.fetch_add(1, Relaxed);
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
    }

    /// Numbers of the items that have a body and were never handed over whole.
    pub(crate) fn missing<'a>(&'a self, host: &'a Host) -> impl Iterator<Item = Item> + 'a {
        let never = self.complete.iter().enumerate().filter(|(_, count)| count.load(Relaxed) == 0);
        never.map(|(n, _)| item(&host.spec, n as u32)).filter(has_body)
    }

    fn totals(&self, host: &Host) -> Totals {
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

/// What was asked of each host, at one moment.
pub struct Counts {
    pub hosts: Vec<HostCounts>,
}

pub struct HostCounts {
    /// The host's first page.
    pub seed: String,
    pub totals: Totals,
    host: usize,
    asked: Vec<u32>,
    layout: Arc<Layout>,
}

/// The figures of a host, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests in all, also those below.
    pub requests: u64,
    pub robots: u64,
    /// Requests for what robots.txt forbids.
    pub violations: u64,
    /// Requests for `/false/…`, which no page links to.
    pub false_links: u64,
    /// Requests for paths the host does not have and nobody linked.
    pub unknown: u64,
    /// Requests that were not HTTP, or not GET or HEAD.
    pub bad: u64,
    /// Bytes of answers, heads included.
    pub bytes: u64,
    /// Connections accepted.
    pub connections: u64,
    /// Different pages whose body was handed over whole.
    pub pages_complete: u64,
    /// URLs asked for more than once, robots.txt apart.
    pub repeated: u64,
    /// Most requests at a time. For all hosts together: the highest of any host.
    pub peak_requests: u32,
    /// Most connections at a time, likewise. One being closed may be counted with its successor.
    pub peak_connections: u32,
}

/// A URL asked for more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    pub path: String,
    pub times: u32,
}

impl Counts {
    pub(crate) fn of(layout: &Arc<Layout>, live: &[Live]) -> Counts {
        let hosts = live.iter().enumerate().map(|(n, live)| HostCounts {
            seed: layout.url(n, Item::Page(0)),
            totals: live.totals(&layout.hosts[n]),
            host: n,
            asked: live.asked.iter().map(|count| count.load(Relaxed)).collect(),
            layout: layout.clone(),
        });
        Counts { hosts: hosts.collect() }
    }

    pub fn total(&self) -> Totals {
        self.hosts.iter().fold(Totals::default(), |sum, host| sum.and(&host.totals))
    }
}

impl Totals {
    fn and(self, other: &Totals) -> Totals {
        Totals {
            requests: self.requests + other.requests,
            robots: self.robots + other.robots,
            violations: self.violations + other.violations,
            false_links: self.false_links + other.false_links,
            unknown: self.unknown + other.unknown,
            bad: self.bad + other.bad,
            bytes: self.bytes + other.bytes,
            connections: self.connections + other.connections,
            pages_complete: self.pages_complete + other.pages_complete,
            repeated: self.repeated + other.repeated,
            peak_requests: self.peak_requests.max(other.peak_requests),
            peak_connections: self.peak_connections.max(other.peak_connections),
        }
    }
}

impl HostCounts {
    /// How often a path (with query) was asked for; 0 for paths the host does not have.
    pub fn asked(&self, path: &str) -> u32 {
        let spec = &self.layout.hosts[self.host].spec;
        parse_path(spec, path.as_bytes()).map_or(0, |item| self.asked[number(spec, item) as usize])
    }

    /// All paths asked for, and how often.
    pub fn paths(&self) -> impl Iterator<Item = (String, u32)> {
        let asked = self.asked.iter().enumerate().filter(|(_, times)| **times > 0);
        asked.map(|(n, times)| (self.path(n as u32), *times))
    }

    pub fn repeated(&self) -> impl Iterator<Item = Repeat> {
        let repeated = self.asked.iter().enumerate().filter(|(_, times)| **times > 1);
        repeated.map(|(n, times)| Repeat { path: self.path(n as u32), times: *times })
    }

    fn path(&self, number: u32) -> String {
        let mut path = Vec::new();
        write_path(&mut path, item(&self.layout.hosts[self.host].spec, number), b"&");
        String::from_utf8(path).expect("paths are ascii")
    }
}
