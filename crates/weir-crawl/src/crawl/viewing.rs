//! The picture of a crawl for whoever stands at its helm.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use weir_types::{Bandwidth, show_duration};

use super::{Crawl, cpu_time};
use crate::helm::{LimitedBy, SiteState, SiteView, View};
use crate::progress::{Outlook, SiteProgress, sites_of};
use crate::report::{Finish, Report};
use crate::tasks::Task;

const EVERY: Duration = Duration::from_secs(1);
/// No more than one part in so many of the processor goes into it.
const RESTS: u32 = 100;
/// A limit of which this part is used is what holds sites back.
const USED: f64 = 0.85;

impl Crawl {
    /// Makes a new one, if somebody is there and it is time. Very many sites take a while, and no more of the
    /// processor goes into it than is hardly noticed.
    pub(super) fn show_helm(&mut self, stopping: bool) {
        let Some(helm) = self.config.helm.clone() else { return };
        let (begun, cpu) = (Instant::now(), cpu_time());
        if begun < self.next_view {
            return;
        }
        helm.show(self.view(None, stopping));
        // Counted from when it was due, so that ticks do not add up.
        let due = if begun > self.next_view + EVERY { begun } else { self.next_view };
        self.next_view = (due + EVERY).max(begun + cpu_time().saturating_sub(cpu) * RESTS);
    }

    /// The last one.
    pub(super) fn leave_helm(&self, report: &Report) {
        if let Some(helm) = &self.config.helm {
            helm.show(self.view(Some(report), true));
            helm.leave();
        }
    }

    /// With the report as it stands now, or with the last one.
    fn view(&self, last: Option<&Report>, stopping: bool) -> View {
        let all = sites_of(&self.dispatch, &self.steer);
        let running = || self.report_of(Finish::Running, &all);
        let report = last.cloned().unwrap_or_else(running);
        let Outlook { finish, deadlines, late } = Outlook::of(&all);
        let held = self.dispatch.held();
        let intake = self.allowance.intake();
        let is_full = intake.limit.cap().is_some_and(|cap| intake.rate >= cap as f64 * USED);
        let look = Look {
            limit: intake.limit.cap(),
            is_full,
            is_over: last.is_some(),
            is_planned: self.dispatch.tasks.have_deadlines() || self.config.is_steered(),
            now: Timestamp::now(),
        };
        View {
            at: look.now,
            sites: all
                .iter()
                .map(|site| self.site_view(site, held[site.task.0 as usize], &look))
                .collect(),
            report,
            in_flight: self.dispatch.in_flight() as u64,
            stopping,
            deadlines,
            late,
            finish,
            has_nobody: self.has_nobody(stopping),
            counts: Arc::new(self.counts.clone()),
            plan: self.plan.clone(),
            hosts: self.dispatch.hosts_in_all(),
        }
    }

    fn site_view(&self, site: &SiteProgress, is_held: bool, look: &Look) -> SiteView {
        let at = site.task.0 as usize;
        let task = &self.dispatch.tasks.all[at];
        let expected = self.steer.expected.get(at);
        let is_all_it_can = expected.is_some_and(|expected| expected.is_all_it_can());
        let (limited_by, why) = limited(task, is_held, is_all_it_can, look);
        let state = match () {
            () if task.is_paused => SiteState::Paused,
            () if task.is_done() => SiteState::Done,
            () if look.is_over => SiteState::Waiting,
            () if task.in_flight > 0 || task.begun.is_some() && !is_held => SiteState::Running,
            () => SiteState::Waiting,
        };
        let finish = site.finish.map(|span| span.high);
        let is_open = task.finished.is_none();
        let may_be_late = task.due.is_some_and(|due| {
            is_open && (finish.is_some_and(|high| high > due) || task.is_paused || look.now > due)
        });
        SiteView {
            state,
            limited_by,
            why,
            known: site.known,
            done: site.done,
            share: expected
                .map(|expected| expected.rate)
                .filter(|rate| {
                    rate.is_finite() && task.is_open() && look.is_planned && !look.is_over
                })
                .unwrap_or(0.0),
            weight: task.settings.weight,
            in_flight: task.in_flight,
            danger: may_be_late || site.is_late() || task.is_met(look.now) == Some(false),
        }
    }
}

/// What is the same for all sites.
struct Look {
    limit: Option<u64>,
    /// All that may come, comes.
    is_full: bool,
    /// The crawl has ended, so nothing comes of any of them.
    is_over: bool,
    /// Shares are those of a plan.
    is_planned: bool,
    now: Timestamp,
}

fn limited(task: &Task, is_held: bool, is_all_it_can: bool, look: &Look) -> (LimitedBy, String) {
    if task.is_paused {
        return (LimitedBy::Paused, "somebody paused it".to_owned());
    }
    if task.is_done() {
        return (LimitedBy::Nothing, "all of it is done".to_owned());
    }
    if is_held {
        return (LimitedBy::Plan, "others come first by the plan".to_owned());
    }
    if task.own_limit().is_some_and(|limit| task.max_rate().is_some_and(|most| most >= limit)) {
        return (LimitedBy::Cap, "its own limit".to_owned());
    }
    if look.is_full && !is_all_it_can {
        let limit = Bandwidth(look.limit.unwrap_or(0));
        return (LimitedBy::Cap, format!("the limit of {limit} is shared"));
    }
    match task.pace.turn(&task.manners(), task.pause) {
        None if task.open > 0 => (LimitedBy::Server, "its first answer is awaited".to_owned()),
        None => (LimitedBy::Nothing, "nothing is known of it yet".to_owned()),
        Some((took, pause)) if pause > took => {
            (LimitedBy::Politeness, format!("it is asked only once in {}", length(took + pause)))
        }
        Some((took, _)) => {
            let most = task.manners().most;
            let times =
                if most == 1 { "one request".to_owned() } else { format!("{most} requests") };
            (LimitedBy::Server, format!("its answers take {}, {times} at a time", length(took)))
        }
    }
}

fn length(seconds: f64) -> String {
    match seconds {
        ..1.0 => format!("{:.0}ms", seconds * 1000.0),
        ..10.0 => format!("{seconds:.1}s"),
        _ => show_duration(Duration::from_secs(seconds as u64)),
    }
}
