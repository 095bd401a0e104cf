use std::collections::HashMap;
use std::time::Duration;

use jiff::Zoned;
use weir_types::Rate;

use crate::dispatch::Dispatch;

/// Where a crawl stands; made a few times a second for whoever shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    pub elapsed: Duration,
    pub pages: u64,
    /// URLs found, without those left out.
    pub known: u64,
    pub waiting: u64,
    pub in_flight: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    /// The most active sites first.
    pub sites: Vec<SiteProgress>,
    pub sites_in_all: usize,
    /// The last failures, newest last.
    pub troubles: Vec<String>,
    /// How many failures there were, the ones not listed included.
    pub troubles_in_all: u64,
    pub stopping: bool,
    pub intake: Intake,
}

/// What comes in at a moment, and what may.
#[derive(Clone, Debug, PartialEq)]
pub struct Intake {
    /// Bytes on the wire in the last second, packet headers included.
    pub rate: f64,
    pub limit: Rate,
    /// When a pause ends, by the clock of the calendar; a budget that is used up is no pause.
    pub paused_until: Option<Zoned>,
}

impl Default for Intake {
    fn default() -> Intake {
        Intake { rate: 0.0, limit: Rate::Unlimited, paused_until: None }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteProgress {
    pub site: String,
    pub pages: u64,
    pub known: u64,
    /// Settled in whatever way.
    pub done: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    pub bytes_body: u64,
}

/// More sites than this no one can look at.
const SHOWN: usize = 64;

impl Progress {
    pub fn of(dispatch: &Dispatch, elapsed: Duration, intake: Intake, stopping: bool) -> Progress {
        let counts = dispatch.frontier.counts();
        let mut sites = sites_of(dispatch);
        let sites_in_all = sites.len();
        let failed = sites.iter().map(|site| site.failed).sum();
        // Those with most left to do, so that a reader sees what the crawl is waiting for.
        sites.sort_by_key(|site| {
            (std::cmp::Reverse(site.known.saturating_sub(site.done)), site.site.clone())
        });
        sites.truncate(SHOWN);
        Progress {
            elapsed,
            pages: dispatch.tally.pages,
            known: counts.open + counts.kept + counts.dropped,
            waiting: counts.open.saturating_sub(dispatch.frontier.leased()),
            in_flight: dispatch.in_flight() as u64,
            failed,
            bytes_wire: dispatch.tally.bytes_wire,
            sites,
            sites_in_all,
            troubles: dispatch.troubles.iter().cloned().collect(),
            troubles_in_all: dispatch.troubles_in_all,
            stopping,
            intake,
        }
    }
}

/// The totals of all hosts, site by site, in the order in which the sites were first met.
pub fn sites_of(dispatch: &Dispatch) -> Vec<SiteProgress> {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut sites: Vec<SiteProgress> = Vec::new();
    for (_, site, _, totals) in dispatch.frontier.hosts() {
        let at = *index.entry(site).or_insert_with(|| {
            sites.push(SiteProgress { site: site.to_owned(), ..SiteProgress::default() });
            sites.len() - 1
        });
        let sum = &mut sites[at];
        sum.pages += totals.pages;
        sum.known += totals.known;
        sum.done += totals.kept + totals.dropped + totals.skipped;
        sum.failed += totals.errors + totals.dropped;
        sum.bytes_wire += totals.bytes_wire;
        sum.bytes_body += totals.bytes_body;
    }
    sites
}
