//! CSS selectors over the flat tree of a page. The `selectors` crate, which browsers are made with,
//! reads and matches them; here is what it needs to know of our tree (`element`) and of the words in
//! a selector (`words`), and its errors in plain words (`wrong`).

mod element;
mod key;
mod matcher;
mod words;
mod wrong;

use cssparser::Parser;
use selectors::parser::{ParseRelative, SelectorList, SelectorParseError};

use words::{Grammar, Words};

pub(crate) use key::{Asks, Key};
pub(crate) use matcher::Matcher;
pub(crate) use wrong::Wrong;

/// One selector, or several with commas between them.
#[derive(Clone, Debug)]
pub(crate) struct Css(SelectorList<Words>);

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
    pub fn asks(&self) -> impl Iterator<Item = Asks> {
        self.0.slice().iter().map(Asks::of)
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
