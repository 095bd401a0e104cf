//! Decides what is fetched and when: the frontier, the scope, robots.txt, traps and the pace of
//! each host. It has no clock and no socket; `crawl` brings the time and carries out the jobs.
//!
//! Here is the way of a page through it; `manners` has addresses, robots.txt and hosts that are
//! given up, `links` what is done with what was found.

mod focus;
mod host;
mod links;
mod lost;
mod manners;
mod sites;
mod urls;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tracing::debug;
use url::Url;
use weir_frontier::{Added, End, Found, Frontier, FrontierError, HostId, Leased, UrlKind};
use weir_parse::canonical;
use weir_types::{Fingerprint, Outcome, Skip, is_page, site_of};

use crate::Config;
use crate::freshness::{Came, Freshness};
use crate::line::Line;
use crate::lost::UrlNote;
use crate::pace::{Rest, backoff_ms};
use crate::part::{Part, Parted};
use crate::policy;
use crate::robots::RobotsState;
use crate::scope::{ScopeRules, origin};
use crate::tasks::Tasks;
use crate::traps::{Admitted, News, Traps};
use crate::work::{Job, PageJob, PageWorked, SiteHabits};
use host::{Address, Host};
use urls::Urls;

/// What is noted of a URL that robots.txt forbids.
pub const DISALLOWED: &str = "robots.txt disallows it";

pub struct Dispatch {
    pub frontier: Frontier,
    config: Config,
    scope: ScopeRules,
    hosts: Vec<Host>,
    by_origin: HashMap<Arc<str>, HostId>,
    line: Line,
    pub tasks: Tasks,
    traps: Traps,
    pub freshness: Freshness,
    /// Somebody has paused a site, and nothing is planned.
    holds_paused: bool,
    /// Those who kept pages and never come back.
    pub lost: BTreeSet<u32>,
    /// With a limit on depth, a host's pages go out level by level, so that most URLs are first
    /// found at their least depth. For the others the frontier follows shorter ways.
    by_level: bool,
    lease_ms: u64,
    urls: Urls,
    in_flight: usize,
    /// Names that are being looked up, and hosts that wait for their turn.
    lookups: usize,
    waiting_lookups: VecDeque<HostId>,
    pub tally: Tally,
    /// Only hosts of one bucket are crawled here.
    pub part: Option<Parted>,
    /// The last failures, newest last, for whoever watches.
    pub troubles: VecDeque<String>,
    pub troubles_in_all: u64,
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

impl Tally {
    fn count_fetch(&mut self, bytes_wire: u64) {
        self.fetches += 1;
        self.bytes_wire += bytes_wire;
    }
}

/// Names that are looked up at a time: a slow name server must not take the place of servers that
/// are known.
const MOST_LOOKUPS: usize = 32;
const TROUBLES: usize = 5;
/// The note of the frontier that has what is known of rounds.
pub const FRESHNESS: &str = "freshness";
/// A lease ends at the latest this long after the longest fetch.
const LEASE_SLACK: Duration = Duration::from_secs(60);

impl Dispatch {
    pub fn new(
        config: &Config,
        frontier: Frontier,
        seeds: &[Url],
        tally: Tally,
        tasks: Tasks,
    ) -> Self {
        let mut dispatch = Dispatch {
            config: config.clone(),
            scope: ScopeRules::new(config, seeds),
            hosts: Vec::new(),
            by_origin: HashMap::new(),
            line: line_of(config),
            tasks,
            traps: Traps::new(config.traps),
            freshness: Freshness::open(config.freshness, frontier.note(FRESHNESS)),
            holds_paused: false,
            lost: BTreeSet::new(),
            by_level: config.limits_depth(),
            lease_ms: lease_ms(config),
            urls: Urls::default(),
            in_flight: 0,
            lookups: 0,
            waiting_lookups: VecDeque::new(),
            tally,
            part: None,
            troubles: VecDeque::new(),
            troubles_in_all: 0,
            frontier,
        };
        dispatch.know_hosts();
        dispatch.catch_up();
        dispatch
    }

    pub fn add_seeds(&mut self, seeds: &[Url]) -> Result<(), FrontierError> {
        for seed in seeds {
            self.add_seed(seed, UrlKind::Page)?;
        }
        for sitemap in self.config.sitemap_urls.clone() {
            self.add_seed(&sitemap, UrlKind::Sitemap)?;
        }
        Ok(())
    }

    /// From now on only hosts of one bucket are crawled.
    pub fn take_part(&mut self, mut part: Part) -> Result<(), FrontierError> {
        if let Some(servers) = part.servers.take() {
            self.line.lease_from(servers);
        }
        let arrived = std::mem::take(&mut part.arrived);
        self.part = Some(Parted::new(part));
        self.add_travellers(&arrived)?;
        if let Some(part) = &mut self.part {
            part.found_from = self.frontier.added();
        }
        Ok(())
    }

    fn add_seed(&mut self, seed: &Url, kind: UrlKind) -> Result<(), FrontierError> {
        let text = canonical(seed);
        let host = self.host(&site_of(seed), origin(&text));
        let found = Found {
            fingerprint: Fingerprint::of(&text),
            url: &text,
            host,
            score: self.score(0, u8::MAX),
            depth: 0,
            redirects: 0,
            parent: None,
            kind,
            lastmod_s: None,
        };
        if self.frontier.add(found)? == Added::New {
            self.list(host);
        }
        Ok(())
    }

    /// The next thing to ask for, if anything may be asked for now.
    pub fn next_job(&mut self, now_ms: u64) -> Result<Option<(HostId, Job)>, FrontierError> {
        while self.has_room() {
            let Some(id) = self.line.next(now_ms) else { return Ok(None) };
            // Without a job the host has nothing left, or waits for one that is under way and is
            // put in line again when that ends.
            let Some(job) = self.job_of(id, now_ms)? else {
                self.line.passed(id);
                continue;
            };
            match job {
                Job::Resolve { .. } => self.line.passed(id),
                _ => self.line.started(id, now_ms),
            }
            self.in_flight += 1;
            self.list(id);
            return Ok(Some((id, job)));
        }
        Ok(None)
    }

    /// False if the URL was settled before, or this helps nobody: nothing of it counts then but what it links to.
    pub fn settle(&mut self, worked: &PageWorked, now_ms: u64) -> Result<bool, FrontierError> {
        let PageWorked { leased, outcome, bytes_wire, answer, .. } = worked;
        let id = leased.host;
        match worked.is_late {
            false => self.release(worked, now_ms),
            true => self.tally.count_fetch(*bytes_wire),
        }
        if self.frontier.is_settled(leased) || self.is_in_vain(worked)? {
            self.tally.other_bytes += bytes_wire;
            // Who has read it takes them for reported, and a page is not the same for everybody.
            if let Outcome::Kept { links, .. } = outcome {
                self.add_links(leased, links)?;
            }
            self.list(id);
            return Ok(false);
        }
        let is_whole = answer.is_some_and(|answer| answer.is_whole);
        match outcome {
            Outcome::Kept { .. } => {
                self.keep(worked, now_ms)?;
                if !is_whole {
                    self.stumble(id, now_ms)?;
                }
            }
            Outcome::Read { links } => {
                self.tally.other_bytes += bytes_wire;
                self.line.answered(id);
                self.task_mut(id).seen.listed += links.len() as f64;
                let end = End::Read { listed: links.len() as u64 };
                self.frontier.settle(leased, end, now_ms)?;
                self.heed_dates(links)?;
                self.add_links(leased, links)?;
            }
            Outcome::Retry { why } => {
                self.tally.other_bytes += bytes_wire;
                self.retry(leased, now_ms + backoff_ms(leased.attempts), now_ms, why)?;
                if !is_whole {
                    self.stumble(id, now_ms)?;
                }
            }
            Outcome::Dropped { skip, why } => {
                self.tally.other_bytes += bytes_wire;
                self.learn(worked, 0);
                self.drop_url(leased, *skip, why, now_ms)?;
                if skip.is_none() {
                    self.stumble(id, now_ms)?;
                }
            }
            Outcome::HostResting { why, rest } => {
                self.tally.other_bytes += bytes_wire;
                let rest = match rest {
                    Some(asked) => Rest::Asked(*asked),
                    None if answer.is_some() => Rest::Busy,
                    None => Rest::Gone,
                };
                match self.rest(id, rest, now_ms)? {
                    Some(until_ms) => self.retry(leased, until_ms, now_ms, why)?,
                    None => {
                        self.drop_url(leased, None, why, now_ms)?;
                        self.close_host(id, None, why.clone(), now_ms)?;
                    }
                }
            }
        }
        self.list(id);
        Ok(true)
    }

    /// Its host has a free place again.
    fn release(&mut self, worked: &PageWorked, now_ms: u64) {
        let (leased, answer) = (&worked.leased, &worked.answer);
        let id = leased.host;
        self.ended(id, now_ms, answer.map(|answer| answer.took), worked.bytes_wire);
        if let Some(answer) = answer {
            self.line.place(id, answer.address);
        }
        let host = &mut self.hosts[id.0 as usize];
        let task = &mut self.tasks.all[host.task.0 as usize];
        task.in_flight = task.in_flight.saturating_sub(1);
        if let Some(at) = host.depths.iter().position(|depth| *depth == leased.depth) {
            host.depths.swap_remove(at);
        }
    }

    /// So many jobs may be under way at a time from now on.
    pub fn set_room(&mut self, room: usize) {
        self.config.concurrency = room;
    }

    fn keep(&mut self, worked: &PageWorked, now_ms: u64) -> Result<(), FrontierError> {
        let leased = &worked.leased;
        let Outcome::Kept { status, bytes_wire, bytes_body, links } = &worked.outcome else {
            return Ok(());
        };
        let (status, bytes_wire, bytes_body) = (*status, *bytes_wire, *bytes_body);
        if !policy::is_trouble(status) {
            self.line.answered(leased.host);
        }
        let is_page = u64::from(is_page(status));
        self.tally.pages += is_page;
        self.task_mut(leased.host).pages += is_page;
        let end = End::Kept { status, bytes_wire, bytes_body };
        let kept_by = self.kept_by(worked)?;
        let is_first = self.frontier.settle(leased, end, now_ms)?;
        let new = self.add_links(leased, links)?;
        if is_first {
            self.note_visit(worked, new, kept_by);
        }
        self.learn(worked, new);
        let news = match (status, &worked.sketch) {
            (200..300, Some(sketch)) => News::Sample(&sketch.sample),
            (200..300, None) if worked.is_text => News::Unknown,
            (200..300, None) => News::Some,
            (300..400, _) if new > 0 => News::Some,
            _ => News::DeadEnd,
        };
        self.traps.learn(leased.host, worked.pattern, news);
        Ok(())
    }

    /// Notes what a visit tells of when the next one pays, and who has what came.
    fn note_visit(&mut self, worked: &PageWorked, new: u64, kept_by: Vec<u32>) {
        let task = self.task_of(worked.leased.host);
        if let Some(came) = worked.came {
            let name = &self.tasks.all[task.0 as usize].name;
            self.freshness.came(name, came, worked.bytes_wire);
            if let Some(part) = &mut self.part {
                part.came(came);
            }
        }
        let mut visit = worked.visit.as_ref().map(Cow::Borrowed);
        if let Some(visit) = visit.as_mut().filter(|_| worked.came == Some(Came::Changed)) {
            let found = u32::try_from(new).unwrap_or(u32::MAX);
            let changes = &mut visit.to_mut().changes;
            changes.found = changes.found.saturating_add(found);
        }
        if let Some(note) = UrlNote::write(visit.as_deref(), &kept_by) {
            self.frontier.set_url_note(&worked.leased, &note);
        }
    }

    /// Puts due retries and expired leases back in line.
    pub fn wake(&mut self, now_ms: u64) -> Result<(), FrontierError> {
        let mut woken = Vec::new();
        self.frontier.wake(now_ms, |host| woken.push(host))?;
        woken.into_iter().for_each(|host| self.list(host));
        Ok(())
    }

    /// Before anything is asked for in a turn...
    pub fn heed_grants(&mut self, now_ms: u64) {
        self.line.heed_grants(now_ms);
    }

    /// ...and after that: servers that are not used go to whoever else wants them. At the end, all do.
    pub fn tend_leases(&mut self, now_ms: u64, is_ending: bool) {
        self.line.tend_leases(now_ms, is_ending);
    }

    /// When something will be possible that is not possible now.
    pub fn next_due_ms(&self) -> Option<u64> {
        self.line.next_due_ms().into_iter().chain(self.frontier.next_due_ms()).min()
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
        self.config.max_pages.is_some_and(|most| self.tally.pages + under_way >= most)
            || self.config.max_bytes.is_some_and(|most| self.tally.bytes_wire >= most)
    }

    /// Something more may be asked for.
    pub fn has_room(&self) -> bool {
        self.in_flight < self.config.concurrency && !self.is_limited()
    }

    fn job_of(&mut self, id: HostId, now_ms: u64) -> Result<Option<Job>, FrontierError> {
        if self.recall(id, now_ms)? {
            return Ok(None);
        }
        let host = &mut self.hosts[id.0 as usize];
        if let RobotsState::Closed { skip, why } = &host.robots {
            let (skip, why) = (*skip, why.clone());
            self.drop_all(id, skip, &why, now_ms)?;
            return Ok(None);
        }
        let addresses = match &host.address {
            Address::Asked | Address::Waits => return Ok(None),
            Address::Known { all, until_ms } if now_ms < *until_ms => all.clone(),
            _ if self.lookups >= MOST_LOOKUPS => {
                host.address = Address::Waits;
                self.waiting_lookups.push_back(id);
                return Ok(None);
            }
            _ => {
                host.address = Address::Asked;
                self.lookups += 1;
                return Ok(Some(Job::Resolve { host: id, url: host.url("/") }));
            }
        };
        match &host.robots {
            RobotsState::Unknown => {
                host.robots = RobotsState::Asked;
                Ok(Some(Job::Robots {
                    host: id,
                    url: host.url("/robots.txt"),
                    addresses,
                    claim: host.claim(),
                    ticket: 0,
                }))
            }
            RobotsState::Known { .. } | RobotsState::Ignored => self.lease(id, addresses, now_ms),
            RobotsState::Asked | RobotsState::Closed { .. } => Ok(None),
        }
    }

    fn lease(
        &mut self,
        id: HostId,
        addresses: Arc<[std::net::SocketAddr]>,
        now_ms: u64,
    ) -> Result<Option<Job>, FrontierError> {
        if self.waits_for_level(id)? || self.has_enough(id) {
            return Ok(None);
        }
        let until_ms = now_ms.saturating_add(self.lease_ms);
        while let Some(mut leased) = self.frontier.lease(id, until_ms)? {
            self.forget_lost(&mut leased);
            let host = &mut self.hosts[id.0 as usize];
            let url = self.urls.of(id, &host.origin, &leased.url);
            if !host.allows(&url) {
                self.drop_url(&leased, Some(Skip::Robots), DISALLOWED, now_ms)?;
                continue;
            }
            let near = leased.parent.as_deref().filter(|parent| origin(parent) == &*host.origin);
            let admitted = match leased.kind {
                UrlKind::Sitemap => Ok(Admitted::default()),
                UrlKind::Page => self.traps.admit(id, &leased.url, near),
            };
            let admitted = match admitted {
                Ok(admitted) => admitted,
                Err(why) => {
                    self.drop_url(&leased, Some(Skip::Trap), &why, now_ms)?;
                    continue;
                }
            };
            if self.by_level {
                host.depths.push(leased.depth);
            }
            self.tasks.all[host.task.0 as usize].in_flight += 1;
            let site = host.site.clone();
            let obeys_robots = !matches!(host.robots, RobotsState::Ignored);
            let (claim, ticket) = (host.claim(), 0);
            let task = &self.tasks.all[host.task.0 as usize];
            let habits = SiteHabits {
                belief: self.freshness.belief(&task.name),
                any_change: task.settings.any_change,
            };
            let promise = self.promise(&leased);
            let job = PageJob {
                leased,
                url,
                site,
                addresses,
                claim,
                ticket,
                admitted,
                obeys_robots,
                promise,
                habits,
            };
            return Ok(Some(Job::Page(Box::new(job))));
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

    /// Puts a host in line if it has something to ask for.
    fn list(&mut self, id: HostId) {
        if !self.hosts[id.0 as usize].is_held() && self.frontier.waiting(id) > 0 {
            self.line.enlist(id);
        }
    }

    fn ended(&mut self, id: HostId, now_ms: u64, took: Option<Duration>, bytes_wire: u64) {
        self.in_flight -= 1;
        self.tally.count_fetch(bytes_wire);
        self.line.ended(id, now_ms, took);
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
        if !matches!(skip, Some(Skip::Robots | Skip::Trap)) {
            self.trouble(format!("{}: {why}", leased.url));
        }
        self.frontier.settle(leased, End::Dropped { skip, why }, now_ms).map(|_| ())
    }

    pub fn trouble(&mut self, what: String) {
        debug!("{what}");
        if self.troubles.len() == TROUBLES {
            self.troubles.pop_front();
        }
        self.troubles.push_back(what);
        self.troubles_in_all += 1;
    }
}

fn line_of(config: &Config) -> Line {
    let line = Line::new(config.per_ip, config.ip_delay);
    match config.fetch.shaper {
        Some(_) => line.with_late_starts(),
        None => line,
    }
}

/// Under a cap a page may wait for its turn as long as it likes, for a pause of the calendar too,
/// and must not be given out a second time meanwhile.
fn lease_ms(config: &Config) -> u64 {
    let limits = &config.fetch.limits;
    match config.fetch.shaper {
        Some(_) => u64::MAX,
        None => (limits.connect * 4 + limits.total + LEASE_SLACK).as_millis() as u64,
    }
}

#[cfg(test)]
mod tests {
    use weir_fetch::Shaper;

    use super::*;
    use crate::Settings;

    #[test]
    fn what_waits_for_a_cap_is_not_given_out_twice() {
        let urls = Some(vec!["http://example.com/".to_owned()]);
        let mut config = Config::try_from(Settings { urls, ..Settings::default() }).unwrap();
        assert!(lease_ms(&config) >= config.fetch.limits.total.as_millis() as u64);
        config.fetch.shaper = Some(Shaper::new(1000.0));
        assert_eq!(1_u64.saturating_add(lease_ms(&config)), u64::MAX, "it has no end");
    }
}
