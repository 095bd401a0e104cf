//! The title in a heading, without what stands in the heading above or below it.

use weir_parse::tree::{Id, Name, Tree};

use crate::attributes::plain::{plain, tidy};
use crate::attributes::said::is_long;

/// A heading with more nodes is not looked into.
const MAX_NODES: u32 = 80;
/// Nor is one with more parts.
const MAX_PARTS: usize = 12;

/// The text of a heading. A part of it that the page is called by elsewhere (`is_told`, of plain text)
/// stands for the whole, and what is named as the line above a title is left out. Empty for a long text.
pub fn text(tree: &Tree<'_>, id: Id, is_told: impl Fn(&str) -> bool) -> String {
    if is_long(tree, id) {
        return String::new();
    }
    let whole = collected(tree, &[id]);
    if tree.end(id).0 - id.0 > MAX_NODES {
        return whole;
    }
    let parts = parts(tree, id);
    let kicked = without_kicker(tree, &parts);
    if kicked.len() < parts.len() {
        return collected(tree, kicked);
    }
    if parts.len() < 2 || parts.len() > MAX_PARTS || is_told(&plain(&whole)) {
        return whole;
    }
    let ends = (1..parts.len()).map(|at| &parts[at..]);
    let begins = (1..parts.len()).rev().map(|at| &parts[..at]);
    let mut told = ends.chain(begins).map(|part| collected(tree, part));
    told.find(|text| is_told(&plain(text))).unwrap_or(whole)
}

/// The texts and elements with text that a heading is made of; not the only one around them.
fn parts(tree: &Tree<'_>, id: Id) -> Vec<Id> {
    let mut level = id;
    loop {
        let has_text = |id: &Id| !plain(&tree.collected(*id)).is_empty();
        let parts: Vec<Id> = tree.children(level).filter(has_text).collect();
        match parts[..] {
            [only] if !tree.is_text(only) => level = only,
            _ => return parts,
        }
    }
}

/// Words that the line above a title is called by.
const KICKERS: &[&str] = &[
    "kicker",
    "overline",
    "topline",
    "eyebrow",
    "roofline",
    "dachzeile",
    "spitzmarke",
    "pretitle",
];

/// The parts behind the line above a title; all of them if there is none.
fn without_kicker<'p>(tree: &Tree<'_>, parts: &'p [Id]) -> &'p [Id] {
    let is_kicker = |id: &Id| {
        let class = tree.raw_attribute(*id, "class").unwrap_or("").to_ascii_lowercase();
        KICKERS.iter().any(|word| class.contains(word))
    };
    match parts.split_first() {
        Some((first, rest)) if !rest.is_empty() && is_kicker(first) => rest,
        _ => parts,
    }
}

/// The text of these together, without how to read its letters.
fn collected(tree: &Tree<'_>, ids: &[Id]) -> String {
    let mut text = String::new();
    for id in ids {
        if has_readings(tree, *id) {
            collect_base(tree, *id, &mut text);
        } else {
            tree.collect(*id, &mut text);
        }
    }
    tidy(&text)
}

/// Some languages write above a word how it is read.
fn has_readings(tree: &Tree<'_>, id: Id) -> bool {
    tree.end(id).0 - id.0 <= MAX_RUBY && tree.descendants(id).any(|id| is_reading(tree, id))
}

/// A title with the reading of each of its words has many nodes.
const MAX_RUBY: u32 = 400;

fn is_reading(tree: &Tree<'_>, id: Id) -> bool {
    let own = |name| tree.written_name(id).eq_ignore_ascii_case(name);
    tree.name(id) == Name::Other && (own("rt") || own("rp"))
}

fn collect_base(tree: &Tree<'_>, id: Id, out: &mut String) {
    let mut at = id.0;
    while at < tree.end(id).0 {
        let node = Id(at);
        let skipped = is_reading(tree, node) || tree.name(node).is_hidden();
        at = if skipped { tree.end(node).0 } else { at + 1 };
        if tree.is_text(node) {
            out.push_str(&tree.text(node));
        }
    }
}
