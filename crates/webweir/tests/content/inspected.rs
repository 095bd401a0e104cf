//! `weir inspect page` shows what a crawl would make of a page.

use std::fs;

use serde_json::Value;

use crate::run::{Run, TOPIC};
use crate::support::command::Weir;

const SETTINGS: &str = r#"
keep = 'lang == "en" and (published >= now - 7d and topic("food safety") > 0.4)'
[[site]]
name = "shop.example"
keep = "fields.price < 5"
fields.price = { css = ".price", type = "number" }
fields.tags = { css = "li", many = true }
"#;

const PAGE: &str = r#"<!doctype html><html lang="en-GB"><head><title>Old recall | Paper</title>
<meta property="article:published_time" content="2020-03-04T05:06:07Z">
<meta name="author" content="Ada Writer"></head><body><article><h1>Old recall</h1>
<p>The recall of the cheese is a matter of food safety, and the recall ends in spring.</p>
<p>Salmonella was found in <b>two</b> samples; a recall is the least that can be done about it.</p>
</article><span class=price>12.50</span><ul><li>a<li>b</ul></body></html>"#;

fn inspect(words: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("weir.toml"), format!("{SETTINGS}{TOPIC}")).unwrap();
    fs::write(folder.path().join("page.html"), PAGE).unwrap();
    let mut all = vec!["inspect", "page", "page.html"];
    all.extend_from_slice(words);
    let ended = Weir::start(all, Some(folder.path())).wait();
    ended.expect_code(0);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn attributes_are_shown_with_their_sources() {
    let page = inspect(&["--url", "https://paper.example/a"]);
    assert_eq!(page["published"], "2020-03-04T05:06:07Z");
    assert_eq!((&page["author"], &page["lang"]), (&"Ada Writer".into(), &"en-GB".into()));
    assert!(page["sources"]["published"].is_string() && page["sources"]["title"].is_string());
    assert!(page["text"].as_str().unwrap().contains("two samples"), "{page}");
    assert_eq!(page["fields"], serde_json::json!({}));
    assert!(page.get("kept").is_none() && page.get("topics").is_none());
}

#[test]
fn the_text_is_markdown_on_request() {
    let page = inspect(&["--url", "https://paper.example/a", "--markdown"]);
    assert!(page["text"].as_str().unwrap().contains("**two** samples"), "{page}");
}

#[test]
fn the_verdict_of_a_rule_names_the_part_that_failed() {
    let page = inspect(&["--url", "https://paper.example/a", "-c", "weir.toml"]);
    assert_eq!(page["kept"], false);
    assert_eq!(page["failed"]["part"], "published >= now - 7d");
    assert_eq!(page["failed"]["values"]["published"], "2020-03-04T05:06:07Z");
    assert!(page["topics"]["food safety"].as_f64().unwrap() > 0.4, "{page}");
    assert_eq!(page["fields"], serde_json::json!({}));
}

#[test]
fn fields_are_those_of_the_site() {
    let page = inspect(&["--url", "https://www.shop.example/a", "-c", "weir.toml"]);
    assert_eq!(page["fields"], serde_json::json!({ "price": 12.5, "tags": ["a", "b"] }));
    assert_eq!(page["failed"]["part"], "fields.price < 5");
    assert_eq!(page["failed"]["values"]["fields.price"], "12.5");
}

#[test]
fn a_page_of_a_crawl_is_shown_as_its_row_has_it() {
    let run = Run::new();
    run.crawl("", &[]);
    let row = &run.rows()["/cinema/2"];
    let url = row["url"].as_str().unwrap();
    let html = crate::support::warc::response(&run.out(), url).unwrap();
    let file = run.folder.path().join("page.html");
    fs::write(&file, html.body()).unwrap();
    let words = ["inspect", "page", "page.html", "--url", url];
    let ended = Weir::start(words, Some(run.folder.path())).wait();
    ended.expect_code(0);
    let page: Value = serde_json::from_str(&ended.stdout).unwrap();
    for name in ["title", "published", "author", "copyright", "lang", "text", "sources"] {
        assert_eq!(page[name], row[name], "{name}");
    }
}
