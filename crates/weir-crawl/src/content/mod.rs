//! What of a page's content a crawl wants to know, and what it does with it: attributes, main text,
//! fields, topics, the rule that says which pages become records, and how much links promise.
//!
//! `config/content.rs` makes a [`Content`] of what the user wrote; `reader` reads pages by it,
//! `record` is what rules are asked of, `promise` what a focused crawl expects of links.

mod inspect;
mod promise;
mod reader;
mod record;
mod row;

use std::collections::HashMap;
use std::sync::Arc;

use weir_content::fields::Fields;
use weir_content::rules::Rule;
use weir_content::topic::Topic;

pub use inspect::{Given, Inspected, Inspector};
pub use promise::parent_promise;
pub use reader::{PageContent, Reader, Source};
pub use record::Asked;
pub use row::put;

/// All that is wanted, checked.
#[derive(Debug, Default)]
pub struct Content {
    pub level: Level,
    pub topics: Vec<Topic>,
    /// The one of `topics` whose pages are asked for first.
    pub focus: Option<usize>,
    /// By the name of the `[[site]]`.
    pub sites: HashMap<String, SiteContent>,
    /// Of all other sites.
    pub others: SiteContent,
}

/// What is wanted of one site besides.
#[derive(Clone, Debug, Default)]
pub struct SiteContent {
    pub fields: Arc<Fields>,
    pub rule: Option<Arc<Rule>>,
}

/// What rows have besides what rules and topics need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Only what reading links brings anyway.
    #[default]
    None,
    Attributes,
    Text,
    /// The text as Markdown.
    Markdown,
}

impl Content {
    /// By the name of the host of a page, or by that of its site, as in `Config::named`.
    pub fn of(&self, site: &str, origin: &str) -> &SiteContent {
        let host = origin.split_once("://").map_or(origin, |(_, host)| host);
        let named = self.sites.get(host).or_else(|| self.sites.get(site));
        named.unwrap_or(&self.others)
    }

    /// Pages are read for more than their links.
    pub fn is_wanted(&self) -> bool {
        let of_site = |site: &SiteContent| site.rule.is_some() || !site.fields.fields().is_empty();
        self.level > Level::None
            || self.focus.is_some()
            || of_site(&self.others)
            || self.sites.values().any(of_site)
    }

    pub fn has_rules(&self) -> bool {
        self.others.rule.is_some() || self.sites.values().any(|site| site.rule.is_some())
    }

    fn wants_attributes(&self, site: &SiteContent) -> bool {
        // The title counts for topics, too.
        self.level > Level::None
            || !self.topics.is_empty()
            || site
                .rule
                .as_ref()
                .is_some_and(|rule| rule.names().iter().any(|name| is_attribute(name)))
    }

    fn wants_text(&self, site: &SiteContent) -> bool {
        self.level == Level::Text
            || !self.topics.is_empty()
            || site.rule.as_ref().is_some_and(|rule| rule.names().iter().any(|name| name == "text"))
    }
}

/// Everything else is known without looking at the page, or is asked for by itself.
fn is_attribute(name: &str) -> bool {
    const OTHERS: [&str; 9] = [
        "url",
        "site",
        "depth",
        "status",
        "bytes",
        "content_type",
        "charset",
        "fetched_at",
        "text",
    ];
    !name.starts_with("fields.") && !OTHERS.contains(&name)
}
