//! Vectors of others for URLs: parsing by the standard, and canonical forms.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use serde_json::Value;
use support::material;
use support::suite::{Known, rows, settle};
use url::Url;
use weir_parse::canonicalize;
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

/// Compares what `ours` makes of each input with what is expected.
fn compare(
    suite: &str,
    pairs: &[(String, String)],
    ours: impl Fn(&str) -> Option<String>,
    known: Known<'_>,
) {
    let mut wrong = Vec::new();
    for (number, (input, expected)) in pairs.iter().enumerate() {
        let found = ours(input);
        if found.as_ref() != Some(expected) {
            wrong.push((number, format!("{found:?}, not {expected:?}: {input:?}")));
        }
    }
    settle(suite, pairs.len(), &wrong, known);
}

/// The cases of an urlcanon file that lead to http or https, in the order of their inputs.
fn urlcanon(path: &str) -> Option<Vec<(String, String)>> {
    let cases = json(path)?;
    let cases = cases.as_object().unwrap().iter();
    let cases = cases.map(|(input, expected)| (utf8(input), expected.as_str().unwrap().to_owned()));
    let is_http = |text: &str| matches!(scheme(text).as_deref(), Some("http" | "https"));
    let mut cases: Vec<_> = cases.filter(|(_, expected)| is_http(expected)).collect();
    cases.sort();
    Some(cases)
}

/// Their characters are bytes, most of them UTF-8.
fn utf8(text: &str) -> String {
    let bytes: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(c).ok()).collect();
    bytes.and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_else(|| text.to_owned())
}

#[test]
fn urlcanon_parses_by_the_standard() {
    let Some(pairs) = urlcanon("url/urlcanon-supplemental_whatwg.json") else { return };
    let known: Known<'_> = &[
        (&[1, 6, 11, 21, 59], "the standard refuses such a host"),
        (
            &[2, 3, 4, 7, 8, 9, 12, 13, 14, 18, 19, 20],
            "a host of dots is one to the standard, not 0.0.0.0",
        ),
    ];
    compare("url urlcanon whatwg", &pairs, |input| resolve(input, None).ok(), known);
}

#[test]
fn urlcanon_resolves_dots() {
    let Some(all) = json("url/urlcanon-path_dots.json") else { return };
    let url = |path: &str| format!("http://h{path}");
    let cases = all["special"].as_object().unwrap().iter();
    let cases = cases.map(|(path, expected)| (url(path), url(expected.as_str().unwrap())));
    let mut pairs: Vec<_> = cases.collect();
    pairs.sort();
    let known: Known<'_> = &[(
        &[271, 272, 274, 360, 361, 363, 364, 365, 366, 367, 368, 369, 370, 371, 372, 373, 374, 375],
        "the standard writes a backslash as a slash",
    )];
    compare("url urlcanon dots", &pairs, |input| canonicalize(input, None).ok(), known);
}

#[test]
fn urlcanon_canonical_texts_stay() {
    let Some(all) = json("url/urlcanon-idempotence.json") else { return };
    let inputs = all.as_array().unwrap().iter().map(|input| utf8(input.as_str().unwrap()));
    let canonical = inputs.filter_map(|input| canonicalize(&input, None).ok());
    let pairs: Vec<_> = canonical.map(|text| (text.clone(), text)).collect();
    let again = |input: &str| canonicalize(input, None).ok();
    compare("canonical urlcanon idempotence", &pairs, again, &[]);
}

#[test]
fn urlcanon_canonical_texts_are_ours() {
    let Some(pairs) = urlcanon("url/urlcanon-semantic_precise.json") else { return };
    let known: Known<'_> = &[
        (&[1, 160, 161], "a text without scheme needs a base"),
        (&[2, 43, 86, 120, 126, 127, 157], "the fragment is never sent"),
        (&[3, 8, 13, 14, 15, 16, 27, 89], "the standard refuses such a host"),
        (
            &[4, 5, 6, 9, 10, 11, 18, 19, 20, 24, 25, 26],
            "a host of dots is one to the standard, not 0.0.0.0",
        ),
        (&[47, 48, 49, 56, 85], "reserved characters stay escaped"),
        (&[52, 84, 90], "an empty segment may mean something"),
        (&[53, 54, 55], "the query is not sorted"),
        (&[59], "a text has characters, not bytes"),
        (&[60, 62, 63, 64, 67], "a stray % is left alone"),
        (
            &[92, 93, 94, 95, 96, 97, 98, 99, 100, 106, 107, 108, 109, 110, 115],
            "escapes are decoded once, and never into a new escape",
        ),
        (&[122], "dots at the end of a host are part of it"),
        (&[128], "an empty query is removed"),
    ];
    let ours = |input: &str| canonicalize(input, None).ok();
    compare("canonical urlcanon", &pairs, ours, known);
}

#[test]
fn w3lib_canonical_texts_are_ours() {
    let Some(rows) = rows("url/w3lib-canonicalize.jsonl") else { return };
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pairs: Vec<_> = rows.iter().map(|row| (text(&row["in"]), text(&row["out"]))).collect();
    let known: Known<'_> = &[
        (&[3, 5, 8, 10, 12, 14, 15, 16, 35, 50], "the query is not sorted"),
        (&[9, 11], "parameters without a value stay"),
        (&[13, 28], "reserved characters stay as they are"),
        (&[19, 20, 64], "the encoding of a query is that of the page it stands in"),
        (&[36, 37, 38, 52, 53], "user and password are left out"),
        (&[40, 71, 74], "the fragment is never sent"),
        (&[41, 42, 43, 44], "a relative text needs a base"),
        (&[48], "only http and https are crawled"),
        (&[67, 68], "the standard has an ASCII form of such a host"),
    ];
    compare("canonical w3lib", &pairs, |input| canonicalize(input, None).ok(), known);
}
