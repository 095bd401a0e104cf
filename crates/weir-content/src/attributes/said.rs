//! What an element says, if it is short: titles, names and days are. To look into one long text again and
//! again, once for each element around it, would take longer than any page is worth.

use weir_parse::tree::{Id, Tree};

/// What has more than this in it, or more nodes, is a text.
const MOST_BYTES: usize = 32 << 10;
const MOST_NODES: u32 = 4096;

/// All texts in an element, as [`Tree::collected`]; empty if they are long.
pub fn said(tree: &Tree<'_>, id: Id) -> String {
    if is_long(tree, id) { String::new() } else { tree.collected(id) }
}

pub fn is_long(tree: &Tree<'_>, id: Id) -> bool {
    let (mut at, end) = (id.0, tree.end(id).0);
    if end - at > MOST_NODES {
        return true;
    }
    let mut bytes = 0;
    while at < end && bytes <= MOST_BYTES {
        let node = Id(at);
        let skipped = tree.name(node).is_hidden() && node != id;
        at = if skipped { tree.end(node).0 } else { at + 1 };
        bytes += tree.raw_text(node).len();
    }
    bytes > MOST_BYTES
}
