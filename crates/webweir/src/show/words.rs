//! The first and the last words of a crawl, and `weir status`.

use std::cmp::Reverse;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_crawl::{
    Config, DownloaderReport, Ended, Failures, Finish, FreshnessReport, Intake, Report, SinkReport,
    SiteReport, parse_moment,
};
use weir_types::{Bandwidth, Rate, Size, show_duration};

use crate::show::intake::intake;
use crate::show::numbers::grouped;
use crate::show::plan::{clock_of, length};

/// Ways to fail that a summary names.
const WAYS_TOLD: usize = 3;

pub fn beginning(config: &Config) -> String {
    format!("weir crawls {} into {}", seeds(config), config.out.display())
}

pub fn planning(config: &Config) -> String {
    format!("weir plans {}: at the most {} pages of each site", seeds(config), config.sample)
}

fn seeds(config: &Config) -> String {
    match config.seeds.as_slice() {
        [] => "the crawl begun before".to_owned(),
        [one] => one.to_string(),
        [first, rest @ ..] => format!("{first} and {} more", rest.len()),
    }
}

pub fn summary(ended: &Ended) {
    let report = &ended.report;
    let head = match report.outcome {
        Finish::Complete if ended.resumed => "done (resumed)".to_owned(),
        Finish::Complete => "done".to_owned(),
        Finish::Interrupted => "stopped early; run the same command to go on".to_owned(),
        Finish::Limit => match renews_at(report) {
            Some(at) if ended.stays => {
                format!("waits, the budget is used up; it renews {at}, and the crawl goes on then")
            }
            Some(at) => format!(
                "stopped, the budget is used up; it renews {at}, run the same command then to go on"
            ),
            None if ended.stays => {
                "waits, a limit is reached; write a higher one and reload to go on".to_owned()
            }
            None => "stopped at the limit; run again with a higher one to go on".to_owned(),
        },
        Finish::Running => "running".to_owned(),
    };
    eprintln!("{head}: {}", figures(report));
    if let Some(records) = records(report) {
        eprintln!("  {records}");
    }
    if let Some(cap) = cap(report) {
        eprintln!("  {cap}");
    }
    if let Some(deadlines) = deadlines(report) {
        eprintln!("  {deadlines}");
    }
    if let Some(left_out) = left_out(report) {
        eprintln!("  left out: {left_out}");
    }
    if let Some(freshness) = &report.freshness {
        eprintln!("  {}", came_back(freshness));
    }
    if let Some(at) = next_round(report).filter(|_| report.outcome == Finish::Complete) {
        eprintln!("  the next round is due {at}; run the same command then, or stay with --repeat");
    }
    if report.urls_waiting > 0 {
        eprintln!("  still waiting: {} URLs", grouped(report.urls_waiting));
    }
    unstored(&report.downloaders).iter().for_each(|line| eprintln!("  {line}"));
    report.sinks.iter().for_each(|sink| eprintln!("  {}", delivered(sink)));
    if report.sinks.iter().any(|sink| sink.waiting > 0) {
        eprintln!("  run the same command again to deliver what waits");
    }
}

pub fn kept_in(out: &Path) {
    eprintln!("  kept in {}", out.display());
}

pub fn status(report: &Report, out: &Path) {
    let head = match report.outcome {
        Finish::Complete => "complete".to_owned(),
        Finish::Interrupted => "stopped early, can go on".to_owned(),
        Finish::Limit => match renews_at(report) {
            Some(at) => format!("stopped, its budget is used up and renews {at}"),
            None => "stopped at its limit, can go on".to_owned(),
        },
        Finish::Running => format!("running, {}", intake(&now(report))),
    };
    println!("{}: {head}, begun {}", out.display(), report.started);
    println!("  {}", figures(report));
    if let Some(records) = records(report) {
        println!("  {records}");
    }
    if let Some(cap) = cap(report) {
        println!("  {cap}");
    }
    println!(
        "  {} URLs known, {} waiting, {} requests made",
        grouped(report.urls_known),
        grouped(report.urls_waiting),
        grouped(report.fetches)
    );
    if let Some(left_out) = left_out(report) {
        println!("  left out: {left_out}");
    }
    if let Some(deadlines) = deadlines(report) {
        println!("  {deadlines}");
    }
    if let Some(freshness) = &report.freshness {
        println!("  {}", came_back(freshness));
    }
    if let Some(at) = next_round(report) {
        println!("  the next round is due {at}");
    }
    report.sinks.iter().for_each(|sink| println!("  {}", delivered(sink)));
    let running = report.outcome == Finish::Running;
    report.downloaders.iter().for_each(|one| println!("  {}", downloader(one, running)));
    for site in report.sites.iter().take(20) {
        println!(
            "  {:<30} {:>10} pages  {:>10}  {} failed{}",
            site.site,
            grouped(site.pages),
            Size(site.bytes_wire).to_string(),
            grouped(site.failed),
            when(site),
        );
    }
    if report.sites.len() > 20 {
        println!("  and {} more sites (--json lists them)", report.sites.len() - 20);
    }
    for warning in report.warnings.iter().rev().take(10) {
        println!("  warning: {warning}");
    }
    for trouble in &report.troubles {
        println!("  last trouble: {trouble}");
    }
}

/// What the last round of coming back has found.
fn came_back(round: &FreshnessReport) -> String {
    let budget = round.budget.map_or_else(String::new, |bytes| format!(" of {}", Size(bytes)));
    let expected = round.expected.map_or_else(String::new, |part| {
        format!(
            "; {:.1} % of the copies are expected to be fresh until the next round",
            part * 100.0
        )
    });
    format!(
        "came back to {} pages: {} unchanged, {} changed; {} new, {} left out; {}{budget}{expected}",
        grouped(round.visited),
        grouped(round.unchanged),
        grouped(round.changed),
        grouped(round.new),
        grouped(round.left_out),
        Size(round.bytes),
    )
}

/// Who has pages that are in no file yet, and what can be done.
fn unstored(all: &[DownloaderReport]) -> Vec<String> {
    let line = |one: &DownloaderReport| {
        let is_alone = all.iter().filter(|other| other.name == one.name).count() == 1;
        let id = one.id.get(..8).unwrap_or(&one.id);
        format!(
            "downloader {} has not stored its last {} pages: start it and this command again; \
             or, if it is lost, this command with --write-off {}",
            one.name,
            grouped(one.unconfirmed),
            if is_alone { &one.name } else { id },
        )
    };
    all.iter().filter(|one| one.unconfirmed > 0).map(line).collect()
}

/// One machine that fetches. When nobody writes the report any more, its times mean nothing.
fn downloader(one: &DownloaderReport, running: bool) -> String {
    let seen = match (running, one.connected, one.last_seen_s) {
        _ if one.written_off => "written off".to_owned(),
        (true, true, _) => "connected".to_owned(),
        (true, false, Some(ago)) => format!("gone, last seen {ago:.0} s ago"),
        (false, _, Some(_)) => "was here".to_owned(),
        (_, _, None) => "not seen in this run".to_owned(),
    };
    let rate = |rate: f64| Bandwidth(rate as u64).to_string();
    let share = one.share.map_or_else(String::new, |share| format!(" of {}", rate(share)));
    format!(
        "downloader {:<12} {seen}, {} slots, {} jobs, {}{share}, {} pages, {} failed, {}",
        one.name,
        one.slots,
        one.under_way,
        rate(one.rate),
        grouped(one.pages),
        grouped(one.failed),
        Size(one.bytes_wire),
    )
}

/// How far a sink is, and what is in the way.
pub fn delivered(sink: &SinkReport) -> String {
    let name = &sink.sink;
    let has = sink.delivered.map_or_else(
        || "not reached".to_owned(),
        |rows| format!("{} {} delivered", grouped(rows), sink.unit),
    );
    let why = sink.trouble.as_ref().map_or_else(String::new, |why| format!(" ({why})"));
    match sink.waiting {
        0 => format!("{name}: {has}"),
        rows => format!("{name}: {has}, {} wait{why}", grouped(rows)),
    }
}

fn figures(report: &Report) -> String {
    format!(
        "{} pages, {} received in {} ({}), {}",
        grouped(report.pages),
        Size(report.bytes_wire),
        show_duration(Duration::try_from_secs_f64(report.elapsed_s).unwrap_or_default()),
        Bandwidth(report.mean_rate as u64),
        failed(report.failed, &report.failures),
    )
}

/// How many, and how those did that are told apart: the most frequent first.
pub fn failed(count: u64, how: &Failures) -> String {
    let mut ways: Vec<(u64, String)> = how
        .statuses
        .iter()
        .map(|(status, count)| (*count, format!("with status {status}")))
        .collect();
    ways.push((how.given_up, "given up".to_owned()));
    ways.retain(|(count, _)| *count > 0);
    ways.sort_by_key(|(count, _)| Reverse(*count));
    let mut told: Vec<String> = ways
        .iter()
        .take(WAYS_TOLD)
        .map(|(count, how)| format!("{} {how}", grouped(*count)))
        .collect();
    if ways.len() > WAYS_TOLD {
        told.push("the rest in other ways".to_owned());
    }
    let count = grouped(count);
    match told.is_empty() {
        true => format!("{count} failed"),
        false => format!("{count} failed ({})", told.join(", ")),
    }
}

/// Of the site that is first again.
fn next_round(report: &Report) -> Option<String> {
    let moment = |site: &SiteReport| site.next_round.as_deref()?.parse::<Timestamp>().ok();
    let next = report.sites.iter().filter_map(moment).min()?.to_zoned(TimeZone::system());
    Some(next.strftime("%Y-%m-%d at %H:%M:%S").to_string())
}

/// How many deadlines were kept, and who missed them.
fn deadlines(report: &Report) -> Option<String> {
    let (met, missed) = (report.deadlines.met, report.deadlines.missed);
    let late = report.sites.iter().filter(|site| site.met == Some(false));
    let mut late: Vec<(&str, f64)> =
        late.map(|site| (site.site.as_str(), site.late_by_s.unwrap_or(0.0))).collect();
    late.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named: Vec<String> =
        late.iter().take(5).map(|(site, by)| format!("{site} by {}", length(*by))).collect();
    match (met, missed) {
        (0, 0) => None,
        (met, 0) => Some(format!("deadlines: {met} met, none missed")),
        (met, missed) => {
            let more = if late.len() > named.len() { ", ..." } else { "" };
            Some(format!("deadlines: {met} met, {missed} MISSED ({}{more})", named.join(", ")))
        }
    }
}

/// When a site was or will be done, beside its deadline.
fn when(site: &SiteReport) -> String {
    let moment = |text: &Option<String>| text.as_deref()?.parse::<Timestamp>().ok();
    let zone = TimeZone::system();
    let clock = |at: Timestamp| clock_of(at, &zone);
    let (done, word) = match (moment(&site.finished), moment(&site.predicted_finish)) {
        (Some(at), _) => (Some(at), "done"),
        (None, expected) => (expected, "expected"),
    };
    let Some(done) = done else { return String::new() };
    let mut text = format!("  {word} {}", clock(done));
    if let (None, Some(low), Some(high)) =
        (&site.finished, moment(&site.finish_low), moment(&site.finish_high))
    {
        text.push_str(&format!(" ({} to {})", clock(low), clock(high)));
    }
    if let Some(due) = moment(&site.deadline) {
        let slack = due.duration_since(done).as_secs_f64();
        let word = if slack < 0.0 { "LATE" } else { "to spare" };
        text.push_str(&format!(", due {}: {} {word}", clock(due), length(slack.abs())));
    }
    text
}

fn renews_at(report: &Report) -> Option<String> {
    let at = parse_moment(report.renews_at.as_deref()?)?;
    Some(at.strftime("%Y-%m-%d at %H:%M (UTC%:z)").to_string())
}

/// How well the limit was used and kept.
fn cap(report: &Report) -> Option<String> {
    let used = report.utilisation?;
    let peak = Bandwidth(report.peak_1s? as u64);
    Some(format!("{:.0} % of what the limit allowed, {peak} in the fastest second", used * 100.0))
}

/// What came in when the report was written.
fn now(report: &Report) -> Intake {
    let limit = match report.limit {
        None => Rate::Unlimited,
        Some(0) => Rate::Paused,
        Some(limit) => Rate::Capped(Bandwidth(limit)),
    };
    let paused_until = report.paused_until.as_deref().and_then(parse_moment);
    Intake { rate: report.rate.unwrap_or(0.0), limit, paused_until }
}

/// What the user's rule says of all that came.
fn records(report: &Report) -> Option<String> {
    let records = report.records?;
    let (kept, dropped) = (grouped(records.kept), grouped(records.dropped));
    Some(format!("rows: {kept} kept by the rule, {dropped} dropped"))
}

fn left_out(report: &Report) -> Option<String> {
    let skipped = &report.skipped;
    let parts: Vec<String> = [
        (skipped.robots, "by robots.txt"),
        (skipped.scope, "out of scope"),
        (skipped.trap, "traps"),
        (skipped.private, "at private addresses"),
        (skipped.depth, "too deep"),
        (skipped.other, "for other reasons"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, why)| format!("{} {why}", grouped(count)))
    .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}
