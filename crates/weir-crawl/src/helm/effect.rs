//! What an action changes, told from the plan before it and the plan after it.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_types::show_duration;

use super::{Effect, Moved, Prospect};
use crate::plan::{Plan, PlannedSite};

/// A finish that moves by less has not moved: plans differ by as much from second to second.
const A_MOMENT_S: f64 = 1.0;
/// Or by less than this part of the time until then.
const LITTLE: f64 = 0.01;
/// Sites that are named in the text.
const NAMED: usize = 3;

/// `what` says what is done.
pub fn effect(what: &str, before: &Plan, after: &Plan, now: Timestamp, zone: &TimeZone) -> Effect {
    let (was, is) = (prospect(before), prospect(after));
    let left_out =
        before.sites.iter().any(|site| site.deadline.is_some() && !has(after, &site.site));
    let all = if left_out { "All other deadlines" } else { "All deadlines" };
    let text = format!("{what}. {} {}", deadlines(&was, &is, after, all), end(&was, &is, zone));
    let sites = moved(before, after, now);
    Effect { text: text.trim_end().to_owned(), before: was, after: is, sites }
}

pub fn prospect(plan: &Plan) -> Prospect {
    Prospect {
        feasible: plan.feasible,
        late: plan.late().count(),
        finish: plan.sites.iter().filter_map(|site| moment(site.finish.as_ref())).max(),
        limit: plan.limit,
        needed_limit: plan.needed_limit.filter(|_| has_deadlines(plan)),
    }
}

fn has_deadlines(plan: &Plan) -> bool {
    plan.sites.iter().any(|site| site.deadline.is_some())
}

fn deadlines(was: &Prospect, is: &Prospect, after: &Plan, all: &str) -> String {
    if !has_deadlines(after) {
        return String::new();
    }
    let named: Vec<String> = after.late().take(NAMED).map(late).collect();
    let more = is.late.saturating_sub(NAMED);
    let and = if more > 0 { format!(" and {more} more") } else { String::new() };
    match (was.late, is.late) {
        (0, 0) => format!("{all} hold as before."),
        (before, 0) => format!("{all} hold then; {before} would be missed without it."),
        (before, late) if before == late => {
            format!("{late} will be missed as before: {}{and}.", named.join(", "))
        }
        (before, late) => {
            format!("{late} will be missed instead of {before}: {}{and}.", named.join(", "))
        }
    }
}

fn late(site: &PlannedSite) -> String {
    let by = std::time::Duration::from_secs(site.late_by_s.unwrap_or(0.0).ceil() as u64);
    format!("{} by {}", site.site, show_duration(by))
}

fn end(was: &Prospect, is: &Prospect, zone: &TimeZone) -> String {
    let clock = |at: Timestamp| at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S").to_string();
    match (was.finish, is.finish) {
        (Some(was), Some(is)) if seconds(was, is).abs() > A_MOMENT_S => {
            format!("All is done at {} instead of {}.", clock(is), clock(was))
        }
        (_, Some(is)) => format!("All is done at {}.", clock(is)),
        _ => String::new(),
    }
}

fn moved(before: &Plan, after: &Plan, now: Timestamp) -> Vec<Moved> {
    let mut was: HashMap<&str, &PlannedSite> =
        before.sites.iter().map(|site| (site.site.as_str(), site)).collect();
    let mut all: Vec<Moved> = after
        .sites
        .iter()
        .map(|site| pair(was.remove(site.site.as_str()), Some(site)))
        .chain(
            before
                .sites
                .iter()
                .filter(|site| !has(after, &site.site))
                .map(|site| pair(Some(site), None)),
        )
        .filter(|moved| has_moved(moved, now))
        .collect();
    all.sort_by_key(|moved| moved.finish_after.or(moved.finish_before));
    all
}

fn has(plan: &Plan, name: &str) -> bool {
    plan.sites.iter().any(|site| site.site == name)
}

fn pair(was: Option<&PlannedSite>, is: Option<&PlannedSite>) -> Moved {
    let some = is.or(was);
    Moved {
        site: some.map(|site| site.site.clone()).unwrap_or_default(),
        deadline: some.and_then(|site| moment(site.deadline.as_ref())),
        finish_before: was.and_then(|site| moment(site.finish.as_ref())),
        finish_after: is.and_then(|site| moment(site.finish.as_ref())),
        late_before_s: was.and_then(|site| site.late_by_s),
        late_after_s: is.and_then(|site| site.late_by_s),
    }
}

fn has_moved(moved: &Moved, now: Timestamp) -> bool {
    match (moved.finish_before, moved.finish_after) {
        (Some(was), Some(is)) => {
            let left = seconds(now, was.max(is)).max(0.0);
            seconds(was, is).abs() > A_MOMENT_S.max(left * LITTLE)
        }
        (was, is) => was != is,
    }
}

fn seconds(from: Timestamp, to: Timestamp) -> f64 {
    to.duration_since(from).as_secs_f64()
}

fn moment(text: Option<&String>) -> Option<Timestamp> {
    text?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Spent;

    fn site(name: &str, finish_s: i64, deadline_s: i64) -> PlannedSite {
        let at = |seconds: i64| Timestamp::from_second(seconds).unwrap().to_string();
        PlannedSite {
            site: name.to_owned(),
            bytes: 1,
            bytes_low: 1,
            bytes_high: 1,
            pages: 1,
            basis: "sample".to_owned(),
            max_rate: None,
            deadline: Some(at(deadline_s)),
            start: None,
            finish: Some(at(finish_s)),
            rate: 1.0,
            late_by_s: Some((finish_s - deadline_s).max(0) as f64),
            trouble: None,
        }
    }

    fn plan(sites: Vec<PlannedSite>) -> Plan {
        Plan {
            feasible: true,
            sure: true,
            limit: Some(100.0),
            needed_limit: Some(50.0),
            needed_limit_high: None,
            policy: "deadline".to_owned(),
            policy_unfit: None,
            made: String::new(),
            sites,
            suggestions: Vec::new(),
            spent: Spent::default(),
        }
    }

    fn told(before: Vec<PlannedSite>, after: Vec<PlannedSite>) -> Effect {
        effect("A is done", &plan(before), &plan(after), Timestamp::UNIX_EPOCH, &TimeZone::UTC)
    }

    #[test]
    fn what_moves_is_told_and_what_does_not_is_not() {
        let effect = told(
            vec![site("a", 100, 200), site("b", 300, 400)],
            vec![site("a", 260, 200), site("b", 301, 400)],
        );
        assert_eq!((effect.before.late, effect.after.late), (0, 1));
        assert!(effect.text.contains("1 will be missed instead of 0: a by 1m"), "{}", effect.text);
        assert_eq!(effect.sites.len(), 1, "a second in five minutes is nothing");
        assert_eq!(
            (effect.sites[0].site.as_str(), effect.sites[0].late_after_s),
            ("a", Some(60.0))
        );
    }

    #[test]
    fn a_site_that_is_not_planned_any_more_has_no_finish() {
        let effect =
            told(vec![site("a", 100, 200), site("b", 300, 400)], vec![site("b", 200, 400)]);
        let names: Vec<_> = effect.sites.iter().map(|moved| moved.site.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(effect.sites[0].finish_after, None);
        assert!(effect.text.contains("All other deadlines hold as before."), "{}", effect.text);
        assert!(effect.text.contains("00:03:20 instead of"), "{}", effect.text);
    }
}
