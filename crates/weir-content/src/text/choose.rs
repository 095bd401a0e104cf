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
    with_other_parts(tree, signs, sums, best.0)
}

/// What holds `root` and the other parts of the same article: a page may cut it into several
/// elements of the same name, to put advertisements between. Articles with a title of their own are
/// others.
fn with_other_parts(tree: &Tree<'_>, signs: &[Signs], sums: &[Sum], root: Id) -> Id {
    let class = |id: Id| tree.raw_attribute(id, "class").unwrap_or_default();
    let own = class(root);
    if !signs[root.0 as usize].has(Signs::BODY) || own.is_empty() {
        return root;
    }
    let is_part = |id: &Id| {
        signs[id.0 as usize].has(Signs::BODY) && sums[id.0 as usize].prose > 0 && class(*id) == own
    };
    let parts = tree.descendants(Tree::ROOT).filter(is_part);
    let (first, last) = parts.fold((root, root), |(first, last), id| (first.min(id), last.max(id)));
    if first == last {
        return root;
    }
    let holds_all = |id: &Id| *id < first && tree.contains(*id, last);
    let Some(whole) = tree.ancestors(root).find(holds_all) else { return root };
    let titles = tree.descendants(whole).filter(|id| tree.name(*id) == Name::H1).count();
    if titles <= 1 { whole } else { root }
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
