//! One field at a time. What cannot be used is refused with the field, the value and the remedy.

use serde_json::{Map, Value};

/// The value of a field that is there; null is absent, as in the given files.
pub fn given<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

pub fn needed<'a>(
    fields: &'a Map<String, Value>,
    name: &str,
    remedy: &str,
) -> Result<&'a Value, String> {
    given(fields, name).ok_or_else(|| format!("{name} is missing: {remedy}"))
}

pub fn number(name: &str, value: &Value) -> Result<f64, String> {
    let number = value.as_f64().filter(|number| number.is_finite());
    number.ok_or_else(|| {
        format!("{name} is {}: give a number that can be counted with", brief(value))
    })
}

/// A number for which `holds` holds; `remedy` says the same in words.
pub fn number_that(
    name: &str,
    value: &Value,
    holds: impl Fn(f64) -> bool,
    remedy: &str,
) -> Result<f64, String> {
    let number = number(name, value)?;
    if holds(number) { Ok(number) } else { Err(format!("{name} is {number}: {remedy}")) }
}

pub fn whole(name: &str, value: &Value, least: u32) -> Result<usize, String> {
    let is_whole =
        |number: &f64| number.fract() == 0.0 && (f64::from(least)..1e15).contains(number);
    let number = value.as_f64().filter(is_whole).map(|number| number as usize);
    number.ok_or_else(|| format!("{name} is {}: give a whole number from {least} up", brief(value)))
}

pub fn list<'a>(name: &str, value: &'a Value, remedy: &str) -> Result<&'a [Value], String> {
    let list = value.as_array().map(Vec::as_slice);
    list.ok_or_else(|| format!("{name} is {}: {remedy}", brief(value)))
}

/// The value as far as it helps to find it.
pub fn brief(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((cut, _)) = text.char_indices().nth(40) {
        text.truncate(cut);
        text.push('…');
    }
    text
}
