//! Which selectors are worth a try on which element.
//!
//! Nearly no element has what a selector asks of its last compound, so that is looked at first: its
//! id, a class, an attribute or its name, whichever tells most. Nearly none of the rest stands inside
//! an element that has what the selector asks of an ancestor. Only what passes both is matched in full.

use std::borrow::Cow;

use twox_hash::XxHash3_64;
use weir_parse::tree::{Id, Name, Tree};

use super::Field;
use super::css::{Asks, Key};

#[derive(Debug, Default)]
pub(super) struct Finder {
    parts: Vec<Part>,
    ids: Wanted,
    classes: Wanted,
    attributes: Wanted,
    /// A bit for each length that the name of an attribute may have which is looked at.
    attribute_lengths: u64,
    names: Vec<(Name, Role)>,
    /// What may match anything.
    rest: Vec<u32>,
}

/// One selector of a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub field: usize,
    /// Which one of the list of the field.
    pub at: usize,
    /// It asks for an ancestor.
    is_inside: bool,
}

/// What an element with a key may be for a selector.
#[derive(Clone, Copy, Debug)]
enum Role {
    Subject(u32),
    Ancestor(u32),
}

/// What was seen of a page so far.
pub(super) struct Seen {
    /// Where the ancestors end that selectors ask for, by selector.
    ends: Vec<Id>,
    /// Hashes of class attributes without a class that is asked for: pages repeat few over and over.
    barren: [u64; BARREN],
}

const BARREN: usize = 64;

impl Finder {
    pub fn new(fields: &[Field]) -> Finder {
        let mut finder = Finder::default();
        for (field, of) in fields.iter().enumerate() {
            for (at, asks) in of.css.asks().enumerate() {
                finder.add(field, at, asks);
            }
        }
        finder.attribute_lengths = finder.attributes.lengths
            | if finder.classes.is_empty() { 0 } else { length_bit("class") }
            | if finder.ids.is_empty() { 0 } else { length_bit("id") };
        finder
    }

    fn add(&mut self, field: usize, at: usize, asks: Asks) {
        let part = self.parts.len() as u32;
        self.parts.push(Part { field, at, is_inside: asks.ancestor != Key::Any });
        match asks.subject {
            Key::Any => self.rest.push(part),
            key => self.add_key(key, Role::Subject(part)),
        }
        self.add_key(asks.ancestor, Role::Ancestor(part));
    }

    fn add_key(&mut self, key: Key, role: Role) {
        match key {
            Key::Id(id) => self.ids.add(id, role),
            Key::Class(class) => self.classes.add(class, role),
            Key::Attribute(name) => self.attributes.add(name, role),
            Key::Name(name) => self.names.push((name, role)),
            Key::Any => {}
        }
    }

    pub fn start(&self) -> Seen {
        Seen { ends: vec![Tree::ROOT; self.parts.len()], barren: [0; BARREN] }
    }

    /// The selectors that may match an element. Elements come in the order of the page.
    pub fn each(&self, tree: &Tree<'_>, id: Id, seen: &mut Seen, found: &mut impl FnMut(Part)) {
        let Seen { ends, barren } = seen;
        let mut see = |role: Role| match role {
            Role::Ancestor(part) => {
                let end = &mut ends[part as usize];
                *end = tree.end(id).max(*end);
            }
            Role::Subject(part) => {
                let own = self.parts[part as usize];
                if !own.is_inside || id < ends[part as usize] {
                    found(own);
                }
            }
        };
        let name = tree.name(id);
        self.names.iter().filter(|(known, _)| *known == name).for_each(|(_, role)| see(*role));
        if self.attribute_lengths != 0 {
            self.each_attribute(tree, id, barren, &mut see);
        }
        self.rest.iter().for_each(|part| see(Role::Subject(*part)));
    }

    fn each_attribute(
        &self,
        tree: &Tree<'_>,
        id: Id,
        barren: &mut [u64; BARREN],
        see: &mut impl FnMut(Role),
    ) {
        for (name, raw) in tree.raw_attributes(id) {
            if self.attribute_lengths & length_bit(name) == 0 {
                continue;
            }
            if name.eq_ignore_ascii_case("class") {
                self.each_class(tree, id, raw, barren, see);
            } else if name.eq_ignore_ascii_case("id") {
                self.ids.each(&tree.attribute(id, "id").unwrap_or_default(), see);
            }
            self.attributes.each_name(name, see);
        }
    }

    fn each_class(
        &self,
        tree: &Tree<'_>,
        id: Id,
        raw: &str,
        barren: &mut [u64; BARREN],
        see: &mut impl FnMut(Role),
    ) {
        let hash = XxHash3_64::oneshot(raw.as_bytes());
        let known = &mut barren[hash as usize % BARREN];
        if *known == hash {
            return;
        }
        let is_plain = !raw.contains('&');
        let value = match is_plain {
            true => Cow::Borrowed(raw),
            false => tree.attribute(id, "class").unwrap_or_default(),
        };
        let mut any = false;
        for class in value.split_ascii_whitespace() {
            self.classes.each(class, &mut |role| {
                any = true;
                see(role);
            });
        }
        if is_plain && !any {
            *known = hash;
        }
    }
}

/// Texts that selectors ask for. Others are told from them by their length and first byte.
#[derive(Debug)]
struct Wanted {
    texts: Vec<(String, Role)>,
    lengths: u64,
    first_bytes: [bool; 256],
}

impl Default for Wanted {
    fn default() -> Wanted {
        Wanted { texts: Vec::new(), lengths: 0, first_bytes: [false; 256] }
    }
}

impl Wanted {
    fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn add(&mut self, text: String, role: Role) {
        self.lengths |= length_bit(&text);
        self.first_bytes[first_byte(&text)] = true;
        self.texts.push((text, role));
    }

    #[inline]
    fn each(&self, text: &str, see: &mut impl FnMut(Role)) {
        if self.lengths & length_bit(text) != 0 && self.first_bytes[first_byte(text)] {
            let same = self.texts.iter().filter(|(wanted, _)| wanted == text);
            same.for_each(|(_, role)| see(*role));
        }
    }

    /// Of an attribute, in any case.
    fn each_name(&self, name: &str, see: &mut impl FnMut(Role)) {
        if self.lengths & length_bit(name) != 0 {
            let same = self.texts.iter().filter(|(wanted, _)| wanted.eq_ignore_ascii_case(name));
            same.for_each(|(_, role)| see(*role));
        }
    }
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

fn first_byte(text: &str) -> usize {
    text.as_bytes().first().copied().unwrap_or(0).into()
}
