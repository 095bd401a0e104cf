//! Our reading of robots.txt beside the verdicts of others, where the shared test data is at hand.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use url::{Position, Url};
use weir_fetch::robots::Robots;

/// The classes on which implementations agree or the RFC is clear; the others are choices.
const SCORED: [&str; 4] =
    ["agreed", "rfc", "rfc-percent-encoding", "rfc-robots-implicitly-allowed"];

fn data(name: &str) -> Option<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/robots");
    let path = PathBuf::from(folder).join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no shared test data {name}");
        return None;
    }
    Some(path)
}

fn lines(name: &str) -> Vec<Value> {
    let Some(path) = data(name) else { return Vec::new() };
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn robots_bytes(case: &Value) -> Vec<u8> {
    match case["robots_b64"].as_str() {
        Some(text) => BASE64_STANDARD.decode(text).unwrap(),
        None => case["robots"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// Whether `agent` may fetch `url`; one that is no URL may be fetched as far as robots goes.
fn allows(robots: &[u8], agent: &str, url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    Robots::parse(robots, agent).allows(&url[Position::BeforePath..Position::AfterQuery])
}

/// The part of the scored cases of a suite on which we agree.
fn score(name: &str, least: f64) {
    let (mut agreed, mut all) = (0, 0);
    let mut choices: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for case in lines(name) {
        let text = |key: &str| case[key].as_str().unwrap();
        let expected = case["expected"].as_bool().unwrap();
        let same = allows(&robots_bytes(&case), text("agent"), text("url")) == expected;
        if !SCORED.contains(&text("class")) {
            let choice = choices.entry(text("class").to_owned()).or_default();
            choice.0 += usize::from(same);
            choice.1 += 1;
            continue;
        }
        all += 1;
        agreed += usize::from(same);
        if !same {
            eprintln!("{}: expected {expected} for {} {}", text("id"), text("agent"), text("url"));
            eprintln!("{}", String::from_utf8_lossy(&robots_bytes(&case)));
        }
    }
    eprintln!("{name}: {agreed} of {all}; choices of design: {choices:?}");
    assert!(agreed as f64 >= least * all as f64);
}

#[test]
fn the_rfc_and_google_are_followed_in_all_agreed_cases() {
    score("cases-rfc9309.jsonl", 1.0);
    score("cases-google.jsonl", 1.0);
}

#[test]
fn other_parsers_agree_nearly_always() {
    for name in ["cases-protego.jsonl", "cases-rep-cpp.jsonl", "cases-robots-parser.jsonl"] {
        score(name, 0.99);
    }
}

#[test]
fn real_files_are_read_as_two_other_matchers_read_them() {
    let Some(path) = data("realworld-a.jsonl.gz") else { return };
    let mut text = String::new();
    let file = std::fs::read(path).unwrap();
    flate2::bufread::MultiGzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
    let (mut agreed, mut all) = (0, 0);
    for line in text.lines() {
        let site: Value = serde_json::from_str(line).unwrap();
        let robots = robots_bytes(&site);
        for case in site["cases"].as_array().unwrap() {
            let (agent, url) = (case[0].as_str().unwrap(), case[1].as_str().unwrap());
            let expected = case[2].as_bool().unwrap();
            let same = allows(&robots, agent, url) == expected;
            all += 1;
            agreed += usize::from(same);
            if !same {
                eprintln!("{}: expected {expected} for {agent} {url}", site["site"]);
            }
        }
    }
    eprintln!("real files: {agreed} of {all}");
    assert!(agreed as f64 >= 0.99 * all as f64);
}

#[test]
fn delays_and_sitemaps_are_those_expected() {
    for case in lines("delay-sitemap-cases.jsonl") {
        let robots = Robots::parse(&robots_bytes(&case), case["agent"].as_str().unwrap_or("*"));
        if let Some(expected) = case.get("crawl_delay_s") {
            let expected = expected.as_f64().map(Duration::from_secs_f64);
            assert_eq!(robots.crawl_delay(), expected, "{case}");
        }
        if let Some(expected) = case["sitemaps"].as_array() {
            assert!(
                robots.sitemaps().eq(expected.iter().map(|url| url.as_str().unwrap())),
                "{case}"
            );
        }
    }
}
