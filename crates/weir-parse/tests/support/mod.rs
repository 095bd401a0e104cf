//! An independent answer to "which links has this page": html5ever's tree, walked afterwards.

#![allow(dead_code)] // each test file uses a part of this

pub mod mutate;
pub mod sitemaps;
pub mod suite;

use std::collections::BTreeSet;

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use url::Url;
use weir_parse::{Ask, Facts, Finding, Parser, canonicalize};
use weir_types::LinkKind;

/// Kind and canonical text of each link.
pub type Found = BTreeSet<(u8, String)>;

pub fn ours(html: &[u8], url: &Url, assets: bool) -> (Found, Facts) {
    let mut found = Found::new();
    let ask = Ask { body: html, url, content_type: Some("text/html; charset=utf-8"), assets };
    let facts = Parser::new().parse(ask, |finding| {
        let Finding::Link(link) = finding else {
            found.clear();
            return;
        };
        assert_eq!(link.fingerprint, weir_types::Fingerprint::of(link.url));
        found.insert((link.kind as u8, link.url.to_owned()));
    });
    (found, facts)
}

/// What html5ever finds; scripting is off, so `noscript` counts.
pub struct Theirs {
    pub found: Found,
    pub title: Option<String>,
}

pub fn theirs(html: &str, url: &Url) -> Theirs {
    let tree_builder = TreeBuilderOpts { scripting_enabled: false, ..Default::default() };
    let opts = ParseOpts { tree_builder, ..Default::default() };
    let dom = parse_document(RcDom::default(), opts).one(html);
    let mut elements = Vec::new();
    collect(dom.document.clone(), &mut elements);
    let base = elements.iter().find(|e| e.html && e.name == "base" && e.get("href").is_some());
    let base = base.and_then(|e| url.join(e.get("href").unwrap()).ok());
    let base = base.filter(|base| !matches!(base.scheme(), "data" | "javascript"));
    let base = base.unwrap_or_else(|| url.clone());
    let mut found = Found::new();
    for element in &elements {
        if let Some((kind, href)) = element.link()
            && let Ok(text) = canonicalize(&href, Some(&base))
        {
            found.insert((kind as u8, text));
        }
    }
    let titles = elements.iter().filter(|e| e.html && e.name == "title");
    let title = titles
        .map(|e| e.text.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
        .find(|title| !title.is_empty());
    Theirs { found, title }
}

struct Element {
    name: String,
    html: bool,
    attributes: Vec<(String, String)>,
    text: String,
}

impl Element {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    fn link(&self) -> Option<(LinkKind, String)> {
        let own = |kind, attribute| self.get(attribute).map(|value| (kind, value.to_owned()));
        match self.name.as_str() {
            "a" => own(LinkKind::Anchor, "href"),
            _ if !self.html => None,
            "area" => own(LinkKind::Anchor, "href"),
            "frame" | "iframe" => own(LinkKind::Frame, "src"),
            "link" => self.related().and_then(|()| own(LinkKind::Related, "href")),
            "meta" => self.refresh(),
            _ => None,
        }
    }

    fn related(&self) -> Option<()> {
        let rel = self.get("rel")?.to_ascii_lowercase();
        let has = |name: &str| rel.split_ascii_whitespace().any(|word| word == name);
        let style = ["stylesheet", "icon", "manifest", "preload"].iter().any(|name| has(name));
        let related = ["next", "prev", "alternate"].iter().any(|name| has(name)) && !style;
        (related || has("canonical")).then_some(())
    }

    /// Enough for `N;url=X`; the exact rules have tests of their own.
    fn refresh(&self) -> Option<(LinkKind, String)> {
        let equiv = self.get("http-equiv")?;
        let content = self.get("content")?;
        let (time, url) = content.split_once(';')?;
        let url = url.trim_start();
        let is_url = url.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("url="));
        let time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
        let bare = url.get(4..)?.trim().trim_matches(['\'', '"']);
        (equiv.eq_ignore_ascii_case("refresh") && is_url && time && !bare.is_empty())
            .then(|| (LinkKind::Refresh, bare.to_owned()))
    }
}

/// Walks in document order without recursion; what is in a `template` hangs apart and is left out.
fn collect(document: Handle, elements: &mut Vec<Element>) {
    let mut stack = vec![document];
    while let Some(node) = stack.pop() {
        if let NodeData::Element { name, attrs, .. } = &node.data {
            let attributes = attrs.borrow();
            let plain = attributes.iter().filter(|attr| attr.name.ns.is_empty());
            elements.push(Element {
                name: name.local.to_string(),
                html: name.ns.ends_with("xhtml"),
                attributes: plain
                    .map(|attr| (attr.name.local.to_string(), attr.value.to_string()))
                    .collect(),
                text: children_text(&node),
            });
        }
        stack.extend(node.children.borrow().iter().rev().cloned());
    }
}

fn children_text(node: &Handle) -> String {
    let mut text = String::new();
    for child in node.children.borrow().iter() {
        if let NodeData::Text { contents } = &child.data {
            text.push_str(&contents.borrow());
        }
    }
    text
}

/// The shared test material, if it lies beside this checkout.
pub fn material(path: &str) -> Option<std::path::PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/");
    let found = std::path::PathBuf::from(format!("{folder}{path}"));
    if !found.exists() {
        eprintln!("SKIPPED: test material {path} is absent");
        eprintln!("conformance: {path} | skipped");
        return None;
    }
    Some(found)
}
