//! What a crawl says of itself while it runs and when it ends.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use weir_types::Skip;

use super::{Crawl, CrawlError, now_text};
use crate::plan::text_of;
use crate::progress::{Progress, SiteProgress, Span, sites_of};
use crate::report::{Deadlines, FILE, Failures, Finish, Report, SiteReport, Skipped, moment};
use crate::settings::ConfigError;

impl Crawl {
    /// Over all runs.
    pub(super) fn elapsed(&self) -> Duration {
        self.clock.begun.elapsed()
            + Duration::try_from_secs_f64(self.run.elapsed_s).unwrap_or_default()
    }

    /// Over all runs.
    pub(super) fn planning_s(&self) -> f64 {
        self.planning.as_secs_f64() + self.run.planning_s.max(0.0)
    }

    pub(super) fn progress(&self, stopping: bool) -> Progress {
        let intake = self.allowance.intake();
        let elapsed = self.clock.begun.elapsed();
        let progress = Progress::of(&self.dispatch, &self.steer, elapsed);
        let (warnings, plan) = (self.warnings.clone(), self.plan.clone());
        let next_round = self.next_round();
        let downloaders = self.hands.reports();
        let has_nobody = self.has_nobody(stopping);
        let progress = Progress { has_nobody, downloaders, ..progress };
        Progress { intake, stopping, warnings, plan, next_round, ..progress }
    }

    /// When the next one begins, if nothing is left to do before.
    pub(super) fn next_round(&self) -> Option<Timestamp> {
        self.dispatch.tasks.next_round().filter(|_| self.dispatch.is_done())
    }

    pub(super) fn has_nobody(&self, stopping: bool) -> bool {
        self.hands.has_nobody() && !stopping && !self.dispatch.is_done()
    }

    /// A report of very many sites is long, so it is not written more often than is cheap.
    pub(super) fn write_report(&mut self, finish: Finish) -> Result<(), CrawlError> {
        let begun = Instant::now();
        if begun < self.next_report || self.config.is_survey {
            return Ok(());
        }
        write_to(&self.report(finish), &self.config.out.join(FILE))?;
        self.next_report = Instant::now() + begun.elapsed() * 20;
        Ok(())
    }

    pub(super) fn report(&self, outcome: Finish) -> Report {
        self.report_of(outcome, &sites_of(&self.dispatch, &self.steer))
    }

    /// The same, for who has the sites at hand.
    pub(super) fn report_of(&self, outcome: Finish, sites: &[SiteProgress]) -> Report {
        let counts = self.dispatch.frontier.counts();
        let tally = self.dispatch.tally;
        let elapsed_s = self.elapsed().as_secs_f64();
        let measured = self.allowance.measured();
        let intake = self.allowance.intake();
        let running = outcome == Finish::Running;
        let renews_at = self.allowance.renews_at().filter(|_| outcome == Finish::Limit);
        let skipped = |skip: Skip| counts.skipped[skip as usize];
        Report {
            outcome,
            started: self.run.started.clone(),
            finished: (!running).then(now_text),
            elapsed_s,
            pages: tally.pages,
            fetches: tally.fetches,
            failed: sites.iter().map(|site| site.failed).sum(),
            failures: self.failures(),
            urls_known: counts.known,
            urls_waiting: counts.open,
            skipped: Skipped {
                robots: skipped(Skip::Robots) + skipped(Skip::RobotsAway),
                scope: skipped(Skip::Scope),
                trap: Skip::TRAPS.into_iter().map(skipped).sum(),
                private: skipped(Skip::Private),
                depth: counts.parked + skipped(Skip::Depth),
                other: skipped(Skip::Other),
            },
            bytes_wire: tally.bytes_wire,
            bytes_body: sites.iter().map(|site| site.bytes_body).sum(),
            limit: intake.limit.cap(),
            peak_1s: Some(measured.peak_1s),
            mean_rate: measured.bytes / elapsed_s.max(1e-3),
            utilisation: (measured.could > 0.0).then(|| measured.bytes / measured.could),
            planning_s: self.planning_s(),
            rate: running.then_some(intake.rate),
            paused_until: intake.paused_until.filter(|_| running).as_ref().map(moment),
            renews_at: renews_at.as_ref().map(moment),
            freshness: self.dispatch.freshness.whole(),
            deadlines: Deadlines::of(&self.dispatch.tasks, Timestamp::now()),
            sites: sites.iter().map(|site| self.site_report(site)).collect(),
            records: self.records.reported(),
            warnings: self.warnings.clone(),
            sinks: self.delivery.reports(self.store.totals()),
            downloaders: self.hands.reports(),
            troubles: self.dispatch.troubles.iter().cloned().collect(),
        }
    }

    fn failures(&self) -> Failures {
        let frontier = &self.dispatch.frontier;
        let statuses = frontier.error_statuses().iter().filter(|(_, count)| **count > 0);
        Failures {
            statuses: statuses.map(|(status, count)| (*status, *count)).collect(),
            given_up: frontier.counts().dropped,
        }
    }

    fn site_report(&self, site: &SiteProgress) -> SiteReport {
        let task = &self.dispatch.tasks.all[site.task.0 as usize];
        let now = Timestamp::now();
        let first = task.at_start.filter(|_| task.is_done());
        let told = first.map(|told| Span {
            expected: told.finish,
            low: told.finish_low,
            high: told.finish_high,
        });
        let finish = site.finish.or(told);
        let bytes = first.map_or(site.predicted_bytes, |told| told.bytes as u64);
        let freshness = self.dispatch.freshness.site(&task.name);
        SiteReport {
            freshness,
            site: site.site.clone(),
            pages: site.pages,
            failed: site.failed,
            bytes_wire: site.bytes_wire,
            predicted_bytes: Some(bytes),
            deadline: task.due.map(text_of),
            predicted_finish: finish.map(|span| text_of(span.expected)),
            finish_low: finish.map(|span| text_of(span.low)),
            finish_high: finish.map(|span| text_of(span.high)),
            finished: task.finished.map(text_of),
            round: task.round.map(|round| round.number),
            next_round: task.round.map(|round| text_of(round.next)),
            met: task.is_met(now),
            late_by_s: task.late_by_s(now),
            max_rate: task.max_rate(),
            at_start: task.at_start,
            at_half: task.at_half,
        }
    }
}

/// Where a report is to go at the end of a crawl is tried before it begins.
pub(super) fn check_writable(path: &Path) -> Result<(), ConfigError> {
    let is_new = !path.exists();
    let tried = File::options().append(true).create(true).open(path);
    // A file that says nothing would be taken for a report.
    let tried = tried.and_then(|_| if is_new { fs::remove_file(path) } else { Ok(()) });
    tried.map_err(|why| ConfigError::Value {
        key: "report",
        value: format!("{:?}", path.display().to_string()),
        remedy: format!("{why}; name a file that can be written"),
    })
}

pub fn write_to(report: &Report, path: &Path) -> Result<(), CrawlError> {
    report.write(path).map_err(|why| match why.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            CrawlError::Full { path: path.to_owned() }
        }
        _ => CrawlError::Io { what: "write", path: path.to_owned(), why },
    })
}
