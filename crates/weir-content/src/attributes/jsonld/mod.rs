//! What the scripts of type `application/ld+json` say, as things of schema.org.

mod key;
mod repair;
mod thing;

use serde::de::DeserializeSeed;

pub use key::Key;
use thing::Reading;
pub use thing::{Json, Thing};

/// All things a page describes.
#[derive(Default)]
pub struct Linked {
    roots: Vec<Json>,
}

/// Longer scripts are not read.
const MAX_BYTES: usize = 1 << 20;
/// Nor are more than these.
const MAX_SCRIPTS: usize = 32;
/// More things do not stand for a page, and looking at pairs of them stays cheap.
const MAX_THINGS: usize = 500;

impl Linked {
    pub fn new<'s>(scripts: impl Iterator<Item = &'s str>) -> Linked {
        let mut roots = Vec::new();
        let mut left = MAX_BYTES;
        for script in scripts.take(MAX_SCRIPTS) {
            if script.len() > left {
                continue;
            }
            left -= script.len();
            roots.extend(read(script));
        }
        Linked { roots }
    }

    /// The things that stand for the page: those at the top, in `@graph`, and their main entities.
    pub fn near(&self) -> Vec<&Thing> {
        let mut near = Vec::new();
        for thing in self.roots.iter().flat_map(Json::items).filter_map(Json::thing) {
            near.push(thing);
            near.extend(thing.things(Key::Graph));
        }
        near.truncate(MAX_THINGS);
        let main: Vec<&Thing> = near
            .iter()
            .flat_map(|thing| {
                thing.things(Key::MainEntity).chain(thing.things(Key::MainEntityOfPage))
            })
            .take(MAX_THINGS)
            .collect();
        near.extend(main);
        near
    }

    /// Those of them that say something of the page, what it is about before the page itself.
    pub fn ranked(&self) -> Vec<&Thing> {
        let mut ranked = self.near();
        ranked.retain(|thing| rank(thing) < UNRANKED);
        ranked.sort_by_key(|thing| rank(thing));
        ranked
    }

    /// Every thing, however deep it is.
    pub fn every(&self) -> Vec<&Thing> {
        let mut every = Vec::new();
        for thing in self.roots.iter().flat_map(Json::items).filter_map(Json::thing) {
            thing.visit(&mut |thing| every.push(thing));
        }
        every
    }
}

const UNRANKED: u8 = 4;

fn rank(thing: &Thing) -> u8 {
    if thing.is(|name| name.ends_with("Article") || name.ends_with("Posting") || name == "Report") {
        0
    } else if thing.is(|name| name.ends_with("Page")) {
        2
    } else if thing.is(|name| {
        matches!(name, "BreadcrumbList" | "ImageObject" | "Person" | "ItemList" | "SearchAction")
    }) {
        UNRANKED
    } else if thing.is(|name| name.ends_with("Organization") || name == "WebSite") {
        3
    } else {
        1
    }
}

fn read(script: &str) -> Option<Json> {
    let whole = |text: &str| {
        let mut from = serde_json::Deserializer::from_str(text);
        Reading { keeps_text: false }.deserialize(&mut from)
    };
    let script = script.trim();
    if script.is_empty() {
        return None;
    }
    // What cannot be repaired tells nothing, like a page without it.
    whole(script).or_else(|_| whole(&repair::repaired(script))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headline(script: &str) -> Option<String> {
        let linked = Linked::new(std::iter::once(script));
        linked.near().iter().find_map(|thing| thing.text(Key::Headline)).map(str::to_owned)
    }

    #[test]
    fn faulty_json_is_read_as_it_was_meant() {
        for script in [
            r#"{"headline": "a"}"#,
            r#"[{"headline": ["a"]}]"#,
            r#"{"@graph": [{"@type": "x"}, {"headline": {"@value": "a"}}]}"#,
            r#"{"schema:headline": "a"}"#,
            r#"{"http://schema.org/headline": "a"}"#,
            r#"<!-- {"headline": "a"} -->"#,
            "//<![CDATA[\n{\"headline\": \"a\"}\n//]]>",
            r#"{"headline": "a"};"#,
            r#"{"headline": "a"} {"headline": "b"}"#,
            r#"{"headline": "a",}"#,
            "{\"description\": \"two\nlines\ttab\", \"headline\": \"a\"}",
            r#"{"description": "a "quoted" word", "headline": "a"}"#,
            r#"{"description": "it\'s \u12", "headline": "a"}"#,
            r#"{"headline": "a", "list": [1, {"b": "c"#,
            r#"{"headline": "a", "list":"#,
            "/* a comment */ {\"headline\": \"a\"}",
            r#"{"mainEntity": {"headline": "a"}}"#,
        ] {
            assert_eq!(headline(script).as_deref(), Some("a"), "{script}");
        }
    }

    #[test]
    fn what_is_no_json_tells_nothing() {
        for script in ["", "x", "{", "}{", "[[[[", "\"", "null", "{\"headline\":"] {
            assert_eq!(headline(script), None, "{script}");
        }
        let deep = "{\"a\":".repeat(100_000);
        assert_eq!(headline(&deep), None);
    }

    #[test]
    fn things_are_found_however_deep_they_are() {
        let script = r#"{"x": [{"y": {"@type": "http://schema.org/VideoObject"}}]}"#;
        let linked = Linked::new(std::iter::once(script));
        assert!(linked.every().iter().any(|thing| thing.is(|name| name == "VideoObject")));
    }
}
