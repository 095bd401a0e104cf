//! Lists of cards in the chosen element: each a title that is a link, and a few words on what is there.

use weir_parse::tree::{Id, Name, Tree};

use super::sums::Sum;

/// So many cards side by side are a list.
const FEWEST: u32 = 3;
/// A card says no more than this.
const LONGEST: u32 = 400;
/// The link of a card says more than a number or `more`.
const SHORTEST_LINK: u32 = 10;

/// Leaves out the elements in `root` that hold cards and little else, if little of its prose is there.
pub fn cut(tree: &Tree<'_>, root: Id, sums: &[Sum], gone: &mut [bool]) {
    let all = sums[root.0 as usize].prose;
    let lists = lists(tree, root, sums);
    for id in tree.descendants(root) {
        let list = &lists[(id.0 - root.0) as usize];
        gone[id.0 as usize] |= list.is_of_cards() && sums[id.0 as usize].prose < all / 5;
    }
}

/// What stands in an element: how many cards, of how many elements that say something.
#[derive(Clone, Copy, Default)]
struct List {
    cards: u32,
    all: u32,
}

impl List {
    fn is_of_cards(self) -> bool {
        self.cards >= FEWEST && self.cards * 4 >= self.all * 3
    }
}

/// One for `root` and for each node in it.
fn lists(tree: &Tree<'_>, root: Id, sums: &[Sum]) -> Vec<List> {
    let mut lists = vec![List::default(); (tree.end(root).0 - root.0) as usize];
    for id in tree.descendants(root) {
        let sum = sums[id.0 as usize];
        if sum.letters > 0
            && let Some(parent) = tree.parent(id)
        {
            let list = &mut lists[(parent.0 - root.0) as usize];
            list.all += 1;
            list.cards += u32::from(is_card(tree.name(id), sum));
        }
    }
    lists
}

fn is_card(name: Name, sum: Sum) -> bool {
    matches!(name, Name::Div | Name::Li | Name::Article | Name::Section)
        && sum.titles > 0
        && sum.linked >= SHORTEST_LINK
        && sum.letters <= LONGEST
}
