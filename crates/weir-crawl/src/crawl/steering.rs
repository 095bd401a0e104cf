//! Deadlines while a crawl runs: the limit is shared out anew every second, predictions are kept,
//! and what is in danger is said.

use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use weir_plan::Cap;

use super::logging::{log_plan, log_warning};
use super::{Crawl, CrawlError};
use crate::plan::{Ask, FILE as PLAN_FILE, Planned, Spent};
use crate::tasks::{HISTORY_FILE, Task, known, needed_scale};

/// A site that does not answer does not hold up the plan for longer.
const SURVEY_S: f64 = 60.0;
/// Or, where a deadline is near, for longer than this part of the time until then.
const SURVEY_PART: f64 = 0.1;
/// Warnings that are kept.
const WARNINGS: usize = 1000;
/// Above so many hosts, what waits is counted once a second and not at every tick.
const MANY_HOSTS: usize = 500;

impl Crawl {
    /// Shares the limit out anew, if it is time.
    pub(super) fn steer(&mut self) -> Result<(), CrawlError> {
        let now = Timestamp::now();
        if self.dispatch.hosts_in_all() > MANY_HOSTS && !self.steer.is_due(now) {
            return Ok(());
        }
        self.dispatch.count_open(now);
        let cap = self.allowance.cap(now);
        let overhead = self.overhead();
        let is_new = self.steer.look(&mut self.dispatch.tasks, &cap, overhead, now);
        let steered = self.dispatch.tasks.have_deadlines() || self.config.is_steered();
        let widened = self.steer.widen(self.allowance.intake().rate / cap.at(0.0).max(1.0), now);
        if steered && (is_new || widened) {
            let ranks = self.steer.ranks(&self.dispatch.tasks, cap.at(0.0));
            self.dispatch.rank(&ranks);
        } else if is_new && !steered {
            self.dispatch.hold_paused();
        }
        if !is_new {
            return Ok(());
        }
        if let Some(shaper) = self.config.fetch.shaper.as_ref().filter(|_| steered) {
            self.steer.apply(&self.dispatch.tasks, shaper, cap.at(0.0));
        }
        // A sample is no crawl: nothing is late yet, and the plan says what will be.
        if !self.config.is_survey {
            self.warn(now);
        }
        if self.plan.is_none() && !self.config.is_survey && self.is_surveyed(now) {
            self.announce(now)?;
        }
        self.keep_predictions();
        Ok(())
    }

    /// What comes over the wire for each byte that is counted as a page's.
    pub(super) fn overhead(&self) -> f64 {
        self.allowance.overhead(self.dispatch.tally.bytes_wire)
    }

    /// Enough is known of every site with a deadline, or it takes too long.
    fn is_surveyed(&self, now: Timestamp) -> bool {
        let tasks = &self.dispatch.tasks;
        let mut dated = tasks.all.iter().filter(|task| task.due.is_some()).peekable();
        if dated.peek().is_none() {
            return false;
        }
        let left = |due: Timestamp| due.duration_since(now).as_secs_f64().max(0.0);
        let first =
            dated.clone().filter_map(|task| task.due).map(left).fold(f64::INFINITY, f64::min);
        let most = SURVEY_S.min(first * SURVEY_PART).max(1.0);
        self.clock.begun.elapsed().as_secs_f64() > most || !dated.any(|task| tasks.is_new(task))
    }

    /// The plan, for whoever watches and for `plan.json`. One that was made when the crawl was first
    /// started, or its last round, stays there, to be compared with what comes of it.
    fn announce(&mut self, now: Timestamp) -> Result<(), CrawlError> {
        let planned = Planned::make(&self.ask(now, Spent::default()));
        let path = self.config.out.join(PLAN_FILE);
        if !self.resumed || self.plans_anew || !path.exists() {
            let io = |why| CrawlError::Io { what: "write", path: path.clone(), why };
            planned.plan.write(&path).map_err(io)?;
        }
        log_plan(&planned.plan);
        self.plan = Some(Arc::new(planned.plan));
        self.plans_anew = false;
        Ok(())
    }

    pub(super) fn ask(&self, now: Timestamp, spent: Spent) -> Ask<'_> {
        Ask {
            tasks: &self.dispatch.tasks,
            cap: self.allowance.cap(now),
            limit: self.allowance.limit().filter(|limit| limit.is_finite()),
            policy: self.config.policy,
            at_once: self.config.max_sites,
            overhead: self.overhead(),
            spent,
            now,
        }
    }

    fn warn(&mut self, now: Timestamp) {
        let overhead = self.overhead();
        let tasks = &self.dispatch.tasks;
        let cap = self.allowance.cap(now);
        let needed = || {
            let limit = self.allowance.limit().filter(|limit| limit.is_finite())?;
            let sites = |cap: &Cap| {
                tasks.all.iter().map(|task| known(task, overhead, cap, now).site).collect()
            };
            let needed = limit * needed_scale(&cap, sites);
            (needed.is_finite() && needed > limit).then_some(needed)
        };
        let new = self.dangers.look(tasks, &self.steer, needed, now);
        new.iter().for_each(|text| log_warning(text));
        let room = WARNINGS.saturating_sub(self.warnings.len());
        self.warnings.extend(new.into_iter().take(room));
    }

    /// What is predicted now, to be compared later: once when the plan stands, and once when half of
    /// a site has come.
    fn keep_predictions(&mut self) {
        let planned = self.plan.is_some();
        let overhead = self.overhead();
        for at in 0..self.dispatch.tasks.all.len() {
            let task = &self.dispatch.tasks.all[at];
            if task.is_done() {
                continue;
            }
            let half = task.came * overhead >= self.steer.left(at);
            let wants_start = planned && task.at_start.is_none();
            let wants_half = half && task.at_half.is_none();
            if !wants_start && !wants_half {
                continue;
            }
            let told = self.steer.told(at, task);
            let task = &mut self.dispatch.tasks.all[at];
            if wants_start {
                task.at_start = told;
            }
            if wants_half {
                task.at_half = told;
            }
        }
    }

    /// What is known of very many sites is long, so it is not written more often than is cheap.
    pub(super) fn save_history(&mut self) -> Result<(), CrawlError> {
        if self.config.is_survey {
            return Ok(());
        }
        let begun = Instant::now();
        let path = self.config.out.join(HISTORY_FILE);
        let written = self.dispatch.tasks.history().write(&path);
        self.next_history = Instant::now() + begun.elapsed() * 20;
        written.map_err(|why| CrawlError::Io { what: "write", path, why })
    }

    /// No site has anything left that is to be fetched, though URLs wait.
    pub(super) fn has_enough(&mut self) -> bool {
        if self.config.is_survey {
            let seconds = self.clock.begun.elapsed().as_secs_f64();
            if seconds > SURVEY_S {
                return true;
            }
        }
        if self.dispatch.in_flight() > 0 {
            return false;
        }
        let is_full = |task: &Task| task.is_full;
        if !self.config.is_survey && !self.dispatch.tasks.all.iter().any(is_full) {
            return false;
        }
        self.dispatch.count_open(Timestamp::now());
        self.dispatch.have_all_enough()
    }
}
