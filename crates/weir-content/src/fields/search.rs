//! One pass over a page for all fields of a site.

use serde_json::Value;
use weir_parse::tree::{Id, Tree};

use super::css::Matcher;
use super::finder::{Finder, Part};
use super::page::Page;
use super::{Field, value};

pub(super) struct Search<'s, 't> {
    fields: &'s [Field],
    page: &'s Page<'s, 't>,
    matcher: Matcher<'s, 't>,
    found: Vec<Vec<Value>>,
    /// The element that was found last, by field: two selectors of a list may match the same one.
    last: Vec<Id>,
    /// How many fields look for no more.
    settled: usize,
}

impl<'s, 't> Search<'s, 't> {
    pub fn new(fields: &'s [Field], page: &'s Page<'s, 't>) -> Self {
        Search {
            fields,
            page,
            matcher: Matcher::new(page.tree),
            found: vec![Vec::new(); fields.len()],
            last: vec![Tree::ROOT; fields.len()],
            settled: 0,
        }
    }

    /// The values of each field, in the order of the page.
    pub fn run(mut self, finder: &Finder) -> Vec<Vec<Value>> {
        let tree = self.page.tree;
        let mut seen = finder.start();
        for id in tree.descendants(Tree::ROOT) {
            if tree.is_text(id) {
                continue;
            }
            finder.each(tree, id, &mut seen, &mut |part| self.try_on(id, part));
            if self.is_over() {
                break;
            }
        }
        self.found
    }

    fn is_over(&self) -> bool {
        let all = self.settled == self.fields.len();
        all || self.page.is_spent() || self.matcher.is_tired()
    }

    fn try_on(&mut self, id: Id, part: Part) {
        let field = &self.fields[part.field];
        let found = &mut self.found[part.field];
        let last = &mut self.last[part.field];
        let is_settled = !field.many && !found.is_empty();
        if is_settled || *last == id || !self.matcher.matches(&field.css, part.at, id) {
            return;
        }
        *last = id;
        if let Some(value) = value::read(self.page, id, field) {
            self.settled += usize::from(!field.many);
            found.push(value);
        }
    }
}
