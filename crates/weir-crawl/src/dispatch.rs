//! Decides what is fetched and when: the frontier, the scope, robots.txt and the pace of each
//! host. It has no clock and no socket; `crawl` brings the time and carries out the jobs.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use url::Url;
use weir_frontier::{Added, End, Found, Frontier, FrontierError, HostId, Leased};
use weir_parse::canonical;
use weir_types::{Fingerprint, LinkKind, Links, Outcome, Skip, site_of};

use crate::pace::{HostPace, backoff_ms};
use crate::robots::{RobotsFile, RobotsState};
use crate::scope::{ScopeRules, origin};
use crate::work::{Job, PageJob};
use crate::{Config, RobotsMode};

pub struct Dispatch {
    pub frontier: Frontier,
    scope: ScopeRules,
    hosts: Vec<Host>,
    by_origin: HashMap<Arc<str>, HostId>,
    /// Hosts that may be asked now, in turn.
    ready: VecDeque<HostId>,
    /// Hosts that may be asked from a time on.
    resting: BinaryHeap<Reverse<(u64, HostId)>>,
    limits: Limits,
    in_flight: usize,
    pub tally: Tally,
    /// The last failures, newest last, for whoever watches.
    pub troubles: VecDeque<String>,
    pub troubles_in_all: u64,
}

#[derive(Clone, Copy)]
struct Limits {
    concurrency: usize,
    per_host: usize,
    delay: Duration,
    robots: RobotsMode,
    max_pages: Option<u64>,
    max_bytes: Option<u64>,
    /// With a limit on depth, a host's pages go out level by level, so that each URL is first
    /// found at its least depth.
    by_level: bool,
    lease_ms: u64,
}

/// Sums that the frontier does not keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Requests made, robots.txt included.
    pub fetches: u64,
    /// Pages kept (status 200 to 299).
    pub pages: u64,
    /// Bytes received for pages that were not kept, and for robots.txt.
    pub other_bytes: u64,
    /// Bytes received in all.
    pub bytes_wire: u64,
}

struct Host {
    site: Arc<str>,
    origin: Arc<str>,
    pace: HostPace,
    robots: RobotsState,
    robots_tries: u32,
    /// It stands in `ready` or `resting`.
    listed: bool,
    /// Depths of the pages under way, in order of their start.
    depths: Vec<u32>,
}

/// More hops than this are a loop.
const MOST_REDIRECTS: u32 = 20;
const ROBOTS_TRIES: u32 = 3;
/// A longer wish is bounded: the host would block its own crawl for ever.
const LONGEST_CRAWL_DELAY: Duration = Duration::from_secs(60);
const TROUBLES: usize = 5;
/// A lease ends at the latest this long after the longest fetch.
const LEASE_SLACK: Duration = Duration::from_secs(60);

impl Dispatch {
    pub fn new(config: &Config, frontier: Frontier, seeds: &[Url], tally: Tally) -> Self {
        let connect_and_total = config.fetch.limits.connect * 4 + config.fetch.limits.total;
        let mut dispatch = Dispatch {
            scope: ScopeRules::new(config, seeds),
            hosts: Vec::new(),
            by_origin: HashMap::new(),
            ready: VecDeque::new(),
            resting: BinaryHeap::new(),
            limits: Limits {
                concurrency: config.concurrency,
                per_host: config.per_host,
                delay: config.delay,
                robots: config.robots,
                max_pages: config.max_pages,
                max_bytes: config.max_bytes,
                by_level: config.depth.is_some(),
                lease_ms: (connect_and_total + LEASE_SLACK).as_millis() as u64,
            },
            in_flight: 0,
            tally,
            troubles: VecDeque::new(),
            troubles_in_all: 0,
            frontier,
        };
        dispatch.know_hosts();
        dispatch
    }

    pub fn add_seeds(&mut self, seeds: &[Url]) -> Result<(), FrontierError> {
        for seed in seeds {
            let text = canonical(seed);
            let site = site_of(seed);
            let host = self.host(&site, origin(&text));
            let found = Found {
                fingerprint: Fingerprint::of(&text),
                url: &text,
                host,
                score: 0.0,
                depth: 0,
                redirects: 0,
                parent: None,
            };
            if self.frontier.add(found)? == Added::New {
                self.list(host);
            }
        }
        Ok(())
    }

    /// The next thing to ask for, if anything may be asked for now.
    pub fn next_job(&mut self, now_ms: u64) -> Result<Option<(HostId, Job)>, FrontierError> {
        self.end_rests(now_ms);
        while self.has_room() {
            let Some(id) = self.ready.pop_front() else { return Ok(None) };
            self.hosts[id.0 as usize].listed = false;
            if self.hosts[id.0 as usize].pace.next_start_ms().is_none_or(|at| at > now_ms) {
                self.list(id);
                continue;
            }
            // Without a job the host has nothing left, or waits for one that is under way and is
            // put in line again when that ends.
            if let Some(job) = self.job_of(id, now_ms)? {
                self.hosts[id.0 as usize].pace.started(now_ms);
                self.in_flight += 1;
                self.list(id);
                return Ok(Some((id, job)));
            }
        }
        Ok(None)
    }

    pub fn settle(
        &mut self,
        leased: &Leased,
        outcome: Outcome,
        bytes_wire: u64,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        let id = leased.host;
        self.ended(id, now_ms);
        self.count_bytes(bytes_wire);
        let host = &mut self.hosts[id.0 as usize];
        if let Some(at) = host.depths.iter().position(|depth| *depth == leased.depth) {
            host.depths.swap_remove(at);
        }
        match outcome {
            Outcome::Kept { status, bytes_wire, bytes_body, links } => {
                host.pace.answered();
                self.tally.pages += u64::from((200..300).contains(&status));
                let kept = End::Kept { status, bytes_wire, bytes_body };
                self.frontier.settle(leased, kept, now_ms)?;
                self.add_links(leased, &links)?;
            }
            Outcome::Retry { why } => {
                self.tally.other_bytes += bytes_wire;
                self.retry(leased, now_ms + backoff_ms(leased.attempts), now_ms, &why)?;
            }
            Outcome::Dropped { skip, why } => {
                self.tally.other_bytes += bytes_wire;
                self.drop_url(leased, skip, &why, now_ms)?;
            }
            Outcome::HostResting { why, rest } => {
                self.tally.other_bytes += bytes_wire;
                match host.pace.rest(now_ms, rest) {
                    Some(until_ms) => self.retry(leased, until_ms, now_ms, &why)?,
                    None => {
                        self.drop_url(leased, None, &why, now_ms)?;
                        self.close_host(id, None, why, now_ms)?;
                    }
                }
            }
        }
        self.list(id);
        Ok(())
    }

    pub fn robots_answered(
        &mut self,
        id: HostId,
        answer: Result<(u16, Vec<u8>), Outcome>,
        bytes_wire: u64,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        self.ended(id, now_ms);
        self.count_bytes(bytes_wire);
        self.tally.other_bytes += bytes_wire;
        let host = &mut self.hosts[id.0 as usize];
        host.robots_tries += 1;
        match answer {
            Ok((status, body)) if status < 500 && status != 429 => {
                let file = RobotsFile { at_ms: now_ms, status, body };
                self.frontier.set_host_note(id, &file.to_bytes());
                host.pace.answered();
                host.robots_tries = 0;
                host.obey(&file);
            }
            Ok((status, _)) => {
                let why = format!("{}/robots.txt answers status {status}", host.origin);
                self.robots_failed(id, Some(Skip::Robots), why, None, now_ms)?;
            }
            Err(Outcome::Dropped { skip, why }) => self.close_host(id, skip, why, now_ms)?,
            Err(Outcome::HostResting { why, rest }) => {
                self.robots_failed(id, None, why, rest, now_ms)?;
            }
            Err(Outcome::Retry { why }) => self.robots_failed(id, None, why, None, now_ms)?,
            Err(Outcome::Kept { .. }) => unreachable!("a failure is never kept"),
        }
        self.list(id);
        Ok(())
    }

    /// Puts due retries and expired leases back in line.
    pub fn wake(&mut self, now_ms: u64) -> Result<(), FrontierError> {
        let mut woken = Vec::new();
        self.frontier.wake(now_ms, |host| woken.push(host))?;
        woken.into_iter().for_each(|host| self.list(host));
        Ok(())
    }

    /// When something will be possible that is not possible now.
    pub fn next_due_ms(&self) -> Option<u64> {
        let resting = self.resting.peek().map(|Reverse((at, _))| *at);
        resting.into_iter().chain(self.frontier.next_due_ms()).min()
    }

    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Everything that was found is settled.
    pub fn is_done(&self) -> bool {
        self.frontier.counts().open == 0 && self.in_flight == 0
    }

    /// Stopped by `max-pages` or `max-bytes`, and nothing is under way any more.
    pub fn is_at_limit(&self) -> bool {
        self.in_flight == 0 && self.is_limited()
    }

    fn is_limited(&self) -> bool {
        let under_way = self.frontier.leased();
        self.limits.max_pages.is_some_and(|most| self.tally.pages + under_way >= most)
            || self.limits.max_bytes.is_some_and(|most| self.tally.bytes_wire >= most)
    }

    fn has_room(&self) -> bool {
        self.in_flight < self.limits.concurrency && !self.is_limited()
    }

    fn job_of(&mut self, id: HostId, now_ms: u64) -> Result<Option<Job>, FrontierError> {
        self.recall_robots(id, now_ms)?;
        let host = &mut self.hosts[id.0 as usize];
        match &host.robots {
            RobotsState::Asked => Ok(None),
            RobotsState::Unknown => {
                let url = Url::parse(&format!("{}/robots.txt", host.origin))
                    .expect("an origin comes from a URL that was parsed");
                host.robots = RobotsState::Asked;
                Ok(Some(Job::Robots { host: id, url }))
            }
            RobotsState::Closed { skip, why } => {
                let (skip, why) = (*skip, why.clone());
                self.drop_all(id, skip, &why, now_ms)?;
                Ok(None)
            }
            RobotsState::Known { .. } | RobotsState::Ignored => self.lease(id, now_ms),
        }
    }

    fn lease(&mut self, id: HostId, now_ms: u64) -> Result<Option<Job>, FrontierError> {
        if self.waits_for_level(id)? {
            return Ok(None);
        }
        let until_ms = now_ms + self.limits.lease_ms;
        while let Some(leased) = self.frontier.lease(id, until_ms)? {
            let url = Url::parse(&leased.url).expect("the frontier holds canonical URLs");
            let host = &mut self.hosts[id.0 as usize];
            if !host.allows(&url) {
                self.drop_url(&leased, Some(Skip::Robots), "robots.txt disallows it", now_ms)?;
                continue;
            }
            if self.limits.by_level {
                host.depths.push(leased.depth);
            }
            let site = host.site.clone();
            return Ok(Some(Job::Page(Box::new(PageJob { leased, url, site }))));
        }
        Ok(None)
    }

    /// A page of a lower level is still under way at this host.
    fn waits_for_level(&mut self, id: HostId) -> Result<bool, FrontierError> {
        let Some(least) = self.hosts[id.0 as usize].depths.iter().min().copied() else {
            return Ok(false);
        };
        Ok(self.frontier.next_depth(id)?.is_some_and(|depth| depth > least))
    }

    fn add_links(&mut self, from: &Leased, links: &Links) -> Result<(), FrontierError> {
        for (url, fingerprint, kind) in links.iter() {
            if !self.frontier.is_seen(fingerprint) {
                self.add_link(from, url, fingerprint, kind)?;
            }
        }
        Ok(())
    }

    fn add_link(
        &mut self,
        from: &Leased,
        url: &str,
        fingerprint: Fingerprint,
        kind: LinkKind,
    ) -> Result<(), FrontierError> {
        let (depth, redirects) = match kind {
            LinkKind::Redirect => (from.depth, from.redirects + 1),
            _ => (from.depth + 1, 0),
        };
        let host = self.host_in_scope(from.host, url).filter(|_| self.scope.has_url(url));
        let Some(host) = host else {
            self.frontier.skip(fingerprint, Skip::Scope);
            if kind == LinkKind::Redirect && from.depth == 0 && from.parent.is_none() {
                self.trouble(format!(
                    "{} redirects to {url}, which is out of scope; name it as a seed, or widen --scope",
                    from.url
                ));
            }
            return Ok(());
        };
        if redirects > MOST_REDIRECTS {
            self.frontier.skip(fingerprint, Skip::Other);
            return Ok(());
        }
        let parent = Some(from.place);
        let found = Found { url, fingerprint, host, score: 0.0, depth, redirects, parent };
        if self.frontier.add(found)? == Added::New {
            self.list(host);
        }
        Ok(())
    }

    /// The host of a URL if it may be crawled; `near` is where the link was found, and nearly
    /// always the answer.
    fn host_in_scope(&mut self, near: HostId, url: &str) -> Option<HostId> {
        let origin = origin(url);
        if *self.hosts[near.0 as usize].origin == *origin {
            return Some(near);
        }
        if let Some(id) = self.by_origin.get(origin) {
            return Some(*id);
        }
        let site = site_of(&Url::parse(url).ok()?);
        self.scope.has_host(url, &site).then(|| self.host(&site, origin))
    }

    fn host(&mut self, site: &str, origin: &str) -> HostId {
        let id = self.frontier.host(site, origin);
        if id.0 as usize == self.hosts.len() {
            self.know_host(id, site.into(), origin.into());
        }
        id
    }

    fn know_hosts(&mut self) {
        let known: Vec<(HostId, Arc<str>, Arc<str>)> = self
            .frontier
            .hosts()
            .map(|(id, site, origin, _)| (id, Arc::from(site), Arc::from(origin)))
            .collect();
        for (id, site, origin) in known {
            self.know_host(id, site, origin);
            self.list(id);
        }
    }

    fn know_host(&mut self, id: HostId, site: Arc<str>, origin: Arc<str>) {
        self.by_origin.insert(origin.clone(), id);
        self.hosts.push(Host {
            site,
            origin,
            pace: HostPace::new(self.limits.per_host, self.limits.delay),
            robots: match self.limits.robots {
                RobotsMode::Obey => RobotsState::Unknown,
                RobotsMode::Ignore => RobotsState::Ignored,
            },
            robots_tries: 0,
            listed: false,
            depths: Vec::new(),
        });
    }

    /// Puts a host in line if it has something to ask for and may ask, now or later.
    fn list(&mut self, id: HostId) {
        let host = &mut self.hosts[id.0 as usize];
        if host.listed
            || matches!(host.robots, RobotsState::Asked)
            || self.frontier.waiting(id) == 0
        {
            return;
        }
        let Some(at_ms) = host.pace.next_start_ms() else { return };
        host.listed = true;
        match at_ms {
            0 => self.ready.push_back(id),
            _ => self.resting.push(Reverse((at_ms, id))),
        }
    }

    fn end_rests(&mut self, now_ms: u64) {
        while let Some(Reverse((at_ms, id))) = self.resting.peek().copied() {
            if at_ms > now_ms {
                break;
            }
            self.resting.pop();
            self.ready.push_back(id);
        }
    }

    fn ended(&mut self, id: HostId, now_ms: u64) {
        self.in_flight -= 1;
        self.tally.fetches += 1;
        self.hosts[id.0 as usize].pace.ended(now_ms);
    }

    fn count_bytes(&mut self, bytes_wire: u64) {
        self.tally.bytes_wire += bytes_wire;
    }

    fn retry(
        &mut self,
        leased: &Leased,
        due_ms: u64,
        now_ms: u64,
        why: &str,
    ) -> Result<(), FrontierError> {
        self.trouble(format!("{}: {why}; will be tried again", leased.url));
        let retry = End::Retry { attempts: leased.attempts + 1, due_ms, why };
        self.frontier.settle(leased, retry, now_ms).map(|_| ())
    }

    fn drop_url(
        &mut self,
        leased: &Leased,
        skip: Option<Skip>,
        why: &str,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        if skip != Some(Skip::Robots) {
            self.trouble(format!("{}: {why}", leased.url));
        }
        self.frontier.settle(leased, End::Dropped { skip, why }, now_ms).map(|_| ())
    }

    /// Uses the copy in the frontier while it is fresh.
    fn recall_robots(&mut self, id: HostId, now_ms: u64) -> Result<(), FrontierError> {
        let host = &mut self.hosts[id.0 as usize];
        match &host.robots {
            RobotsState::Known { until_ms, .. } if now_ms >= *until_ms => {
                host.robots = RobotsState::Unknown;
            }
            RobotsState::Unknown => {
                let kept = self.frontier.host_note(id)?;
                let file = kept.and_then(|bytes| RobotsFile::from_bytes(&bytes));
                if let Some(file) = file.filter(|file| file.is_fresh(now_ms)) {
                    host.obey(&file);
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// No robots.txt is no permission: the host rests, and is closed when it stays so.
    fn robots_failed(
        &mut self,
        id: HostId,
        skip: Option<Skip>,
        why: String,
        rest: Option<Duration>,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        let host = &mut self.hosts[id.0 as usize];
        if host.robots_tries < ROBOTS_TRIES && host.pace.rest(now_ms, rest).is_some() {
            host.robots = RobotsState::Unknown;
            self.trouble(format!("{why}; will be tried again"));
            return Ok(());
        }
        self.close_host(id, skip, why, now_ms)
    }

    fn close_host(
        &mut self,
        id: HostId,
        skip: Option<Skip>,
        why: String,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        self.trouble(format!("{} is given up: {why}", self.hosts[id.0 as usize].origin));
        self.drop_all(id, skip, &why, now_ms)?;
        self.hosts[id.0 as usize].robots = RobotsState::Closed { skip, why };
        Ok(())
    }

    fn drop_all(
        &mut self,
        id: HostId,
        skip: Option<Skip>,
        why: &str,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        while let Some(leased) = self.frontier.lease(id, u64::MAX)? {
            self.frontier.settle(&leased, End::Dropped { skip, why }, now_ms)?;
        }
        Ok(())
    }

    fn trouble(&mut self, what: String) {
        if self.troubles.len() == TROUBLES {
            self.troubles.pop_front();
        }
        self.troubles.push_back(what);
        self.troubles_in_all += 1;
    }
}

impl Host {
    fn allows(&self, url: &Url) -> bool {
        match &self.robots {
            RobotsState::Known { robots, .. } => {
                robots.allows(&url[url::Position::BeforePath..url::Position::AfterQuery])
            }
            _ => true,
        }
    }

    fn obey(&mut self, file: &RobotsFile) {
        self.robots = file.state();
        if let RobotsState::Known { robots, .. } = &self.robots
            && let Some(delay) = robots.crawl_delay()
        {
            self.pace.slow_down(delay.min(LONGEST_CRAWL_DELAY));
        }
    }
}
