//! The server's own account of what it was asked.

use std::sync::Arc;

use crate::item::{Item, item, number, parse_path, write_path};
use crate::layout::Layout;
use crate::live::Live;

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
    /// Most requests at a time. For all hosts together: the highest of any host. A host without
    /// latency or rate answers each request at once and sees only one; give it some latency when
    /// this figure matters.
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
            asked: live.asked(),
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
