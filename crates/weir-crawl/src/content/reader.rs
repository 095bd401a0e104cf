use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use encoding_rs::Encoding;
use jiff::Timestamp;
use serde_json::{Map, Value};
use url::Url;
use weir_content::attributes::{Attributes, attributes};
use weir_content::text::main_text;
use weir_content::topic::Words;
use weir_parse::Rules;
use weir_parse::tree::{Builder, Tree};
use weir_types::Links;

use super::{Content, Level, SiteContent, promise};

/// What was read in one page.
#[derive(Debug, Default)]
pub struct PageContent {
    pub attributes: Attributes,
    /// Plain, whatever rows have: this is what rules and topics are about.
    pub text: Option<String>,
    pub markdown: Option<String>,
    pub fields: Map<String, Value>,
    /// In the order of [`Content::topics`], each in 0..1.
    pub topics: Vec<f32>,
}

/// A page to read.
pub struct Source<'a> {
    /// The body with its content coding undone.
    pub body: &'a [u8],
    /// The name of its encoding, as the parser found it.
    pub charset: &'a str,
    pub url: &'a Url,
    /// What links are resolved against, where the page says so.
    pub base: Option<&'a str>,
    pub rules: &'a Rules,
    /// What was expected of it when it was found.
    pub promise: u8,
    pub now: Timestamp,
}

/// Keeps its buffers from page to page: one a thread.
#[derive(Default)]
pub struct Reader {
    builder: Builder,
    words: Words,
}

/// What stands behind it in a page is not read: no article is as long, and memory is bounded.
const MOST_BYTES: usize = 2 << 20;
/// Nearly all pages are shorter.
const LONG: usize = 512 << 10;

impl Reader {
    /// Reads a page, and says of its links what they promise if the crawl has a focus.
    pub fn read(
        &mut self,
        content: &Content,
        site: &SiteContent,
        source: &Source<'_>,
        links: &mut Links,
    ) -> PageContent {
        let read = catch_unwind(AssertUnwindSafe(|| self.try_read(content, site, source, links)));
        // Buffers for a long page would be kept for ever, and by each thread.
        if read.is_err() || source.body.len() > LONG {
            *self = Reader::default();
        }
        // A mistake of ours in one page of millions must not end the crawl: the page goes without.
        read.unwrap_or_default()
    }

    fn try_read(
        &mut self,
        content: &Content,
        site: &SiteContent,
        source: &Source<'_>,
        links: &mut Links,
    ) -> PageContent {
        let html = decoded(source);
        let tree = self.builder.build(&html);
        let mut page = PageContent::default();
        if content.wants_attributes(site) {
            page.attributes = attributes(tree, source.url, source.now);
        }
        read_text(content, site, &tree, source.url, &mut page);
        if !site.fields.fields().is_empty() {
            page.fields = site.fields.read(&tree, source.url);
        }
        if !content.topics.is_empty() {
            let title = page.attributes.title.as_ref().map_or("", |title| &title.value);
            self.words.read(title, page.text.as_deref().unwrap_or_default());
            let score = |topic: &weir_content::topic::Topic| topic.score(&self.words);
            page.topics = content.topics.iter().map(score).collect();
        }
        if let Some(focus) = content.focus {
            let relevance = page.topics.get(focus).copied().unwrap_or(0.0);
            promise::set(links, &tree, source, &content.topics[focus], relevance);
        }
        page
    }
}

fn read_text(
    content: &Content,
    site: &SiteContent,
    tree: &Tree<'_>,
    url: &Url,
    page: &mut PageContent,
) {
    let (plain, markdown) = (content.wants_text(site), content.level == Level::Markdown);
    if !plain && !markdown {
        return;
    }
    let text = main_text(tree);
    let some = |text: String| Some(text).filter(|text| !text.is_empty());
    page.text = plain.then(|| text.plain()).and_then(some);
    page.markdown = markdown.then(|| text.markdown(url)).and_then(some);
}

fn decoded<'a>(source: &Source<'a>) -> Cow<'a, str> {
    let body = &source.body[..source.body.len().min(MOST_BYTES)];
    let encoding = Encoding::for_label(source.charset.as_bytes()).unwrap_or(encoding_rs::UTF_8);
    encoding.decode_with_bom_removal(body).0
}
