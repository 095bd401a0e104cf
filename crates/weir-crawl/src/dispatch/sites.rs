//! Sites as pieces of work: what is learnt of them, and what is asked of them.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;
use tracing::info;
use url::Url;
use weir_frontier::{FrontierError, HostId, UrlKind};
use weir_types::Links;

use super::Dispatch;
use crate::config::Site;
use crate::freshness::Due;
use crate::line::Rank;
use crate::robots::RobotsState;
use crate::tasks::{Fetched, Task, TaskId};
use crate::work::PageWorked;

const DAY_S: f64 = 86_400.0;

impl Dispatch {
    pub fn hosts_in_all(&self) -> usize {
        self.hosts.len()
    }

    pub fn task_of(&self, host: HostId) -> TaskId {
        self.hosts[host.0 as usize].task
    }

    pub(super) fn task_mut(&mut self, host: HostId) -> &mut Task {
        &mut self.tasks.all[self.hosts[host.0 as usize].task.0 as usize]
    }

    /// What a settled page tells of its site.
    pub(super) fn learn(&mut self, worked: &PageWorked, new: u64) {
        let took = worked.answer.map(|answer| answer.elapsed.saturating_sub(answer.held));
        let fetched = Fetched {
            bytes: worked.bytes_wire as f64,
            took: took.filter(|_| worked.bytes_wire > 0),
            silent: worked.answer.map_or(Duration::ZERO, |answer| answer.took),
            links: f64::from(worked.links).max(new as f64),
            new: new as f64,
        };
        let task = self.hosts[worked.leased.host.0 as usize].task;
        self.tasks.fetched(task, &fetched, Timestamp::now());
    }

    /// What was fetched in earlier runs and nobody has learnt from, because a kill came first.
    pub(super) fn catch_up(&mut self) {
        let mut sums = vec![(0.0, 0.0); self.tasks.all.len()];
        for (id, _, _, totals) in self.frontier.hosts() {
            let (pages, bytes) = &mut sums[self.hosts[id.0 as usize].task.0 as usize];
            *pages += totals.kept as f64;
            *bytes += totals.bytes_wire as f64;
        }
        for (task, (pages, bytes)) in self.tasks.all.iter_mut().zip(sums) {
            let fetched = &mut task.seen.fetched;
            let missing = (pages - fetched.pages).max(0.0) as u64;
            let each = (bytes - fetched.bytes).max(0.0) / (missing as f64).max(1.0);
            (0..missing).for_each(|_| fetched.add(each));
            task.came = fetched.bytes.max(task.came);
        }
    }

    /// Brings the tasks up to date with what waits.
    pub fn count_open(&mut self, now: Timestamp) {
        self.tasks.all.iter_mut().for_each(|task| (task.open, task.pages) = (0, 0));
        for (id, _, _, totals) in self.frontier.hosts() {
            let host = &self.hosts[id.0 as usize];
            let settled = totals.kept + totals.dropped + totals.skipped;
            let task = &mut self.tasks.all[host.task.0 as usize];
            task.open += totals.known.saturating_sub(settled);
            task.pages += totals.pages;
        }
        for task in &mut self.tasks.all {
            task.seen.known = task.seen.fetched.pages + task.open as f64;
            let ended = task.open == 0 || task.is_full && task.in_flight == 0;
            match (ended && !self.config.is_survey, task.finished) {
                (true, None) => {
                    task.finished = Some(task.last.unwrap_or(now));
                    let (pages, met) = (task.pages, task.is_met(now));
                    info!(site = task.name, pages, met, "site done");
                }
                (false, Some(_)) => task.finished = None,
                _ => {}
            }
        }
    }

    /// Begins a new round of these sites: all that is known of them waits once more, or what pays.
    pub fn begin_rounds(&mut self, due: &[TaskId], now: Timestamp) -> Result<(), FrontierError> {
        let zone = self.config.almanac.zone.clone();
        for id in due {
            self.tasks.begin_round(*id, &zone, now);
        }
        self.come_back(due, now)?;
        for id in (0..self.hosts.len() as u32).map(HostId) {
            if due.contains(&self.task_of(id)) {
                self.begin_anew(id);
            }
        }
        Ok(())
    }

    fn come_back(&mut self, due: &[TaskId], now: Timestamp) -> Result<(), FrontierError> {
        let sites = self.due(due);
        let place: HashMap<TaskId, usize> = due.iter().copied().zip(0..).collect();
        let hosts = &self.hosts;
        let of = |host: HostId| place.get(&hosts[host.0 as usize].task).copied();
        let now_ms = u64::try_from(now.as_millisecond()).unwrap_or(0);
        let expected = self.freshness.begin(&mut self.frontier, &sites, of, now_ms)?;
        for (id, expects) in due.iter().zip(expected) {
            self.tasks.all[id.0 as usize].expect(expects, self.config.freshness.is_some());
        }
        Ok(())
    }

    /// Who shares the bytes of `freshness`: all sites that come back, by what they have.
    fn due(&self, due: &[TaskId]) -> Vec<Due> {
        let mut bytes = vec![1.0; self.tasks.all.len()];
        for (id, _, _, totals) in self.frontier.hosts() {
            bytes[self.task_of(id).0 as usize] += totals.bytes_wire as f64;
        }
        let comes_back =
            |id: &usize| due.contains(&TaskId(*id as u32)) || self.tasks.all[*id].round.is_some();
        let all: f64 = (0..bytes.len()).filter(comes_back).map(|id| bytes[id]).sum();
        let site = |id: &TaskId| {
            let task = &self.tasks.all[id.0 as usize];
            let every = task.settings.every.filter(|_| task.round.is_some());
            Due {
                name: task.name.clone(),
                period: every.map(|every| every.as_secs_f64() / DAY_S),
                part: bytes[id.0 as usize] / all,
            }
        };
        due.iter().map(site).collect()
    }

    /// A sitemap or a feed tells of changes of pages that this round has left out.
    pub(super) fn heed_dates(&mut self, links: &Links) -> Result<(), FrontierError> {
        for link in links.iter() {
            let Some(lastmod_s) = link.lastmod_s else { continue };
            let Some(resting) = self.freshness.hinted(link.fingerprint, lastmod_s) else {
                continue;
            };
            if self.frontier.ask_again(&resting)? {
                let task = self.task_of(resting.host());
                self.freshness.brought_back(&self.tasks.all[task.0 as usize].name);
                self.list(resting.host());
            }
        }
        Ok(())
    }

    /// A host that was given up gets another chance, and pages that were seen before are no trap.
    pub(super) fn begin_anew(&mut self, id: HostId) {
        let host = &mut self.hosts[id.0 as usize];
        host.robots_tries = 0;
        if matches!(host.robots, RobotsState::Closed { .. }) {
            let settings = self.config.site(&host.site, &host.origin);
            host.robots = RobotsState::at_first(settings.robots);
            // What the frontier has of its robots.txt still holds.
            host.recalled = false;
        }
        self.traps.forget(id);
        self.line.answered(id);
        self.list(id);
    }

    /// Asks of each site as the plan says.
    pub fn rank(&mut self, ranks: &[Rank]) {
        for number in 0..self.hosts.len() as u32 {
            let id = HostId(number);
            let task = self.hosts[number as usize].task;
            let rank = ranks.get(task.0 as usize).copied().unwrap_or(Rank::Wanted);
            if self.line.set_rank(id, rank) {
                self.list(id);
            }
        }
    }

    /// Where nothing is planned, all sites are asked but those that somebody has paused.
    pub fn hold_paused(&mut self) {
        let any = self.tasks.all.iter().any(|task| task.is_paused);
        if any || self.holds_paused {
            let rank = |task: &Task| if task.is_paused { Rank::Held } else { Rank::Wanted };
            let ranks: Vec<Rank> = self.tasks.all.iter().map(rank).collect();
            self.rank(&ranks);
            self.holds_paused = any;
        }
    }

    /// Of each site: nothing is asked of any of its hosts just now.
    pub fn held(&self) -> Vec<bool> {
        let mut held = vec![true; self.tasks.all.len()];
        for (host, id) in self.hosts.iter().zip((0..).map(HostId)) {
            held[host.task.0 as usize] &= self.line.is_held(id);
        }
        held
    }

    /// One more site, which somebody asks for.
    pub fn adopt(&mut self, site: &Site, url: &Url) -> Result<(), FrontierError> {
        self.config.sites.retain(|other| other.name != site.name);
        self.config.sites.push(site.clone());
        self.by_level |= site.settings.depth.is_some();
        self.scope.add(url);
        let zone = self.config.almanac.zone.clone();
        self.tasks.adopt(&site.name, site.settings, &zone);
        for (host, id) in self.hosts.iter_mut().zip((0..).map(HostId)) {
            host.in_scope = self.scope.has_host(&host.origin, &host.site);
            self.frontier.limit_depth(id, self.tasks.all[host.task.0 as usize].settings.depth);
        }
        self.add_seed(url, UrlKind::Page)
    }

    /// The site brings as much as it may, with what is under way; or, in a survey, as much as tells
    /// what to expect of it.
    pub(super) fn has_enough(&mut self, id: HostId) -> bool {
        let is_survey = self.config.is_survey;
        let sample = self.config.sample;
        let strange = self.tasks.is_strange(&self.tasks.all[self.task_of(id).0 as usize]);
        let task = self.task_mut(id);
        let most = task.most();
        let pages = (task.pages + task.in_flight) as f64;
        task.is_full = pages >= most.pages || task.seen.fetched.bytes >= most.bytes;
        let sampled = task.seen.fetched.pages as u64 + task.in_flight >= sample;
        task.is_full || is_survey && (sampled || !strange)
    }

    /// No site has anything left that is to be fetched.
    pub fn have_all_enough(&self) -> bool {
        let rests = |task: &Task| {
            task.open == 0 || task.is_full || self.config.is_survey && !self.tasks.is_strange(task)
        };
        self.tasks.all.iter().all(rests)
    }
}
