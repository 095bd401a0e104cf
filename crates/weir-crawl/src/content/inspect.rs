use jiff::Timestamp;
use serde_json::{Map, Value};
use url::Url;
use weir_content::rules::Failed;
use weir_parse::Rules;
use weir_store::PageFacts;
use weir_types::{Links, site_of};

use super::{Asked, Content, Level, PageContent, Reader, Source, row};
use crate::scope::origin;
use crate::settings::{ConfigError, Settings};

/// Reads single pages as a crawl with the same settings does, for whoever writes such settings.
pub struct Inspector {
    content: Content,
    reader: Reader,
    rules: Rules,
}

/// What a crawl would make of a page.
#[derive(Debug, Default)]
pub struct Inspected {
    /// As a row has it, but for the fields.
    pub facts: PageFacts,
    /// With their types.
    pub fields: Map<String, Value>,
    pub topics: Vec<(String, f32)>,
    /// `None` without a rule.
    pub kept: Option<bool>,
    pub failed: Option<Failed>,
}

/// What a crawl knows of a page before it looks at its content.
pub struct Given<'a> {
    pub body: &'a [u8],
    pub url: &'a Url,
    pub content_type: Option<&'a str>,
    pub charset: &'a str,
    /// The body was decoded by whoever gives it, and is UTF-8 whatever it says of itself.
    pub is_decoded: bool,
}

impl Inspector {
    pub fn new(settings: &Settings, markdown: bool) -> Result<Inspector, ConfigError> {
        let content = crate::config::content::of(settings)?;
        let level = if markdown { Level::Markdown } else { content.level.max(Level::Text) };
        // Nothing is asked for next.
        let content = Content { level, focus: None, ..content };
        Ok(Inspector { content, reader: Reader::default(), rules: Rules::plain() })
    }

    pub fn inspect(&mut self, given: &Given<'_>) -> Inspected {
        let now = Timestamp::now();
        let (name, url) = (site_of(given.url), given.url.as_str());
        let site = self.content.of(&name, origin(url));
        let source = Source {
            body: given.body,
            charset: if given.is_decoded { "UTF-8" } else { given.charset },
            url: given.url,
            base: None,
            rules: &self.rules,
            promise: 0,
            now,
        };
        let page = self.reader.read(&self.content, site, &source, &mut Links::default());
        let asked = Asked {
            content: &self.content,
            page: &page,
            url,
            site: &name,
            depth: 0,
            status: 200,
            bytes: given.body.len() as u64,
            content_type: given.content_type,
            charset: Some(given.charset),
            fetched_at: now,
        };
        let failed = site.rule.as_ref().and_then(|rule| rule.failed(&asked, now));
        let kept = site.rule.as_ref().map(|_| failed.is_none());
        self.shown(page, kept, failed)
    }

    fn shown(&self, page: PageContent, kept: Option<bool>, failed: Option<Failed>) -> Inspected {
        let fields = page.fields.clone();
        let scored = self.content.topics.iter().zip(&page.topics);
        let topics = scored.map(|(topic, score)| (topic.name().to_owned(), *score)).collect();
        let mut facts = PageFacts::default();
        row::put(&self.content, page, &mut facts);
        Inspected { facts, fields, topics, kept, failed }
    }
}
