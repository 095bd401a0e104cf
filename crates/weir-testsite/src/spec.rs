//! What a web on loopback shall be: hosts, and for each its pages, manners and faults.

use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use crate::changing::Changing;
use crate::hostile::Hostile;
use crate::script::{Asked, Play, Script};

/// A whole web. The presets (`one_site`, `many`, `demo`, …) are in `presets.rs`.
#[derive(Clone, Debug)]
pub struct Spec {
    pub hosts: Vec<HostSpec>,
    /// 0 lets the system choose one that is free on all addresses.
    pub port: u16,
    /// Worker threads of the server. One serves tens of thousands of pages a second.
    pub threads: usize,
    /// Another seed gives another graph and other texts.
    pub seed: u64,
}

impl Spec {
    pub fn new(hosts: Vec<HostSpec>) -> Spec {
        Spec { hosts, port: 0, threads: 1, seed: 1 }
    }
    pub fn port(self, port: u16) -> Spec {
        Spec { port, ..self }
    }
    pub fn threads(self, threads: usize) -> Spec {
        Spec { threads, ..self }
    }
    pub fn seed(self, seed: u64) -> Spec {
        Spec { seed, ..self }
    }
    /// Hostile hosts beside the others, behind them.
    pub fn with_hostile(mut self, hostile: impl IntoIterator<Item = Hostile>) -> Spec {
        self.hosts.extend(hostile.into_iter().map(HostSpec::hostile));
        self
    }
    /// The same change made to every host.
    pub fn each(mut self, change: impl Fn(HostSpec) -> HostSpec) -> Spec {
        self.hosts = self.hosts.into_iter().map(change).collect();
        self
    }
}

/// One host. Everything but the pages is off unless asked for.
#[derive(Clone, Debug)]
pub struct HostSpec {
    /// HTML pages, page 0 being `/`. At least one.
    pub pages: u32,
    /// Body sizes; each page has one of its own in the range. A page whose links need more is
    /// longer.
    pub page_bytes: RangeInclusive<usize>,
    /// Links a page, exactly, unless its children and the extra URLs below need more.
    pub links_per_page: u32,
    /// How many of them lead to other hosts.
    pub cross_links: u32,
    /// Wait before each answer.
    pub latency: Duration,
    /// Bytes a second of each answer; `None` is as fast as it goes.
    pub rate: Option<u64>,
    /// `None` answers robots.txt with 404.
    pub robots: Option<RobotsSpec>,
    /// `/sitemap.xml` lists the pages, and robots.txt names it.
    pub sitemap: bool,
    /// Pages under `/private/`, linked like others.
    pub private: u32,
    /// Extra URLs that redirect to pages, a quarter of them by way of another redirect.
    pub redirects: u32,
    /// Extra URLs that are linked and answer 404.
    pub dead_links: u32,
    /// Extra URLs whose body is that of another page.
    pub duplicates: u32,
    /// Linked files that are not HTML.
    pub files: u32,
    /// Gzip for clients that accept it.
    pub compressed: bool,
    /// Chunked answers instead of `content-length`.
    pub chunked: bool,
    /// `etag` and `last-modified`, and 304 for who brings them back.
    pub validators: bool,
    /// Pages that change; none unless asked for.
    pub changing: Changing,
    pub faults: Vec<Fault>,
    /// Answers in place of the pages where it likes.
    pub play: Option<Play>,
    /// Keeps a diary ([`crate::Web::visits`]); a host with a play always does.
    pub watched: bool,
    /// Nothing of it counts as part of the truth.
    pub lawless: bool,
    /// Where it listens, if not on the next address of 127.1.0.0 and the port of all.
    pub at: Option<SocketAddr>,
}

impl Default for HostSpec {
    fn default() -> HostSpec {
        HostSpec {
            pages: 10,
            page_bytes: 1_000..=4_000,
            links_per_page: 8,
            cross_links: 0,
            latency: Duration::ZERO,
            rate: None,
            robots: None,
            sitemap: false,
            private: 0,
            redirects: 0,
            dead_links: 0,
            duplicates: 0,
            files: 0,
            compressed: false,
            chunked: false,
            validators: true,
            changing: Changing::default(),
            faults: Vec::new(),
            play: None,
            watched: false,
            lawless: false,
            at: None,
        }
    }
}

/// Builders, one a field, under the field's name.
impl HostSpec {
    pub fn pages(pages: u32) -> HostSpec {
        HostSpec { pages, ..HostSpec::default() }
    }
    /// A host that misbehaves. It is no part of the truth.
    pub fn hostile(hostile: Hostile) -> HostSpec {
        HostSpec { play: Some(hostile.play()), lawless: true, ..HostSpec::pages(1) }
    }
    /// A host of which all is scripted. It is no part of the truth.
    pub fn scripted(
        answer: impl Fn(&Asked<'_>) -> Option<Script> + Send + Sync + 'static,
    ) -> HostSpec {
        HostSpec { lawless: true, ..HostSpec::pages(1).with_play(answer) }
    }
    /// Where `answer` has a script it is sent in place of what the host would answer.
    pub fn with_play(
        self,
        answer: impl Fn(&Asked<'_>) -> Option<Script> + Send + Sync + 'static,
    ) -> HostSpec {
        HostSpec { play: Some(Play { answer: Arc::new(answer), greeting: None }), ..self }
    }
    pub fn at(self, at: SocketAddr) -> HostSpec {
        HostSpec { at: Some(at), ..self }
    }
    pub fn watched(self) -> HostSpec {
        HostSpec { watched: true, ..self }
    }
    pub fn page_bytes(self, page_bytes: RangeInclusive<usize>) -> HostSpec {
        HostSpec { page_bytes, ..self }
    }
    pub fn links_per_page(self, links_per_page: u32) -> HostSpec {
        HostSpec { links_per_page, ..self }
    }
    pub fn cross_links(self, cross_links: u32) -> HostSpec {
        HostSpec { cross_links, ..self }
    }
    pub fn latency(self, latency: Duration) -> HostSpec {
        HostSpec { latency, ..self }
    }
    pub fn rate(self, bytes_per_second: u64) -> HostSpec {
        HostSpec { rate: Some(bytes_per_second), ..self }
    }
    /// Also puts three pages under `/private/` if there are none, so that there is something
    /// to obey.
    pub fn robots(self, robots: RobotsSpec) -> HostSpec {
        HostSpec { robots: Some(robots), private: self.private.max(3), ..self }
    }
    pub fn sitemap(self) -> HostSpec {
        HostSpec { sitemap: true, ..self }
    }
    pub fn private(self, private: u32) -> HostSpec {
        HostSpec { private, ..self }
    }
    pub fn redirects(self, redirects: u32) -> HostSpec {
        HostSpec { redirects, ..self }
    }
    pub fn dead_links(self, dead_links: u32) -> HostSpec {
        HostSpec { dead_links, ..self }
    }
    pub fn duplicates(self, duplicates: u32) -> HostSpec {
        HostSpec { duplicates, ..self }
    }
    pub fn files(self, files: u32) -> HostSpec {
        HostSpec { files, ..self }
    }
    pub fn compressed(self) -> HostSpec {
        HostSpec { compressed: true, ..self }
    }
    pub fn chunked(self) -> HostSpec {
        HostSpec { chunked: true, ..self }
    }
    pub fn without_validators(self) -> HostSpec {
        HostSpec { validators: false, ..self }
    }
    /// Page `n` has a new edition every `periods[n % periods.len()]`; see [`Changing`].
    pub fn changing(self, periods: &[Option<Duration>]) -> HostSpec {
        HostSpec { changing: Changing { periods: periods.to_vec() }, ..self }
    }
    /// The first `times` requests for page number `page` go wrong in the way of `kind`.
    pub fn fault(mut self, page: u32, times: u32, kind: FaultKind) -> HostSpec {
        self.faults.push(Fault { page, times, kind });
        self
    }
}

/// How robots.txt is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RobotsSpec {
    /// Everyone is asked to keep out of `/private/`.
    Private,
    /// This text. What it forbids counts as forbidden only under `/private/`, and only if the
    /// text says so.
    Text(String),
    /// This status and no rules: with 5xx all of the host is forbidden, otherwise nothing.
    Status(u16),
}

/// Something that goes wrong for a while and then is well again.
#[derive(Clone, Debug)]
pub struct Fault {
    pub page: u32,
    pub times: u32,
    pub kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// This status with a short body; 429 and 503 with `retry-after: 1`.
    Status(u16),
    /// Half of the body, then the connection is reset.
    Reset,
    /// Half of the body, then an orderly close.
    Cut,
    /// Half of the body, then silence until the client goes away.
    Stall,
}
