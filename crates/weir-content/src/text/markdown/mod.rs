//! The kept blocks as Markdown (CommonMark, and tables as GitHub has them).

mod line;
mod place;

use weir_parse::tree::{Id, Name, Tree};

use self::place::Place;
use super::blocks::Block;

pub fn write(tree: &Tree<'_>, blocks: &[Block], gone: &[bool]) -> String {
    let places = place::of(tree);
    let mut page =
        Page { tree, gone, out: String::new(), last: None, cells: 0, line: String::new() };
    for block in blocks {
        page.block(block, places[block.owner as usize]);
    }
    page.end_row();
    page.out
}

struct Page<'p, 't> {
    tree: &'p Tree<'t>,
    gone: &'p [bool],
    out: String,
    last: Option<Place>,
    /// How many cells the first row of a table has so far; 0 in the other rows.
    cells: usize,
    /// The block that is being written.
    line: String,
}

impl Page<'_, '_> {
    fn block(&mut self, block: &Block, place: Place) {
        self.line.clear();
        let name = self.tree.name(Id(block.owner));
        if place.in_pre {
            line::verbatim(self.tree, block, self.gone, &mut self.line);
        } else {
            let breaks = place.row == 0 && !name.is_heading();
            line::write(self.tree, block, self.gone, breaks, &mut self.line);
        }
        if self.line.trim().is_empty() {
            return;
        }
        let last = self.last.replace(place);
        if place.row != 0 {
            return self.cell(last, place);
        }
        if last.is_some_and(|last| last.row != 0) {
            self.out.push_str(" |");
        }
        self.part(last, place);
        let prefix = self.begin(last, place, name);
        if place.in_pre {
            return self
                .fenced(last.is_some_and(|last| last.in_pre && last.item == place.item), &prefix);
        }
        for (at, line) in self.line.lines().enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.out.push_str(&prefix);
            }
            self.out.push_str(line);
        }
    }

    /// An empty line, but not between the items of a list.
    fn part(&mut self, last: Option<Place>, place: Place) {
        let Some(last) = last else { return };
        let items = last.item != 0 && place.item != 0 && last.item != place.item;
        self.out.push_str(if items { "\n" } else { "\n\n" });
    }

    /// Writes what stands before the first line; gives what stands before the others.
    fn begin(&mut self, last: Option<Place>, place: Place, name: Name) -> String {
        let mut prefix = "> ".repeat(usize::from(place.quotes));
        let deep = usize::from(place.lists.saturating_sub(1));
        prefix.push_str(&"    ".repeat(deep));
        self.out.push_str(&prefix);
        if place.item != 0 {
            let marker = match place.number {
                0 => "- ".to_owned(),
                number => format!("{number}. "),
            };
            let first = last.is_none_or(|last| last.item != place.item);
            self.out.push_str(if first { &marker } else { "    " });
            prefix.push_str("    ");
        }
        let rank = super::keep::rank(name);
        if rank > 0 {
            self.out.push_str(&"#".repeat(usize::from(rank)));
            self.out.push(' ');
        }
        prefix
    }

    fn cell(&mut self, last: Option<Place>, place: Place) {
        let before = last.filter(|last| last.table == place.table && last.row != 0);
        match before {
            Some(last) if last.row == place.row && last.cell == place.cell => self.out.push(' '),
            Some(last) if last.row == place.row => {
                self.out.push_str(" | ");
                self.cells += usize::from(self.cells > 0);
            }
            Some(_) => {
                self.out.push_str(" |\n");
                if self.cells > 0 {
                    // A table needs a line below its first row.
                    self.out.push_str(&"| --- ".repeat(self.cells));
                    self.out.push_str("|\n");
                    self.cells = 0;
                }
                self.out.push_str("| ");
            }
            None => {
                self.cells = 1;
                if let Some(last) = last {
                    self.out.push_str(if last.row != 0 { " |\n\n" } else { "\n\n" });
                }
                self.out.push_str("| ");
            }
        }
        self.out.push_str(&self.line.replace('|', "\\|").replace('\n', " "));
    }

    fn end_row(&mut self) {
        if self.last.is_some_and(|last| last.row != 0) {
            self.out.push_str(" |");
        }
    }

    fn fenced(&mut self, again: bool, prefix: &str) {
        // Lines of one `pre` that an element parts are one piece of code.
        if again && self.out.trim_end().ends_with(FENCE) {
            let end = self.out.trim_end().len() - FENCE.len();
            self.out.truncate(end);
        } else {
            self.out.push_str(FENCE);
            self.out.push('\n');
            self.out.push_str(prefix);
        }
        for line in self.line.trim_matches('\n').lines() {
            self.out.push_str(line);
            self.out.push('\n');
            self.out.push_str(prefix);
        }
        self.out.push_str(FENCE);
    }
}

const FENCE: &str = "```";
