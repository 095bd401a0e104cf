//! Which blocks of the chosen element are the article.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::Block;
use super::{labels, lead, sums};

/// Of the blocks in `root`, those to keep, and before them the lead of the article.
pub fn blocks(tree: &Tree<'_>, all: &[Block], root: Id) -> Vec<Block> {
    let start = all.partition_point(|block| block.first <= root.0);
    let end = all.partition_point(|block| block.first < tree.end(root).0);
    let inside = &all[start..end];
    let is_prose = |block: &Block| sums::prose(tree, block) > 0;
    let Some(last) = inside.iter().rposition(is_prose) else { return inside.to_vec() };
    let prose = inside.iter().position(is_prose).unwrap_or(0);
    let first = prose - lead::beside(tree, &inside[..=prose]).len();
    let mut kept = inside[first..=last].to_vec();
    kept.extend(tail(&inside[last + 1..]));
    let title = title_before(tree, inside[prose].owner);
    kept.retain(|block| !is_title(tree, block, title) && !is_link(tree, block));
    kept.retain(|block| !labels::is_label(tree, block));
    drop_empty_headings(tree, &mut kept);
    if kept.pop_if(|block| !is_prose(block) && labels::announces(tree, block)).is_some() {
        drop_empty_headings(tree, &mut kept);
    }
    let mut text = lead::before(tree, all, start + first);
    let leads = text.len();
    text.append(&mut kept);
    lead::drop_said_again(tree, &mut text, leads);
    text
}

/// The first heading of the highest rank is the title, which is no part of the text; some pages have
/// such headings also between the paragraphs.
fn is_title(tree: &Tree<'_>, block: &Block, title: Option<Id>) -> bool {
    tree.name(Id(block.owner)) == Name::H1 && title.is_none_or(|title| block.owner <= title.0)
}

/// The last title before the first paragraph; what follows it is no title.
fn title_before(tree: &Tree<'_>, prose: u32) -> Option<Id> {
    (1..prose).rev().map(Id).find(|id| tree.name(*id) == Name::H1)
}

/// A line that is nothing but a link leads elsewhere.
fn is_link(tree: &Tree<'_>, block: &Block) -> bool {
    use Name::*;
    matches!(tree.name(Id(block.owner)), Div | Section | P | Center) && block.links_over(90)
}

/// What follows the last paragraph, up to the first links: the end of a list, a short last line.
fn tail(blocks: &[Block]) -> impl Iterator<Item = &Block> {
    blocks.iter().take_while(|block| !block.links_over(50))
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
