//! A plan as a table and a picture of characters.

use std::fmt::Write;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_crawl::{Change, Plan, Planned, PlannedSite, Suggestion};
use weir_types::{Bandwidth, Size, show_duration};

use crate::show::numbers::grouped;

/// All of it, for the terminal.
pub fn plan(planned: &Planned, zone: &TimeZone, width: usize) -> String {
    let plan = &planned.plan;
    // Writing to a text cannot fail, here and below.
    let mut text = format!("{}\n", verdict(plan));
    let _ = writeln!(text, "{}", limits(plan));
    let _ = writeln!(text, "{}\n", spent(plan));
    text.push_str(&table(plan, zone));
    text.push('\n');
    text.push_str(&gantt(planned, zone, width));
    if !plan.suggestions.is_empty() {
        text.push_str("\nWhat would help, the least change first; each line alone does:\n");
        text.push_str(&remedies(plan, zone));
    }
    text
}

/// Which deadlines hold, in one line.
pub fn verdict(plan: &Plan) -> String {
    let dated = plan.sites.iter().filter(|site| site.deadline.is_some()).count();
    let late: Vec<&PlannedSite> = plan.late().collect();
    let unknown: Vec<&PlannedSite> = plan.sites.iter().filter(|site| site.is_unknown()).collect();
    let but = match unknown.as_slice() {
        [] => String::new(),
        [one] => format!("; nothing is known of {}", one.site),
        [one, ..] => {
            format!("; nothing is known of {} sites, {} among them", unknown.len(), one.site)
        }
    };
    let guessed = unknown.iter().filter(|site| site.deadline.is_some()).count();
    match (dated, late.as_slice()) {
        (0, _) => format!("There are no deadlines to hold{but}"),
        (_, []) if guessed > 0 => {
            format!("{} of {} can be told to hold{but}", dated - guessed, deadlines(dated))
        }
        (_, []) if !plan.feasible => format!("Not all {} hold{but}", deadlines(dated)),
        (1, []) => format!("The deadline holds{}{but}", if plan.sure { "" } else { MAYBE }),
        (_, []) => {
            format!("All {dated} deadlines hold{}{but}", if plan.sure { "" } else { MAYBE })
        }
        (_, late) => {
            let total: f64 = late.iter().filter_map(|site| site.late_by_s).sum();
            let worst = late
                .iter()
                .max_by(|a, b| a.late_by_s.unwrap_or(0.0).total_cmp(&b.late_by_s.unwrap_or(0.0)));
            let worst = worst.map_or(String::new(), |site| {
                format!("{} by {}", site.site, length(site.late_by_s.unwrap_or(0.0)))
            });
            let all = match late.len() {
                1 => worst,
                _ => format!("{} in all, most of all {worst}", length(total)),
            };
            format!("{} of {} missed: {all}{but}", late.len(), deadlines(dated))
        }
    }
}

const MAYBE: &str = " if sizes are as predicted";

fn deadlines(count: usize) -> String {
    format!("{count} deadline{}", if count == 1 { "" } else { "s" })
}

fn limits(plan: &Plan) -> String {
    let rate = |rate: f64| Bandwidth(rate.ceil() as u64).to_string();
    let has = plan.limit.map_or("no limit".to_owned(), |limit| format!("limit {}", rate(limit)));
    let needed = match (plan.needed_limit, plan.needed_limit_high) {
        (Some(needed), _) if needed < 1.0 => return format!("{has}, {}", policy(plan)),
        (Some(needed), Some(high)) => {
            format!("{} would do, {} if sizes are at their highest", rate(needed), rate(high))
        }
        (Some(needed), None) => {
            format!("{} would do, but not if sizes are at their highest", rate(needed))
        }
        (None, _) => "no limit holds them all: a site itself is too slow".to_owned(),
    };
    format!("{has}, {}; {needed}", policy(plan))
}

fn policy(plan: &Plan) -> String {
    match &plan.policy_unfit {
        Some(unfit) => format!("policy {}, since {unfit} has no plan for this", plan.policy),
        None => format!("policy {}", plan.policy),
    }
}

fn spent(plan: &Plan) -> String {
    match plan.spent.pages {
        0 => "Nothing was fetched for this: all sites are known.".to_owned(),
        requests => format!(
            "{} requests were made for this, {} in {}.",
            grouped(requests),
            Size(plan.spent.bytes),
            length(plan.spent.seconds)
        ),
    }
}

fn table(plan: &Plan, zone: &TimeZone) -> String {
    let mut rows: Vec<[String; 7]> = vec![
        ["site", "size (low to high)", "from", "at most", "done", "deadline", ""]
            .map(str::to_owned),
    ];
    for site in plan.sites.iter().take(ROWS) {
        rows.push(row(site, zone));
    }
    let widths: Vec<usize> = (0..7)
        .map(|at| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        let _ = writeln!(text, "  {}", cells.join("  ").trim_end());
    }
    if plan.sites.len() > ROWS {
        let more = plan.sites.len() - ROWS;
        let _ = writeln!(text, "  and {more} more sites (plan.json has them all)");
    }
    text
}

/// More than a screen or two nobody reads.
const ROWS: usize = 60;

fn row(site: &PlannedSite, zone: &TimeZone) -> [String; 7] {
    let slack = match (&site.deadline, site.late_by_s) {
        _ if site.is_unknown() => {
            format!("nothing is known: {}", site.trouble.as_deref().unwrap_or("no answer"))
        }
        (None, _) => String::new(),
        (Some(_), Some(late)) if late > 0.0 => format!("{} LATE", length(late)),
        (Some(due), _) => slack(due, site.finish.as_deref()),
    };
    let size = match site.is_unknown() {
        true => "?".to_owned(),
        false => {
            format!("{} ({} to {})", Size(site.bytes), Size(site.bytes_low), Size(site.bytes_high))
        }
    };
    [
        site.site.clone(),
        size,
        if site.is_unknown() { "-".to_owned() } else { site.basis.clone() },
        site.max_rate.map_or("?".to_owned(), |rate| Bandwidth(rate as u64).to_string()),
        clock(site.finish.as_deref(), zone),
        clock(site.deadline.as_deref(), zone),
        slack,
    ]
}

fn slack(due: &str, finish: Option<&str>) -> String {
    let moment = |text: &str| text.parse::<Timestamp>().ok();
    match (moment(due), finish.and_then(moment)) {
        (Some(due), Some(finish)) => {
            format!("{} to spare", length(due.duration_since(finish).as_secs_f64()))
        }
        _ => String::new(),
    }
}

/// One row a site: when it gets how much, and where its deadline is.
fn gantt(planned: &Planned, zone: &TimeZone, width: usize) -> String {
    let Some(made) = planned.plan.made.parse::<Timestamp>().ok() else { return String::new() };
    let last = planned.last_finish();
    if last <= 0.0 || !last.is_finite() {
        return String::new();
    }
    let names = planned.plan.sites.iter().take(ROWS);
    let left = names.clone().map(|site| site.site.chars().count()).max().unwrap_or(0).min(30);
    let cells = width.saturating_sub(left + 5).clamp(20, 100);
    let begin = clock_of(made, zone);
    let end = jiff::SignedDuration::try_from_secs_f64(last).ok();
    let end = end.and_then(|length| made.checked_add(length).ok());
    let end = end.map_or(String::new(), |at| clock_of(at, zone));
    let gap = cells.saturating_sub(begin.len() + end.len());
    let mut text = format!("  {:left$}  {begin}{:gap$}{end}\n", "", "");
    for (at, site) in names.enumerate() {
        let name: String = site.site.chars().take(left).collect();
        let _ = writeln!(text, "  {name:<left$}  {}", bar(planned, at, last, cells));
    }
    text
}

/// Four shades for the part of its highest rate that a site gets; `|` is the deadline.
fn bar(planned: &Planned, at: usize, last: f64, cells: usize) -> String {
    let step = last / cells as f64;
    let pieces = || planned.allocation.pieces.iter().filter(|piece| piece.site == at);
    let most = pieces().map(|piece| piece.rate).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let due = planned.problem.sites[at].deadline.map(|due| (due / step) as usize);
    (0..cells)
        .map(|cell| {
            let (from, to) = (cell as f64 * step, (cell + 1) as f64 * step);
            let bytes: f64 = pieces()
                .map(|piece| (piece.to.min(to) - piece.from.max(from)).max(0.0) * piece.rate)
                .sum();
            match bytes / step / most {
                _ if due == Some(cell) => '|',
                part if part <= 0.005 => ' ',
                part if part < 0.25 => '░',
                part if part < 0.5 => '▒',
                part if part < 0.75 => '▓',
                _ => '█',
            }
        })
        .collect::<String>()
        .trim_end()
        .to_owned()
}

fn remedies(plan: &Plan, zone: &TimeZone) -> String {
    let mut text = String::new();
    for site in plan.late() {
        let _ = writeln!(text, "  {}", site.site);
        for suggestion in plan.suggestions.iter().filter(|one| one.site == site.site) {
            let _ = writeln!(text, "    {}", remedy(suggestion, site, zone));
        }
    }
    text
}

fn remedy(suggestion: &Suggestion, site: &PlannedSite, zone: &TimeZone) -> String {
    let part = format!("{:.0} %", (suggestion.part * 100.0).ceil());
    let value = suggestion.value.unwrap_or(0.0);
    match suggestion.change {
        Change::Limit => format!("a limit of {} ({part} more)", Bandwidth(value.ceil() as u64)),
        Change::Deadline => {
            format!("time until {} ({part} more)", clock(suggestion.until.as_deref(), zone))
        }
        Change::Pages => format!(
            "max-pages = {}, rather than its {} pages ({part} less)",
            value as u64,
            grouped(site.pages)
        ),
        Change::Bytes => format!(
            "max-bytes = \"{}\", rather than its {} ({part} less)",
            Size(value as u64),
            Size(site.bytes)
        ),
        Change::Manners => format!(
            "its server gives {}, {} are needed: more requests at a time (per-host), or shorter pauses",
            Bandwidth(site.max_rate.unwrap_or(0.0) as u64),
            Bandwidth(value.ceil() as u64)
        ),
    }
}

pub fn clock(moment: Option<&str>, zone: &TimeZone) -> String {
    let at = moment.and_then(|text| text.parse::<Timestamp>().ok());
    at.map_or("-".to_owned(), |at| clock_of(at, zone))
}

/// With the day if it is not this one.
pub fn clock_of(at: Timestamp, zone: &TimeZone) -> String {
    let now = Timestamp::now().to_zoned(zone.clone());
    super::intake::clock(&at.to_zoned(zone.clone()), &now)
}

/// In words, to a tenth of a second where that matters.
pub fn length(seconds: f64) -> String {
    match seconds {
        ..10.0 => format!("{:.1}s", seconds.max(0.0)),
        _ => {
            let whole = seconds.min(1e12) as u64;
            // Nobody plans a day to the second.
            let whole = if whole > 24 * 3600 { whole / 60 * 60 } else { whole };
            show_duration(Duration::from_secs(whole))
        }
    }
}

/// The unit in which a picture shows times that long.
pub fn time_unit(last: f64) -> (f64, String) {
    match last {
        ..180.0 => (1.0, "s".to_owned()),
        180.0..10_800.0 => (60.0, "min".to_owned()),
        _ => (3600.0, "h".to_owned()),
    }
}

pub fn rate_unit(highest: f64) -> (f64, String) {
    match highest {
        ..1e6 => (1e3, "KB/s".to_owned()),
        1e6..1e9 => (1e6, "MB/s".to_owned()),
        _ => (1e9, "GB/s".to_owned()),
    }
}
