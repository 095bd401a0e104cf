//! Values as people write them: sizes, rates, times, and ranges of these.

use fastrand::Rng;
use toml::Value;
use weir_types::{Bandwidth, Size, parse_duration};

use super::ScenarioError;
use crate::world::Daily;

/// A value, or one drawn between two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    low: f64,
    high: f64,
}

/// A rate that is the same for all, by the hour, or drawn for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Amount {
    Daily(Daily),
    Range(Range),
}

impl Range {
    pub fn one(value: f64) -> Range {
        Range { low: value, high: value }
    }

    pub fn draw(&self, rng: &mut Rng) -> f64 {
        self.low + (self.high - self.low) * rng.f64()
    }
}

pub fn wrong(key: &str, value: &Value, remedy: &str) -> ScenarioError {
    ScenarioError::Value { key: key.to_owned(), value: shown(value), remedy: remedy.to_owned() }
}

/// As it was written, nearly.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => format!("{text:?}"),
        Value::Integer(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Boolean(flag) => flag.to_string(),
        Value::Datetime(time) => time.to_string(),
        Value::Array(list) => {
            format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", "))
        }
        Value::Table(_) => "{…}".to_owned(),
    }
}

/// A size in bytes: `"20MB"`, or a number.
pub fn size(key: &str, value: Option<&Value>) -> Result<Option<f64>, ScenarioError> {
    value.map(|value| one_size(key, value)).transpose()
}

pub fn size_range(key: &str, value: Option<&Value>) -> Result<Option<Range>, ScenarioError> {
    value.map(|value| range(key, value, one_size)).transpose()
}

/// A time in seconds: `"90s"`, or a number.
pub fn duration(key: &str, value: Option<&Value>) -> Result<Option<f64>, ScenarioError> {
    value.map(|value| one_duration(key, value)).transpose()
}

pub fn duration_range(key: &str, value: Option<&Value>) -> Result<Option<Range>, ScenarioError> {
    value.map(|value| range(key, value, one_duration)).transpose()
}

pub fn rate(key: &str, value: Option<&Value>) -> Result<Option<f64>, ScenarioError> {
    value.map(|value| one_rate(key, value)).transpose()
}

/// A rate, two to draw between, or a list of times and rates.
pub fn daily(key: &str, value: &Value) -> Result<Amount, ScenarioError> {
    let Value::Array(list) = value else {
        return Ok(Amount::Daily(Daily::constant(one_rate(key, value)?)));
    };
    if !list.first().is_some_and(Value::is_array) {
        return Ok(Amount::Range(range(key, value, one_rate)?));
    }
    let step = |pair: &Value| match pair.as_array().map(Vec::as_slice) {
        Some([time, rate]) => Ok((one_clock(key, time)?, rate_or_nothing(key, rate)?)),
        _ => Err(wrong(key, pair, "write a time and a rate, for example [\"08:00\", \"2MB/s\"]")),
    };
    Ok(Amount::Daily(Daily::steps(list.iter().map(step).collect::<Result<_, _>>()?)))
}

/// Seconds since midnight.
pub fn clock(key: &str, value: Option<&Value>) -> Result<Option<f64>, ScenarioError> {
    value.map(|value| one_clock(key, value)).transpose()
}

/// A whole number that is at least `least`.
pub fn count(
    key: &str,
    value: Option<&Value>,
    least: usize,
) -> Result<Option<usize>, ScenarioError> {
    let remedy = || format!("write a whole number from {least} up");
    let Some(value) = value else { return Ok(None) };
    let number = value.as_integer().and_then(|number| usize::try_from(number).ok());
    match number {
        Some(number) if number >= least => Ok(Some(number)),
        _ => Err(wrong(key, value, &remedy())),
    }
}

/// A number from 0 to `most`.
pub fn fraction(key: &str, value: Option<&Value>, most: f64) -> Result<Option<f64>, ScenarioError> {
    let Some(value) = value else { return Ok(None) };
    match number(value) {
        Some(number) if (0.0..=most).contains(&number) => Ok(Some(number)),
        _ => Err(wrong(key, value, &format!("write a number from 0 to {most}"))),
    }
}

fn one_size(key: &str, value: &Value) -> Result<f64, ScenarioError> {
    let bytes = match value {
        Value::String(text) => match text.parse::<Size>() {
            Ok(size) => Some(size.0 as f64),
            Err(why) => return Err(wrong(key, value, &why.to_string())),
        },
        other => number(other).filter(|bytes| *bytes >= 0.0),
    };
    bytes.ok_or_else(|| wrong(key, value, "write a size, for example \"20MB\""))
}

fn one_duration(key: &str, value: &Value) -> Result<f64, ScenarioError> {
    let seconds = match value {
        Value::String(text) => match parse_duration(text) {
            Ok(duration) => Some(duration.as_secs_f64()),
            Err(why) => return Err(wrong(key, value, &why.to_string())),
        },
        other => number(other).filter(|seconds| *seconds >= 0.0 && *seconds < 1e12),
    };
    seconds.ok_or_else(|| wrong(key, value, "write a time from 0 up, for example \"90s\""))
}

fn one_rate(key: &str, value: &Value) -> Result<f64, ScenarioError> {
    let text = value
        .as_str()
        .ok_or_else(|| wrong(key, value, "write a rate in quotes, for example \"2MB/s\""))?;
    let rate = text.parse::<Bandwidth>().map_err(|why| wrong(key, value, &why.to_string()))?;
    Ok(rate.0 as f64)
}

/// At some hours there may be none.
fn rate_or_nothing(key: &str, value: &Value) -> Result<f64, ScenarioError> {
    match value {
        Value::Integer(0) => Ok(0.0),
        Value::String(text) if is_nothing(text) => Ok(0.0),
        other => one_rate(key, other),
    }
}

/// `0MB/s`: what would be a rate if its number were not 0.
fn is_nothing(text: &str) -> bool {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    number.parse() == Ok(0.0) && format!("1{unit}").parse::<Bandwidth>().is_ok()
}

fn one_clock(key: &str, value: &Value) -> Result<f64, ScenarioError> {
    let parts = value.as_str().and_then(|text| text.split_once(':'));
    let seconds = parts.and_then(|(hours, minutes)| {
        let two = |text: &str, most: u32| {
            let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<u32>().ok()).flatten().filter(|number| *number <= most)
        };
        Some(two(hours, 23)? * 3600 + two(minutes, 59)? * 60)
    });
    seconds
        .map(f64::from)
        .ok_or_else(|| wrong(key, value, "write a time of day in quotes, for example \"08:30\""))
}

fn range(
    key: &str,
    value: &Value,
    one: fn(&str, &Value) -> Result<f64, ScenarioError>,
) -> Result<Range, ScenarioError> {
    let Value::Array(list) = value else { return Ok(Range::one(one(key, value)?)) };
    let remedy = "write one value, or a list of the least and the most";
    let [low, high] = &list[..] else { return Err(wrong(key, value, remedy)) };
    let (low, high) = (one(key, low)?, one(key, high)?);
    if low > high {
        return Err(wrong(key, value, "write the least first"));
    }
    Ok(Range { low, high })
}

fn number(value: &Value) -> Option<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
    number.filter(|number| number.is_finite())
}
