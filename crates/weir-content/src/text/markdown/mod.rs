//! The kept blocks as Markdown (CommonMark, and tables as GitHub has them).

mod escape;
mod line;
mod place;
mod table;

use url::Url;
use weir_parse::tree::{Id, Name, Tree};

use self::place::Place;
use self::table::Table;
use super::blocks::Block;

/// Longer addresses are left out.
pub const LONGEST_TARGET: usize = 2000;

/// `base` is what the links of the page are relative to.
pub fn write(tree: &Tree<'_>, blocks: &[Block], gone: &[bool], base: &Url) -> String {
    let places = place::of(tree);
    let (out, line) = (String::new(), String::new());
    let mut page = Page { tree, gone, base, out, line, last: None, depth: 0, table: None };
    for block in blocks {
        page.block(block, places[block.owner as usize]);
    }
    page.end_table();
    page.out
}

struct Page<'p, 't> {
    tree: &'p Tree<'t>,
    gone: &'p [bool],
    base: &'p Url,
    out: String,
    /// The block that is being written.
    line: String,
    /// Where the block before stood.
    last: Option<Place>,
    /// How deep the last item of a list was written.
    depth: u8,
    table: Option<Table>,
}

impl Page<'_, '_> {
    fn block(&mut self, block: &Block, place: Place) {
        self.line.clear();
        let name = self.tree.name(Id(block.owner));
        if place.in_pre {
            line::verbatim(self.tree, block, self.gone, &mut self.line);
        } else {
            let breaks = place.row == 0 && !name.is_heading();
            let source = line::Source { tree: self.tree, gone: self.gone, base: self.base };
            source.write(block, breaks, &mut self.line);
        }
        if self.line.trim().is_empty() {
            return;
        }
        let last = self.last.replace(place);
        if place.row != 0 {
            return self.cell(last, place);
        }
        self.end_table();
        self.part(last, place);
        let prefix = self.begin(last, place, name);
        if place.in_pre {
            let again = last.is_some_and(|last| last.in_pre && last.item == place.item);
            return self.fenced(again, &prefix);
        }
        for (at, line) in self.line.lines().enumerate() {
            if at > 0 {
                self.out.push('\n');
                self.out.push_str(&prefix);
            }
            self.out.push_str(line);
        }
    }

    /// An empty line, but not between the items of a list; in a quote that goes on it is one of the
    /// quote.
    fn part(&mut self, last: Option<Place>, place: Place) {
        let Some(last) = last else { return };
        self.out.push('\n');
        let items = last.item != 0 && place.item != 0 && last.item != place.item;
        if last.quote != 0 && last.quote == place.quote && !items {
            self.out.push_str(quote_marks(place).trim_end());
        }
        if !items {
            self.out.push('\n');
        }
    }

    /// Writes what stands before the first line; gives what stands before the others.
    fn begin(&mut self, last: Option<Place>, place: Place, name: Name) -> String {
        let mut prefix = quote_marks(place);
        let first = last.is_none_or(|last| last.item != place.item);
        // An item is written one step deeper than the one before at most: what is indented further
        // would be code.
        let deepest = if last.is_some_and(|last| last.item != 0) { self.depth + 1 } else { 0 };
        if place.item != 0 && first {
            self.depth = place.lists.saturating_sub(1).min(deepest);
        }
        if place.item != 0 {
            prefix.push_str(&"    ".repeat(usize::from(self.depth)));
        }
        self.out.push_str(&prefix);
        if place.item != 0 {
            let marker = match place.number {
                0 => "- ".to_owned(),
                number => format!("{number}. "),
            };
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
        let text = self.line.replace('|', "\\|").replace('\n', " ");
        match &mut self.table {
            Some(table) if table.id == place.table => table.cell(place, &text, &mut self.out),
            _ => {
                self.end_table();
                if last.is_some() {
                    self.out.push_str("\n\n");
                }
                let mut table = Table::new(place.table);
                table.cell(place, &text, &mut self.out);
                self.table = Some(table);
            }
        }
    }

    fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            table.end(&mut self.out);
        }
    }

    fn fenced(&mut self, again: bool, prefix: &str) {
        let fence = escape::fence(&self.line);
        // Lines of one `pre` that an element parts are one piece of code.
        if again && self.out.trim_end().ends_with(&fence) {
            let end = self.out.trim_end().len() - fence.len();
            self.out.truncate(end);
        } else {
            self.out.push_str(&fence);
            self.out.push('\n');
            self.out.push_str(prefix);
        }
        for line in self.line.trim_matches('\n').lines() {
            self.out.push_str(line);
            self.out.push('\n');
            self.out.push_str(prefix);
        }
        self.out.push_str(&fence);
    }
}

fn quote_marks(place: Place) -> String {
    "> ".repeat(usize::from(place.quotes))
}

#[cfg(test)]
mod tests;
