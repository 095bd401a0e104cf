//! The elements and texts of a page as one flat list in the order of the page, for whoever wants to
//! know what stands where. It is made in one pass over the text by the same rules of tokenizing as
//! links are found, and by the rules of tree construction that change what is inside what; it is not
//! the whole algorithm of the standard (`build.rs` says what is left out).
//!
//! An element's descendants are the nodes behind it up to its `end`, so that a subtree is a stretch of
//! the list and a walk over it costs next to nothing.

mod build;
mod name;

use std::borrow::Cow;

pub use build::Builder;
pub use name::Name;

/// A page as elements and texts. Made by [`Builder::build`], whose buffers it borrows.
#[derive(Clone, Copy)]
pub struct Tree<'t> {
    html: &'t str,
    nodes: &'t [Node],
    attributes: &'t [Attribute],
}

/// An element or a text: its place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub u32);

#[derive(Clone, Copy)]
struct Node {
    name: Name,
    /// The element it stands in; itself for the root.
    parent: u32,
    /// The first node that is not in it.
    end: u32,
    /// Of a text, where it stands in the page; of an element, its attributes.
    from: u32,
    to: u32,
}

#[derive(Clone, Copy)]
struct Attribute {
    name: (u32, u32),
    value: (u32, u32),
}

impl<'t> Tree<'t> {
    /// What everything stands in. It has no name and no attributes.
    pub const ROOT: Id = Id(0);

    /// All nodes, the root first.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// `Name::Text` for a text, `Name::Other` for an element that has no name here.
    #[inline]
    pub fn name(&self, id: Id) -> Name {
        self.nodes[id.0 as usize].name
    }

    pub fn is_text(&self, id: Id) -> bool {
        self.name(id) == Name::Text
    }

    /// `None` for the root.
    #[inline]
    pub fn parent(&self, id: Id) -> Option<Id> {
        let parent = self.nodes[id.0 as usize].parent;
        (id != Self::ROOT).then_some(Id(parent))
    }

    /// From the nearest to the root.
    pub fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> + use<'t> {
        let tree = *self;
        std::iter::successors(tree.parent(id), move |id| tree.parent(*id))
    }

    /// The first node behind `id` that is not in it.
    #[inline]
    pub fn end(&self, id: Id) -> Id {
        Id(self.nodes[id.0 as usize].end)
    }

    /// Everything in `id`, in the order of the page.
    pub fn descendants(&self, id: Id) -> impl Iterator<Item = Id> + use<'t> {
        (id.0 + 1..self.nodes[id.0 as usize].end).map(Id)
    }

    pub fn contains(&self, id: Id, other: Id) -> bool {
        id < other && other < self.end(id)
    }

    pub fn children(&self, id: Id) -> impl Iterator<Item = Id> + use<'t> {
        let tree = *self;
        let end = tree.end(id);
        let first = Some(Id(id.0 + 1)).filter(|first| *first < end);
        std::iter::successors(first, move |id| Some(tree.end(*id)).filter(|next| *next < end))
    }

    /// The next node in the same element.
    pub fn next_sibling(&self, id: Id) -> Option<Id> {
        let (next, parent) = (self.end(id), self.parent(id)?);
        (next < self.end(parent)).then_some(next)
    }

    /// A text as it stands in the page, character references and all; empty for an element.
    #[inline]
    pub fn raw_text(&self, id: Id) -> &'t str {
        let node = &self.nodes[id.0 as usize];
        if node.name == Name::Text { self.slice((node.from, node.to)) } else { "" }
    }

    /// A text with its character references resolved, white space as it is; empty for an element.
    /// What stands in a `script` or a `style` has none.
    pub fn text(&self, id: Id) -> Cow<'t, str> {
        let raw = self.raw_text(id);
        let plain = self.parent(id).is_some_and(|parent| self.name(parent).is_raw_text());
        if plain || memchr::memchr(b'&', raw.as_bytes()).is_none() {
            return Cow::Borrowed(raw);
        }
        htmlize::unescape(raw)
    }

    /// All texts in an element, or the text itself, white space collapsed to single spaces, without
    /// what is in `script`, `style`, `noscript` and `template`. Elements that begin a line or a cell
    /// separate words, others do not.
    pub fn collected(&self, id: Id) -> String {
        let mut out = String::new();
        self.collect(id, &mut out);
        out
    }

    /// As [`Tree::collected`], to the end of `out`.
    pub fn collect(&self, id: Id, out: &mut String) {
        let mut at = id.0;
        let end = self.end(id).0;
        let mut apart = false;
        while at < end {
            let node = Id(at);
            let name = self.name(node);
            if name.is_hidden() && at != id.0 {
                at = self.end(node).0;
                continue;
            }
            if name != Name::Text {
                apart |= !name.is_inline();
                at += 1;
                continue;
            }
            // A block that ended before this text keeps it apart from the last one.
            let text = self.text(node);
            apart |= at > id.0 + 1 && self.is_behind_block(node);
            push_collapsed(out, &text, apart);
            apart = text.ends_with(|c: char| c.is_whitespace());
            at += 1;
        }
    }

    /// The node before this one in the same element is a block.
    fn is_behind_block(&self, id: Id) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        // The node just before in the list is the last of the sibling before, or the parent.
        let mut before = Id(id.0 - 1);
        if before == parent {
            return !self.name(parent).is_inline();
        }
        let mut block = false;
        loop {
            // What nobody sees parts nothing.
            let name = self.name(before);
            block = !name.is_hidden() && (block || !name.is_inline());
            match self.parent(before) {
                Some(up) if up != parent => before = up,
                _ => return block,
            }
        }
    }

    /// The value of an attribute, character references resolved; of two with the same name the
    /// first. `name` is in lower case.
    pub fn attribute(&self, id: Id, name: &str) -> Option<Cow<'t, str>> {
        self.raw_attribute(id, name).map(unescaped)
    }

    /// The same as it stands in the page.
    pub fn raw_attribute(&self, id: Id, name: &str) -> Option<&'t str> {
        let same = |a: &&Attribute| self.slice(a.name).eq_ignore_ascii_case(name);
        self.attributes_of(id).iter().find(same).map(|attribute| self.slice(attribute.value))
    }

    /// Names as they are written, and values with their character references resolved.
    pub fn attributes(&self, id: Id) -> impl Iterator<Item = (&'t str, Cow<'t, str>)> + use<'t> {
        let tree = *self;
        let pair = move |a: &Attribute| (tree.slice(a.name), unescaped(tree.slice(a.value)));
        self.attributes_of(id).iter().map(pair)
    }

    /// Names and values as they stand in the page.
    pub fn raw_attributes(&self, id: Id) -> impl Iterator<Item = (&'t str, &'t str)> + use<'t> {
        let tree = *self;
        self.attributes_of(id).iter().map(move |a| (tree.slice(a.name), tree.slice(a.value)))
    }

    /// The name of an element as it is written, such as `x-card`; empty for a text and the root.
    pub fn written_name(&self, id: Id) -> &'t str {
        let node = &self.nodes[id.0 as usize];
        if node.name == Name::Text || id == Self::ROOT {
            return "";
        }
        self.attributes.get(node.from as usize).map_or("", |own| self.slice(own.name))
    }

    /// The first entry of an element is its own name.
    fn attributes_of(&self, id: Id) -> &'t [Attribute] {
        let node = &self.nodes[id.0 as usize];
        if node.name == Name::Text || node.from >= node.to {
            return &[];
        }
        &self.attributes[node.from as usize + 1..node.to as usize]
    }

    fn slice(&self, (from, to): (u32, u32)) -> &'t str {
        &self.html[from as usize..to as usize]
    }
}

fn unescaped(raw: &str) -> Cow<'_, str> {
    match memchr::memchr(b'&', raw.as_bytes()) {
        None => Cow::Borrowed(raw),
        Some(_) => htmlize::unescape_attribute(raw),
    }
}

/// Adds the words of `text`, single spaces between; one before them if `apart` or if there is white space.
fn push_collapsed(out: &mut String, text: &str, apart: bool) {
    let mut space = apart || text.starts_with(|c: char| c.is_whitespace());
    for word in text.split_whitespace() {
        if space && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        out.push_str(word);
        space = true;
    }
}

#[cfg(test)]
mod tests;
