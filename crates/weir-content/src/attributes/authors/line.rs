//! Authors by what the reader sees.

use super::{MAX_TEXT, distinct};
use crate::attributes::names::names;
use crate::attributes::near::Near;
use crate::attributes::page::Page;
use crate::attributes::said::said;
use crate::attributes::{Found, Source};

/// The names in a line near the heading that begins with a word such as `By`.
pub fn line(page: &Page<'_>, near: &Near) -> Vec<Found<String>> {
    let tree = &page.tree;
    for id in page.seen_texts(near.heading.0, near.heading.0 + 200) {
        let text = tree.text(id);
        let text = text.trim();
        if text.len() > MAX_TEXT || !begins_byline(text) {
            continue;
        }
        let alone = !text.contains(' ') || text.ends_with(':');
        let whole = if alone { tree.parent(id).map(|parent| said(tree, parent)) } else { None };
        let whole =
            whole.filter(|whole| whole.len() <= MAX_TEXT).unwrap_or_else(|| text.to_owned());
        let found = names(&whole);
        if !found.is_empty() && found.iter().all(|name| is_proper(name)) {
            return distinct(found.into_iter(), Source::Text);
        }
    }
    Vec::new()
}

#[rustfmt::skip]
const BEGINS: &[&str] = &[
    "by", "von", "par", "por", "di", "door", "autor", "author", "автор", "text", "written", "posted",
];

fn begins_byline(text: &str) -> bool {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).take(12).collect();
    BEGINS.contains(&word.to_lowercase().as_str())
}

/// Each word of some length begins with a capital.
fn is_proper(name: &str) -> bool {
    let mut words = name.split_whitespace().filter(|word| word.chars().count() > 3);
    name.contains(' ') && words.all(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()))
}
