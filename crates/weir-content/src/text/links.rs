//! Lists of links in the chosen element: what else there is to read.

use weir_parse::tree::{Id, Name, Tree};

use super::sums::Sum;

/// Leaves out the elements in `root` that are mostly links, if they hold little of its prose.
pub fn cut(tree: &Tree<'_>, root: Id, sums: &[Sum], gone: &mut [bool]) {
    let all = sums[root.0 as usize].prose;
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
        Ul | Ol | Dl | Div | Section | Table | Article | Header | Li => sum.links_over(50),
        _ => false,
    }
}
