//! Lines that name what stands beside the article and say nothing of it.

use weir_parse::tree::{Id, Tree};

use super::blocks::Block;

/// A label is no longer than this.
const LONGEST: u32 = 30;

const LABELS: [&str; 22] = [
    "ad",
    "ads",
    "advert",
    "advertisement",
    "advertising",
    "anzeige",
    "comment",
    "comments",
    "email",
    "print",
    "promoted",
    "pubblicità",
    "publicidad",
    "publicidade",
    "publicité",
    "share",
    "shares",
    "sponsored",
    "teilen",
    "tweet",
    "werbung",
    "реклама",
];

/// The whole line is one of the words that stand above an advertisement or on a button.
pub fn is_label(tree: &Tree<'_>, block: &Block) -> bool {
    if block.letters > LONGEST {
        return false;
    }
    let text: String = (block.first..block.end).map(|at| tree.raw_text(Id(at))).collect();
    let word = text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    LABELS.contains(&word.as_str())
}

/// It ends with a colon: something follows it.
pub fn announces(tree: &Tree<'_>, block: &Block) -> bool {
    tree.raw_text(Id(block.end - 1)).trim_end().ends_with(':')
}
