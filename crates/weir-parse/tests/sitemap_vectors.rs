//! The sitemaps of crawler-commons and what it reads from them.

#![allow(clippy::unwrap_used)] // helpers of tests are not marked as tests

mod support;

use serde_json::{Value, json};
use support::suite::{base64, rows, settle};
use url::Url;
use weir_parse::sitemap::{Entry, Kind, Limits, Sitemap, read};

#[test]
fn crawler_commons_sitemaps_are_read() {
    let Some(rows) = rows("sitemaps/cases.jsonl") else { return };
    let mut wrong = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let url = Url::parse(row["url"].as_str().unwrap()).unwrap();
        let limits = Limits { strict: row["strict"] == true, ..Limits::default() };
        let found = read(&base64(&row["body_b64"]), &url, row["content_type"].as_str(), &limits);
        let found = as_theirs(&found);
        let expected = match row.get("error") {
            Some(_) => json!({"type": "UNKNOWN", "entries": []}),
            None => json!({"type": row["type"], "entries": without_verdict(&row["entries"])}),
        };
        if found != expected {
            wrong.push((number, format!("{}: {found}, not {expected}", row["test"])));
        }
    }
    settle("sitemaps crawler-commons", rows.len(), &wrong, &[]);
}

fn as_theirs(sitemap: &Sitemap) -> Value {
    let kind = match sitemap.kind {
        Kind::Urlset => "XML",
        Kind::Index => "INDEX",
        Kind::Text => "TEXT",
        Kind::Rss => "RSS",
        Kind::Atom => "ATOM",
        Kind::Unknown => "UNKNOWN",
    };
    let page = |entry: &Entry| {
        json!({
            "loc": entry.loc,
            "lastmod": entry.lastmod,
            "priority": entry.priority.unwrap_or(0.5), // as the standard has it
            "changefreq": entry.changefreq.as_ref().map(|word| word.to_ascii_uppercase()),
        })
    };
    let sitemaps = sitemap.sitemaps.iter();
    let sitemaps = sitemaps.map(|entry| json!({"loc": entry.loc, "lastmod": entry.lastmod}));
    let entries: Vec<Value> = sitemap.urls.iter().map(page).chain(sitemaps).collect();
    json!({"type": kind, "entries": entries})
}

/// `valid` says whether an entry is in the sitemap's directory, which `strict` decides here.
fn without_verdict(entries: &Value) -> Value {
    let mut entries = entries.clone();
    for entry in entries.as_array_mut().unwrap() {
        entry.as_object_mut().unwrap().remove("valid");
    }
    entries
}
