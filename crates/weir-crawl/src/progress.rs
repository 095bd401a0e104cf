use std::sync::Arc;
use std::time::Duration;

use jiff::{Timestamp, Zoned};
use weir_types::Rate;

use crate::dispatch::Dispatch;
use crate::hands::DownloaderReport;
use crate::plan::Plan;
use crate::tasks::{Steer, Task, TaskId};

/// Where a crawl stands; made a few times a second for whoever shows it.
#[derive(Clone, Debug, Default)]
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
    /// When all of it is done, as far as can be told.
    pub finish: Option<Span>,
    /// How many deadlines there are, and how many of them will be missed or are.
    pub deadlines: usize,
    pub late: usize,
    /// What was promised and is in danger, the oldest first.
    pub warnings: Vec<String>,
    /// What was planned when enough was known of each site.
    pub plan: Option<Arc<Plan>>,
    /// Nothing is left to do before this moment, when a new round begins.
    pub next_round: Option<Timestamp>,
    /// The machines that fetch, if it is not this one.
    pub downloaders: Vec<DownloaderReport>,
    /// Something is to be fetched, and none of them is there.
    pub has_nobody: bool,
}

/// A moment to come, and between what it is in nine of ten cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub expected: Timestamp,
    pub low: Timestamp,
    pub high: Timestamp,
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
    pub task: TaskId,
    pub pages: u64,
    pub known: u64,
    /// Settled in whatever way.
    pub done: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    /// What it brings in all.
    pub predicted_bytes: u64,
    pub due: Option<Timestamp>,
    /// When it is done, as far as can be told; none once it is.
    pub finish: Option<Span>,
    pub finished: Option<Timestamp>,
}

impl SiteProgress {
    /// It will be late, or is.
    pub fn is_late(&self) -> bool {
        let done = self.finished.or(self.finish.map(|span| span.expected));
        self.due.is_some_and(|due| done.is_some_and(|done| done > due))
    }
}

/// More sites than this no one can look at.
const SHOWN: usize = 64;

impl Progress {
    pub fn of(dispatch: &Dispatch, steer: &Steer, elapsed: Duration) -> Progress {
        let counts = dispatch.frontier.counts();
        let mut sites = sites_of(dispatch, steer);
        let sites_in_all = sites.len();
        let Outlook { finish, deadlines, late } = Outlook::of(&sites);
        let failed = sites.iter().map(|site| site.failed).sum();
        keep_busiest(&mut sites);
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
            finish,
            deadlines,
            late,
            ..Progress::default()
        }
    }
}

/// Those with most left to do, so that a reader sees what the crawl is waiting for.
fn keep_busiest(sites: &mut Vec<SiteProgress>) {
    let order = |a: &SiteProgress, b: &SiteProgress| {
        let left = |site: &SiteProgress| site.known.saturating_sub(site.done);
        left(b).cmp(&left(a)).then_with(|| a.site.cmp(&b.site))
    };
    // A few times a second, and of many thousands nearly none are shown.
    if sites.len() > SHOWN {
        sites.select_nth_unstable_by(SHOWN, order);
        sites.truncate(SHOWN);
    }
    sites.sort_unstable_by(order);
}

/// What is to be expected of all sites together.
pub struct Outlook {
    pub finish: Option<Span>,
    pub deadlines: usize,
    pub late: usize,
}

impl Outlook {
    pub fn of(sites: &[SiteProgress]) -> Outlook {
        Outlook {
            finish: last(sites),
            deadlines: sites.iter().filter(|site| site.due.is_some()).count(),
            late: sites.iter().filter(|site| site.is_late()).count(),
        }
    }
}

/// When the last of them is done; none if that cannot be told of each.
fn last(sites: &[SiteProgress]) -> Option<Span> {
    let mut open = sites.iter().filter(|site| site.finished.is_none());
    let first = open.next()?.finish?;
    open.try_fold(first, |last, site| {
        let span = site.finish?;
        Some(Span {
            expected: last.expected.max(span.expected),
            low: last.low.max(span.low),
            high: last.high.max(span.high),
        })
    })
}

/// The totals of all hosts, site by site, in the order in which the sites were first met.
pub fn sites_of(dispatch: &Dispatch, steer: &Steer) -> Vec<SiteProgress> {
    let tasks = dispatch.tasks.all.iter().zip(0..);
    let new = |(task, id): (&Task, u32)| SiteProgress {
        site: task.name.clone(),
        task: TaskId(id),
        predicted_bytes: task.forecast().bytes as u64,
        due: task.due,
        finish: steer.span(id as usize).filter(|_| task.is_open()),
        finished: task.finished,
        ..SiteProgress::default()
    };
    let mut sites: Vec<SiteProgress> = tasks.map(new).collect();
    for (host, _, _, totals) in dispatch.frontier.hosts() {
        let sum = &mut sites[dispatch.task_of(host).0 as usize];
        sum.pages += totals.pages;
        sum.known += totals.known;
        sum.done += totals.kept + totals.dropped + totals.skipped;
        sum.failed += totals.errors + totals.dropped;
        sum.bytes_wire += totals.bytes_wire;
        sum.bytes_body += totals.bytes_body;
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sites_with_most_left_are_shown_in_that_order() {
        let site = |n: u64| SiteProgress {
            site: format!("{:03}.example", n % 7),
            known: n * 37 % 1000,
            done: n % 3,
            ..SiteProgress::default()
        };
        let mut shown: Vec<SiteProgress> = (0..1000).map(site).collect();
        let mut sorted = shown.clone();
        sorted.sort_by_key(|site| {
            (std::cmp::Reverse(site.known.saturating_sub(site.done)), site.site.clone())
        });
        keep_busiest(&mut shown);
        let key = |site: &SiteProgress| (site.known - site.done.min(site.known), site.site.clone());
        let keys = |sites: &[SiteProgress]| sites.iter().map(key).collect::<Vec<_>>();
        assert_eq!(keys(&shown), keys(&sorted[..SHOWN]));

        let mut few = vec![site(2), site(1)];
        keep_busiest(&mut few);
        assert_eq!(few.len(), 2);
    }
}
