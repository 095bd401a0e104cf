//! Lists of links in the chosen element, with or without words on each (`cards`): what else there is
//! to read.

use weir_parse::tree::{Id, Name, Tree};

use super::cards;
use super::signs::Signs;
use super::sums::Sum;

/// So much prose says that there is an article between the links.
const ARTICLE: u32 = 500;

/// Leaves out the elements in `root` that are mostly links, if they hold little of its prose.
pub fn cut(tree: &Tree<'_>, root: Id, signs: &[Signs], sums: &[Sum], gone: &mut [bool]) {
    let whole = sums[root.0 as usize];
    let all = whole.prose;
    // An article that is about its links, such as one on the bargains of the day, has them for text.
    if signs[root.0 as usize].has(Signs::BODY) && all > ARTICLE && whole.links_over(50) {
        return;
    }
    cards::cut(tree, root, sums, gone);
    let mut at = root.0 + 1;
    while at < tree.end(root).0 {
        let id = Id(at);
        let sum = sums[at as usize];
        gone[at as usize] |= is_links(tree.name(id), sum) && sum.prose < all / 5;
        at = if gone[at as usize] { tree.end(id).0 } else { at + 1 };
    }
}

fn is_links(name: Name, sum: Sum) -> bool {
    use Name::*;
    match name {
        P => sum.links_over(75),
        Li => sum.links_over(80),
        Ul | Ol | Dl | Div | Section | Table | Article | Header => sum.links_over(50),
        _ => false,
    }
}
