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
    let holders = holders(tree, signs, gone);
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        let (own, sum) = (signs[at as usize], sums[at as usize]);
        let leave = gone[at as usize] || says_no(own, sum, all, holders[at as usize]);
        if leave {
            gone[at as usize] = true;
            at = tree.end(id).0;
            continue;
        }
        at += 1;
    }
}

/// Elements that hold the title, or what calls itself the body of an article.
fn holders(tree: &Tree<'_>, signs: &[Signs], gone: &[bool]) -> Vec<bool> {
    let mut holders = vec![false; tree.len()];
    for at in (1..tree.len() as u32).rev() {
        let id = Id(at);
        let own = tree.name(id) == Name::H1 || signs[at as usize].has(Signs::BODY);
        if (own && !gone[at as usize] || holders[at as usize])
            && let Some(parent) = tree.parent(id)
        {
            holders[at as usize] = true;
            holders[parent.0 as usize] = true;
        }
    }
    holders
}

/// So much prose elsewhere is an article.
const ARTICLE: u32 = 200;

fn says_no(signs: Signs, sum: Sum, all: u32, holds_article: bool) -> bool {
    let is_small = sum.prose < all / 10;
    let may_go = is_small || !holds_article;
    if signs.has(Signs::SIDE) && may_go && (is_small || all - sum.prose > ARTICLE) {
        return true;
    }
    if signs.has(Signs::AROUND) && may_go && sum.prose < all / 2 {
        return true;
    }
    if signs.has(Signs::TEASER) && may_go && sum.linked > 0 && sum.prose < all / 4 {
        return true;
    }
    // Something about the article is short.
    signs.has(Signs::ABOUT) && !holds_article && sum.letters < 1000 && sum.prose < all / 4
}
