//! What is wrong in a config is refused before anything is fetched, with the place.

use crate::run::Run;

fn refused(settings: &str, words: &[&str]) {
    let run = Run::new();
    let settings = settings.replace("SITE", &format!("[[site]]\nname = '{}'\n", run.site()));
    let ended = run.start(&settings, &[]).wait();
    ended.expect_code(2).says(words);
    assert!(run.web.visits(0).is_empty(), "nothing is asked for");
}

#[test]
fn a_bad_selector_is_shown_with_file_key_and_place() {
    refused(
        "SITE fields.price = { css = 'div >> p' }",
        &["weir.toml", "site.fields.price", "  div >> p\n       ^"],
    );
    refused(
        "SITE fields.price = { css = 'p:contains(x)' }",
        &["weir.toml", "  p:contains(x)\n   ^^^^^^^^^^^^", "use a class"],
    );
    refused("SITE fields.x = { css = 'p', type = 'num' }", &["site.fields.x", "\"num\"", "number"]);
    refused("SITE fields.x = { css = 'p', atr = 'x' }", &["weir.toml", "atr", "line 3"]);
}

#[test]
fn a_bad_rule_is_shown_with_file_key_and_place() {
    refused(
        "keep = 'lang in [\"en\"] and publishd > now - 7d'",
        &["weir.toml: keep", "unknown name `publishd`", "\n  ", "^^^^^^^^", "`published`"],
    );
    refused("keep = 'published >= 7d'", &["keep", "^^^^^^^^^^^^^^^", "now - 7d"]);
    refused("SITE keep = 'fields.price > 1'", &["site.keep", "fields.price", "[site.fields]"]);
    refused("keep = 'true'\nstore = 'warc'", &["keep", "parquet"]);
}

#[test]
fn a_topic_or_a_focus_that_is_none_is_refused() {
    refused("keep = 'topic(\"x\") > 0'", &["unknown topic", "[topic.\"x\"]"]);
    refused("focus = 'x'", &["focus", "\"x\"", "no topic"]);
    refused("[topic.x]\nterms = []", &["topic", "terms"]);
    refused("[topic.x]\nterms = ['a*']", &["topic", "more letters"]);
    refused("[topic.x]\nexamples = ['absent.txt']", &["topic.\"x\".examples", "absent.txt"]);
    refused("content = 'much'", &["content", "markdown"]);
}
