//! Authors by the names of elements: `itemprop=author`, `rel=author`, `class=byline`.

use weir_parse::tree::{Id, Name};

use super::{MAX_TEXT, distinct, is_handle};
use crate::attributes::mark::{Kinds, Mark};
use crate::attributes::names::names;
use crate::attributes::near::Near;
use crate::attributes::page::Page;
use crate::attributes::said::said;
use crate::attributes::site::Site;
use crate::attributes::{Found, Source};

/// More elements than this are not looked into.
const MAX_TRIED: usize = 100;

/// The names in the element nearest to the heading that is marked so; microdata before classes.
pub fn marked(page: &Page<'_>, site: &Site, near: &Near) -> Vec<Found<String>> {
    let own = page.marks(Kinds::AUTHOR).filter(|mark| !page.is_aside(mark.id));
    let mut marks: Vec<&Mark> = own.collect();
    marks.sort_by_key(|mark| (mark.source == Source::Markup, near.distance(mark.id)));
    let mut last = Vec::new();
    for mark in marks.iter().take(MAX_TRIED) {
        let found = of_element(page, mark.id);
        if found.iter().any(|name| !site.is_like(name) && !is_handle(name)) {
            return distinct(found.into_iter().chain(beside(page, mark, &marks)), mark.source);
        }
        if last.is_empty() {
            last = distinct(found.into_iter(), mark.source);
        }
    }
    last
}

/// Further authors: elements of the same class that follow closely.
fn beside(page: &Page<'_>, first: &Mark, marks: &[&Mark]) -> Vec<String> {
    let class = |id: Id| page.tree.raw_attribute(id, "class");
    let next = marks.iter().filter(|mark| {
        let close = mark.id > first.id && mark.id.0 - first.id.0 < 60;
        close && class(mark.id).is_some() && class(mark.id) == class(first.id)
    });
    next.flat_map(|mark| of_element(page, mark.id)).collect()
}

fn of_element(page: &Page<'_>, id: Id) -> Vec<String> {
    let tree = &page.tree;
    if let Some(content) = tree.attribute(id, "content") {
        return names(&content);
    }
    if tree.end(id).0 - id.0 > 80 {
        return Vec::new();
    }
    let named =
        tree.descendants(id).filter(|id| tree.raw_attribute(*id, "itemprop") == Some("name"));
    let linked =
        tree.descendants(id).filter(|id| tree.name(*id) == Name::A && is_author_link(page, *id));
    for part in named.take(5).map(|id| vec![id]).chain([linked.take(10).collect()]) {
        let found: Vec<String> = part.iter().flat_map(|id| names(&said(tree, *id))).collect();
        if !found.is_empty() {
            return found;
        }
    }
    let text = said(tree, id);
    if text.len() <= MAX_TEXT { names(&text) } else { Vec::new() }
}

fn is_author_link(page: &Page<'_>, id: Id) -> bool {
    let href = page.tree.raw_attribute(id, "href").unwrap_or("").to_ascii_lowercase();
    [
        "author",
        "autor",
        "/by/",
        "/people/",
        "/profile",
        "/staff/",
        "/contributor",
        "/team/",
        "/person/",
        "/user/",
    ]
    .iter()
    .any(|word| href.contains(word))
}
