use std::cell::Cell;
use std::fmt;

use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::MatchingContext;
use selectors::matching::ElementSelectorFlags;
use weir_parse::tree::{Id, Name, Tree};

use super::words::{Never, Quoted, Word, Words};

/// An element of the flat tree as the `selectors` crate sees it.
///
/// Every way from one element to another is a step, and when no steps are left there is nobody
/// there: so a selector ends soon, however it is made.
#[derive(Clone, Copy)]
pub(super) struct Element<'p, 't> {
    pub tree: &'p Tree<'t>,
    pub id: Id,
    pub steps: &'p Cell<u32>,
}

impl fmt::Debug for Element<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}> {}", self.tree.written_name(self.id), self.id.0)
    }
}

impl Element<'_, '_> {
    fn at(&self, id: Id) -> Self {
        Element { id, ..*self }
    }

    /// `None` if there are no steps left.
    fn step(&self) -> Option<()> {
        let left = self.steps.get().checked_sub(1)?;
        self.steps.set(left);
        Some(())
    }

    /// The first of these siblings that is an element.
    fn first_element(&self, mut id: Option<Id>) -> Option<Self> {
        while let Some(at) = id {
            self.step()?;
            if !self.tree.is_text(at) {
                return Some(self.at(at));
            }
            id = self.tree.next_sibling(at);
        }
        None
    }

    /// The child of `parent` in which `id` stands, or which it is.
    fn child_with(&self, parent: Id, mut id: Id) -> Option<Id> {
        loop {
            self.step()?;
            match self.tree.parent(id)? {
                up if up == parent => return Some(id),
                up => id = up,
            }
        }
    }
}

impl selectors::Element for Element<'_, '_> {
    type Impl = Words;

    /// The place of its name in the page: no two elements have the same.
    fn opaque(&self) -> OpaqueElement {
        match self.tree.written_name(self.id).as_bytes().first() {
            Some(byte) => OpaqueElement::new(byte),
            None => OpaqueElement::new(self.tree),
        }
    }

    fn parent_element(&self) -> Option<Self> {
        self.step()?;
        let parent = self.tree.parent(self.id)?;
        (parent != Tree::ROOT).then(|| self.at(parent))
    }

    /// The list has no way back: the node before is the last one in the sibling before.
    fn prev_sibling_element(&self) -> Option<Self> {
        let parent = self.tree.parent(self.id)?;
        let mut before = Id(self.id.0 - 1);
        while before != parent {
            let sibling = self.child_with(parent, before)?;
            if !self.tree.is_text(sibling) {
                return Some(self.at(sibling));
            }
            before = Id(sibling.0 - 1);
        }
        None
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.first_element(self.tree.next_sibling(self.id))
    }

    fn first_element_child(&self) -> Option<Self> {
        self.first_element(self.tree.children(self.id).next())
    }

    fn is_html_element_in_html_document(&self) -> bool {
        true
    }

    fn has_local_name(&self, name: &Word) -> bool {
        self.tree.name(self.id) == name.name()
            && (name.name() != Name::Other
                || self.tree.written_name(self.id).eq_ignore_ascii_case(name.text()))
    }

    fn has_namespace(&self, _: &Word) -> bool {
        true
    }

    fn is_same_type(&self, other: &Self) -> bool {
        let name = self.tree.name(self.id);
        let written = |element: &Self| self.tree.written_name(element.id);
        name == self.tree.name(other.id)
            && (name != Name::Other || written(self).eq_ignore_ascii_case(written(other)))
    }

    fn attr_matches(
        &self,
        _: &NamespaceConstraint<&Word>,
        name: &Word,
        operation: &AttrSelectorOperation<&Quoted>,
    ) -> bool {
        self.tree.attribute(self.id, name.text()).is_some_and(|value| operation.eval_str(&value))
    }

    fn has_id(&self, id: &Word, case: CaseSensitivity) -> bool {
        let value = self.tree.attribute(self.id, "id");
        value.is_some_and(|value| case.eq(value.as_bytes(), id.text().as_bytes()))
    }

    fn has_class(&self, class: &Word, case: CaseSensitivity) -> bool {
        let same = |found: &str| case.eq(found.as_bytes(), class.text().as_bytes());
        let value = self.tree.attribute(self.id, "class");
        value.is_some_and(|value| value.split_ascii_whitespace().any(same))
    }

    fn is_link(&self) -> bool {
        matches!(self.tree.name(self.id), Name::A | Name::Area | Name::Link)
            && self.tree.raw_attribute(self.id, "href").is_some()
    }

    fn is_empty(&self) -> bool {
        self.tree.children(self.id).next().is_none()
    }

    fn is_root(&self) -> bool {
        self.tree.name(self.id) == Name::Html && self.tree.parent(self.id) == Some(Tree::ROOT)
    }

    // What follows exists only in browsers.

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn match_non_ts_pseudo_class(&self, class: &Never, _: &mut MatchingContext<'_, Words>) -> bool {
        match *class {}
    }

    fn match_pseudo_element(&self, element: &Never, _: &mut MatchingContext<'_, Words>) -> bool {
        match *element {}
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_custom_state(&self, _: &Word) -> bool {
        false
    }

    fn imported_part(&self, _: &Word) -> Option<Word> {
        None
    }

    fn is_part(&self, _: &Word) -> bool {
        false
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
