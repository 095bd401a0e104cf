//! What a crawl with a focus expects of links: a number that goes with a link into the frontier,
//! which asks for high ones first.

use std::collections::HashMap;

use url::Url;
use weir_content::topic::Topic;
use weir_parse::tree::{Id, Name, Tree};
use weir_types::{Fingerprint, LinkKind, LinkRef, Links};

use super::reader::Source;

/// More text of one anchor is not looked at.
const MOST_ANCHOR: usize = 300;
const MOST_NODES: usize = 50;
/// A page that is about something else passes on half of what was expected of it, so that a good
/// page behind it is still found.
const PASSED_ON: f32 = 0.5;

/// Sets the promise of each link from its anchor, its URL and the page it stands on.
pub fn set(links: &mut Links, tree: &Tree<'_>, source: &Source<'_>, topic: &Topic, relevance: f32) {
    if links.is_empty() {
        return;
    }
    let parent = relevance.max(PASSED_ON * of_promise(source.promise));
    let anchors = anchors(tree, source, links);
    links.promise(|link| {
        if link.kind == LinkKind::Redirect {
            return source.promise;
        }
        let anchor = anchors.get(&link.fingerprint).map_or("", String::as_str);
        to_promise(topic.link_score(anchor, link.url, parent))
    });
}

/// Links of what is no page of text, such as a redirect or a sitemap.
pub fn parent_promise(topic: &Topic, link: &LinkRef<'_>, promise: u8) -> u8 {
    match link.kind {
        LinkKind::Redirect => promise,
        _ => to_promise(topic.link_score("", link.url, 0.0)),
    }
}

fn to_promise(score: f32) -> u8 {
    (score * f32::from(u8::MAX)).round() as u8
}

fn of_promise(promise: u8) -> f32 {
    f32::from(promise) / f32::from(u8::MAX)
}

/// What is written on the links that are asked about; of several anchors of one link, all of it.
fn anchors(tree: &Tree<'_>, source: &Source<'_>, links: &Links) -> HashMap<Fingerprint, String> {
    let mut anchors: HashMap<Fingerprint, String> = HashMap::with_capacity(links.len());
    anchors.extend(links.iter().map(|link| (link.fingerprint, String::new())));
    let base = source.base.and_then(|base| Url::parse(base).ok());
    let base = base.as_ref().unwrap_or(source.url);
    for id in tree.descendants(Tree::ROOT).filter(|id| tree.name(*id) == Name::A) {
        let Some(href) = tree.attribute(id, "href") else { continue };
        let Ok(url) = source.rules.canonicalize(&href, Some(base)) else { continue };
        if let Some(anchor) = anchors.get_mut(&Fingerprint::of(&url))
            && anchor.len() < MOST_ANCHOR
        {
            add_anchor(tree, id, anchor);
        }
    }
    anchors
}

/// Its text, and what stands for it where it is a picture.
fn add_anchor(tree: &Tree<'_>, id: Id, anchor: &mut String) {
    let mut add = |text: &str| {
        anchor.push(' ');
        anchor.push_str(&text[..text.floor_char_boundary(MOST_ANCHOR)]);
    };
    if let Some(title) = tree.attribute(id, "title") {
        add(&title);
    }
    // One that is never closed has the rest of the page in it.
    for inside in tree.descendants(id).take(MOST_NODES) {
        match tree.name(inside) {
            Name::Text => add(&tree.text(inside)),
            Name::Img => add(&tree.attribute(inside, "alt").unwrap_or_default()),
            _ => {}
        }
    }
}
