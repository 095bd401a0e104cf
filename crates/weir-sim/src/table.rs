//! Named columns of numbers and words, as CSV for programs and aligned for people.

use std::fmt::Write;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Part of a file's name: lower-case, no spaces. Empty for the first table of a figure.
    pub name: String,
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Cell>>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Number(f64),
    Text(String),
    /// Does not apply.
    Empty,
}

impl From<f64> for Cell {
    fn from(number: f64) -> Cell {
        if number.is_nan() { Cell::Empty } else { Cell::Number(number) }
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Number(number as f64)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(cell: Option<T>) -> Cell {
        cell.map_or(Cell::Empty, Into::into)
    }
}

impl Table {
    pub fn new<S: Into<String>>(name: &str, columns: impl IntoIterator<Item = S>) -> Table {
        let columns = columns.into_iter().map(Into::into).collect();
        Table { name: name.to_owned(), columns, rows: Vec::new() }
    }

    /// Adds a row; it has a cell for each column.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row has a cell for each column");
        self.rows.push(row);
    }

    /// The numbers of a column, NaN where there is none; nothing if there is no such column.
    pub fn column(&self, name: &str) -> Option<Vec<f64>> {
        let index = self.columns.iter().position(|column| column == name)?;
        let number = |row: &Vec<Cell>| match row[index] {
            Cell::Number(number) => number,
            _ => f64::NAN,
        };
        Some(self.rows.iter().map(number).collect())
    }

    /// CSV after RFC 4180, with `note` before it as comment lines that begin with `#`.
    pub fn csv(&self, note: &str) -> String {
        let mut text = String::new();
        for line in note.lines() {
            text.push_str("# ");
            text.push_str(line);
            text.push('\n');
        }
        push_line(&mut text, self.columns.iter().map(|column| quoted(column)));
        for row in &self.rows {
            push_line(&mut text, row.iter().map(csv_cell));
        }
        text
    }

    /// Columns under their names, numbers to the right and words to the left.
    pub fn plain(&self) -> String {
        let cells: Vec<Vec<String>> =
            (0..self.columns.len()).map(|index| self.plain_column(index)).collect();
        let mut text = String::new();
        for row in 0..=self.rows.len() {
            let mut line = String::new();
            for (index, column) in cells.iter().enumerate() {
                let width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
                let gap = if index == 0 { "" } else { "  " };
                let _ = if self.is_words(index) {
                    write!(line, "{gap}{:<width$}", column[row])
                } else {
                    write!(line, "{gap}{:>width$}", column[row])
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// A table for a page in Markdown, numbers with two decimals.
    pub fn markdown(&self) -> String {
        let line = |cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<String> = cells.collect();
            format!("| {} |\n", cells.join(" | "))
        };
        let mut text = line(&mut self.columns.iter().cloned());
        text.push_str(&line(&mut self.columns.iter().map(|_| "---".to_owned())));
        for row in &self.rows {
            text.push_str(&line(&mut row.iter().map(|cell| match cell {
                Cell::Number(number) if number.fract() == 0.0 => format!("{number}"),
                Cell::Number(number) => format!("{number:.2}"),
                Cell::Text(text) => text.replace('|', "\\|"),
                Cell::Empty => String::new(),
            })));
        }
        text
    }

    fn is_words(&self, index: usize) -> bool {
        self.rows.iter().any(|row| matches!(row[index], Cell::Text(_)))
    }

    /// The name of the column and then its cells, all numbers with as many decimals.
    fn plain_column(&self, index: usize) -> Vec<String> {
        let numbers = self.rows.iter().filter_map(|row| match row[index] {
            Cell::Number(number) if number.is_finite() => Some(number),
            _ => None,
        });
        let decimals = decimals(numbers);
        let cells = self.rows.iter().map(|row| match &row[index] {
            Cell::Number(number) if number.is_infinite() => infinite(*number).to_owned(),
            Cell::Number(number) => format!("{number:.decimals$}"),
            Cell::Text(text) => text.clone(),
            Cell::Empty => "-".to_owned(),
        });
        std::iter::once(self.columns[index].clone()).chain(cells).collect()
    }
}

/// As many as show the largest number with about four digits; none if all are whole.
fn decimals(numbers: impl Iterator<Item = f64>) -> usize {
    let (mut largest, mut whole) = (0.0_f64, true);
    for number in numbers {
        largest = largest.max(number.abs());
        whole &= number.fract() == 0.0;
    }
    match largest {
        _ if whole => 0,
        1000.0.. => 0,
        100.0.. => 1,
        10.0.. => 2,
        _ => 3,
    }
}

fn infinite(number: f64) -> &'static str {
    if number > 0.0 { "inf" } else { "-inf" }
}

fn push_line(text: &mut String, cells: impl Iterator<Item = String>) {
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&cell);
    }
    text.push('\n');
}

fn csv_cell(cell: &Cell) -> String {
    match cell {
        Cell::Number(number) => significant(*number),
        Cell::Text(text) => quoted(text),
        Cell::Empty => String::new(),
    }
}

/// Nine digits: more than anyone measures, and less than machines disagree about.
pub fn significant(number: f64) -> String {
    if number.is_infinite() {
        return infinite(number).to_owned();
    }
    let rounded: f64 = format!("{number:.8e}").parse().expect("a number as Rust writes it");
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new("", ["site", "end, s", "met"]);
        table.push(vec!["a \"b\"".into(), 12.25.into(), 3_usize.into()]);
        table.push(vec!["c".into(), f64::INFINITY.into(), f64::NAN.into()]);
        table
    }

    #[test]
    fn csv_has_the_settings_first_and_quotes_what_needs_it() {
        let text = "# one\n# two\nsite,\"end, s\",met\n\"a \"\"b\"\"\",12.25,3\nc,inf,\n";
        assert_eq!(table().csv("one\ntwo"), text);
    }

    #[test]
    fn words_stand_to_the_left_and_numbers_to_the_right() {
        let text = "site   end, s  met\na \"b\"   12.25    3\nc         inf    -\n";
        assert_eq!(table().plain(), text);
    }

    #[test]
    fn a_page_shows_two_decimals() {
        let mut table = Table::new("", ["a", "b"]);
        table.push(vec!["x|y".into(), 0.126.into()]);
        table.push(vec!["z".into(), 12_usize.into()]);
        assert_eq!(table.markdown(), "| a | b |\n| --- | --- |\n| x\\|y | 0.13 |\n| z | 12 |\n");
    }

    #[test]
    fn the_last_digits_of_a_number_are_not_shown() {
        let cases =
            [(0.1 + 0.2, "0.3"), (1.0 / 3.0, "0.333333333"), (-0.0, "0"), (1e9, "1000000000")];
        for (number, text) in cases {
            assert_eq!(significant(number), text);
        }
    }

    #[test]
    fn a_column_is_found_by_its_name() {
        assert_eq!(table().column("end, s").unwrap()[0], 12.25);
        assert_eq!(table().column("end"), None);
    }
}
