//! The end of a run: all that was done is made to last, and whoever took part learns of it.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::sleep;

use super::logging::log_end;
use super::reporting::write_to;
use super::{Crawl, CrawlError, Ended, MARK, Stop, TICK};
use crate::part::{PATIENCE, Parting};
use crate::progress::Progress;
use crate::report::{FILE, Finish};

/// How long the end of a crawl waits for those who work elsewhere.
const HANDS_WAIT: Duration = Duration::from_secs(60);
/// ...without saying so.
const HANDS_SOON: Duration = Duration::from_secs(3);

impl Crawl {
    /// What a run of a part leaves to others.
    pub(super) fn part_ways(&mut self) -> Parting {
        self.tend_leases(true);
        let waiting = self.dispatch.frontier.counts().open;
        let next_due_ms = self.dispatch.next_due_ms().filter(|_| self.only_waits(PATIENCE));
        let Some(part) = self.dispatch.part.take() else { return Parting::default() };
        let (found_from, came) = (part.found_from, part.came);
        Parting { leaving: part.into_leaving(), waiting, next_due_ms, found_from, came }
    }

    pub(super) async fn close(
        mut self,
        finish: Finish,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Ended, CrawlError> {
        self.allowance.close()?;
        self.tell_trouble();
        let mark = self.store.finish()?;
        self.dispatch.frontier.set_note(MARK, mark.as_bytes());
        self.records.note(&mut self.dispatch.frontier);
        self.note_run();
        self.dispatch.frontier.write()?;
        self.store.syncer().run()?;
        self.end_hands(finish, stop, watch).await?;
        self.dispatch.count_open(Timestamp::now());
        self.save_history()?;
        let mut report = self.report(finish);
        self.dispatch.frontier.seal()?;
        self.store.journalled(&mark)?;
        self.deliver_rest(&mark, stop, watch).await?;
        report.sinks = self.delivery.reports(self.store.totals());
        if !self.config.is_survey {
            write_to(&report, &self.config.out.join(FILE))?;
        }
        if let Some(path) = &self.config.report {
            write_to(&report, path)?;
        }
        self.leave_helm(&report);
        log_end(&report);
        Ok(Ended { report, resumed: self.resumed, stays: self.config.stays })
    }

    /// Whoever works elsewhere is told what counts for good, and waited for until it has stored that.
    async fn end_hands(
        &mut self,
        finish: Finish,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), CrawlError> {
        if let Some(running) = self.syncing.take() {
            running.await.map_err(|_| CrawlError::ThreadLost)??;
        }
        if self.hands.reports().is_empty() {
            return Ok(());
        }
        // The first makes it durable, the second the word that it is.
        for _ in 0..2 {
            let upto = self.dispatch.frontier.syncer().run()?;
            self.dispatch.frontier.synced(upto);
            self.dispatch.frontier.write()?;
        }
        self.dispatch.frontier.syncer().run()?;
        self.hands.sealed();
        self.hands.end(finish == Finish::Complete);
        let (begun, mut is_told) = (Instant::now(), false);
        while !self.hands.is_settled()
            && begun.elapsed() < HANDS_WAIT
            && *stop.borrow() != Stop::Now
        {
            self.hands.tick(self.config.fetch.shaper.as_ref(), self.allowance.limit());
            self.tell_trouble();
            if begun.elapsed() > HANDS_SOON && !is_told {
                is_told = true;
                let whom = self.hands.waits_for().unwrap_or_else(|| "downloaders".to_owned());
                self.dispatch.trouble(format!("waiting for {whom}; Ctrl-C (twice) leaves them"));
            }
            watch(&self.progress(true));
            sleep(TICK).await;
        }
        self.hands.note(&mut self.dispatch.frontier);
        Ok(self.dispatch.frontier.write()?)
    }
}
