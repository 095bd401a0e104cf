use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Serialize};

use crate::crawl::Records;
use crate::hands::DownloaderReport;
use crate::replace::{replace, terminated};
use crate::tasks::{Tasks, Told};

/// The name of the report in the output folder.
pub const FILE: &str = "report.json";

/// `report.json`: what a crawl did. The fields are the contract with users' scripts; what this
/// version does not measure is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub outcome: Finish,
    pub started: String,
    pub finished: Option<String>,
    pub elapsed_s: f64,
    pub pages: u64,
    pub fetches: u64,
    pub failed: u64,
    /// How they did.
    #[serde(default)]
    pub failures: Failures,
    pub urls_known: u64,
    pub urls_waiting: u64,
    pub skipped: Skipped,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    pub limit: Option<u64>,
    pub peak_1s: Option<f64>,
    pub mean_rate: f64,
    pub utilisation: Option<f64>,
    /// Seconds of processor time that went into plans.
    #[serde(default)]
    pub planning_s: f64,
    /// Of a running crawl: bytes a second at this moment, and when a pause of the calendar ends.
    pub rate: Option<f64>,
    pub paused_until: Option<String>,
    /// When a budget that is used up begins anew.
    pub renews_at: Option<String>,
    pub deadlines: Deadlines,
    /// Of the last round, if there was more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<FreshnessReport>,
    pub sites: Vec<SiteReport>,
    /// What the user's rule said of all that came; null without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub records: Option<Records>,
    /// Deadlines in danger or missed, as they were told.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Where rows and files go besides the folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sinks: Vec<SinkReport>,
    /// The machines that fetch, if it is not this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub downloaders: Vec<DownloaderReport>,
    /// The last things that went wrong.
    pub troubles: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// Answers of 400 or above, by status.
    pub statuses: BTreeMap<u16, u64>,
    /// No answer that could be kept, however often they were asked for.
    pub given_up: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Complete,
    Interrupted,
    Limit,
    Running,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Skipped {
    pub robots: u64,
    pub scope: u64,
    pub trap: u64,
    pub private: u64,
    pub depth: u64,
    pub other: u64,
}

/// How far a sink is.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SinkReport {
    /// What it is, without passwords.
    pub sink: String,
    /// What is counted: `rows`, or `files` of an object store.
    pub unit: String,
    /// What it has of this crawl; null if it has not been reached.
    pub delivered: Option<u64>,
    /// What it lacks.
    pub waiting: u64,
    /// Why it takes nothing at the moment.
    pub trouble: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Deadlines {
    pub met: u64,
    pub missed: u64,
}

impl Deadlines {
    /// Of all sites, and of all rounds of those that have some.
    pub fn of(tasks: &Tasks, now: Timestamp) -> Deadlines {
        let (met, missed) = tasks.rounds().deadlines();
        let told = tasks.all.iter().filter_map(|task| task.is_met(now));
        told.fold(Deadlines { met, missed }, |sum, met| Deadlines {
            met: sum.met + u64::from(met),
            missed: sum.missed + u64::from(!met),
        })
    }
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteReport {
    pub site: String,
    pub pages: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    /// What is expected of it now; once it is done, what was expected at the start.
    pub predicted_bytes: Option<u64>,
    pub deadline: Option<String>,
    pub predicted_finish: Option<String>,
    /// Nine of ten times it is between these.
    #[serde(default)]
    pub finish_low: Option<String>,
    #[serde(default)]
    pub finish_high: Option<String>,
    pub finished: Option<String>,
    /// Of a site that is crawled again and again: counted from 1, and when the next one begins.
    #[serde(default)]
    pub round: Option<u32>,
    #[serde(default)]
    pub next_round: Option<String>,
    pub met: Option<bool>,
    pub late_by_s: Option<f64>,
    /// The most that it can give, in bytes a second, as far as that was measured.
    #[serde(default)]
    pub max_rate: Option<f64>,
    /// What was expected when the plan was made, and when half of it had come.
    #[serde(default)]
    pub at_start: Option<Told>,
    #[serde(default)]
    pub at_half: Option<Told>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freshness: Option<FreshnessReport>,
}

/// What a round of coming back has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FreshnessReport {
    /// Bytes that might be used, if somebody gave a budget, and those that came.
    pub budget: Option<u64>,
    pub bytes: u64,
    /// Pages asked for once more: as they were (304, the same, or nearly the same text), and changed.
    pub visited: u64,
    pub unchanged: u64,
    pub changed: u64,
    pub new: u64,
    /// Not worth their bytes this time.
    pub left_out: u64,
    /// How likely a copy equals its page until the next round.
    pub expected: Option<f64>,
}

impl FreshnessReport {
    pub fn and(self, other: FreshnessReport) -> FreshnessReport {
        let pages = |of: &FreshnessReport| (of.visited + of.left_out) as f64;
        let (one, two) = (pages(&self), pages(&other));
        let mean = |a: f64, b: f64| (a * one + b * two) / (one + two).max(1.0);
        FreshnessReport {
            budget: self.budget.zip(other.budget).map(|(a, b)| a.saturating_add(b)),
            bytes: self.bytes + other.bytes,
            visited: self.visited + other.visited,
            unchanged: self.unchanged + other.unchanged,
            changed: self.changed + other.changed,
            new: self.new + other.new,
            left_out: self.left_out + other.left_out,
            expected: self.expected.zip(other.expected).map(|(a, b)| mean(a, b)),
        }
    }
}

impl Report {
    /// Once a second or so, and a report can be had again: it is not synced. A pipe or a terminal is written to as it is.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = terminated(serde_json::to_vec_pretty(self)?);
        match path.metadata().is_ok_and(|file| !file.is_file()) {
            true => std::fs::write(path, text),
            false => replace(path, &text),
        }
    }

    pub fn read(path: &Path) -> io::Result<Report> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}

/// A moment as reports have it: in UTC, to the second.
pub fn moment(at: &Zoned) -> String {
    at.timestamp().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// By the clock on this machine's wall; `None` if it is no moment of a report.
pub fn parse_moment(text: &str) -> Option<Zoned> {
    Some(text.parse::<Timestamp>().ok()?.to_zoned(TimeZone::system()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_in_utc_whatever_zone_they_are_from() {
        for (zone, text) in [
            ("UTC", "2026-11-17T00:00:00Z"),
            ("Europe/Berlin", "2026-11-16T23:00:00Z"),
            ("America/St_Johns", "2026-11-17T03:30:00Z"),
        ] {
            let zone = TimeZone::get(zone).unwrap();
            let at = jiff::civil::date(2026, 11, 17).to_zoned(zone).unwrap();
            assert_eq!(moment(&at), text);
            assert_eq!(parse_moment(text).unwrap().timestamp(), at.timestamp());
        }
        // As earlier versions wrote it.
        assert_eq!(parse_moment("2026-11-17T01:00:00+01:00"), parse_moment("2026-11-17T00:00:00Z"));
        assert_eq!(parse_moment("soon"), None);
    }
}
