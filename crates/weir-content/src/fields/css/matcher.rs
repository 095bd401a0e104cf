use std::cell::Cell;

use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode,
    SelectorCaches,
};
use selectors::matching::matches_selector;
use weir_parse::tree::{Id, Tree};

use super::Css;
use super::element::Element;
use crate::fields::MAX_STEPS;

/// Matches selectors on one page, and keeps what was found out on the way.
pub(crate) struct Matcher<'p, 't> {
    tree: &'p Tree<'t>,
    caches: SelectorCaches,
    /// How many steps are left.
    steps: Cell<u32>,
}

impl<'p, 't> Matcher<'p, 't> {
    pub fn new(tree: &'p Tree<'t>) -> Self {
        Matcher { tree, caches: SelectorCaches::default(), steps: Cell::new(MAX_STEPS) }
    }

    /// Whether an element matches one of the selectors of a list.
    pub fn matches(&mut self, css: &Css, at: usize, id: Id) -> bool {
        let mut context = MatchingContext::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            QuirksMode::NoQuirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        let element = Element { tree: self.tree, id, steps: &self.steps };
        let selector = &css.0.slice()[at];
        matches_selector(selector, 0, None, element, &mut context) && !self.is_tired()
    }

    /// The selectors took more steps than a page is worth.
    pub fn is_tired(&self) -> bool {
        self.steps.get() == 0
    }
}
