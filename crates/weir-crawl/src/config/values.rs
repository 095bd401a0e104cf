//! What all settings are made of: numbers, lengths and patterns, refused with their key, their value and a remedy.

use std::time::Duration;

use regex::RegexSet;
use weir_types::{Size, parse_duration};

use crate::due::LONGEST;
use crate::settings::ConfigError;

pub fn value(key: &'static str, text: &str, remedy: &str) -> ConfigError {
    ConfigError::Value { key, value: format!("{text:?}"), remedy: remedy.to_owned() }
}

pub fn size(key: &'static str, text: Option<&str>) -> Result<Option<u64>, ConfigError> {
    let size =
        text.map(|text| text.parse::<Size>().map_err(|why| value(key, text, &why.to_string())));
    Ok(size.transpose()?.map(|size| size.0))
}

pub fn duration(key: &'static str, text: Option<&str>) -> Result<Option<Duration>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    let length = parse_duration(text).map_err(|why| value(key, text, &why.to_string()))?;
    match length > LONGEST {
        true => Err(value(key, text, "more than ten years; write less")),
        false => Ok(Some(length)),
    }
}

pub fn positive(
    key: &'static str,
    number: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match number {
        Some(0) => Err(value(key, "0", "write a number that is at least 1")),
        other => Ok(other.unwrap_or(default)),
    }
}

pub fn up_to(
    key: &'static str,
    most: usize,
    number: Option<usize>,
    default: usize,
) -> Result<usize, ConfigError> {
    match positive(key, number, default)? {
        number if number > most => {
            Err(value(key, &number.to_string(), &format!("write a number from 1 to {most}")))
        }
        number => Ok(number),
    }
}

pub fn factor(key: &'static str, number: Option<f64>) -> Result<Option<f64>, ConfigError> {
    match number {
        Some(number) if !(0.0..=100.0).contains(&number) => {
            Err(value(key, &number.to_string(), "write a number from 0 to 100"))
        }
        other => Ok(other),
    }
}

pub fn patterns(
    key: &'static str,
    texts: Option<Vec<String>>,
) -> Result<Option<RegexSet>, ConfigError> {
    let texts = texts.unwrap_or_default();
    for text in &texts {
        if let Err(why) = regex::Regex::new(text) {
            return Err(value(key, text, &format!("no regular expression: {why}")));
        }
    }
    let set = RegexSet::new(&texts).map_err(|why| value(key, "(all)", &why.to_string()))?;
    Ok((!texts.is_empty()).then_some(set))
}
