//! Sites that are crawled again and again.

use jiff::Timestamp;
use tracing::info;

use super::{Crawl, CrawlError};
use crate::past::{FILE as PAST_FILE, PastRound};
use crate::tasks::TaskId;

impl Crawl {
    /// Begins the next round of each site that is done and due. What is known of the site waits once
    /// more, the new promise and the number of the round are one frame with that, and the plan is
    /// made anew.
    pub(super) fn begin_rounds(&mut self) -> Result<(), CrawlError> {
        if self.config.is_survey {
            return Ok(());
        }
        let now = Timestamp::now();
        let due = self.dispatch.tasks.due_again(now);
        self.begin_rounds_of(&due, now)
    }

    /// All that an earlier run has done is done once more, if that was all there is.
    pub(super) fn begin_recrawl(&mut self) -> Result<(), CrawlError> {
        if !self.resumed || !self.dispatch.is_done() {
            return Ok(());
        }
        let all = self.dispatch.tasks.ids(|_| true);
        self.begin_rounds_of(&all, Timestamp::now())
    }

    fn begin_rounds_of(&mut self, due: &[TaskId], now: Timestamp) -> Result<(), CrawlError> {
        if due.is_empty() {
            return Ok(());
        }
        self.note_past(due, now)?;
        // What was settled goes to disk after its output, as always.
        self.commit_turn()?;
        self.dispatch.begin_rounds(due, now)?;
        for task in due.iter().map(|id| &self.dispatch.tasks.all[id.0 as usize]) {
            info!(site = task.name, round = task.round.map(|round| round.number), "round begins");
        }
        self.note_promises();
        due.iter().for_each(|id| self.dangers.forget(*id));
        self.plan = None;
        self.plans_anew = true;
        self.dispatch.count_open(now);
        self.save_history()
    }

    /// The round before is over, whatever came of it.
    fn note_past(&self, due: &[TaskId], now: Timestamp) -> Result<(), CrawlError> {
        let tasks = due.iter().map(|id| &self.dispatch.tasks.all[id.0 as usize]);
        for past in tasks.filter_map(|task| PastRound::of(task, now)) {
            past.append(&self.config.out).map_err(|why| CrawlError::Io {
                what: "write",
                path: self.config.out.join(PAST_FILE),
                why,
            })?;
        }
        Ok(())
    }

    /// There is something to wait for, though nothing is left to do.
    pub(super) fn stays(&self) -> bool {
        self.config.stays || self.config.repeat && self.dispatch.tasks.next_round().is_some()
    }
}
