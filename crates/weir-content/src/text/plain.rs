//! The kept blocks as plain text: a line for each, cells of a row in one.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::Block;

pub fn write(tree: &Tree<'_>, blocks: &[Block], gone: &[bool]) -> String {
    let mut out = String::new();
    let mut row = None;
    for block in blocks {
        let own = row_of(tree, block);
        if !out.is_empty() {
            out.push_str(if own.is_some() && own == row { " | " } else { "\n" });
        }
        row = own;
        if tree.name(Id(block.owner)) == Name::Li {
            out.push_str("- ");
        }
        line(tree, block, gone, &mut out);
    }
    out
}

/// The row of a table that the block is a cell of.
fn row_of(tree: &Tree<'_>, block: &Block) -> Option<Id> {
    let owner = Id(block.owner);
    let cell = matches!(tree.name(owner), Name::Td | Name::Th);
    if cell { tree.parent(owner) } else { None }
}

fn line(tree: &Tree<'_>, block: &Block, gone: &[bool], out: &mut String) {
    let mut space = false;
    let start = out.len();
    for id in block.nodes(tree, gone) {
        match tree.name(id) {
            Name::Text => {
                let text = tree.text(id);
                space |= text.starts_with(char::is_whitespace);
                for word in text.split_whitespace() {
                    if space && out.len() > start && !out.ends_with('\n') {
                        out.push(' ');
                    }
                    push_seen(word, out);
                    space = true;
                }
                space = text.ends_with(char::is_whitespace);
            }
            Name::Br => {
                if out.len() > start && !out.ends_with('\n') {
                    out.push('\n');
                }
                space = false;
            }
            _ => {}
        }
    }
}

/// Adds a word without the places where it may be broken.
pub fn push_seen(word: &str, out: &mut String) {
    if word.is_ascii() {
        out.push_str(word);
    } else {
        out.extend(word.chars().filter(|c| is_seen(*c)));
    }
}

/// Not a soft hyphen or another place to break a word, which would keep it from being found.
pub fn is_seen(c: char) -> bool {
    !matches!(c, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}
