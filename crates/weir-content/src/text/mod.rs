//! The main text of a page: what somebody came to read, without what stands around it.
//!
//! In four steps, each a walk over the flat tree: `cut` leaves out what says itself that it is
//! something else (`signs`, `words`), `blocks` makes lines of the rest and `sums` adds up what each
//! element holds, `choose` takes the element that holds the article, and `cards`, `links` and `keep`
//! (with `labels` and `lead`) leave out what stands between its paragraphs. `plain` and `markdown`
//! write what was kept.
//!
//! The bounds were chosen with real pages whose text people have marked; `weir-readcheck` tells how
//! well they do.

mod blocks;
mod cards;
mod choose;
mod cut;
mod keep;
mod labels;
mod lead;
mod links;
mod markdown;
mod plain;
mod signs;
mod sums;
mod words;

use url::Url;
use weir_parse::standard;
use weir_parse::tree::{Id, Name, Tree};

use blocks::Block;

/// The text of a page, found but not written yet.
pub struct MainText<'t> {
    tree: Tree<'t>,
    kept: Vec<Block>,
    gone: Vec<bool>,
}

/// Finds the main text. The time it takes grows with the page and not faster.
pub fn main_text<'t>(tree: &Tree<'t>) -> MainText<'t> {
    let cut::Nodes { signs, counts, mut gone } = cut::first(tree);
    let rough = sums::of(tree, &blocks::of(tree, &counts, &gone));
    cut::second(tree, &signs, &rough, &mut gone);
    let sums = sums::of(tree, &blocks::of(tree, &counts, &gone));
    let root = choose::root(tree, &signs, &sums);
    links::cut(tree, root, &signs, &sums, &mut gone);
    let kept = keep::blocks(tree, &blocks::of(tree, &counts, &gone), root);
    MainText { tree: *tree, kept, gone }
}

impl MainText<'_> {
    /// Paragraphs, headings and items on lines of their own.
    pub fn plain(&self) -> String {
        plain::write(&self.tree, &self.kept, &self.gone)
    }

    /// The same with headings, lists, links, emphasis, quotes, code and tables. `page` is the address
    /// of the page, from which its links lead.
    pub fn markdown(&self, page: &Url) -> String {
        let is_base = |id: &Id| self.tree.name(*id) == Name::Base;
        let base = self.tree.descendants(Tree::ROOT).find(is_base);
        let written = base.and_then(|id| self.tree.attribute(id, "href"));
        let base = written.and_then(|written| standard::parse(written.trim(), Some(page)).ok());
        // It is a part of each link, so that one without end would make the text grow without end.
        let base = base.filter(|base| base.as_str().len() <= markdown::LONGEST_TARGET);
        markdown::write(&self.tree, &self.kept, &self.gone, base.as_ref().unwrap_or(page))
    }
}

#[cfg(test)]
mod tests;
