//! Whole corpora in one process, where the shared test data is at hand: the command gives the
//! answers that the libraries give.

use std::collections::BTreeSet;
use std::io::Read;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Value, json};

use crate::support::{inspect, json_lines, material};

const SCORED: [&str; 4] =
    ["agreed", "rfc", "rfc-percent-encoding", "rfc-robots-implicitly-allowed"];

#[test]
fn robots_corpora_are_answered_as_expected() {
    let names = ["google", "rfc9309", "protego", "rep-cpp", "robots-parser"];
    for name in names {
        let Some(path) = material(&format!("robots/cases-{name}.jsonl")) else { return };
        let text = std::fs::read_to_string(path).unwrap();
        let mut cases = json_lines(&text);
        cases.retain(|case| SCORED.contains(&case["class"].as_str().unwrap()));
        let answers = inspect(&["robots", "--jsonl"]).lines(&cases);
        for (case, answer) in cases.iter().zip(answers) {
            assert_eq!(answer["allow"], case["expected"], "{case}");
        }
    }
}

#[test]
fn real_robots_files_are_answered_as_expected() {
    let Some(path) = material("robots/realworld-a.jsonl.gz") else { return };
    let mut text = String::new();
    let file = std::fs::File::open(path).unwrap();
    flate2::read::MultiGzDecoder::new(file).read_to_string(&mut text).unwrap();
    let (mut requests, mut expected) = (Vec::new(), Vec::new());
    for site in json_lines(&text) {
        let key = if site["robots"].is_string() { "robots" } else { "robots_b64" };
        for case in site["cases"].as_array().unwrap() {
            requests.push(json!({key: site[key], "agent": case[0], "url": case[1]}));
            expected.push(case[2].clone());
        }
    }
    let answers = inspect(&["robots", "--jsonl"]).lines(&requests);
    let same = answers.iter().zip(&expected).filter(|(answer, right)| answer["allow"] == **right);
    assert_eq!(same.count(), expected.len());
}

#[test]
fn articles_have_the_links_that_lexbor_and_ada_find() {
    let Some(folder) = material("articles") else { return };
    let read = |path: &str| {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(folder.join(path)).unwrap();
        flate2::read::MultiGzDecoder::new(file).read_to_end(&mut bytes).unwrap();
        bytes
    };
    let rows = json_lines(&String::from_utf8(read("links.jsonl.gz")).unwrap());
    let requests: Vec<Value> = rows
        .iter()
        .map(|row| {
            let text = |key: &str| row[key].as_str().unwrap();
            let html = read(&format!("{}/html/{}.html.gz", text("set"), text("id")));
            json!({"html_b64": BASE64_STANDARD.encode(html), "url": row["url"]})
        })
        .collect();
    let answers = inspect(&["page", "--jsonl"]).lines(&requests);
    for (row, answer) in rows.iter().zip(answers) {
        let set = |value: &Value| -> BTreeSet<String> {
            let links = value.as_array().into_iter().flatten();
            links.map(|link| link.as_str().unwrap().to_owned()).collect()
        };
        // Scripts do not run here, so what is for those without them counts.
        let expected = &set(&row["links"]) | &set(&row["links_only_in_noscript"]);
        let found = set(&answer["links"]);
        let differences: Vec<_> = found.symmetric_difference(&expected).collect();
        assert!(differences.is_empty(), "{}: {differences:?}", row["url"]);
    }
}
