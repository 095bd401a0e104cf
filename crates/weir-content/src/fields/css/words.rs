//! The words in a selector, and which of them are known.

use std::borrow::Borrow;
use std::fmt;

use cssparser::{ToCss, serialize_identifier, serialize_string};
use precomputed_hash::PrecomputedHash;
use selectors::parser::{
    NonTSPseudoClass, Parser, PseudoElement, SelectorImpl, SelectorParseErrorKind,
};
use twox_hash::XxHash3_64;
use weir_parse::tree::Name;

/// What may stand in a selector.
pub(super) struct Grammar;

impl Parser<'_> for Grammar {
    type Impl = Words;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    /// A browser leaves out what it does not know within `:is()`; whoever wrote it wants to know.
    fn allow_forgiving_selectors(&self) -> bool {
        false
    }
}

/// The types of the words in a selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Words;

impl SelectorImpl for Words {
    type ExtraMatchingData<'a> = ();
    type AttrValue = Quoted;
    type Identifier = Word;
    type LocalName = Word;
    type NamespaceUrl = Word;
    type NamespacePrefix = Word;
    type BorrowedNamespaceUrl = Word;
    type BorrowedLocalName = Word;
    type NonTSPseudoClass = Never;
    type PseudoElement = Never;
}

/// The name of an element, an attribute, a class or an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    text: Box<str>,
    /// The element of this name, so that names are compared as numbers.
    name: Name,
    hash: u32,
}

impl Word {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// `Name::Other` if it has none.
    pub fn name(&self) -> Name {
        self.name
    }
}

impl Default for Word {
    fn default() -> Word {
        Word::from("")
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Word {
        let name = Name::parse(text).unwrap_or(Name::Other);
        Word { text: text.into(), name, hash: XxHash3_64::oneshot(text.as_bytes()) as u32 }
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ToCss for Word {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        serialize_identifier(&self.text, dest)
    }
}

impl PrecomputedHash for Word {
    fn precomputed_hash(&self) -> u32 {
        self.hash
    }
}

/// The value that an attribute is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quoted(Box<str>);

impl From<&str> for Quoted {
    fn from(text: &str) -> Quoted {
        Quoted(text.into())
    }
}

impl Borrow<str> for Quoted {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for Quoted {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl ToCss for Quoted {
    fn to_css<W: fmt::Write>(&self, dest: &mut W) -> fmt::Result {
        serialize_string(&self.0, dest)
    }
}

/// There are no pseudo-elements in a page that nobody draws, and nothing in it is hovered over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Never {}

impl ToCss for Never {
    fn to_css<W: fmt::Write>(&self, _: &mut W) -> fmt::Result {
        match *self {}
    }
}

impl NonTSPseudoClass for Never {
    fn is_active_or_hover(&self) -> bool {
        match *self {}
    }

    fn is_user_action_state(&self) -> bool {
        match *self {}
    }
}

impl PseudoElement for Never {}
