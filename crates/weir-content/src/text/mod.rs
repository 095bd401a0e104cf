//! The main text of a page: what somebody came to read, without what stands around it.
//!
//! In four steps, each a walk over the flat tree: `cut` leaves out what says itself that it is
//! something else (`signs`), `blocks` makes lines of the rest and `sums` adds up what each element
//! holds, `choose` takes the element that holds the article, and `keep` leaves out what stands
//! between its paragraphs. `plain` and `markdown` write what was kept.

mod blocks;
mod choose;
mod cut;
mod keep;
mod markdown;
mod plain;
mod signs;
mod sums;

use weir_parse::tree::Tree;

use blocks::Block;

/// The text of a page, found but not written yet.
pub struct MainText<'t> {
    tree: Tree<'t>,
    kept: Vec<Block>,
    gone: Vec<bool>,
}

/// Finds the main text. The time it takes grows with the page and not faster.
pub fn main_text<'t>(tree: &Tree<'t>) -> MainText<'t> {
    let (signs, mut gone) = cut::first(tree);
    let rough = sums::of(tree, &blocks::of(tree, &gone));
    cut::second(tree, &signs, &rough, &mut gone);
    let all = blocks::of(tree, &gone);
    let sums = sums::of(tree, &all);
    let root = choose::root(tree, &signs, &sums);
    keep::cut_links(tree, root, &sums, &mut gone);
    let all = blocks::of(tree, &gone);
    let kept = keep::blocks(tree, &all, root);
    MainText { tree: *tree, kept, gone }
}

impl MainText<'_> {
    /// Paragraphs, headings and items on lines of their own.
    pub fn plain(&self) -> String {
        plain::write(&self.tree, &self.kept, &self.gone)
    }

    /// The same with headings, lists, links, emphasis, quotes, code and tables. Links are as they
    /// stand in the page.
    pub fn markdown(&self) -> String {
        markdown::write(&self.tree, &self.kept, &self.gone)
    }
}

#[cfg(test)]
mod tests;
