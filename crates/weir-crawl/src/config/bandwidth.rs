//! The settings that say how much may come when.

use jiff::tz::TimeZone;
use toml::{Table, Value};
use weir_types::{Bandwidth, Rate};

use super::values::value;
use crate::admission::Admission;
use crate::almanac::{Almanac, Holiday};
use crate::budget::Budget;
use crate::calendar::{Calendar, Entry, Span};
use crate::settings::{ConfigError, Settings};

/// Less than this is hardly a packet a second, and cannot be kept.
const LEAST: Bandwidth = Bandwidth(1_000);
/// More would be in the way of the limit rather than below it.
const WEIGHTS: std::ops::RangeInclusive<f64> = 0.001..=1000.0;

pub fn almanac(settings: &Settings) -> Result<Almanac, ConfigError> {
    let zone = match settings.time_zone.as_deref().map(str::trim) {
        None => TimeZone::system(),
        Some(name) => TimeZone::get(name).map_err(|_| {
            value(
                "time-zone",
                name,
                "no time zone is known by this name; write one such as Europe/Berlin or UTC",
            )
        })?,
    };
    let holidays = settings.holidays.iter().flatten().map(holiday).collect::<Result<_, _>>()?;
    Ok(Almanac { zone, holidays })
}

/// TOML has dates of its own, so that both `"2026-12-25"` and `2026-12-25` mean that day.
fn holiday(given: &Value) -> Result<Holiday, ConfigError> {
    let text = match given {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let remedy = "no date; write one such as 2026-12-25, or 12-25 for every year";
    Holiday::parse(&text).ok_or_else(|| value("holidays", &text, remedy))
}

/// No calendar at all if nothing is ever limited: then nothing is shaped.
pub fn limit(given: Option<&Value>, zone: &TimeZone) -> Result<Option<Calendar>, ConfigError> {
    let calendar = match given {
        None => return Ok(None),
        Some(Value::String(text)) => Calendar::constant(rate("limit", text)?),
        Some(Value::Array(entries)) if !entries.is_empty() => {
            let entries = entries.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
            Calendar::new(entries, zone.clone())
        }
        Some(other) => {
            let remedy = "write a rate with its unit in quotes, such as \"1MB/s\", or a list such as \
                          [{ at = \"Mon-Fri 08:00-18:00\", rate = \"1MB/s\" }, { rate = \"5MB/s\" }]";
            return Err(raw("limit", other, remedy));
        }
    };
    if let (Some(hidden), Some(Value::Array(entries))) = (calendar.hidden_entry(), given) {
        let remedy = "entries before it hold at all of its times, so it never would; move it up";
        return Err(raw("limit", &entries[hidden], remedy));
    }
    match calendar.highest() {
        Rate::Paused => {
            let remedy =
                "nothing could ever come; write a rate such as 1MB/s, or none for no limit";
            Err(raw("limit", given.expect("a calendar was given"), remedy))
        }
        // A plain "none", or a calendar of nothing but them.
        Rate::Unlimited if !calendar.limits() => Ok(None),
        _ => Ok(Some(calendar)),
    }
}

fn entry(given: &Value) -> Result<Entry, ConfigError> {
    let shape = "write { at = \"Mon-Fri 08:00-18:00\", rate = \"1MB/s\" }";
    let table = given.as_table().ok_or_else(|| raw("limit", given, shape))?;
    if let Some(key) = table.keys().find(|key| !matches!(key.as_str(), "at" | "rate")) {
        return Err(raw("limit", given, &format!("there is no `{key}` in an entry; {shape}")));
    }
    let at = match text_of(table, "at", given)? {
        None => Span::ALWAYS,
        Some(at) => at.parse().map_err(|why: String| value("limit.at", at, &why))?,
    };
    match text_of(table, "rate", given)? {
        None => Err(raw("limit", given, "it has no `rate`; add one such as rate = \"1MB/s\"")),
        Some(text) => Ok(Entry { at, rate: rate("limit.rate", text)? }),
    }
}

fn text_of<'t>(table: &'t Table, key: &str, given: &Value) -> Result<Option<&'t str>, ConfigError> {
    match table.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(raw("limit", given, &format!("`{key}` is a text; put it in quotes"))),
    }
}

fn rate(key: &'static str, text: &str) -> Result<Rate, ConfigError> {
    match text.parse::<Rate>() {
        Ok(Rate::Capped(rate)) if rate < LEAST => {
            Err(value(key, text, "a single packet has 1.5 KB; write at least 1KB/s"))
        }
        Ok(rate) => Ok(rate),
        Err(_) => Err(value(
            key,
            text,
            "no rate; write for example 2MB/s, 1.5MiB/s or 800kbit/s, 0 to pause, or none for no limit",
        )),
    }
}

pub fn site_limit(text: Option<&str>) -> Result<Option<Bandwidth>, ConfigError> {
    match text.map(|text| rate("site.limit", text)).transpose()? {
        None | Some(Rate::Unlimited) => Ok(None),
        Some(Rate::Capped(rate)) => Ok(Some(rate)),
        Some(Rate::Paused) => Err(value(
            "site.limit",
            text.unwrap_or_default(),
            "nothing could ever come; write a rate such as 50KB/s, or leave the site out with `exclude`",
        )),
    }
}

pub fn weight(number: Option<f64>) -> Result<f64, ConfigError> {
    match number {
        None => Ok(1.0),
        Some(number) if WEIGHTS.contains(&number) => Ok(number),
        Some(other) => Err(value(
            "site.weight",
            &other.to_string(),
            "write a number from 0.001 to 1000; 2 is twice the share of a site without one",
        )),
    }
}

/// One text or a list of them, at most one for each period.
pub fn budgets(given: Option<&Value>) -> Result<Vec<Budget>, ConfigError> {
    let shape = "write \"2GB/day\", \"50GB/month\", or a list of both";
    let texts = match given {
        None => return Ok(Vec::new()),
        Some(Value::Array(texts)) => texts.as_slice(),
        Some(one) => std::slice::from_ref(one),
    };
    let mut budgets: Vec<Budget> = Vec::new();
    for given in texts {
        let text = given.as_str().ok_or_else(|| raw("budget", given, shape))?;
        let budget: Budget = text.parse().map_err(|why: String| value("budget", text, &why))?;
        if budgets.iter().any(|other| other.period == budget.period) {
            return Err(value(
                "budget",
                text,
                "there is another one for the same time; keep one of them",
            ));
        }
        budgets.push(budget);
    }
    Ok(budgets)
}

pub fn admission(text: Option<&str>, limit: Option<&Calendar>) -> Result<Admission, ConfigError> {
    let admission = match text {
        None | Some("shape") => return Ok(Admission::Shape),
        Some("predict") => Admission::Predict,
        Some("feedback") => Admission::Feedback,
        Some(other) => {
            return Err(value("admission", other, "write shape, predict or feedback"));
        }
    };
    match limit {
        Some(_) => Ok(admission),
        None => Err(value(
            "admission",
            text.unwrap_or_default(),
            "there is no limit that it could keep; add `limit`, such as 1MB/s",
        )),
    }
}

/// What the user should hear before the crawl begins.
pub fn notices(almanac: &Almanac, limit: Option<&Calendar>, budgets: &[Budget]) -> Vec<String> {
    let mut notices = Vec::new();
    if limit.is_some_and(Calendar::has_gaps) {
        notices.push(
            "limit: at some times no entry holds, and there is no limit then; add one without `at` for them"
                .to_owned(),
        );
    }
    let matters = limit.is_some_and(|limit| !limit.is_constant()) || !budgets.is_empty();
    if matters && almanac.zone.is_unknown() {
        notices.push(
            "the time zone of this machine is not known, and UTC is used; set `time-zone`"
                .to_owned(),
        );
    }
    notices
}

/// For values that are no plain text: shown as they were written.
fn raw(key: &'static str, given: &Value, remedy: &str) -> ConfigError {
    ConfigError::Value { key, value: given.to_string(), remedy: remedy.to_owned() }
}

#[cfg(test)]
mod tests;
