//! Our reading of robots.txt beside the verdicts of others, where the shared test data is at hand.
#![allow(clippy::unwrap_used)]

mod suite;

use std::io::Read;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use suite::{Known, material, settle};
use url::{Position, Url};
use weir_fetch::robots::Robots;

/// The classes on which implementations agree or the RFC is clear. In the others everyone chooses,
/// and the reasons below say how we do.
const SCORED: [&str; 4] =
    ["agreed", "rfc", "rfc-percent-encoding", "rfc-robots-implicitly-allowed"];

fn lines(suite: &str, name: &str) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(material(suite, &format!("robots/{name}"))?).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn robots_bytes(case: &Value) -> Vec<u8> {
    match case["robots_b64"].as_str() {
        Some(text) => BASE64_STANDARD.decode(text).unwrap(),
        None => case["robots"].as_str().unwrap().as_bytes().to_vec(),
    }
}

/// Whether `agent` may fetch `url`, which may be a path alone.
fn allows(robots: &[u8], agent: &str, url: &str) -> bool {
    let url = Url::parse("http://host.invalid/").unwrap().join(url).unwrap();
    Robots::parse(robots, agent).allows(&url[Position::BeforePath..Position::AfterQuery])
}

/// In what is clear nothing may differ; `choices` lists where we choose otherwise in the rest.
fn check(suite: &str, file: &str, choices: Known<'_>) {
    let Some(cases) = lines(suite, file) else { return };
    let is_clear = |case: &Value| SCORED.contains(&case["class"].as_str().unwrap());
    let (clear, open): (Vec<Value>, Vec<Value>) = cases.into_iter().partition(is_clear);
    settle(suite, clear.len(), &differences(&clear), &[]);
    if !open.is_empty() {
        let suite = format!("{suite}, matters of choice");
        settle(&suite, open.len(), &differences(&open), choices);
    }
}

fn differences(cases: &[Value]) -> Vec<(String, String)> {
    let mut wrong = Vec::new();
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let expected = case["expected"].as_bool().unwrap();
        if allows(&robots_bytes(case), text("agent"), text("url")) != expected {
            wrong.push((text("id").to_owned(), case.to_string()));
        }
    }
    wrong
}

#[test]
fn the_rfc_is_followed() {
    check("robots rfc9309", "cases-rfc9309.jsonl", &[]);
}

#[test]
fn google_is_followed_but_for_matters_of_choice() {
    let known: Known<'_> = &[
        (&["google-0034"], "an agent counts by its product token, `Foo` of `Foo Bar`"),
        (
            &["google-0057", "google-0059", "google-0060"],
            "percent-encoding makes no difference (RFC 9309, 2.2.2), Google leaves it to its caller",
        ),
        (&["google-0077", "google-0080"], "long lines are read whole, Google cuts them at 16 KiB"),
    ];
    check("robots google", "cases-google.jsonl", known);
}

#[test]
fn protego_is_followed_but_for_matters_of_choice() {
    let known: Known<'_> = &[
        (
            &["protego-0001", "protego-0007", "protego-0008", "protego-0010", "protego-0011"],
            "the name of an agent is compared whole, not its beginning",
        ),
        (&["protego-0181"], "an agent's name is its first word, not one in a comment"),
        (&["protego-0309"], "an agent's name ends at a space"),
        (&["protego-0312"], "no wildcards in an agent's name"),
        (
            &["protego-0300", "protego-0301", "protego-0302"],
            "an unknown key does not end a list of agents, as with Google",
        ),
        (
            &["protego-0355", "protego-0356"],
            "`$` at the end of a rule means the end and nothing else",
        ),
        (&["protego-0358"], "a rule that is a whole URL matches no path, as with Google"),
    ];
    check("robots protego", "cases-protego.jsonl", known);
}

#[test]
fn rep_cpp_is_followed_but_for_matters_of_choice() {
    let known: Known<'_> = &[
        (&["rep-cpp-0001"], "rules before any user agent are ignored, as with Google"),
        (&["rep-cpp-0008"], "an unknown key does not end a list of agents, as with Google"),
        (&["rep-cpp-0014"], "a missing colon is forgiven, as with Google"),
        (
            &["rep-cpp-0065", "rep-cpp-0086"],
            "which host a robots.txt is for is known to whoever fetched it, not to the parser",
        ),
    ];
    check("robots rep-cpp", "cases-rep-cpp.jsonl", known);
}

#[test]
fn robots_parser_is_followed() {
    check("robots robots-parser", "cases-robots-parser.jsonl", &[]);
}

#[test]
fn real_files_are_read_as_two_other_matchers_read_them() {
    let suite = "robots realworld";
    let Some(path) = material(suite, "robots/realworld-a.jsonl.gz") else { return };
    let mut text = String::new();
    let file = std::fs::read(path).unwrap();
    flate2::bufread::MultiGzDecoder::new(&file[..]).read_to_string(&mut text).unwrap();
    let mut cases = 0;
    let mut wrong = Vec::new();
    for line in text.lines() {
        let site: Value = serde_json::from_str(line).unwrap();
        let robots = robots_bytes(&site);
        for case in site["cases"].as_array().unwrap() {
            let (agent, url) = (case[0].as_str().unwrap(), case[1].as_str().unwrap());
            cases += 1;
            if allows(&robots, agent, url) != case[2].as_bool().unwrap() {
                wrong.push((format!("{} {agent}", site["site"]), case.to_string()));
            }
        }
    }
    settle(suite, cases, &wrong, &[]);
}

#[test]
fn delays_and_sitemaps_are_those_expected() {
    let suite = "robots delay and sitemap";
    let Some(cases) = lines(suite, "delay-sitemap-cases.jsonl") else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let robots = Robots::parse(&robots_bytes(case), case["agent"].as_str().unwrap_or("*"));
        let delay = case.get("crawl_delay_s");
        let delay_right = delay.is_none_or(|delay| {
            robots.crawl_delay() == delay.as_f64().map(Duration::from_secs_f64)
        });
        let sitemaps = case["sitemaps"].as_array();
        let sitemaps_right = sitemaps.is_none_or(|sitemaps| {
            robots.sitemaps().eq(sitemaps.iter().map(|url| url.as_str().unwrap()))
        });
        if !(delay_right && sitemaps_right) {
            wrong.push((case["test"].to_string(), case.to_string()));
        }
    }
    settle(suite, cases.len(), &wrong, &[]);
}
