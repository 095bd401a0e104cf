//! A page as lines: each is a run of text that no element interrupts which begins a new line.

use weir_parse::tree::{Id, Name, Tree};

use super::sums;

/// A run of text, such as a paragraph, a heading or an item of a list.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Its nodes, from the first to behind the last.
    pub first: u32,
    pub end: u32,
    /// The innermost element around it that is not part of a line.
    pub owner: u32,
    /// Bytes that are no white space: a measure of what it says, also in scripts without spaces.
    pub letters: u32,
    /// Those in links.
    pub linked: u32,
    /// Full stops, commas and the like: sentences have them, menus have not.
    pub stops: u32,
}

impl Block {
    /// More than so many of a hundred letters are in links.
    pub fn links_over(&self, percent: u64) -> bool {
        sums::over(self.linked, self.letters, percent)
    }

    /// Its nodes in order, without elements that are `gone` and what is in them.
    pub fn nodes<'a>(
        &self,
        tree: &'a Tree<'_>,
        gone: &'a [bool],
    ) -> impl Iterator<Item = Id> + use<'a> {
        let (mut at, end) = (self.first, self.end);
        std::iter::from_fn(move || {
            while at < end && gone[at as usize] {
                at = tree.end(Id(at)).0;
            }
            let id = Id(at);
            at += 1;
            (id.0 < end).then_some(id)
        })
    }
}

/// All blocks of a page, without those in elements that are `gone`. `counts` has one for each node.
pub fn of(tree: &Tree<'_>, counts: &[Count], gone: &[bool]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    // For each element, where its lines belong, and whether it stands in a link.
    let mut owners = vec![(0_u32, false); tree.len()];
    let mut broken = true;
    let mut at = 1;
    while at < tree.len() as u32 {
        let id = Id(at);
        if gone[at as usize] {
            broken |= !tree.name(id).is_inline();
            at = tree.end(id).0;
            continue;
        }
        let name = tree.name(id);
        let parent = tree.parent(id).map_or(0, |parent| parent.0);
        let (owner, linked) = owners[parent as usize];
        if name == Name::Text {
            let text = counts[at as usize];
            if text.letters > 0 {
                if broken || blocks.last().is_none_or(|last| last.owner != owner) {
                    blocks.push(Block {
                        first: at,
                        end: at,
                        owner,
                        letters: 0,
                        linked: 0,
                        stops: 0,
                    });
                    broken = false;
                }
                if let Some(last) = blocks.last_mut() {
                    add(last, at + 1, text, linked);
                }
            }
        } else if name.is_inline() || stands_in_line(name) {
            owners[at as usize] = (owner, linked || name == Name::A);
        } else {
            owners[at as usize] = (at, linked);
            broken = true;
        }
        at += 1;
    }
    blocks
}

/// It interrupts no sentence.
fn stands_in_line(name: Name) -> bool {
    matches!(name, Name::Br | Name::Img | Name::Picture | Name::Source | Name::Svg)
}

fn add(block: &mut Block, end: u32, text: Count, linked: bool) {
    block.end = end;
    block.letters += text.letters;
    block.stops += text.stops;
    if linked {
        block.linked += text.letters;
    }
}

/// What there is in a text; empty for an element.
#[derive(Clone, Copy, Default)]
pub struct Count {
    letters: u32,
    stops: u32,
}

pub fn count(text: &str) -> Count {
    let (mut letters, mut stops) = (0, 0);
    for byte in text.bytes() {
        letters += u32::from(byte > b' ');
        stops += u32::from(matches!(byte, b'.' | b',' | b'!' | b'?'));
    }
    if stops == 0 && !text.is_ascii() {
        stops = text.chars().filter(|c| is_other_stop(*c)).count() as u32;
    }
    // The white space that people write as a character reference is none of what is said.
    if text.contains('&') {
        letters -= 6 * text.matches("&nbsp;").count() as u32;
    }
    Count { letters, stops }
}

/// The full stops and commas of scripts that have their own.
fn is_other_stop(c: char) -> bool {
    matches!(c, '。' | '、' | '，' | '．' | '！' | '？' | '،' | '؟' | '۔' | '।' | '։' | '።')
}
