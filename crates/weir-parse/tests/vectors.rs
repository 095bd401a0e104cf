//! Vectors of others for charset, base and refresh. Where they and the standard disagree the case
//! is listed with the reason; a list that is too long or too short fails.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use encoding_rs::Encoding;
use serde_json::Value;
use support::suite::{Known, base64, rows, settle};
use support::{material, ours};
use url::Url;
use weir_parse::{Ask, Finding, Parser, charset};
use weir_types::LinkKind;

/// A text, or bytes as `{"b64": ...}`.
fn bytes(value: &Value) -> Vec<u8> {
    match value.get("b64") {
        Some(text) => base64(text),
        None => value.as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}

fn text(value: &Value) -> String {
    String::from_utf8(bytes(value)).unwrap()
}

#[test]
fn html5lib_charset_vectors_hold() {
    let Some(folder) = material("html") else { return };
    let url = Url::parse("http://example.org/").unwrap();
    let mut total = 0;
    let mut wrong = Vec::new();
    for name in ["html5lib-encoding-tests1.dat", "html5lib-encoding-test-yahoo-jp.dat"] {
        let file = std::fs::read(folder.join(name)).unwrap();
        for (body, label) in cases(&file) {
            let found = charset(&body, None, &url).name();
            if !found.eq_ignore_ascii_case(&label) {
                let body = String::from_utf8_lossy(&body).into_owned();
                wrong.push((total, format!("{found}, not {label}: {body}")));
            }
            total += 1;
        }
    }
    settle("charset html5lib", total, &wrong, &[]);
}

/// `#data`, lines, `#encoding`, label, empty line.
fn cases(file: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut cases = Vec::new();
    let mut rest = file;
    while let Some(at) = memchr::memmem::find(rest, b"#data\n") {
        rest = &rest[at + 6..];
        let end = memchr::memmem::find(rest, b"#encoding\n").unwrap();
        let after = &rest[end + 10..];
        let label = after.split(|byte| *byte == b'\n').next().unwrap();
        cases.push((rest[..end].to_vec(), String::from_utf8_lossy(label).into_owned()));
        rest = after;
    }
    cases
}

#[test]
fn w3lib_charset_vectors_hold() {
    let Some(rows) = rows("html/w3lib-encoding.jsonl") else { return };
    let url = Url::parse("http://example.org/").unwrap();
    for function in ["http_content_type_encoding", "html_body_declared_encoding", "html_to_unicode"]
    {
        let rows: Vec<_> = rows.iter().filter(|row| row["fn"] == function).collect();
        let mut wrong = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let (args, out) = (&row["args"], &row["out"]);
            let (header, body, label) = match function {
                "http_content_type_encoding" => (args[0].as_str(), Vec::new(), out),
                "html_body_declared_encoding" => (None, bytes(&args[0]), out),
                _ => (args[0].as_str(), bytes(&args[1]), &out[0]),
            };
            let header = header.map(|value| value.trim_start_matches("Content-Type: "));
            // Where they find none, nothing is declared and the guess of an empty page stands.
            let label = label.as_str().unwrap_or("cp1252").replace('_', "-");
            // Decoders of one table under two names.
            let label = label.replace("gb18030", "gbk").replace("big5hkscs", "big5");
            let label = label.replace("utf-16-", "utf-16");
            let expected =
                Encoding::for_label(label.as_bytes()).map_or(label.as_str(), |e| e.name());
            let found = charset(&body, header, &url).name();
            if found != expected {
                wrong.push((number, format!("{found}, not {expected}: {row}")));
            }
        }
        let known: Known<'_> = match function {
            "http_content_type_encoding" => &[
                (
                    &[9, 15, 16],
                    "the standard closes an open quote and drops what follows a closed one",
                ),
                (&[40], "the standard knows no UTF-32"),
            ],
            "html_body_declared_encoding" => &[
                (&[6, 23], "`< meta` is text"),
                (&[11, 27], "the standard also searches the body"),
                (&[12, 13, 28], "`http-equiv` names something else"),
                (&[29, 30], "nothing is declared and the guess is right"),
            ],
            _ => &[
                (&[21, 22, 23, 24, 26], "the standard knows no UTF-32"),
                (&[25], "`utf-16` without a mark is little-endian in the standard"),
                (&[32, 34], "the standard calls plain ASCII windows-1252"),
            ],
        };
        let name = format!("charset w3lib {function}");
        settle(&name, rows.len(), &wrong, known);
    }
}

#[test]
fn w3lib_base_vectors_hold() {
    let Some(rows) = rows("html/w3lib-base-and-refresh.jsonl") else { return };
    let rows: Vec<_> = rows.iter().filter(|row| row["fn"] == "get_base_url").collect();
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let given = row["args"].get(1).map(text).unwrap_or_default();
        let url =
            Url::parse(if given.is_empty() { "http://none.invalid/" } else { &given }).unwrap();
        let facts = ours(&bytes(&row["args"][0]), &url, false).1;
        let found = facts.base.unwrap_or(given);
        let expected = text(&row["out"]);
        let same = Url::parse(&found).ok() == Url::parse(&expected).ok();
        if !same {
            wrong.push((number, format!("{found}: {row}")));
        }
    }
    let known: Known<'_> = &[(&[8, 11], "what is in `noscript` counts, as scripts do not run")];
    settle("base w3lib", rows.len(), &wrong, known);
}

#[test]
fn w3lib_refresh_vectors_hold() {
    let Some(rows) = rows("html/w3lib-base-and-refresh.jsonl") else { return };
    let rows: Vec<_> = rows.iter().filter(|row| row["fn"] == "get_meta_refresh").collect();
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let url = Url::parse(&text(&row["args"][1])).unwrap();
        let label = row["args"].get(2).map_or("utf-8".to_owned(), text);
        let content_type = format!("text/html; charset={label}");
        let body = bytes(&row["args"][0]);
        let ask = Ask { body: &body, url: &url, content_type: Some(&content_type), assets: false };
        let mut found = None;
        Parser::new().parse(ask, |finding| match finding {
            Finding::Link(link) if link.kind == LinkKind::Refresh => {
                found.get_or_insert(link.url.to_owned());
            }
            Finding::Link(_) => {}
            Finding::Rebased => found = None,
        });
        let expected = row["out"][1].as_str().map(str::to_owned);
        if found != expected {
            wrong.push((number, format!("{found:?}: {row}")));
        }
    }
    let known: Known<'_> = &[
        (&[2], "a tag without end is none"),
        (&[19], "what is in `noscript` counts, as scripts do not run"),
        (&[22], "a script is no markup"),
    ];
    settle("refresh w3lib", rows.len(), &wrong, known);
}
