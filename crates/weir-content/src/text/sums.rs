//! What each element holds, summed up over its blocks.

use weir_parse::tree::{Id, Name, Tree};

use super::blocks::Block;

#[derive(Clone, Copy, Debug, Default)]
pub struct Sum {
    pub letters: u32,
    pub linked: u32,
    /// Letters of what reads like sentences.
    pub prose: u32,
    /// Links and scraps, which speak against what holds them.
    pub junk: u32,
    /// Blocks that are nothing but a link.
    pub titles: u32,
}

impl Sum {
    /// More than so many of a hundred letters are in links.
    pub fn links_over(&self, percent: u64) -> bool {
        over(self.linked, self.letters, percent)
    }
}

/// `part` is more than so many hundredths of `whole`.
pub fn over(part: u32, whole: u32, percent: u64) -> bool {
    u64::from(part) * 100 > u64::from(whole) * percent
}

/// One for each node; those of texts are empty.
pub fn of(tree: &Tree<'_>, blocks: &[Block]) -> Vec<Sum> {
    let mut sums = vec![Sum::default(); tree.len()];
    for block in blocks {
        let sum = &mut sums[block.owner as usize];
        let prose = prose(tree, block);
        sum.letters += block.letters;
        sum.linked += block.linked;
        sum.prose += prose;
        sum.titles += u32::from(block.links_over(90));
        sum.junk += if prose > 0 { 0 } else { block.linked / 2 + 5 };
    }
    for at in (1..tree.len() as u32).rev() {
        let own = sums[at as usize];
        if own.letters > 0
            && let Some(parent) = tree.parent(Id(at))
        {
            let sum = &mut sums[parent.0 as usize];
            sum.letters += own.letters;
            sum.linked += own.linked;
            sum.prose += own.prose;
            sum.junk += own.junk;
            sum.titles += own.titles;
        }
    }
    sums
}

/// The letters of a block if it reads like sentences.
pub fn prose(tree: &Tree<'_>, block: &Block) -> u32 {
    let name = tree.name(Id(block.owner));
    let plain = block.letters.saturating_sub(block.linked);
    let least = match name {
        Name::P | Name::Blockquote | Name::Pre => 30,
        _ if name.is_heading() => 120,
        _ => 70,
    };
    let sentences = block.stops > 0 || block.letters > 200;
    if plain < least || block.linked > plain || !sentences {
        return 0;
    }
    match name {
        Name::Li | Name::Td | Name::Dd => plain / 2,
        _ => plain,
    }
}
