//! `content`, `keep`, `focus`, `[topic.NAME]` and `[site.fields]`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use weir_content::fields::{Field, Fields};
use weir_content::rules::{Known, Rule, Type};
use weir_content::text::main_text;
use weir_content::topic::{Topic, TopicSettings};
use weir_parse::tree::Builder;

use super::values::value;
use super::{StoreChoice, names};
use crate::content::{Content, Level, SiteContent};
use crate::settings::{ConfigError, Settings, SiteSettings};

/// More of an example says nothing new.
const MOST_EXAMPLE: usize = 1 << 20;

pub fn content(settings: &Settings, store: StoreChoice) -> Result<Content, ConfigError> {
    let made = of(settings)?;
    if made.has_rules() && !store.parquet {
        let remedy = "a rule decides about rows; put parquet into `store` too";
        return Err(value("keep", settings.keep.as_deref().unwrap_or("…"), remedy));
    }
    // Without rows nobody sees what they would have.
    Ok(Content { level: if store.parquet { made.level } else { Level::None }, ..made })
}

/// The same for whoever keeps nothing.
pub fn of(settings: &Settings) -> Result<Content, ConfigError> {
    let topics = topics(settings)?;
    let names_of_topics: Vec<String> = topics.iter().map(|topic| topic.name().to_owned()).collect();
    let mut sites = HashMap::new();
    let mut all_fields: Vec<(String, Type)> = Vec::new();
    for site in settings.site.iter().flatten() {
        let fields = fields(settings, site)?;
        let known = Known { fields: types(&fields), topics: names_of_topics.clone() };
        all_fields = joined(all_fields, &known.fields);
        let rule = rule(settings, "site.keep", site.keep.as_deref(), &known)?;
        let of_site = SiteContent { fields: Arc::new(Fields::new(fields)), rule };
        for name in names(site)? {
            sites.insert(name, of_site.clone());
        }
    }
    let known = Known { fields: all_fields, topics: names_of_topics };
    let others = rule(settings, "keep", settings.keep.as_deref(), &known)?;
    for site in sites.values_mut() {
        site.rule = site.rule.take().or_else(|| others.clone());
    }
    Ok(Content {
        level: level(settings.content.as_deref())?,
        focus: focus(settings, &topics)?,
        topics,
        sites,
        others: SiteContent { rule: others, ..SiteContent::default() },
    })
}

fn level(text: Option<&str>) -> Result<Level, ConfigError> {
    match text {
        None | Some("text") => Ok(Level::Text),
        Some("none") => Ok(Level::None),
        Some("attributes") => Ok(Level::Attributes),
        Some("markdown") => Ok(Level::Markdown),
        Some(other) => Err(value("content", other, "write none, attributes, text or markdown")),
    }
}

fn fields(settings: &Settings, site: &SiteSettings) -> Result<Vec<Field>, ConfigError> {
    let named = site.fields.iter().flatten();
    let field = |(name, field)| {
        let wrong = |why: weir_content::fields::FieldError| {
            wrong(settings, format!("site.fields.{name}"), why.to_string())
        };
        Field::new(name, field).map_err(wrong)
    };
    named.map(field).collect()
}

/// A list may be asked for its length and for what it contains.
fn types(fields: &[Field]) -> Vec<(String, Type)> {
    let kind = |field: &Field| if field.is_many() { Type::List } else { field.kind().of_rule() };
    fields.iter().map(|field| (field.name().to_owned(), kind(field))).collect()
}

/// For a rule of all sites: a field that two sites have in two kinds may be anything.
fn joined(mut all: Vec<(String, Type)>, more: &[(String, Type)]) -> Vec<(String, Type)> {
    for (name, kind) in more {
        match all.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) if known == kind => {}
            Some((_, known)) => *known = Type::Any,
            None => all.push((name.clone(), *kind)),
        }
    }
    all
}

fn rule(
    settings: &Settings,
    key: &str,
    text: Option<&str>,
    known: &Known,
) -> Result<Option<Arc<Rule>>, ConfigError> {
    let Some(text) = text else { return Ok(None) };
    match Rule::new(text, known) {
        Ok(rule) => Ok(Some(Arc::new(rule))),
        Err(why) => Err(wrong(settings, key.to_owned(), why.to_string())),
    }
}

fn topics(settings: &Settings) -> Result<Vec<Topic>, ConfigError> {
    let named = settings.topic.iter().flatten();
    named.map(|(name, topic)| self::topic(settings, name, topic)).collect()
}

fn topic(settings: &Settings, name: &str, topic: &TopicSettings) -> Result<Topic, ConfigError> {
    let key = |part: &str| format!("topic.{name:?}{part}");
    let texts = |part: &str, list: &[String]| {
        let text = |entry: &String| {
            example(entry).map_err(|why| wrong(settings, key(&format!(".{part}")), why))
        };
        list.iter().map(text).collect::<Result<Vec<String>, _>>()
    };
    let examples = texts("examples", &topic.examples)?;
    let background = texts("background", &topic.background)?;
    let made = Topic::new(name, &topic.terms.written(), &examples, &background);
    made.map_err(|why| wrong(settings, key(""), why.to_string()))
}

/// A text, or the file of that name. What is one word can only be a file.
pub fn example(entry: &str) -> Result<String, String> {
    let path = Path::new(entry.trim());
    let is_file = path.is_file();
    if !is_file && entry.split_whitespace().nth(1).is_some() {
        return Ok(entry.to_owned());
    }
    let bytes = std::fs::read(path)
        .map_err(|why| format!("cannot read {entry:?}: {why}; name a file, or write a text"))?;
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_EXAMPLE)]).into_owned();
    let is_page = path.extension().is_some_and(|ending| ending == "html" || ending == "htm");
    Ok(if is_page { main_text(&Builder::new().build(&text)).plain() } else { text })
}

fn focus(settings: &Settings, topics: &[Topic]) -> Result<Option<usize>, ConfigError> {
    let Some(name) = &settings.focus else { return Ok(None) };
    if let Some(at) = topics.iter().position(|topic| topic.name() == name) {
        return Ok(Some(at));
    }
    let names: Vec<String> = topics.iter().map(|topic| format!("{:?}", topic.name())).collect();
    let remedy = match names.is_empty() {
        true => {
            format!("there is no topic of that name; describe it: [topic.{name:?}] terms = [\"…\"]")
        }
        false => format!("there is no topic of that name; there is {}", names.join(", ")),
    };
    Err(value("focus", name, &remedy))
}

fn wrong(settings: &Settings, key: String, what: String) -> ConfigError {
    let file = settings.file.as_ref().map(|file| format!("{}: ", file.display()));
    ConfigError::Content { file: file.unwrap_or_default(), key, what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(text: &str) -> Result<Content, String> {
        let settings: Settings = toml::from_str(text).unwrap();
        of(&Settings { file: Some("weir.toml".into()), ..settings }).map_err(|why| why.to_string())
    }

    #[test]
    fn a_site_has_its_fields_and_its_rule_or_that_of_all() {
        let content = made(
            r#"
            keep = "fields.price < 10"
            [[site]]
            name = "Shop.example"
            fields.price = { css = ".price", type = "number" }
            [[site]]
            name = "news.example"
            keep = 'topic("eggs") > 0.4'
            [topic.eggs]
            terms = { egg = 2, "egg*" = 1 }
            "#,
        )
        .unwrap();
        assert_eq!(content.of("shop.example", "http://x.shop.example").fields.fields().len(), 1);
        let names = |site| content.of(site, "http://x").rule.as_ref().unwrap().names().to_vec();
        assert_eq!(names("shop.example"), ["fields.price"]);
        assert!(names("news.example").is_empty());
        assert_eq!(names("other.example"), ["fields.price"]);
        assert!(content.is_wanted() && content.has_rules());
    }

    #[test]
    fn mistakes_are_shown_with_file_key_and_place() {
        let site = "[[site]]\nname = 'a.example'\n";
        for (text, expected) in [
            (
                format!("{site}fields.price = {{ css = 'div >> p' }}"),
                &["weir.toml: site.fields.price: ", "  div >> p\n", "^"][..],
            ),
            (
                format!("{site}fields.price = {{ css = 'p', type = 'nubmer' }}"),
                &["site.fields.price", "\"number\""],
            ),
            (
                "keep = 'lang = \"en\"'".to_owned(),
                &["weir.toml: keep: ", "  lang = \"en\"\n", "\n       ^"],
            ),
            (format!("{site}keep = 'fields.price > 1'"), &["site.keep: ", "fields.price"]),
            ("keep = 'topic(\"x\") > 1'".to_owned(), &["unknown topic", "^"]),
            ("focus = 'x'".to_owned(), &["focus", "[topic.\"x\"]"]),
            ("content = 'all'".to_owned(), &["content", "markdown"]),
            ("[topic.x]".to_owned(), &["weir.toml: topic.\"x\": ", "terms"]),
            (
                "[topic.x]\nexamples = ['no-such-file.txt']".to_owned(),
                &["topic.\"x\".examples", "no-such-file.txt"],
            ),
        ] {
            let why = made(&text).unwrap_err();
            for part in expected {
                assert!(why.contains(part), "{text}\n{why}");
            }
        }
    }
}
