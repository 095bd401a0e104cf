//! Who has the copyright.

use weir_parse::tree::Id;

use super::jsonld::{Key, Thing};
use super::mark::Kinds;
use super::meta::About;
use super::page::Page;
use super::plain::tidy;
use super::said::said;
use super::{Found, Source};

pub fn owner(page: &Page<'_>, things: &[&Thing]) -> Option<Found<String>> {
    let told = page
        .metas(About::Owner)
        .find_map(|meta| Some(Found::new(name(&meta.content)?, meta.source)));
    told.or_else(|| linked(things, Key::CopyrightHolder))
        .or_else(|| below(page))
        .or_else(|| linked(things, Key::Publisher))
}

fn linked(things: &[&Thing], key: Key) -> Option<Found<String>> {
    let text = things.iter().find_map(|thing| thing.text(key));
    text.and_then(name).map(|name| Found::new(name, Source::JsonLd))
}

/// How many of the last nodes are looked at for a line with the sign, if there is no footer.
const LAST: u32 = 300;
/// And in a footer.
const MOST: u32 = 2000;

/// A line such as `© 2024 Owner`, in an element that is named so or at the end of the page.
fn below(page: &Page<'_>) -> Option<Found<String>> {
    let marked = page.marks(Kinds::COPYRIGHT).filter_map(|mark| of_element(page, mark.id));
    if let Some(name) = marked.last() {
        return Some(Found::new(name, Source::Markup));
    }
    let tree = &page.tree;
    let end = tree.len() as u32;
    let footer = page.footers.last().map_or(end, |id| id.0).max(end.saturating_sub(MOST));
    let from = footer.min(end.saturating_sub(LAST)).max(1);
    let signed = (from..end).rev().map(Id).filter(|id| has_sign(tree.raw_text(*id)));
    let parents = signed.filter_map(|id| tree.parent(id));
    let mut names =
        parents.filter(|id| !tree.name(*id).is_hidden()).filter_map(|id| of_element(page, id));
    names.next().map(|name| Found::new(name, Source::Text))
}

/// A line of copyright is short.
const MAX_LINE: usize = 600;

/// As they stand in a page; each begins with one of three bytes.
const SIGNS: &[&str] = &["©", "&copy", "&#169", "Copyright", "COPYRIGHT"];

fn has_sign(text: &str) -> bool {
    if !(3..=MAX_LINE).contains(&text.len()) {
        return false;
    }
    let begins =
        |at: usize| SIGNS.iter().any(|sign| text.as_bytes()[at..].starts_with(sign.as_bytes()));
    memchr::memchr3_iter("©".as_bytes()[0], b'&', b'C', text.as_bytes()).any(begins)
}

fn of_element(page: &Page<'_>, id: Id) -> Option<String> {
    if page.tree.end(id).0 - id.0 > 40 {
        return None;
    }
    let text = said(&page.tree, id);
    let (at, sign) = ["©", "Copyright", "COPYRIGHT", "(c)", "(C)"]
        .iter()
        .filter_map(|sign| Some((text.find(sign)?, sign)))
        .min()?;
    let behind = &text[at + sign.len()..];
    name(behind)
}

/// Where the name is over.
const ENDS: &[&str] = &[
    "all rights",
    "alle rechte",
    "tous droits",
    "todos los derechos",
    "todos os direitos",
    "tutti i diritti",
    "alle rechten",
    "wszelkie prawa",
    "все права",
    "tüm hakları",
    "|",
    "•",
    "·",
    "\n",
    ". ",
    " – ",
    " - ",
    "powered by",
];

/// The name in a line of copyright; `None` if there is none.
fn name(line: &str) -> Option<String> {
    let line = tidy(line);
    let mut rest = line.as_str();
    loop {
        let before = rest.len();
        rest = rest.trim_start_matches(|c: char| {
            c.is_whitespace()
                || c.is_ascii_digit()
                || matches!(c, '©' | '-' | '–' | '—' | ',' | '.' | ':' | '/' | '&')
        });
        for word in ["copyright", "(c)", "by ", "von ", "the copyright of"] {
            if rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)) {
                rest = &rest[word.len()..];
            }
        }
        if rest.len() == before {
            break;
        }
    }
    let lower = rest.to_lowercase();
    let ends = ENDS.iter().filter_map(|end| lower.find(end));
    let end = ends.filter(|_| lower.len() == rest.len()).min().unwrap_or(rest.len());
    let name = rest.get(..end)?.trim().trim_end_matches(|c: char| {
        c.is_whitespace()
            || c.is_ascii_digit()
            || matches!(c, '©' | '-' | '–' | ',' | '.' | ':' | '(')
    });
    let letters = name.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 2 && name.chars().count() <= 80 && !name.contains("://")).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn the_owner_is_the_name_in_the_line() {
        for (line, expected) in [
            ("© 2024 Acme Media", Some("Acme Media")),
            ("Copyright © 2010-2024 Acme Media Ltd. All rights reserved.", Some("Acme Media Ltd")),
            ("Acme Media 2024", Some("Acme Media")),
            ("(c) by Jane Doe", Some("Jane Doe")),
            ("2024", None),
            ("Copyright", None),
            ("All rights reserved", None),
            ("", None),
        ] {
            assert_eq!(name(line).as_deref(), expected, "{line}");
        }
    }
}
