use std::sync::Arc;

use jiff::Timestamp;

use crate::counts::Counts;
use crate::plan::Plan;
use crate::progress::Span;
use crate::report::Report;

/// A crawl as it is at a moment, with each of its sites.
#[derive(Clone, Debug)]
pub struct View {
    pub at: Timestamp,
    /// As `report.json` has it; of a crawl that has ended, its last one.
    pub report: Report,
    /// One for each of the report's, in the same order, which only ever grows.
    pub sites: Vec<SiteView>,
    pub in_flight: u64,
    pub stopping: bool,
    /// Deadlines that there are, and how many of them will be missed or are.
    pub deadlines: usize,
    pub late: usize,
    pub finish: Option<Span>,
    pub has_nobody: bool,
    pub counts: Arc<Counts>,
    pub plan: Option<Arc<Plan>>,
    /// Hosts that are known.
    pub hosts: usize,
}

/// What a report does not tell of a site.
#[derive(Clone, Debug, PartialEq)]
pub struct SiteView {
    pub state: SiteState,
    pub limited_by: LimitedBy,
    /// The same in words.
    pub why: String,
    pub known: u64,
    pub done: u64,
    /// Bytes a second that the plan gives it.
    pub share: f64,
    pub weight: f64,
    pub in_flight: u64,
    /// Its deadline will be missed, or may be.
    pub danger: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteState {
    Waiting,
    Running,
    Paused,
    Done,
}

/// What a site would be faster without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitedBy {
    Cap,
    Server,
    Politeness,
    /// Others come first.
    Plan,
    Paused,
    /// There is nothing to do.
    Nothing,
}
