//! Real pages against two independent answers: html5ever, and the stored links of lexbor and ada.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use serde_json::Value;
use support::{material, ours, theirs};
use url::Url;
use weir_parse::{Ask, Finding, Parser};
use weir_types::LinkKind;

fn gunzip(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

struct Stored {
    url: Url,
    links: Vec<String>,
    in_noscript: BTreeSet<String>,
    body: Vec<u8>,
}

fn stored() -> Option<Vec<Stored>> {
    let folder = material("articles")?;
    let lines = BufReader::new(GzDecoder::new(File::open(folder.join("links.jsonl.gz")).unwrap()));
    let texts = |value: &Value| {
        let items = value.as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item.as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let pages = lines.lines().map(|line| {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let (set, id) = (row["set"].as_str().unwrap(), row["id"].as_str().unwrap());
        Stored {
            url: Url::parse(row["url"].as_str().unwrap()).unwrap(),
            links: texts(&row["links"]),
            in_noscript: texts(&row["links_only_in_noscript"]).into_iter().collect(),
            body: gunzip(&folder.join(format!("{set}/html/{id}.html.gz"))),
        }
    });
    Some(pages.collect())
}

/// What is different from html5ever's answer, and how many links that has.
fn differences(body: &[u8], url: &Url) -> (Vec<String>, usize) {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches('\u{FEFF}');
    let (found, facts) = ours(text.as_bytes(), url, false);
    let expected = theirs(text, url);
    let mut different = Vec::new();
    for (kind, link) in found.symmetric_difference(&expected.found) {
        let side = if found.contains(&(*kind, link.clone())) { "extra" } else { "missing" };
        different.push(format!("{url}: {side} {kind} {link}"));
    }
    let title = expected.title.filter(|title| title.len() <= 1024);
    if title.is_some() && facts.title != title {
        different.push(format!("{url}: title {:?}, not {title:?}", facts.title));
    }
    (different, expected.found.len())
}

#[test]
fn links_and_title_of_real_pages_are_those_of_html5ever() {
    let Some(pages) = stored() else { return };
    let results = pages.iter().map(|page| differences(&page.body, &page.url));
    settle("links html5ever", results.collect());
}

/// Any folder of pages: `WEIR_PAGES=DIR cargo test --release -p weir-parse --test pages`.
#[test]
fn links_and_title_of_pages_in_a_folder_are_those_of_html5ever() {
    let Some(folder) = std::env::var_os("WEIR_PAGES") else {
        eprintln!("SKIPPED: WEIR_PAGES names no folder of pages");
        return;
    };
    let mut folders = vec![std::path::PathBuf::from(folder)];
    let mut results = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "html" || end == "htm") {
                let url = Url::parse("http://example.org/").unwrap();
                let url = url.join(&path.to_string_lossy()).unwrap();
                results.push(differences(&std::fs::read(path).unwrap(), &url));
            }
        }
    }
    settle("links html5ever in WEIR_PAGES", results);
}

fn settle(suite: &str, results: Vec<(Vec<String>, usize)>) {
    let links: usize = results.iter().map(|(_, links)| links).sum();
    let pages = results.len();
    let same = results.iter().filter(|(list, _)| list.is_empty()).count();
    let different: Vec<String> = results.into_iter().flat_map(|(list, _)| list).collect();
    eprintln!("{pages} pages, {links} links, {} differences", different.len());
    eprintln!("conformance: {suite} | {pages} | {same} | 0 | ");
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn anchors_of_real_pages_are_those_of_lexbor_and_ada() {
    let Some(pages) = stored() else { return };
    let mut parser = Parser::new();
    let mut total = 0;
    let mut different = BTreeMap::<String, Vec<String>>::new();
    for page in &pages {
        let mut found = BTreeSet::new();
        let ask = Ask { body: &page.body, url: &page.url, content_type: None, assets: false };
        parser.parse(ask, |finding| match finding {
            Finding::Link(link) if link.kind == LinkKind::Anchor => {
                found.insert(link.url.to_owned());
            }
            Finding::Link(_) => {}
            Finding::Rebased => found.clear(),
        });
        // Their texts keep what our canonical form drops.
        let same_form = |url: &String| weir_parse::canonicalize(url, None).ok();
        let expected: BTreeSet<String> = page.links.iter().filter_map(same_form).collect();
        let noscript: BTreeSet<String> = page.in_noscript.iter().filter_map(same_form).collect();
        total += expected.len();
        let missing = expected.difference(&found).map(|url| format!("missing {url}"));
        let extra = found.difference(&expected).filter(|url| !noscript.contains(*url));
        let both: Vec<_> = missing.chain(extra.map(|url| format!("extra {url}"))).collect();
        if !both.is_empty() {
            different.insert(page.url.to_string(), both);
        }
    }
    let same = pages.len() - different.len();
    eprintln!("{} pages, {total} anchors, {} pages differ", pages.len(), different.len());
    eprintln!("conformance: links lexbor and ada | {} | {same} | 0 | ", pages.len());
    assert!(different.is_empty(), "{different:#?}");
}
