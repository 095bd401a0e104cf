//! From what was read to the columns of the table.

use serde_json::Value;
use weir_content::attributes::{Attributes, Product, When};
use weir_store::PageFacts;

use super::{Content, Level, PageContent};

/// Puts into a row what rows have. What was read only for a rule or a topic is left out.
pub fn put(content: &Content, page: PageContent, facts: &mut PageFacts) {
    let PageContent { attributes, text, markdown, fields, topics } = page;
    if content.level > Level::None {
        facts.sources = sources(&attributes);
        put_attributes(attributes, facts);
    }
    facts.text = match content.level {
        Level::Text => text,
        Level::Markdown => markdown,
        Level::None | Level::Attributes => None,
    };
    let known = fields.into_iter().filter(|(_, value)| !value.is_null());
    facts.fields = known.map(|(name, value)| (name, written(value))).collect();
    let scored = content.topics.iter().zip(topics);
    facts.topics =
        scored.map(|(topic, score)| (topic.name().to_owned(), format!("{score:.4}"))).collect();
}

fn put_attributes(attributes: Attributes, facts: &mut PageFacts) {
    facts.author = author(&attributes);
    facts.published = attributes.published.map(|found| moment(found.value));
    facts.modified = attributes.modified.map(|found| moment(found.value));
    facts.copyright = attributes.owner.map(|found| found.value);
    facts.title = attributes.title.map(|found| found.value).or(facts.title.take());
    facts.lang = attributes.lang.map(|found| found.value).or(facts.lang.take());
    facts.videos = attributes.videos.into_iter().map(|video| video.value).collect();
    facts.product = attributes.product.map(|found| pairs(found.value)).unwrap_or_default();
}

/// All names, in the order of the page.
pub(super) fn author(attributes: &Attributes) -> Option<String> {
    let names: Vec<&str> = attributes.authors.iter().map(|name| name.value.as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// In UTC where the page gives a time; else the day alone.
pub(super) fn moment(when: When) -> String {
    when.at.map_or_else(|| when.day.to_string(), |at| at.to_string())
}

pub(super) fn pairs(product: Product) -> Vec<(String, String)> {
    let Product { name, price, currency, availability, .. } = product;
    let parts =
        [("name", name), ("price", price), ("currency", currency), ("availability", availability)];
    parts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// What each attribute was told by, as `json-ld` or `time-element`.
pub(super) fn sources(attributes: &Attributes) -> Vec<(String, String)> {
    let Attributes { title, published, modified, authors, owner, lang, videos, product, .. } =
        attributes;
    let found = [
        ("title", title.as_ref().map(|found| found.source)),
        ("published", published.as_ref().map(|found| found.source)),
        ("modified", modified.as_ref().map(|found| found.source)),
        ("author", authors.first().map(|found| found.source)),
        ("copyright", owner.as_ref().map(|found| found.source)),
        ("lang", lang.as_ref().map(|found| found.source)),
        ("videos", videos.first().map(|found| found.source)),
        ("product", product.as_ref().map(|found| found.source)),
    ];
    let named = found.into_iter().filter_map(|(name, source)| Some((name, source?)));
    named.map(|(name, source)| (name.to_owned(), dashed(&format!("{source:?}")))).collect()
}

/// `TimeElement` as `time-element`.
fn dashed(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 2);
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// Texts are as they are, and everything else is JSON.
fn written(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_fields_are_texts_or_json() {
        for (value, expected) in [
            (Value::from("a \"b\""), "a \"b\""),
            (Value::from(12.5), "12.5"),
            (Value::from(true), "true"),
            (Value::from(vec!["a", "b"]), "[\"a\",\"b\"]"),
        ] {
            assert_eq!(written(value), expected);
        }
    }

    #[test]
    fn sources_have_plain_names() {
        let names = ["JsonLd", "Meta", "TimeElement"].map(dashed);
        assert_eq!(names, ["json-ld", "meta", "time-element"]);
    }
}
