//! Which element holds the article.

use weir_parse::tree::{Id, Name, Tree};

use super::signs::Signs;
use super::sums::Sum;

/// The element with most prose and least else; one that calls itself an article counts more.
pub fn root(tree: &Tree<'_>, signs: &[Signs], sums: &[Sum]) -> Id {
    let mut best = (Tree::ROOT, f32::MIN);
    for (at, sum) in sums.iter().enumerate() {
        if sum.prose == 0 {
            continue;
        }
        let id = Id(at as u32);
        // However many links an article has, it is one.
        let value = sum.prose - sum.junk.min(sum.prose / 2);
        let score = value as f32 * weight(tree.name(id), signs[at]);
        // Of those that hold the same, the innermost.
        if score >= best.1 {
            best = (id, score);
        }
    }
    best.0
}

fn weight(name: Name, signs: Signs) -> f32 {
    if signs.has(Signs::BODY) {
        1.3
    } else if name == Name::Article {
        1.2
    } else if signs.has(Signs::CONTENT) {
        1.1
    } else if matches!(name, Name::P | Name::Li | Name::Td | Name::Blockquote) {
        0.8
    } else {
        1.0
    }
}
