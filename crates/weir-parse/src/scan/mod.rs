//! The tokenizer: walks the bytes of a page by the standard's tokenization rules and tells a
//! [`Sink`] about the start tags that matter. No tree is built; the little of tree construction
//! that changes how bytes are read (raw text, `template`, SVG and MathML) is kept here.
//!
//! Every function takes a position and returns one further on, so a page is read in linear time.

pub(crate) mod attributes;
mod foreign;
pub(crate) mod markup;
pub(crate) mod raw;
pub(crate) mod script;
mod tag;

use std::ops::ControlFlow;

use memchr::memchr;

pub(crate) use attributes::{Attr, Attributes, ends_tag_name};
pub(crate) use foreign::Foreign;
pub(crate) use tag::{Tag, key};

/// What happens at a tag; `Break` ends the scan.
pub(crate) trait Sink<'h> {
    /// Says whether attributes of this tag are worth collecting.
    fn wants(&self, tag: Tag) -> bool;
    fn start(&mut self, tag: Tag, attributes: &Attributes<'h>) -> ControlFlow<()>;
    fn title(&mut self, raw: &'h [u8]);
}

pub(crate) fn scan<'h>(html: &'h [u8], foreign: &mut Foreign, sink: &mut impl Sink<'h>) {
    foreign.clear();
    let attributes = Attributes::default();
    let mut scanner = Scanner { html, templates: 0, foreign, attributes, sink };
    let mut at = 0;
    while let Some(step) = html.get(at..).and_then(|rest| memchr(b'<', rest)) {
        match scanner.markup(at + step + 1) {
            ControlFlow::Continue(next) => at = next,
            ControlFlow::Break(()) => return,
        }
    }
}

struct Scanner<'h, 's, S> {
    html: &'h [u8],
    /// How many `template` elements are open: what is in them is not part of the document.
    templates: u32,
    foreign: &'s mut Foreign,
    attributes: Attributes<'h>,
    sink: &'s mut S,
}

type Next = ControlFlow<(), usize>;

impl<'h, S: Sink<'h>> Scanner<'h, '_, S> {
    /// `at` is behind a `<`.
    fn markup(&mut self, at: usize) -> Next {
        let Some(&byte) = self.html.get(at) else { return ControlFlow::Break(()) };
        match byte {
            b'/' => self.end_tag(at + 1),
            b'!' => {
                let cdata = self.foreign.is_current();
                ControlFlow::Continue(markup::declaration_end(self.html, at + 1, cdata))
            }
            b'?' => ControlFlow::Continue(markup::after_greater(self.html, at)),
            _ if byte.is_ascii_alphabetic() => self.start_tag(at),
            _ => ControlFlow::Continue(at),
        }
    }

    fn start_tag(&mut self, at: usize) -> Next {
        let (tag, name_end) = tag::read(self.html, at);
        if tag == Tag::Other && !self.foreign.is_open() {
            return self.skip(name_end);
        }
        if self.foreign.is_open() || self.sink.wants(tag) {
            self.attributes.clear();
            let attributes = &mut self.attributes;
            let end = attributes::walk(self.html, name_end, |name, raw| attributes.add(name, raw));
            let Some(end) = end else { return ControlFlow::Break(()) };
            return self.start(&self.html[at..name_end], tag, end);
        }
        // Not wanted, but it may still change how what follows is read.
        let Some(end) = attributes::walk(self.html, name_end, |_, _| {}) else {
            return ControlFlow::Break(());
        };
        self.attributes.clear();
        self.start(&self.html[at..name_end], tag, end)
    }

    /// A tag that is cut off by the end of the page is none.
    fn skip(&self, at: usize) -> Next {
        match attributes::walk(self.html, at, |_, _| {}) {
            Some(end) => ControlFlow::Continue(end.at),
            None => ControlFlow::Break(()),
        }
    }

    fn start(&mut self, name: &[u8], tag: Tag, end: attributes::End) -> Next {
        let in_html = if self.foreign.is_open() || tag.is_foreign_root() {
            self.foreign.start(name, tag, &self.attributes, end.self_closing)
        } else {
            true
        };
        // An `a` of SVG is a link like any other; nothing else foreign is.
        if (in_html || tag == Tag::A) && self.templates == 0 && self.sink.wants(tag) {
            self.sink.start(tag, &self.attributes)?;
        }
        if in_html { self.content(tag, end.at) } else { ControlFlow::Continue(end.at) }
    }

    /// Skips what is not markup in the content of an HTML element.
    fn content(&mut self, tag: Tag, at: usize) -> Next {
        let (text_end, next) = match tag {
            Tag::Script => (at, script::end(self.html, at)),
            Tag::Plaintext => (at, self.html.len()),
            Tag::Template => {
                self.templates += 1;
                (at, at)
            }
            _ => match tag.raw_text() {
                Some(name) => raw::end(self.html, at, name),
                None => (at, at),
            },
        };
        if tag == Tag::Title && self.templates == 0 {
            self.sink.title(&self.html[at..text_end]);
        }
        ControlFlow::Continue(next)
    }

    /// `at` is behind `</`.
    fn end_tag(&mut self, at: usize) -> Next {
        if !self.html.get(at).is_some_and(u8::is_ascii_alphabetic) {
            return ControlFlow::Continue(markup::after_greater(self.html, at));
        }
        if !self.foreign.is_open() && self.templates == 0 {
            return self.skip_end_tag(at); // nothing depends on its name
        }
        let (tag, name_end) = tag::read(self.html, at);
        let next = self.skip(name_end)?;
        let in_html = self.foreign.end(&self.html[at..name_end]);
        if in_html && tag == Tag::Template {
            self.templates = self.templates.saturating_sub(1);
        }
        ControlFlow::Continue(next)
    }

    fn skip_end_tag(&self, at: usize) -> Next {
        let name = self.html[at..].iter().position(|byte| attributes::ends_tag_name(*byte));
        match name.map(|length| at + length) {
            Some(end) if self.html[end] == b'>' => ControlFlow::Continue(end + 1),
            Some(end) => self.skip(end),
            None => ControlFlow::Break(()),
        }
    }
}
