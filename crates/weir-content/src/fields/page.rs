use std::cell::{Cell, OnceCell};

use url::Url;
use weir_parse::standard;
use weir_parse::tree::{Id, Name, Tree};

use super::MAX_BYTES;
use super::number::Style;

/// A page, and what its fields need to know of it as a whole, found when the first one asks.
pub(super) struct Page<'p, 't> {
    pub tree: &'p Tree<'t>,
    url: &'p Url,
    base: OnceCell<Option<Url>>,
    lang: OnceCell<String>,
    spent: Cell<usize>,
}

impl<'p, 't> Page<'p, 't> {
    pub fn new(tree: &'p Tree<'t>, url: &'p Url) -> Self {
        let (base, lang) = (OnceCell::new(), OnceCell::new());
        Page { tree, url, base, lang, spent: Cell::new(0) }
    }

    /// Something of this many bytes was read: what is inside of what was found before
    /// costs as much again.
    pub fn spend(&self, bytes: usize) {
        self.spent.set(self.spent.get().saturating_add(bytes));
    }

    /// More was read than a page is worth.
    pub fn is_spent(&self) -> bool {
        self.spent.get() > MAX_BYTES
    }

    /// An address as written, made absolute.
    pub fn absolute(&self, written: &str) -> Option<String> {
        let base = self.base.get_or_init(|| self.find_base()).as_ref().unwrap_or(self.url);
        let url = standard::parse(written.trim(), Some(base)).ok().map(String::from)?;
        // A long base makes each of them long.
        self.spend(url.len());
        Some(url)
    }

    fn find_base(&self) -> Option<Url> {
        let is_base = |id: &Id| self.tree.name(*id) == Name::Base;
        let mut bases = self.tree.descendants(Tree::ROOT).filter(is_base);
        let href = bases.find_map(|id| self.tree.attribute(id, "href"))?;
        standard::parse(href.trim(), Some(self.url)).ok()
    }

    /// How numbers are written in the language of the page.
    pub fn style(&self) -> Style {
        Style::of_lang(self.lang())
    }

    /// As its `html` says, in lower case; empty if it does not.
    pub fn lang(&self) -> &str {
        self.lang.get_or_init(|| {
            let mut top = self.tree.children(Tree::ROOT);
            let html = top.find(|id| self.tree.name(*id) == Name::Html);
            let lang = html.and_then(|id| self.tree.attribute(id, "lang"));
            lang.unwrap_or_default().trim().to_ascii_lowercase()
        })
    }
}
