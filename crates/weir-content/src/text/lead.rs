//! What stands before the first paragraph and belongs to it.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::Block;

/// What stands right before the first paragraph and beside it, such as a heading or an address.
pub fn beside<'b>(tree: &Tree<'_>, blocks: &'b [Block]) -> &'b [Block] {
    let Some((first, before)) = blocks.split_last() else { return blocks };
    let from = around(tree, first);
    let is_beside = |block: &Block| {
        let name = tree.name(Id(block.owner));
        let is_line = name == Name::P || name.is_heading() && name != Name::H1;
        block.first > from.0 && block.linked == 0 && is_line
    };
    let start = before.iter().rposition(|block| !is_beside(block)).map_or(0, |at| at + 1);
    &before[start..]
}

/// The element that the paragraph is a part of, or the list or table that it stands in.
fn around(tree: &Tree<'_>, block: &Block) -> Id {
    use Name::*;
    let parts = |id: &Id| {
        matches!(tree.name(*id), Ul | Ol | Li | Dl | Blockquote | Table | Tbody | Tr | Td | Pre)
    };
    tree.ancestors(Id(block.owner)).find(|id| !parts(id)).unwrap_or(Tree::ROOT)
}

/// A title stands no further before the article than this, and the lead no further behind it.
const MOST_BEFORE: usize = 60;
const MOST_BEHIND: usize = 8;

/// What stands behind the title and before the block `first`, and says something.
pub fn before(tree: &Tree<'_>, all: &[Block], first: usize) -> Vec<Block> {
    let (from, end) = (first.saturating_sub(MOST_BEFORE), all[first].first);
    let start = from.checked_sub(1).map_or(0, |before| all[before].end);
    let Some(title) = (start..end).rfind(|at| tree.name(Id(*at)) == Name::H1) else {
        return Vec::new();
    };
    let behind = tree.end(Id(title)).0;
    let blocks = all[from..first].iter().filter(|block| block.first >= behind).take(MOST_BEHIND);
    blocks.filter(|block| is_lead(tree, block)).copied().collect()
}

fn is_lead(tree: &Tree<'_>, block: &Block) -> bool {
    let name = tree.name(Id(block.owner));
    let least = if name == Name::P || name.is_heading() { 30 } else { 60 };
    // A list between title and article sums it up.
    name != Name::Li && block.letters >= least && !block.links_over(33)
}

/// So many letters nobody says twice by chance.
const SENTENCE: u32 = 40;
/// The lines behind a lead that are looked at for its words.
const MOST_AGAIN: usize = 10;

/// Leaves out of the first `leads` lines, or of the first line, what one of the next begins with.
pub fn drop_said_again(tree: &Tree<'_>, text: &mut Vec<Block>, leads: usize) {
    for at in (0..leads.max(1).min(text.len())).rev() {
        let (lead, rest) = (text[at], &text[at + 1..]);
        let says_it = |block: &Block| begins_with(tree, block, &lead);
        if lead.letters >= SENTENCE && rest.iter().take(MOST_AGAIN).any(says_it) {
            text.remove(at);
        }
    }
}

fn begins_with(tree: &Tree<'_>, block: &Block, lead: &Block) -> bool {
    let mut own = words(tree, block);
    words(tree, lead).all(|word| own.next() == Some(word))
}

fn words<'t>(tree: &Tree<'t>, block: &Block) -> impl Iterator<Item = &'t str> + use<'t> {
    let tree = *tree;
    (block.first..block.end).flat_map(move |at| tree.raw_text(Id(at)).split_whitespace())
}
