//! One pass over a page for all fields of a site.
//!
//! Nearly no element has what a selector asks of its last compound, so that is looked at first: its
//! id, a class of it, or its name, whichever tells most. Only what has it is matched in full.

use serde_json::Value;
use weir_parse::tree::{Id, Name, Tree};

use super::css::{Key, Matcher};
use super::page::Page;
use super::{Field, value};

/// Which selectors are worth a try on which elements.
#[derive(Debug, Default)]
pub(super) struct Finder {
    ids: Wanted,
    classes: Wanted,
    /// Sorted by name.
    names: Vec<(Name, Part)>,
    /// What may match anything.
    rest: Vec<Part>,
}

/// A selector: the field, and which one of its list.
type Part = (u16, u16);

impl Finder {
    /// Fields beyond the first 65,535 are not looked for.
    pub fn new(fields: &[Field]) -> Finder {
        let mut finder = Finder::default();
        for (field, of) in (0..u16::MAX).zip(fields) {
            for (at, key) in (0..u16::MAX).zip(of.css.keys()) {
                finder.add(key, (field, at));
            }
        }
        finder.names.sort_by_key(|(name, _)| *name as u8);
        finder
    }

    fn add(&mut self, key: Key, part: Part) {
        match key {
            Key::Id(id) => self.ids.add(id, part),
            Key::Class(class) => self.classes.add(class, part),
            Key::Name(name) => self.names.push((name, part)),
            Key::Any => self.rest.push(part),
        }
    }

    /// The selectors that may match an element.
    fn each(&self, tree: &Tree<'_>, id: Id, found: &mut impl FnMut(Part)) {
        let name = tree.name(id);
        let first = self.names.partition_point(|(known, _)| (*known as u8) < name as u8);
        let same = self.names[first..].iter().take_while(|(known, _)| *known == name);
        same.for_each(|(_, part)| found(*part));
        if !self.classes.is_empty()
            && let Some(classes) = tree.attribute(id, "class")
        {
            classes.split_ascii_whitespace().for_each(|class| self.classes.each(class, found));
        }
        if !self.ids.is_empty()
            && let Some(value) = tree.attribute(id, "id")
        {
            self.ids.each(&value, found);
        }
        self.rest.iter().for_each(|part| found(*part));
    }
}

/// Texts that selectors ask for. Others are told from them by their length and first byte.
#[derive(Debug)]
struct Wanted {
    texts: Vec<(String, Part)>,
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

    fn add(&mut self, text: String, part: Part) {
        self.lengths |= length_bit(&text);
        self.first_bytes[first_byte(&text)] = true;
        self.texts.push((text, part));
    }

    #[inline]
    fn each(&self, text: &str, found: &mut impl FnMut(Part)) {
        if self.lengths & length_bit(text) != 0 && self.first_bytes[first_byte(text)] {
            let same = self.texts.iter().filter(|(wanted, _)| wanted == text);
            same.for_each(|(_, part)| found(*part));
        }
    }
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

fn first_byte(text: &str) -> usize {
    text.as_bytes().first().copied().unwrap_or(0).into()
}

pub(super) struct Search<'s, 't> {
    fields: &'s [Field],
    finder: &'s Finder,
    page: &'s Page<'s, 't>,
    found: Vec<Vec<Value>>,
    /// The element that was found last, by field: two selectors of a list may match the same one.
    last: Vec<Id>,
    /// How many fields look for no more.
    settled: usize,
}

impl<'s, 't> Search<'s, 't> {
    pub fn new(fields: &'s [Field], finder: &'s Finder, page: &'s Page<'s, 't>) -> Self {
        Search {
            fields,
            finder,
            page,
            found: vec![Vec::new(); fields.len()],
            last: vec![Tree::ROOT; fields.len()],
            settled: 0,
        }
    }

    /// The values of each field, in the order of the page.
    pub fn run(mut self) -> Vec<Vec<Value>> {
        let tree = self.page.tree;
        let mut matcher = Matcher::new(tree);
        for id in tree.descendants(Tree::ROOT) {
            if tree.is_text(id) {
                continue;
            }
            self.finder.each(tree, id, &mut |part| self.try_on(id, part, &mut matcher));
            if self.settled == self.fields.len() || self.page.is_spent() || matcher.is_tired() {
                break;
            }
        }
        self.found
    }

    fn try_on(&mut self, id: Id, (at, part): Part, matcher: &mut Matcher<'_, 't>) {
        let (at, field) = (usize::from(at), &self.fields[usize::from(at)]);
        let is_settled = !field.many && !self.found[at].is_empty();
        if is_settled || self.last[at] == id || !matcher.matches(&field.css, part.into(), id) {
            return;
        }
        self.last[at] = id;
        let Some(value) = value::read(self.page, id, field) else { return };
        self.settled += usize::from(!field.many);
        self.found[at].push(value);
    }
}
