//! Vectors of others for URLs: parsing by the standard, and canonical forms.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use serde_json::Value;
use support::material;
use support::suite::{rows, settle};
use url::Url;
use weir_parse::standard::resolve;

fn json(path: &str) -> Option<Value> {
    Some(serde_json::from_str(&std::fs::read_to_string(material(path)?).unwrap()).unwrap())
}

#[test]
fn wpt_urls_are_parsed_by_the_standard() {
    let Some(all) = json("url/wpt-urltestdata.json") else { return };
    let cases = all.as_array().unwrap().iter().filter(|case| is_http_case(case));
    let mut total = 0;
    let mut wrong = Vec::new();
    for case in cases {
        let (input, base) = (case["input"].as_str().unwrap(), case["base"].as_str());
        let expected = case["href"].as_str();
        let found = match base.map(Url::parse) {
            None => resolve(input, None).ok(),
            Some(base) => resolve(input, Some(&base.unwrap())).ok(),
        };
        if found.as_deref() != expected {
            wrong.push((total, format!("{found:?}, not {expected:?}: {input:?} on {base:?}")));
        }
        total += 1;
    }
    settle("url wpt http(s)", total, &wrong, &[]);
}

/// What leads to http or https, or would if it were not refused.
fn is_http_case(case: &Value) -> bool {
    let Some(input) = case["input"].as_str() else { return false };
    let is_http = |text: &str| matches!(scheme(text).as_deref(), Some("http" | "https"));
    match case["href"].as_str() {
        Some(href) => is_http(href),
        None if scheme(input).is_some() => is_http(input),
        None => case["base"].as_str().is_some_and(is_http),
    }
}

fn scheme(text: &str) -> Option<String> {
    let (scheme, _) = text.trim_start_matches(|c| c <= ' ').split_once(':')?;
    let fit = |c: char| c.is_ascii_alphanumeric() || "+-.\t\n\r".contains(c);
    let is_scheme =
        scheme.starts_with(|c: char| c.is_ascii_alphabetic()) && scheme.chars().all(fit);
    is_scheme.then(|| scheme.to_ascii_lowercase().replace(['\t', '\n', '\r'], ""))
}
