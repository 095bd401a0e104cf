//! Before the first page: where a host is, what it was left with, what its robots.txt says. And
//! when a host has to be left alone, or given up.

use std::net::SocketAddr;
use std::time::Duration;

use weir_frontier::{End, FrontierError, HostId};
use weir_types::{Outcome, Skip};

use super::{Address, Dispatch};
use crate::pace::Rest;
use crate::robots::{HostNote, RobotsFile, RobotsState};
use crate::work::RobotsReply;

const ROBOTS_TRIES: u32 = 3;
/// How long the answer of a name server is used.
const ADDRESS_MS: u64 = 10 * 60 * 1000;
/// A rest as long as this, or longer, is kept for the next run.
const NOTED_REST: Duration = Duration::from_secs(1);
/// With nothing else to do, a crawl waits so long for a host that asked to be left alone.
const LONGEST_WAIT_MS: u64 = 300_000;

impl Dispatch {
    pub fn resolved(
        &mut self,
        id: HostId,
        answer: Result<Vec<SocketAddr>, Outcome>,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        self.in_flight -= 1;
        self.lookups -= 1;
        if let Some(next) = self.waiting_lookups.pop_front() {
            self.hosts[next.0 as usize].address = Address::Unknown;
            self.list(next);
        }
        let host = &mut self.hosts[id.0 as usize];
        host.address = Address::Unknown;
        match answer {
            Ok(all) => {
                if let Some(first) = all.first() {
                    self.line.place(id, *first);
                }
                let until_ms = now_ms + ADDRESS_MS;
                host.address = Address::Known { all: all.into(), until_ms };
            }
            Err(Outcome::Dropped { skip, why }) => self.close_host(id, skip, why, now_ms)?,
            Err(Outcome::HostResting { why, .. } | Outcome::Retry { why }) => {
                match self.line.rest(id, now_ms, Rest::Gone) {
                    Some(_) => self.trouble(format!("{why}; will be tried again")),
                    None => self.close_host(id, None, why, now_ms)?,
                }
            }
            Err(Outcome::Kept { .. } | Outcome::Read { .. }) => {
                unreachable!("a failure is never kept")
            }
        }
        self.list(id);
        Ok(())
    }

    pub fn robots_answered(
        &mut self,
        id: HostId,
        answer: Result<RobotsReply, Outcome>,
        bytes_wire: u64,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        let took = answer.as_ref().ok().map(|reply| reply.took);
        self.ended(id, now_ms, took, bytes_wire);
        self.tally.other_bytes += bytes_wire;
        let host = &mut self.hosts[id.0 as usize];
        host.robots_tries += 1;
        match answer {
            Ok(RobotsReply { status, body, .. }) if status < 500 && status != 429 => {
                host.robots_tries = 0;
                let file = RobotsFile { at_ms: now_ms, status, body };
                self.line.answered(id);
                let note = HostNote { robots: Some(file.clone()), rest_until_ms: 0 };
                self.frontier.set_host_note(id, &note.to_bytes());
                self.obey(id, &file, now_ms)?;
            }
            Ok(RobotsReply { status, rest, .. }) => {
                let why = format!("{}/robots.txt answers status {status}", host.origin);
                let rest = rest.map_or(Rest::Busy, Rest::Asked);
                self.robots_failed(id, Some(Skip::RobotsAway), why, rest, now_ms)?;
            }
            Err(Outcome::Dropped { skip, why }) => self.close_host(id, skip, why, now_ms)?,
            Err(Outcome::HostResting { why, .. }) => {
                self.robots_failed(id, None, why, Rest::Gone, now_ms)?;
            }
            Err(Outcome::Retry { why }) => {
                // Nothing whole came, which as a rule took long: one more try is enough.
                host.robots_tries += 1;
                self.robots_failed(id, None, why, Rest::Gone, now_ms)?;
            }
            Err(Outcome::Kept { .. } | Outcome::Read { .. }) => {
                unreachable!("a failure is never kept")
            }
        }
        self.list(id);
        Ok(())
    }

    /// Uses what the frontier kept of the host, once. True if the host has to wait.
    pub(super) fn recall(&mut self, id: HostId, now_ms: u64) -> Result<bool, FrontierError> {
        let host = &mut self.hosts[id.0 as usize];
        if let RobotsState::Known { until_ms, .. } = &host.robots
            && now_ms >= *until_ms
        {
            host.robots = RobotsState::Unknown;
        }
        if host.recalled {
            return Ok(false);
        }
        host.recalled = true;
        let note = self.frontier.host_note(id)?;
        let note = note.map(|bytes| HostNote::from_bytes(&bytes)).unwrap_or_default();
        if matches!(host.robots, RobotsState::Ignored) {
            self.find_sitemaps(id)?;
        } else if let Some(file) = note.robots.filter(|file| file.is_fresh(now_ms)) {
            self.obey(id, &file, now_ms)?;
        }
        if note.rest_until_ms <= now_ms {
            return Ok(false);
        }
        self.line.rest_until(id, note.rest_until_ms);
        self.list(id);
        Ok(true)
    }

    fn obey(&mut self, id: HostId, file: &RobotsFile, now_ms: u64) -> Result<(), FrontierError> {
        let host = &mut self.hosts[id.0 as usize];
        host.robots = file.state(&self.config.product);
        if let RobotsState::Known { robots, .. } = &host.robots
            && let Some(delay) = robots.crawl_delay()
        {
            let most = self.config.max_crawl_delay;
            if delay > most {
                let why = format!(
                    "its robots.txt asks for {} s between two requests, and max-crawl-delay is {} s",
                    delay.as_secs(),
                    most.as_secs()
                );
                return self.close_host(id, Some(Skip::Robots), why, now_ms);
            }
            self.line.slow_down(id, delay);
            let task = self.task_mut(id);
            task.pause = task.pause.max(delay);
        }
        self.find_sitemaps(id)
    }

    /// No robots.txt is no permission: the host rests, and is closed when it stays so.
    fn robots_failed(
        &mut self,
        id: HostId,
        skip: Option<Skip>,
        why: String,
        rest: Rest,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        if self.hosts[id.0 as usize].robots_tries < ROBOTS_TRIES
            && self.rest(id, rest, now_ms)?.is_some()
        {
            self.hosts[id.0 as usize].robots = RobotsState::Unknown;
            self.trouble(format!("{why}; will be tried again"));
            return Ok(());
        }
        self.close_host(id, skip, why, now_ms)
    }

    /// Leaves a host alone; `None` if it is time to give it up.
    pub(super) fn rest(
        &mut self,
        id: HostId,
        rest: Rest,
        now_ms: u64,
    ) -> Result<Option<u64>, FrontierError> {
        let until = self.line.rest(id, now_ms, rest);
        match (rest, until) {
            // It may have moved.
            (Rest::Gone | Rest::Mute, _) => self.hosts[id.0 as usize].address = Address::Unknown,
            (Rest::Asked(asked), Some(until_ms)) if asked >= NOTED_REST => {
                let note = self.frontier.host_note(id)?;
                let mut note = note.map(|bytes| HostNote::from_bytes(&bytes)).unwrap_or_default();
                note.rest_until_ms = until_ms;
                self.frontier.set_host_note(id, &note.to_bytes());
            }
            _ => {}
        }
        Ok(until)
    }

    /// A request got no whole answer. When that goes on, the host is at fault, not the page.
    pub(super) fn stumble(&mut self, id: HostId, now_ms: u64) -> Result<(), FrontierError> {
        if !self.line.stumbled(id) || self.rest(id, Rest::Mute, now_ms)?.is_some() {
            return Ok(());
        }
        let why = "it gave no whole answer again and again".to_owned();
        self.close_host(id, None, why, now_ms)
    }

    /// A host may ask for any rest, and gets it as long as there is other work. It does not keep a
    /// crawl from its end: its pages are left to a later run then.
    pub fn leave_long_rests(&mut self, now_ms: u64) -> Result<(), FrontierError> {
        let waits_long = |at_ms: u64| at_ms > now_ms + LONGEST_WAIT_MS;
        let has_work = self.in_flight > 0 || self.line.awaits_server();
        if has_work || !self.next_due_ms().is_some_and(waits_long) {
            return Ok(());
        }
        self.frontier.wake(u64::MAX, |_| {})?;
        for id in (0..self.hosts.len() as u32).map(HostId) {
            // One that the plan has not asked yet does not rest.
            if self.frontier.waiting(id) > 0 && !self.line.is_held(id) {
                let why = "it asked to be left alone for longer than there is other work; run the \
                           same command again later";
                self.close_host(id, None, why.to_owned(), now_ms)?;
            }
        }
        Ok(())
    }

    /// There is nothing to do but to wait, and for longer than `patience_ms`.
    pub fn only_waits(&self, now_ms: u64, patience_ms: u64) -> bool {
        let waits_long = |at_ms: u64| at_ms > now_ms + patience_ms;
        let has_work = self.in_flight > 0 || self.line.awaits_server();
        !has_work && self.next_due_ms().is_some_and(waits_long)
    }

    pub(super) fn close_host(
        &mut self,
        id: HostId,
        skip: Option<Skip>,
        why: String,
        now_ms: u64,
    ) -> Result<(), FrontierError> {
        self.trouble(format!("{} is given up: {why}", self.hosts[id.0 as usize].origin));
        self.task_mut(id).trouble = Some(why.clone());
        self.drop_all(id, skip, &why, now_ms)?;
        self.hosts[id.0 as usize].robots = RobotsState::Closed { skip, why };
        Ok(())
    }

    pub(super) fn drop_all(
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
}
