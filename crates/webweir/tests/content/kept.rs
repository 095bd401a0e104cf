//! Rows have what was read, and a rule decides which there are.

use crate::paper::{self, FOOD, GERMAN, GOODS};
use crate::run::{Run, TOPIC};
use crate::support::warc;

/// As in docs/content.md.
const NEWS: &str =
    r#"keep = 'published >= now - 7d and lang in ["en"] and topic("food safety") > 0.4'"#;

#[test]
fn rows_have_attributes_and_text_with_their_sources() {
    let run = Run::new();
    run.crawl("", &[]);
    let rows = run.rows();
    assert_eq!(rows.len(), paper::paths().len());
    let row = &rows["/food/1"];
    assert_eq!(row["title"], "Recall of cheese: what buyers should know (1)");
    assert_eq!((&row["author"], &row["lang"]), (&"Ada Writer".into(), &"en".into()));
    assert!(row["published"].as_str().unwrap().ends_with('Z'), "{row}");
    assert_eq!(row["sources"]["published"], "json-ld");
    let text = row["text"].as_str().unwrap();
    assert!(text.contains("Two people were ill") && !text.contains("late goal"), "{text}");
    assert!(row["topics"].is_null() && run.report()["records"].is_null());
}

#[test]
fn without_content_there_is_only_what_reading_links_brings() {
    let run = Run::new();
    run.crawl("content = 'none'", &[]);
    let row = &run.rows()["/food/1"];
    assert_eq!(row["title"], "Recall of cheese: what buyers should know (1)");
    assert!(row["text"].is_null() && row["published"].is_null() && row["sources"].is_null());
}

#[test]
fn the_text_is_markdown_on_request() {
    let run = Run::new();
    run.crawl("", &["--content", "markdown"]);
    let text = run.rows()["/food/1"]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("because **salmonella** was found"), "{text}");
}

#[test]
fn a_rule_keeps_the_news_of_a_week_on_a_topic() {
    let run = Run::new();
    run.crawl(&format!("{NEWS}\n{TOPIC}"), &[]);
    let expected: Vec<String> =
        (0..7).filter(|n| *n != GERMAN).map(|n| format!("/{FOOD}/{n}")).collect();
    let rows = run.rows();
    assert_eq!(rows.keys().cloned().collect::<Vec<_>>(), expected);
    let score: f64 = rows["/food/0"]["topics"]["food safety"].as_str().unwrap().parse().unwrap();
    assert!(score > 0.4 && score < 1.0, "{score}");
    // The WARC has everything, and the report counts both.
    assert_eq!(warc::pages(&run.out()).len(), paper::paths().len());
    let records = &run.report()["records"];
    assert_eq!(records["kept"], expected.len());
    assert_eq!(records["dropped"], paper::paths().len() - expected.len());
}

#[test]
fn fields_have_their_types_and_rules_may_ask_for_them() {
    let run = Run::new();
    let settings = format!(
        r#"
        keep = "status == 404"
        [[site]]
        name = "{}"
        keep = "fields.price < 2000 and not fields.sold-out and length(fields.images) == 2"
        [site.fields]
        price = {{ css = "main.product > p.price", type = "number" }}
        weight = {{ css = "td.weight", type = "number" }}
        sku = {{ css = "main.product", attr = "data-sku" }}
        sold-out = {{ css = ".sold-out", type = "boolean" }}
        images = {{ css = "figure img", attr = "src", type = "url", many = true }}
        none = {{ css = ".no-such-class" }}
        "#,
        run.site()
    );
    run.crawl(&settings, &[]);
    let rows = run.rows();
    let wanted = |n: &usize| paper::price(*n) < 2000.0 && !paper::is_sold_out(*n);
    let expected: Vec<String> = (0..GOODS).filter(wanted).map(|n| format!("/shop/{n}")).collect();
    assert!(expected.len() > 1 && expected.len() < GOODS);
    assert_eq!(rows.keys().cloned().collect::<Vec<_>>(), expected);
    let fields = &rows["/shop/1"]["fields"];
    // Values are texts in the table; what is no text is JSON.
    assert_eq!(fields["price"], "1250.5");
    assert_eq!(fields["weight"], "2.5");
    assert_eq!((&fields["sku"], &fields["sold-out"]), (&"SKU-1".into(), &"false".into()));
    let images = serde_json::from_str::<Vec<String>>(fields["images"].as_str().unwrap()).unwrap();
    let site = run.site();
    assert_eq!(images, ["a", "b"].map(|it| format!("http://{site}/i/1-{it}.jpg")));
    assert!(fields.get("none").is_none());
}

#[test]
fn sinks_get_what_is_kept() {
    let run = Run::new();
    let settings = format!("{NEWS}\nsink = ['sqlite:pages.db']\n{TOPIC}");
    run.crawl(&settings, &[]);
    let database = rusqlite::Connection::open(run.folder.path().join("pages.db")).unwrap();
    let count = |what: &str| {
        let ask = format!("SELECT count(*) FROM pages WHERE {what}");
        database.query_row(&ask, [], |row| row.get::<_, usize>(0)).unwrap()
    };
    assert_eq!(count("true"), 6);
    assert_eq!(count("author = 'Ada Writer' AND length(text) > 100"), 6);
}
