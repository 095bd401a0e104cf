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

/// Of the blocks in `root`, those to keep.
pub fn blocks(tree: &Tree<'_>, all: &[Block], root: Id) -> Vec<Block> {
    let inside: Vec<Block> =
        all.iter().filter(|block| tree.contains(root, Id(block.first))).copied().collect();
    let is_prose = |block: &Block| sums::prose(tree, block) > 0;
    let Some(last) = inside.iter().rposition(is_prose) else { return inside };
    let first = inside.iter().position(is_prose).unwrap_or(0);
    let mut kept = Vec::new();
    for (at, block) in inside.iter().enumerate() {
        let name = tree.name(Id(block.owner));
        let keep = if name == Name::H1 {
            false
        } else if is_prose(block) {
            true
        } else if at > last {
            matches!(name, Name::P | Name::Li) && at < last + 2
        } else if at < first {
            name == Name::P || name.is_heading()
        } else {
            true
        };
        if keep {
            kept.push(*block);
        }
    }
    drop_empty_headings(tree, &mut kept);
    kept
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
