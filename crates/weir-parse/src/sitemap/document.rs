use std::ops::ControlFlow;

use url::Url;

use super::Kind;
use super::collect::{Collector, shown};
use super::dialect::{Dialect, Field, List, of_root};
use super::open::{Open, push};
use super::xml::Attributes;

/// So many elements may come before the root: messages of a broken generator are markup too.
const PATIENCE: usize = 100;
const GO_ON: ControlFlow<()> = ControlFlow::Continue(());

/// What is open at a place in the document. Ends are matched by name alone, and an element that
/// was never closed ends with its entry, because that is what broken sitemaps need.
pub(super) struct Document<'c, 'a> {
    collector: &'c mut Collector<'a>,
    base: Url,
    dialect: Option<&'static Dialect>,
    /// The name that will end the document; empty if nothing will, or has.
    root: String,
    /// `prefix:` of the root element, or empty.
    prefix: String,
    /// There is nothing more to read.
    done: bool,
    before_root: usize,
    /// Where entries of this root belong.
    usual: List,
    mixed: bool,
    entry: Option<Open>,
    field: Option<Field>,
    text: String,
    /// An element that is not ours, and how many of its name are open in each other.
    foreign: Option<(String, usize)>,
}

impl<'c, 'a> Document<'c, 'a> {
    pub fn new(collector: &'c mut Collector<'a>) -> Self {
        Document {
            base: collector.base().clone(),
            collector,
            dialect: None,
            root: String::new(),
            prefix: String::new(),
            done: false,
            before_root: 0,
            usual: List::Urls,
            mixed: false,
            entry: None,
            field: None,
            text: String::new(),
            foreign: None,
        }
    }

    /// `Break` once there is nothing more to read.
    pub fn start(&mut self, full: &str, attributes: &Attributes<'_>) -> ControlFlow<()> {
        let Some(dialect) = self.dialect else { return self.before_root(full, attributes) };
        let name = self.own(full);
        if let Some(list) = dialect.entry(name) {
            return self.begin(list);
        }
        if let Some((open, depth)) = &mut self.foreign {
            *depth += usize::from(open == full);
            return GO_ON;
        }
        match dialect.field(name) {
            Some(field) => self.begin_field(field, full, attributes),
            None if self.field.is_none() && self.entry.is_some() => self.skip(full),
            None => GO_ON, // markup in a field is left out, its text is not
        }
    }

    pub fn close(&mut self, full: &str) -> ControlFlow<()> {
        let Some(dialect) = self.dialect else { return GO_ON };
        let name = self.own(full);
        let field = dialect.field(name);
        if dialect.entry(name).is_some() {
            self.flush()?;
        } else if full == self.root {
            self.root.clear();
            self.flush()?;
        } else if let Some((open, depth)) = &mut self.foreign {
            *depth -= usize::from(open == full);
            if *depth == 0 {
                self.foreign = None;
            }
        } else if field.is_some() && field == self.field {
            self.end_field();
        }
        GO_ON
    }

    pub fn text(&mut self, text: &str) -> ControlFlow<()> {
        if self.foreign.is_some() {
            return GO_ON;
        }
        match (&self.field, &mut self.entry) {
            (Some(_), _) => push(&mut self.text, text),
            (None, Some(entry)) => push(&mut entry.bare, text),
            (None, None) => {}
        }
        GO_ON
    }

    pub fn unknown_reference(&mut self, written: &str) {
        if self.foreign.is_none() && self.field.is_some() {
            self.collector.problem(|| format!("an unknown reference: {}", shown(written)));
        }
    }

    /// The markup is broken here: the field that it is in cannot be trusted.
    pub fn broken(&mut self, why: &str) {
        self.collector.problem(|| format!("broken XML: {}", cut(why)));
        self.field = None;
    }

    /// The document ends here. A field that is open is cut, and so is text that stands for one.
    pub fn end(mut self) {
        self.field = None;
        if self.done {
            return;
        }
        if self.dialect.is_none() {
            self.collector.problem(|| "no element of a sitemap".to_owned());
        } else if !self.root.is_empty() {
            let root = std::mem::take(&mut self.root);
            self.collector.cut(format!("ends before </{}>", cut(&root)));
        }
        if self.entry.as_ref().is_some_and(Open::is_addressed) {
            self.keep();
        }
    }

    /// The name without the prefix of the root.
    fn own<'n>(&self, full: &'n str) -> &'n str {
        full.strip_prefix(self.prefix.as_str()).unwrap_or(full)
    }

    fn before_root(&mut self, full: &str, attributes: &Attributes<'_>) -> ControlFlow<()> {
        let (prefix, local) = full.split_at(full.find(':').map_or(0, |at| at + 1));
        if ["html", "head", "body"].iter().any(|name| local.eq_ignore_ascii_case(name)) {
            return self.refuse("an HTML page in place of a sitemap".to_owned());
        }
        match of_root(local) {
            Some((kind, dialect, is_entry)) if self.before_root == 0 || !is_entry => {
                self.prefix = prefix.to_owned();
                self.root = full.to_owned();
                self.root(kind, dialect, attributes)?;
                if is_entry { self.rootless(full) } else { GO_ON }
            }
            _ if self.before_root == PATIENCE => self.refuse("no root of a sitemap".to_owned()),
            _ => {
                if self.before_root == 0 {
                    self.collector.problem(|| format!("<{}> is no root of a sitemap", cut(full)));
                }
                self.before_root += 1;
                GO_ON
            }
        }
    }

    fn root(
        &mut self,
        kind: Kind,
        dialect: &'static Dialect,
        attributes: &Attributes<'_>,
    ) -> ControlFlow<()> {
        if let Some(expected) = dialect.namespace {
            self.check_namespace(expected, attributes)?;
        }
        if kind == Kind::Index {
            self.usual = List::Sitemaps;
        }
        if let Some(base) = attributes.get("xml:base")
            && let Ok(base) = self.base.join(&base)
        {
            self.base = base;
        }
        self.dialect = Some(dialect);
        self.collector.set_kind(kind);
        GO_ON
    }

    fn check_namespace(&mut self, expected: &str, attributes: &Attributes<'_>) -> ControlFlow<()> {
        let name = match self.prefix.strip_suffix(':') {
            Some(prefix) => format!("xmlns:{prefix}"),
            None => "xmlns".to_owned(),
        };
        match attributes.get(&name) {
            Some(namespace) if namespace == expected => {}
            Some(namespace) if self.collector.strict() => {
                return self.refuse(format!("a foreign namespace: {}", shown(&namespace)));
            }
            Some(namespace) => {
                self.collector.problem(|| format!("a foreign namespace: {}", shown(&namespace)));
            }
            None => self.collector.problem(|| "no namespace".to_owned()),
        }
        GO_ON
    }

    fn rootless(&mut self, full: &str) -> ControlFlow<()> {
        self.collector.problem(|| format!("no element around <{}>", cut(full)));
        self.root.clear();
        self.begin(self.usual)
    }

    fn refuse(&mut self, why: String) -> ControlFlow<()> {
        self.collector.problem(|| why);
        self.done = true;
        ControlFlow::Break(())
    }

    fn begin(&mut self, list: List) -> ControlFlow<()> {
        self.flush()?;
        if list != self.usual && !self.mixed {
            self.mixed = true;
            self.collector.problem(|| "pages and sitemaps are mixed".to_owned());
        }
        self.entry = Some(Open::new(list));
        GO_ON
    }

    fn skip(&mut self, full: &str) -> ControlFlow<()> {
        self.foreign = Some((full.to_owned(), 1));
        GO_ON
    }

    fn begin_field(
        &mut self,
        field: Field,
        full: &str,
        attributes: &Attributes<'_>,
    ) -> ControlFlow<()> {
        self.end_unclosed_field();
        match (&mut self.entry, field) {
            (None, Field::Loc) => {
                self.collector.problem(|| "an address outside of an entry".to_owned());
                self.begin(self.usual)?;
            }
            (None, _) => return GO_ON, // of the channel or feed itself
            (Some(entry), Field::Loc) if entry.loc.is_some() => {
                self.collector.problem(|| "two addresses in one entry".to_owned());
                let list = entry.list;
                self.begin(list)?;
            }
            (Some(entry), Field::Link) => {
                if attributes.get("rel").is_some_and(|rel| !rel.contains("alternate")) {
                    return self.skip(full);
                }
                if let Some(href) = attributes.get("href") {
                    entry.loc.get_or_insert(href);
                    return self.skip(full);
                }
            }
            (_, Field::Guid) if attributes.get("isPermaLink").is_some_and(|is| is == "false") => {
                return self.skip(full);
            }
            _ => {}
        }
        self.text.clear();
        self.field = Some(field);
        GO_ON
    }

    fn end_field(&mut self) {
        if let (Some(field), Some(entry)) = (self.field.take(), &mut self.entry) {
            entry.set(field, std::mem::take(&mut self.text));
        }
    }

    fn end_unclosed_field(&mut self) {
        if self.field.is_some() {
            self.collector.problem(|| "an element that is not closed".to_owned());
            self.end_field();
        }
    }

    fn flush(&mut self) -> ControlFlow<()> {
        self.end_unclosed_field();
        self.foreign = None;
        self.keep();
        if self.done { ControlFlow::Break(()) } else { GO_ON }
    }

    fn keep(&mut self) {
        if let Some(entry) = self.entry.take() {
            let list = entry.list;
            self.done = !self.collector.add(entry.into_draft(), list, &self.base);
        }
    }
}

/// Enough of a text for a message.
fn cut(name: &str) -> &str {
    &name[..name.floor_char_boundary(100)]
}
