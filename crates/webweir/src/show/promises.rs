//! What was promised, and whether it will be kept.

use std::sync::Arc;

use jiff::tz::TimeZone;
use weir_crawl::{Plan, Progress, SiteProgress};

use crate::show::plan::{clock_of, length, verdict};

/// The plan and the warnings, each said once.
#[derive(Default)]
pub struct Promises {
    /// When the plan was made that was said last.
    planned: Option<String>,
    warned: usize,
}

impl Promises {
    pub fn new_ones(&mut self, progress: &Progress) -> Vec<String> {
        let mut lines = Vec::new();
        let new = |plan: &&Arc<Plan>| self.planned.as_ref() != Some(&plan.made);
        if let Some(plan) = progress.plan.as_ref().filter(new) {
            self.planned = Some(plan.made.clone());
            lines.push(format!("plan: {}", verdict(plan)));
            if !plan.feasible {
                lines.push("  `weir plan` says what would help, and plan.json".to_owned());
            }
        }
        let new = progress.warnings.iter().skip(self.warned);
        lines.extend(new.map(|warning| format!("warning: {warning}")));
        self.warned = progress.warnings.len();
        lines
    }
}

/// When all is done, and how many deadlines are in danger.
pub fn outlook(progress: &Progress) -> String {
    let zone = TimeZone::system();
    if let Some(at) = progress.next_round {
        return format!(", waiting for the next round at {}", clock_of(at, &zone));
    }
    let mut text = match progress.finish {
        // Nothing can be said of when nobody will have done it.
        _ if progress.has_nobody => String::new(),
        Some(span) => format!(
            ", done about {} ({} to {})",
            clock_of(span.expected, &zone),
            clock_of(span.low, &zone),
            clock_of(span.high, &zone)
        ),
        None => String::new(),
    };
    if progress.deadlines > 0 {
        text.push_str(&match progress.late {
            0 if progress.deadlines == 1 => ", the deadline holds".to_owned(),
            0 => format!(", all {} deadlines hold", progress.deadlines),
            late => format!(", {late} of {} deadlines LATE", progress.deadlines),
        });
    }
    text
}

/// The same of one site, shorter.
pub fn site_outlook(site: &SiteProgress) -> String {
    let zone = TimeZone::system();
    let (Some(due), Some(done)) = (site.due, site.finished.or(site.finish.map(|s| s.expected)))
    else {
        return site.finish.map_or(String::new(), |span| {
            format!("  done about {}", clock_of(span.expected, &zone))
        });
    };
    let slack = due.duration_since(done).as_secs_f64();
    match (site.finished.is_some(), slack < 0.0) {
        (true, false) => "  in time".to_owned(),
        (true, true) => format!("  {} LATE", length(-slack)),
        (false, false) => {
            format!("  done about {}, {} to spare", clock_of(done, &zone), length(slack))
        }
        (false, true) => format!("  done about {}, {} LATE", clock_of(done, &zone), length(-slack)),
    }
}
