//! From text to tree: start tags open, end tags close, some close others.
//!
//! What the standard does besides and this does not: formatting elements that are wrongly nested are
//! not split in two (an end tag that would reach over a block is left out instead), content that
//! does not belong into a table is not moved before it, and `html`, `head` and `body` are where they
//! are written. A second `html` or `body` is left out.

use memchr::memchr;

use super::name::{self, Name};
use super::{Attribute, Node, Tree};
use crate::scan::{attributes, markup, raw, script};

/// Keeps its buffers from page to page: one per worker.
#[derive(Default)]
pub struct Builder {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    /// Elements that are open, from the root in.
    open: Vec<u32>,
}

/// What is nested deeper is beside, not in, what is there.
const MAX_DEPTH: usize = 500;
/// More nodes than this a page hardly has; the rest is left out. Whoever reads the tree has some hundred bytes for
/// each, and a page made for it must not take the memory of all others.
const MAX_NODES: usize = 1 << 18;
/// More attributes than this an element does not have.
const MAX_ATTRIBUTES: usize = 256;

impl Builder {
    pub fn new() -> Builder {
        Builder::default()
    }

    /// Reads a page. One of 4 GiB or more is read as if it were empty.
    pub fn build<'t>(&'t mut self, html: &'t str) -> Tree<'t> {
        self.nodes.clear();
        self.attributes.clear();
        self.open.clear();
        self.nodes.push(Node { name: Name::Other, parent: 0, end: 0, from: 0, to: 0 });
        self.open.push(0);
        let html = if u32::try_from(html.len()).is_ok() { html } else { "" };
        Pass { html: html.as_bytes(), builder: self }.run();
        let end = self.nodes.len() as u32;
        for open in self.open.drain(..) {
            self.nodes[open as usize].end = end;
        }
        Tree { html, nodes: &self.nodes, attributes: &self.attributes }
    }

    fn is_full(&self) -> bool {
        self.nodes.len() >= MAX_NODES
    }

    fn top(&self) -> Name {
        let top = self.open.last().copied().unwrap_or(0);
        self.nodes[top as usize].name
    }

    fn add(&mut self, name: Name, from: u32, to: u32) {
        let parent = self.open.last().copied().unwrap_or(0);
        let end = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { name, parent, end, from, to });
    }

    fn text(&mut self, from: usize, to: usize) {
        if from < to && !self.is_full() {
            self.add(Name::Text, from as u32, to as u32);
        }
    }

    fn open(&mut self, name: Name, from: u32, to: u32) {
        self.make_room_for(name);
        self.add(name, from, to);
        if !name.is_void() && self.open.len() < MAX_DEPTH {
            self.open.push(self.nodes.len() as u32 - 1);
        }
    }

    /// Ends what cannot have such an element in it.
    fn make_room_for(&mut self, name: Name) {
        use Name::*;
        if name.ends_paragraph() {
            self.close_within(&[P], &[Button]);
        }
        match name {
            Li => self.close_within(&[Li], &[Ul, Ol]),
            Dd | Dt => self.close_within(&[Dd, Dt], &[Dl]),
            Option | Optgroup => self.close_within(&[Option], &[Select]),
            Tr => self.close_within(&[Tr, Td, Th, Caption], &[Table]),
            Td | Th => self.close_within(&[Td, Th, Caption], &[Table, Tr]),
            Tbody | Thead | Tfoot => {
                self.close_within(&[Tbody, Thead, Tfoot, Tr, Td, Th, Caption], &[Table]);
            }
            A => self.close_within(&[A], &[Table, Td, Th, Div, Article, Section, Li]),
            H1 | H2 | H3 | H4 | H5 | H6 if self.top().is_heading() => self.pop(),
            Body => self.close_within(&[Head], &[]),
            _ => {}
        }
    }

    /// Closes the outermost of these that is open, looking no further than one of `until`, or than a
    /// boundary that is none of them.
    fn close_within(&mut self, names: &[Name], until: &[Name]) {
        let mut found = None;
        for (at, id) in self.open.iter().enumerate().skip(1).rev() {
            let name = self.nodes[*id as usize].name;
            if names.contains(&name) {
                found = Some(at);
            } else if until.contains(&name) || name.is_boundary() {
                break;
            }
        }
        if let Some(at) = found {
            self.close_to(at);
        }
    }

    fn end(&mut self, name: Name, written: &[u8], html: &[u8]) {
        if matches!(name, Name::Html | Name::Body) {
            return; // what stands behind is in it all the same
        }
        for at in (1..self.open.len()).rev() {
            let node = &self.nodes[self.open[at] as usize];
            let same = node.name == name
                && (name != Name::Other || self.written(node, html).eq_ignore_ascii_case(written));
            if same {
                return self.close_to(at);
            }
            let stops = node.name.is_boundary() && !reaches_over(name, node.name);
            if stops || name.is_formatting() && !node.name.is_inline() {
                return;
            }
        }
    }

    fn written<'h>(&self, node: &Node, html: &'h [u8]) -> &'h [u8] {
        match self.attributes.get(node.from as usize) {
            Some(own) => &html[own.name.0 as usize..own.name.1 as usize],
            None => b"",
        }
    }

    /// Closes the element at this place of `open`, and all in it.
    fn close_to(&mut self, at: usize) {
        let end = self.nodes.len() as u32;
        for id in self.open.drain(at..) {
            self.nodes[id as usize].end = end;
        }
    }

    fn pop(&mut self) {
        if self.open.len() > 1 {
            self.close_to(self.open.len() - 1);
        }
    }
}

/// Whether the end tag of `name` may close a table, or a part of one, on its way.
fn reaches_over(name: Name, boundary: Name) -> bool {
    use Name::*;
    match boundary {
        Td | Th | Caption => matches!(name, Table | Tr | Tbody | Thead | Tfoot),
        _ => false,
    }
}

struct Pass<'h, 'b> {
    html: &'h [u8],
    builder: &'b mut Builder,
}

impl Pass<'_, '_> {
    fn run(mut self) {
        // Where the text began that is not ended yet.
        let (mut at, mut text) = (0, 0);
        while let Some(step) = self.html.get(at..).and_then(|rest| memchr(b'<', rest)) {
            let open = at + step;
            let Some(&byte) = self.html.get(open + 1) else { break };
            at = match byte {
                b'/' | b'!' | b'?' => open + 2,
                _ if byte.is_ascii_alphabetic() => open + 1,
                _ => {
                    at = open + 1;
                    continue;
                }
            };
            self.builder.text(text, open);
            if self.builder.is_full() {
                return;
            }
            at = match byte {
                b'/' => self.end_tag(at),
                b'!' => {
                    let foreign = matches!(self.builder.top(), Name::Svg | Name::Math);
                    markup::declaration_end(self.html, at, foreign)
                }
                b'?' => markup::after_greater(self.html, at),
                _ => self.start_tag(at),
            };
            text = at;
        }
        self.builder.text(text, self.html.len());
    }

    fn start_tag(&mut self, at: usize) -> usize {
        let (name, name_end) = name::read(self.html, at);
        let base = self.html.as_ptr() as usize;
        let range = |part: &[u8]| {
            let from = part.as_ptr() as usize - base;
            (from as u32, (from + part.len()) as u32)
        };
        let all = &mut self.builder.attributes;
        let from = all.len();
        all.push(Attribute { name: (at as u32, name_end as u32), value: (0, 0) });
        let end = attributes::walk(self.html, name_end, |name, value| {
            if all.len() - from <= MAX_ATTRIBUTES {
                // A value that is not there points nowhere.
                let value = if value.is_empty() { (0, 0) } else { range(value) };
                all.push(Attribute { name: range(name), value });
            }
        });
        let to = all.len();
        let Some(end) = end else {
            // A tag that is cut off by the end of the page is none.
            all.truncate(from);
            return self.html.len();
        };
        if self.is_second(name) {
            return end.at;
        }
        self.builder.open(name, from as u32, to as u32);
        let closes = end.self_closing && matches!(name, Name::Svg | Name::Math | Name::Other);
        if closes && !name.is_void() && self.is_open(from) {
            self.builder.pop();
        }
        self.content(name, end.at)
    }

    /// One that is there already.
    fn is_second(&self, name: Name) -> bool {
        let opens = |id: &u32| self.builder.nodes[*id as usize].name == name;
        matches!(name, Name::Html | Name::Body) && self.builder.open.iter().skip(1).any(opens)
    }

    /// The element with these attributes is the innermost open one.
    fn is_open(&self, from: usize) -> bool {
        let top = self.builder.open.last().copied().unwrap_or(0);
        top > 0 && self.builder.nodes[top as usize].from as usize == from
    }

    /// Takes what is not markup in the content of an element as its text.
    fn content(&mut self, name: Name, at: usize) -> usize {
        if matches!(self.builder.top(), Name::Svg | Name::Math) && name != Name::Script {
            return at;
        }
        let raw_name: &[u8] = match name {
            Name::Script => {
                let next = script::end(self.html, at);
                return self.raw(at, last_open(self.html, at, next), next);
            }
            Name::Plaintext => return self.raw(at, self.html.len(), self.html.len()),
            Name::Iframe => b"iframe",
            Name::Noembed => b"noembed",
            Name::Noframes => b"noframes",
            Name::Style => b"style",
            Name::Textarea => b"textarea",
            Name::Title => b"title",
            Name::Xmp => b"xmp",
            _ => return at,
        };
        let (text_end, next) = raw::end(self.html, at, raw_name);
        self.raw(at, text_end, next)
    }

    fn raw(&mut self, from: usize, to: usize, next: usize) -> usize {
        self.builder.text(from, to);
        self.builder.pop();
        next
    }

    /// `at` is behind `</`.
    fn end_tag(&mut self, at: usize) -> usize {
        if !self.html.get(at).is_some_and(u8::is_ascii_alphabetic) {
            return markup::after_greater(self.html, at);
        }
        let (name, name_end) = name::read(self.html, at);
        self.builder.end(name, &self.html[at..name_end], self.html);
        attributes::walk(self.html, name_end, |_, _| {}).map_or(self.html.len(), |end| end.at)
    }
}

/// Where the end tag of a script begins that ends at `next`; its end if it has none.
fn last_open(html: &[u8], from: usize, next: usize) -> usize {
    let script = &html[from..next];
    match memchr::memrchr(b'<', script) {
        Some(at) if script[at..].starts_with(b"</") => from + at,
        _ => next,
    }
}
