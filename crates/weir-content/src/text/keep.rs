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
        if gone[at as usize] || holds && is_mostly_links(sum) && sum.prose < all / 5 {
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

/// Of the blocks in `root`, those to keep, and before them the lead of the article.
pub fn blocks(tree: &Tree<'_>, all: &[Block], root: Id) -> Vec<Block> {
    let start = all.partition_point(|block| block.first <= root.0);
    let end = all.partition_point(|block| block.first < tree.end(root).0);
    let inside = &all[start..end];
    let is_prose = |block: &Block| sums::prose(tree, block) > 0;
    let Some(last) = inside.iter().rposition(is_prose) else { return inside.to_vec() };
    let first = inside.iter().position(is_prose).unwrap_or(0);
    let mut kept = lead(tree, all, start + first);
    kept.extend(inside[first..=last].iter().filter(|block| tree.name(Id(block.owner)) != Name::H1));
    kept.extend(tail(tree, &inside[last..]));
    drop_empty_headings(tree, &mut kept);
    kept
}

/// A title stands no further before the article than this.
const MOST_BEFORE: usize = 20;

/// What stands between the title and the block `first`, and says something.
fn lead(tree: &Tree<'_>, all: &[Block], first: usize) -> Vec<Block> {
    let before = &all[first.saturating_sub(MOST_BEFORE)..first];
    let is_title = |block: &Block| tree.name(Id(block.owner)) == Name::H1;
    let Some(title) = before.iter().rposition(is_title) else { return Vec::new() };
    before[title + 1..].iter().filter(|block| is_lead(tree, block)).copied().collect()
}

fn is_lead(tree: &Tree<'_>, block: &Block) -> bool {
    let name = tree.name(Id(block.owner));
    let least = if name == Name::P || name.is_heading() { 30 } else { 60 };
    block.letters >= least && block.linked * 3 < block.letters
}

/// What follows the last paragraph beside it: the end of a list, a short last line.
fn tail<'b>(tree: &Tree<'_>, blocks: &'b [Block]) -> impl Iterator<Item = &'b Block> {
    let parent = blocks.first().and_then(|last| tree.parent(Id(last.owner)));
    let end = parent.map_or(Id(0), |parent| tree.end(parent));
    let ends = move |block: &&Block| block.first < end.0 && block.linked * 2 <= block.letters;
    blocks.iter().skip(1).take_while(ends)
}

/// A heading that nothing follows before the next of its rank is the heading of something that is
/// not there any more.
fn drop_empty_headings(tree: &Tree<'_>, kept: &mut Vec<Block>) {
    let rank = |block: &Block| rank(tree.name(Id(block.owner)));
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
