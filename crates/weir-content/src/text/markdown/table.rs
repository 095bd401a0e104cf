//! A table as it is being written, cell by cell.

use super::place::Place;

pub struct Table {
    pub id: u32,
    row: u32,
    cell: u32,
    /// Where in its row the last cell stands.
    column: u32,
    /// In the first row, below which a table needs a line.
    first: bool,
}

/// Cells behind this one are written into it.
const MOST_COLUMNS: u32 = 200;

impl Table {
    pub fn new(id: u32) -> Table {
        Table { id, row: 0, cell: 0, column: 0, first: true }
    }

    /// Adds what a cell says. Cells that say nothing are not told of, but keep their place.
    pub fn cell(&mut self, place: Place, text: &str, out: &mut String) {
        let column = place.column.min(MOST_COLUMNS);
        if self.row == 0 {
            out.push('|');
            self.go_to(column, out);
        } else if self.row != place.row {
            out.push_str(" |\n");
            self.rule(out);
            self.column = 0;
            out.push('|');
            self.go_to(column, out);
        } else if self.cell != place.cell {
            out.push_str(" |");
            self.column += 1;
            self.go_to(column, out);
        }
        (self.row, self.cell) = (place.row, place.cell);
        out.push(' ');
        out.push_str(text);
    }

    /// Writes empty cells up to this one.
    fn go_to(&mut self, column: u32, out: &mut String) {
        while self.column < column {
            out.push_str("  |");
            self.column += 1;
        }
    }

    /// The line below the first row.
    fn rule(&mut self, out: &mut String) {
        if self.first {
            let cells = self.column as usize + 1;
            out.push_str(&"| --- ".repeat(cells));
            out.push_str("|\n");
            self.first = false;
        }
    }

    pub fn end(mut self, out: &mut String) {
        out.push_str(" |");
        if self.first {
            out.push('\n');
            self.rule(out);
            out.pop();
        }
    }
}
