//! What is made of pages is the same on every machine, though only the scheduler has the settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use weir_testsite::{HostSpec, Spec};

use crate::output::lines;
use crate::paper;
use crate::run::{BOUND, Cluster, write};
use crate::team::Team;

/// A rule, fields and a topic; `texts/recall.txt` is beside it, on the scheduler's machine.
const SETTINGS: &str = r#"
keep = 'lang == "en" and topic("recalls") > 0.1 or fields.price < 2000'
focus = "recalls"
[topic.recalls]
terms = { "food safety" = 1, "recall*" = 2, "salmonella" = 1 }
examples = ["texts/recall.txt"]
"#;
const EXAMPLE: &str = "The food safety office asks for a recall of eggs and of cheese after salmonella was \
    found in a sample from the farm. The contamination began in a broken pipe of the dairy.";

fn cluster() -> Cluster {
    let host = HostSpec::scripted(|asked| Some(paper::answer(asked, Duration::from_millis(5))));
    let cluster = Cluster::of(Spec::new(vec![host; 3]), &["-c", "weir.toml", "--per-host", "2"]);
    let site = |seed: &String| {
        let name = seed.trim_start_matches("http://").trim_end_matches('/').to_owned();
        format!(
            "[[site]]\nname = \"{name}\"\n[site.fields]\n\
             price = {{ css = \"main.product > p.price\", type = \"number\" }}\n\
             images = {{ css = \"figure img\", attr = \"src\", type = \"url\", many = true }}\n"
        )
    };
    let sites: String = cluster.web.seeds().iter().map(site).collect();
    write(&cluster.path("weir.toml"), &format!("{SETTINGS}{sites}"));
    std::fs::create_dir(cluster.path("texts")).unwrap();
    write(&cluster.path("texts/recall.txt"), EXAMPLE);
    cluster
}

/// Rows by URL, without what tells when and where a page was kept.
fn rows(folders: &[PathBuf]) -> BTreeMap<String, Value> {
    let columns =
        ["status", "title", "author", "lang", "text", "topics", "fields", "sources", "site"];
    let mut rows = BTreeMap::new();
    for row in lines(folders) {
        let url = row["url"].as_str().unwrap().to_owned();
        let made = columns.map(|name| row[name].clone());
        assert!(rows.insert(url.clone(), made.into()).is_none(), "{url} is there twice");
    }
    rows
}

#[test]
fn rules_fields_and_topics_make_the_same_rows_as_on_one_machine() {
    let cluster = cluster();
    cluster.crawl("alone", &[]).wait_within(BOUND).expect_code(0);
    Team::start(&cluster, &["a", "b", "c"]).end();
    let (alone, together) = (rows(&[cluster.path("alone")]), rows(&cluster.folders()));
    assert!(alone.len() > 50 && alone.len() < 3 * paper::paths().len(), "{}", alone.len());
    assert_eq!(alone.keys().collect::<Vec<_>>(), together.keys().collect::<Vec<_>>());
    for (url, row) in &alone {
        assert_eq!(row, &together[url], "{url}");
    }
    let report = crate::support::outcome::report(&cluster.path("alone"));
    assert_eq!(report["records"], cluster.report()["records"]);
    assert_eq!(report["records"]["kept"], alone.len());
}

/// The downloader's own machine has neither the settings nor the example: it is told all of it.
#[test]
fn a_downloader_needs_nothing_but_the_address() {
    let cluster = cluster();
    let scheduler = cluster.scheduler();
    std::fs::remove_dir_all(cluster.path("texts")).unwrap();
    std::fs::remove_file(cluster.path("weir.toml")).unwrap();
    let downloader = cluster.downloader("a");
    scheduler.wait_within(BOUND).expect_code(0);
    downloader.wait_within(BOUND).expect_code(0);
    let rows = rows(&cluster.folders());
    assert!(rows.values().any(|row| !row[5].is_null() && !row[6].is_null()), "{rows:?}");
}
