//! Where a block stands: in which list, quote, table or piece of code.

use weir_parse::tree::{Id, Name, Tree};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// How many quotes and lists are around it.
    pub quotes: u8,
    pub lists: u8,
    /// The innermost quote.
    pub quote: u32,
    /// The innermost item of a list and its number, 0 for one without.
    pub item: u32,
    pub number: u32,
    /// The table, row and cell whose text it is.
    pub table: u32,
    pub row: u32,
    pub cell: u32,
    /// How many cells of the row stand before it.
    pub column: u32,
    pub in_pre: bool,
}

/// More quotes or lists than this in each other are written as this many.
const DEEPEST: u8 = 8;

/// One for each element.
pub fn of(tree: &Tree<'_>) -> Vec<Place> {
    let mut places = vec![Place::default(); tree.len()];
    let mut counts = vec![0_u32; tree.len()];
    for at in 1..tree.len() as u32 {
        let id = Id(at);
        let parent = tree.parent(id).map_or(0, |parent| parent.0);
        let around = places[parent as usize];
        let own = &mut places[at as usize];
        *own = around;
        match tree.name(id) {
            Name::Blockquote => (own.quote, own.quotes) = (at, (own.quotes + 1).min(DEEPEST)),
            Name::Ul | Name::Ol => own.lists = (own.lists + 1).min(DEEPEST),
            Name::Li => {
                own.item = at;
                own.number = 0;
                if tree.name(Id(parent)) == Name::Ol {
                    counts[parent as usize] += 1;
                    own.number = counts[parent as usize];
                }
            }
            Name::Pre => own.in_pre = true,
            Name::Table => (own.table, own.row, own.cell) = (at, 0, 0),
            Name::Td | Name::Th if tree.name(Id(parent)) == Name::Tr => {
                (own.row, own.cell, own.column) = (parent, at, counts[parent as usize]);
                counts[parent as usize] += 1;
            }
            // Paragraphs in a cell mean that the table is a layout.
            Name::P | Name::Div => (own.row, own.cell) = (0, 0),
            _ => {}
        }
    }
    places
}
