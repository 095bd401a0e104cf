//! CSS selectors over the flat tree of a page. The `selectors` crate, which browsers are made with,
//! reads and matches them; here is what it needs to know of our tree (`element`) and of the words in
//! a selector (`words`), and its errors in plain words (`wrong`).

mod element;
mod matcher;
mod words;
mod wrong;

use cssparser::Parser;
use selectors::parser::{Component, ParseRelative, Selector, SelectorList, SelectorParseError};
use weir_parse::tree::Name;

use words::{Grammar, Words};

pub(crate) use matcher::Matcher;
pub(crate) use wrong::Wrong;

/// One selector, or several with commas between them.
#[derive(Clone, Debug)]
pub(crate) struct Css(SelectorList<Words>);

/// What an element that matches has at least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Id(String),
    Class(String),
    Name(Name),
    Any,
}

/// A longer selector, or one that is nested deeper, was not written by a person.
const MAX_LENGTH: usize = 2_000;
const MAX_DEPTH: usize = 16;

impl Css {
    pub fn parse(text: &str) -> Result<Css, Wrong> {
        if text.len() > MAX_LENGTH {
            return Err(Wrong::too_long(text, MAX_LENGTH));
        }
        if let Some(at) = too_deep(text) {
            return Err(Wrong::too_deep(text, at, MAX_DEPTH));
        }
        read(text).map(Css).map_err(|why| Wrong::of(text, &why, |part| read(part).is_ok()))
    }

    /// One for each selector of the list.
    pub fn keys(&self) -> impl Iterator<Item = Key> {
        self.0.slice().iter().map(key)
    }
}

fn read(text: &str) -> Result<SelectorList<Words>, SelectorParseError> {
    SelectorList::parse(&Grammar, &mut Parser::new(text), ParseRelative::No)
}

/// Where the parenthesis stands that goes too deep.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.bytes().position(|byte| {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    })
}

/// What tells most of the last compound.
fn key(selector: &Selector<Words>) -> Key {
    let keys = selector.iter().map(|component| match component {
        Component::ID(id) => Key::Id(id.to_string()),
        Component::Class(class) => Key::Class(class.to_string()),
        Component::LocalName(name) => Key::Name(name.lower_name.name()),
        _ => Key::Any,
    });
    let rank = |key: &Key| match key {
        Key::Id(_) => 0,
        Key::Class(_) => 1,
        Key::Name(_) => 2,
        Key::Any => 3,
    };
    keys.min_by_key(rank).unwrap_or(Key::Any)
}
