//! Odd answers with curl's verdict, where the shared test data is at hand.

use std::sync::Arc;

use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use weir_testsite::{HostSpec, Script};

use crate::check::Crawled;
use crate::support::skip;

const CASES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/http/raw-responses.jsonl");

/// Where we differ from curl, and why.
const DIFFERENCES: [(&str, &str); 2] = [
    ("curl-test772", "two locations on a 200 mean nothing; on a redirect the target is refused"),
    ("curl-test1473", "white space before the first header is no header to us"),
];
/// curl's exit code for codings that cannot be undone. Of the content we keep it as it came.
const BAD_CODING: u64 = 61;

#[test]
fn odd_answers_end_as_curl_says_or_differ_for_a_reason() {
    let Ok(text) = std::fs::read_to_string(CASES) else {
        return skip("raw answers", "no shared test data http/raw-responses.jsonl");
    };
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let crawled = Crawled::of_hosts(cases.iter().map(host).collect());
    let wrong: Vec<String> =
        cases.iter().enumerate().filter_map(|(n, case)| judge(&crawled, n, case)).collect();
    println!("{} cases, {} differences", cases.len(), DIFFERENCES.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whatever it is asked for, this host answers with the bytes of the case, and closes.
fn host(case: &Value) -> HostSpec {
    let raw = BASE64_STANDARD.decode(case["raw_b64"].as_str().unwrap()).unwrap();
    let raw: Arc<[u8]> = raw.into();
    HostSpec::scripted(move |asked| {
        Some(match asked.path {
            "/robots.txt" => Script::answer(404, "", ""),
            _ => Script::bytes(raw.to_vec()).close(),
        })
    })
}

fn judge(crawled: &Crawled, number: usize, case: &Value) -> Option<String> {
    let url = &crawled.web.seeds()[number];
    let why = crawled.why_url(url);
    let whole = crawled.stored_url(url).is_some_and(|it| it.truncated().is_none());
    let told = why.contains("kept:") || why.contains("failed:");
    let differs = DIFFERENCES.iter().any(|(id, _)| case["id"] == *id);
    let agrees = case["curl_exit"] == BAD_CODING || whole == (case["expect"] == "ok");
    (!told || agrees == differs).then(|| format!("{} {}: {why}", case["id"], case["about"]))
}
