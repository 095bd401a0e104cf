//! What a crawl writes into a log, if somebody keeps one: what happens to it, and not what it does all the time.

use tracing::{info, warn};

use super::Crawl;
use crate::helm::Action;
use crate::plan::Plan;
use crate::report::Report;

impl Crawl {
    pub(super) fn log_begin(&self) {
        let (out, sites) = (self.config.out.display(), self.dispatch.tasks.all.len());
        info!(%out, resumed = self.resumed, sites, waiting = self.dispatch.frontier.counts().open, "crawl begins");
    }
}

pub(super) fn log_end(report: &Report) {
    info!(
        outcome = ?report.outcome,
        pages = report.pages,
        failed = report.failed,
        bytes_wire = report.bytes_wire,
        elapsed_s = report.elapsed_s,
        deadlines_met = report.deadlines.met,
        deadlines_missed = report.deadlines.missed,
        "crawl ends"
    );
}

pub(super) fn log_plan(plan: &Plan) {
    let late = plan.late().count();
    info!(
        feasible = plan.feasible,
        late,
        limit = plan.limit,
        needed_limit = plan.needed_limit,
        "plan made"
    );
}

pub(super) fn log_warning(text: &str) {
    let (site, what) = text.split_once(": ").unwrap_or(("", text));
    warn!(site, "{what}");
}

pub(super) fn log_action(action: &Action) {
    info!(?action, "course changed");
}
