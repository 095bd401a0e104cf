//! Which blocks of the chosen element are the article.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::Block;
use super::sums::{self, Sum};

/// Leaves out the elements in `root` that are mostly links.
pub fn cut_links(tree: &Tree<'_>, root: Id, sums: &[Sum], gone: &mut [bool]) {
    let all = sums[root.0 as usize].prose;
    let mut at = root.0 + 1;
    while at < tree.end(root).0 {
        let id = Id(at);
        let sum = sums[at as usize];
        let holds = matches!(
            tree.name(id),
            Name::Ul | Name::Ol | Name::Div | Name::Section | Name::Table | Name::Dl | Name::P
                | Name::Article | Name::Header | Name::Li
        );
        let links = if tree.name(id) == Name::P { is_nearly_all_links(sum) } else { is_mostly_links(sum) };
        if gone[at as usize] || holds && links && sum.prose < all / 5 {
            gone[at as usize] = true;
            at = tree.end(id).0;
            continue;
        }
        at += 1;
    }
}

fn is_mostly_links(sum: Sum) -> bool {
    sum.letters > 0 && sum.linked * 2 > sum.letters
}

fn is_nearly_all_links(sum: Sum) -> bool {
    sum.letters > 0 && sum.linked * 4 > sum.letters * 3
}

/// Of the blocks in `root`, those to keep, and before them the lead of the article.
pub fn blocks(tree: &Tree<'_>, all: &[Block], root: Id) -> Vec<Block> {
    let start = all.partition_point(|block| block.first <= root.0);
    let end = all.partition_point(|block| block.first < tree.end(root).0);
    let inside = &all[start..end];
    let is_prose = |block: &Block| sums::prose(tree, block) > 0;
    let Some(last) = inside.iter().rposition(is_prose) else { return inside.to_vec() };
    let first = inside.iter().position(is_prose).unwrap_or(0);
    let mut kept = beginning(tree, &inside[..=first]).to_vec();
    kept.extend_from_slice(&inside[first..=last]);
    kept.extend(tail(&inside[last..]));
    kept.retain(|block| !is_title_or_link(tree, block));
    drop_empty_headings(tree, &mut kept);
    let mut text = lead(tree, all, start + first - beginning(tree, &inside[..=first]).len());
    text.append(&mut kept);
    text
}

/// The title is no part of the text, and a line that is nothing but a link leads elsewhere.
fn is_title_or_link(tree: &Tree<'_>, block: &Block) -> bool {
    match tree.name(Id(block.owner)) {
        Name::H1 => true,
        Name::Div | Name::Section | Name::P | Name::Center => {
            block.linked * 10 > block.letters * 9
        }
        _ => false,
    }
}

/// What stands right before the first paragraph and beside it, such as a heading or an address.
fn beginning<'b>(tree: &Tree<'_>, blocks: &'b [Block]) -> &'b [Block] {
    let Some((first, before)) = blocks.split_last() else { return blocks };
    let from = around(tree, first);
    let beside = |block: &Block| {
        let name = tree.name(Id(block.owner));
        block.first > from.0 && block.linked == 0 && (name == Name::P || name.is_heading() && name != Name::H1)
    };
    let start = before.iter().rposition(|block| !beside(block)).map_or(0, |at| at + 1);
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
fn lead(tree: &Tree<'_>, all: &[Block], first: usize) -> Vec<Block> {
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
    block.letters >= least && block.linked * 3 < block.letters
}

/// What follows the last paragraph, up to the first links: the end of a list, a short last line.
fn tail(blocks: &[Block]) -> impl Iterator<Item = &Block> {
    blocks.iter().skip(1).take_while(|block| block.linked * 2 <= block.letters)
}

/// A heading that nothing follows before the next of its rank is the heading of something that is
/// not there any more.
fn drop_empty_headings(tree: &Tree<'_>, kept: &mut Vec<Block>) {
    let is_prose = |block: &Block| sums::prose(tree, block) > 0;
    let rank = |block: &Block| if is_prose(block) { 0 } else { rank(tree.name(Id(block.owner))) };
    let mut next = 0;
    let mut keep = vec![true; kept.len()];
    for at in (0..kept.len()).rev() {
        let own = rank(&kept[at]);
        if own > 0 && (at + 1 == kept.len() || next > 0 && next <= own) {
            keep[at] = false;
        } else {
            next = own;
        }
    }
    let mut at = 0;
    kept.retain(|_| {
        at += 1;
        keep[at - 1]
    });
}

/// Of a heading from 1 to 6, else 0.
pub fn rank(name: Name) -> u8 {
    match name {
        Name::H1 => 1,
        Name::H2 => 2,
        Name::H3 => 3,
        Name::H4 => 4,
        Name::H5 => 5,
        Name::H6 => 6,
        _ => 0,
    }
}
