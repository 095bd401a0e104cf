//! What is left out of a page before anything is chosen.

use weir_parse::tree::{Id, Name, Tree};

use super::signs::{self, Signs};
use super::sums::Sum;

/// What every element says about itself, and which elements hold nothing to read whatever they say.
pub fn first(tree: &Tree<'_>) -> (Vec<Signs>, Vec<bool>) {
    let mut all = vec![Signs::default(); tree.len()];
    let mut gone = vec![false; tree.len()];
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        let name = tree.name(id);
        if is_never_read(name) {
            gone[at as usize] = true;
            at = tree.end(id).0;
            continue;
        }
        if may_hold_text(name) {
            all[at as usize] = signs::of(tree, id);
        }
        at += 1;
    }
    (all, gone)
}

fn is_never_read(name: Name) -> bool {
    use Name::*;
    name.is_hidden() || matches!(name, Select | Button | Audio | Video | Input | Link | Meta)
}

/// Not worth asking in a line of text.
fn may_hold_text(name: Name) -> bool {
    use Name::*;
    !matches!(name, Text | A | B | I | Em | Strong | Img | Br | Hr | Source | Picture | Html | Body | U)
}

/// Leaves out what says that it is not the article, unless most of the page is in it: a page whose
/// layout is `has-sidebar` is not a sidebar, and a form may stand around everything.
pub fn second(tree: &Tree<'_>, signs: &[Signs], sums: &[Sum], gone: &mut [bool]) {
    let all = sums[0].prose;
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        let own = signs[at as usize];
        if gone[at as usize] || says_no(own) && may_go(own, sums[at as usize], all) {
            gone[at as usize] = true;
            at = tree.end(id).0;
            continue;
        }
        at += 1;
    }
}

fn says_no(signs: Signs) -> bool {
    signs.has(Signs::SIDE) || signs.has(Signs::COMMENTS) || signs.has(Signs::HIDDEN) || signs.has(Signs::META)
}

fn may_go(signs: Signs, sum: Sum, all: u32) -> bool {
    let rest = all - sum.prose;
    if signs.has(Signs::COMMENTS) {
        return rest > 200;
    }
    if signs.has(Signs::SIDE) || signs.has(Signs::HIDDEN) {
        return sum.prose < all / 2;
    }
    // Something about the article is short.
    !signs.has(Signs::BODY) && sum.letters < 300 && sum.prose < all / 4
}
