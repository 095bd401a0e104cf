//! What the API tells, as it is written in JSON; `docs/formats/api.md` says what it means.

use serde::Serialize;
use utoipa::ToSchema;
use weir_crawl::{DownloaderReport, Finish, LimitedBy, SiteReport, SiteState, SiteView, View};

/// All that the page shows, at one moment.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct State {
    #[serde(flatten)]
    pub head: Head,
    pub sites: Vec<Site>,
}

/// The state without its sites.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Head {
    pub seq: u64,
    pub now: String,
    pub version: String,
    pub name: String,
    pub role: Role,
    pub is_service: bool,
    pub phase: Phase,
    pub started: String,
    pub finished: Option<String>,
    pub elapsed_s: f64,
    pub verdict: Verdict,
    pub totals: Totals,
    pub intake: Intake,
    pub finish: Option<Finishing>,
    pub downloaders: Vec<Downloader>,
    pub errors: Vec<Error>,
    pub warnings: Vec<String>,
    pub troubles: Vec<String>,
}

/// What who asks may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    #[default]
    Reader,
    Operator,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    #[default]
    Starting,
    Running,
    /// For the next round, or for somebody to bring work.
    Waiting,
    Stopping,
    Complete,
    Interrupted,
    Limit,
    Failed,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Verdict {
    pub level: Level,
    pub text: String,
    pub sites: Vec<InDanger>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Good,
    Danger,
    Late,
    None,
    #[default]
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct InDanger {
    pub site: String,
    pub why: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Totals {
    pub pages: u64,
    pub fetches: u64,
    pub failed: u64,
    pub known: u64,
    pub waiting: u64,
    pub in_flight: u64,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    pub sites: usize,
    pub sites_done: usize,
    pub deadlines: usize,
    pub late: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Intake {
    pub rate: f64,
    pub limit: Option<u64>,
    pub mean_rate: f64,
    pub peak_1s: Option<f64>,
    pub utilisation: Option<f64>,
    pub paused_until: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Finishing {
    pub expected: String,
    pub low: String,
    pub high: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct Site {
    pub id: usize,
    pub site: String,
    pub state: &'static str,
    pub limited_by: &'static str,
    pub why: String,
    pub pages: u64,
    pub known: u64,
    pub done: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    pub predicted_bytes: Option<u64>,
    pub rate: u64,
    pub share: u64,
    pub max_rate: Option<u64>,
    pub weight: f64,
    pub deadline: Option<String>,
    pub finish: Option<String>,
    pub finish_low: Option<String>,
    pub finish_high: Option<String>,
    pub finished: Option<String>,
    pub late_by_s: Option<f64>,
    pub danger: bool,
    pub round: Option<u32>,
    pub next_round: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Downloader {
    pub name: String,
    pub id: String,
    pub connected: bool,
    pub slots: u32,
    pub under_way: u32,
    pub rate: f64,
    pub share: Option<f64>,
    pub pages: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    pub last_seen_s: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Error {
    pub kind: String,
    pub count: u64,
    pub last: String,
    pub example: String,
}

/// The phase of a crawl, by what was seen of it last.
pub fn phase(view: &View) -> Phase {
    match view.report.outcome {
        Finish::Complete => Phase::Complete,
        Finish::Interrupted => Phase::Interrupted,
        Finish::Limit => Phase::Limit,
        Finish::Running if view.stopping => Phase::Stopping,
        Finish::Running if view.report.urls_waiting == 0 && view.in_flight == 0 => Phase::Waiting,
        Finish::Running => Phase::Running,
    }
}

pub fn totals(view: &View) -> Totals {
    let report = &view.report;
    Totals {
        pages: report.pages,
        fetches: report.fetches,
        failed: report.failed,
        known: report.urls_known,
        waiting: report.urls_waiting,
        in_flight: view.in_flight,
        bytes_wire: report.bytes_wire,
        bytes_body: report.bytes_body,
        sites: report.sites.len(),
        sites_done: report.sites.iter().filter(|site| site.finished.is_some()).count(),
        deadlines: view.deadlines,
        late: view.late,
    }
}

pub fn intake(view: &View) -> Intake {
    let report = &view.report;
    Intake {
        rate: report.rate.unwrap_or(0.0).round(),
        limit: report.limit,
        mean_rate: report.mean_rate.round(),
        peak_1s: report.peak_1s.map(f64::round),
        utilisation: report.utilisation,
        paused_until: report.paused_until.clone(),
    }
}

pub fn finishing(view: &View) -> Option<Finishing> {
    let span = view.finish?;
    let text = |at: jiff::Timestamp| to_the_second(&at.to_string());
    Some(Finishing { expected: text(span.expected), low: text(span.low), high: text(span.high) })
}

pub fn errors(view: &View) -> Vec<Error> {
    let mut errors: Vec<Error> = view
        .counts
        .errors
        .iter()
        .map(|(kind, error)| Error {
            kind: kind.clone(),
            count: error.count,
            last: to_the_second(&error.last.to_string()),
            example: error.example.clone(),
        })
        .collect();
    errors.sort_by_key(|error| std::cmp::Reverse(error.count));
    errors
}

pub fn downloader(report: &DownloaderReport) -> Downloader {
    Downloader {
        name: report.name.clone(),
        id: report.id.clone(),
        connected: report.connected,
        slots: report.slots,
        under_way: report.under_way,
        rate: report.rate.round(),
        share: report.share,
        pages: report.pages,
        failed: report.failed,
        bytes_wire: report.bytes_wire,
        last_seen_s: report.last_seen_s,
    }
}

/// A row of the table. Numbers that nobody can read to the last digit are rounded: what has not changed is not sent.
pub fn site(id: usize, report: &SiteReport, view: &SiteView, rate: f64) -> Site {
    let time = |text: &Option<String>| text.as_deref().map(to_the_second);
    let finish = report.predicted_finish.as_ref().filter(|_| report.finished.is_none());
    Site {
        id,
        site: report.site.clone(),
        state: state_name(view.state),
        limited_by: limited_name(view.limited_by),
        why: view.why.clone(),
        pages: report.pages,
        known: view.known,
        done: view.done,
        failed: report.failed,
        bytes_wire: report.bytes_wire,
        predicted_bytes: report.predicted_bytes.map(|bytes| round(bytes as f64)),
        rate: round(rate),
        share: round(view.share),
        max_rate: report.max_rate.map(round),
        weight: view.weight,
        deadline: time(&report.deadline),
        finish: time(&finish.cloned()),
        finish_low: time(&report.finish_low).filter(|_| finish.is_some()),
        finish_high: time(&report.finish_high).filter(|_| finish.is_some()),
        finished: time(&report.finished),
        late_by_s: report.late_by_s.or_else(|| late_by_s(report)).map(|late| late.round()),
        danger: view.danger,
        round: report.round,
        next_round: time(&report.next_round),
    }
}

fn late_by_s(report: &SiteReport) -> Option<f64> {
    let moment = |text: &Option<String>| text.as_deref()?.parse::<jiff::Timestamp>().ok();
    let (due, finish) = (moment(&report.deadline)?, moment(&report.predicted_finish)?);
    Some(finish.duration_since(due).as_secs_f64()).filter(|late| *late > 0.0)
}

/// Three digits are enough for a person.
fn round(number: f64) -> u64 {
    if number < 1000.0 {
        return number.max(0.0).round() as u64;
    }
    let step = 10f64.powi(number.log10() as i32 - 2);
    ((number / step).round() * step) as u64
}

/// `2026-11-17T12:00:00.123456Z` without its fraction.
pub fn to_the_second(text: &str) -> String {
    match text.split_once('.') {
        Some((head, tail)) => {
            let zone = tail.trim_start_matches(|it: char| it.is_ascii_digit());
            format!("{head}{zone}")
        }
        None => text.to_owned(),
    }
}

fn state_name(state: SiteState) -> &'static str {
    match state {
        SiteState::Waiting => "waiting",
        SiteState::Running => "running",
        SiteState::Paused => "paused",
        SiteState::Done => "done",
    }
}

fn limited_name(limited: LimitedBy) -> &'static str {
    match limited {
        LimitedBy::Cap => "cap",
        LimitedBy::Server => "server",
        LimitedBy::Politeness => "politeness",
        LimitedBy::Plan => "plan",
        LimitedBy::Paused => "paused",
        LimitedBy::Nothing => "nothing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_told_and_seconds_without_fractions() {
        for (number, rounded) in [(0.4, 0), (999.0, 999), (1234.0, 1230), (54_678.0, 54_700)] {
            assert_eq!(round(number), rounded);
        }
        assert_eq!(to_the_second("2026-11-17T12:00:00.123456Z"), "2026-11-17T12:00:00Z");
        assert_eq!(to_the_second("2026-11-17T12:00:00.5+01:00"), "2026-11-17T12:00:00+01:00");
        assert_eq!(to_the_second("2026-11-17T12:00:00Z"), "2026-11-17T12:00:00Z");
    }
}
