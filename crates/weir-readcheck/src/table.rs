//! One table: a line for each collection and metric, a column for weir and each tool of others.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::bars::{PAGES_A_SECOND, ROWS, TIMES_THE_LINKS};
use crate::corpus::Corpora;
use crate::cost::Cost;
use crate::reading::Reading;

/// What one tool read, and the processor time that took it.
pub struct Column {
    name: String,
    readings: BTreeMap<&'static str, Vec<Reading>>,
    pages: u32,
    cpu: Duration,
}

impl Column {
    pub fn new(name: &str) -> Column {
        Column { name: name.to_owned(), readings: BTreeMap::new(), pages: 0, cpu: Duration::ZERO }
    }

    pub fn add(&mut self, set: &'static str, reading: Reading, cpu: Duration) {
        self.readings.entry(set).or_default().push(reading);
        self.pages += 1;
        self.cpu += cpu;
    }

    /// In the order of the pages.
    pub fn readings(&self, set: &str) -> &[Reading] {
        self.readings.get(set).map_or(&[], Vec::as_slice)
    }

    fn pages_a_second(&self) -> f64 {
        f64::from(self.pages) / self.cpu.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// Prints the table; weir is the first column. Returns the bars that it misses.
pub fn print(corpora: &Corpora, columns: &[Column], cost: &Cost) -> Vec<String> {
    let mut missed = Vec::new();
    let names = columns.iter().map(|column| format!("{:>13}", column.name)).collect::<String>();
    println!("\n{:<13}{:<22}{:>7}{names}", "corpus", "metric", "bar");
    for row in ROWS {
        let Some(pages) = corpora.get(row.set) else { continue };
        let of = |column: &Column| row.figure(pages, column.readings(row.set));
        let cells: String = columns.iter().map(|column| cell(of(column), 3)).collect();
        println!("{:<13}{:<22}{:>7.3}{cells}", row.set, row.name, row.bar);
        if let Some(own) = columns.first().and_then(of).filter(|own| !row.is_reached(*own)) {
            missed.push(format!("{} of {}: {own:.3}, not {:.3}", row.name, row.set, row.bar));
        }
    }
    print_cost(columns, cost);
    missed.extend(missed_costs(columns, cost));
    missed
}

fn print_cost(columns: &[Column], cost: &Cost) {
    let cells: String =
        columns.iter().map(|column| cell(Some(column.pages_a_second()), 0)).collect();
    println!("{:<13}{:<22}{PAGES_A_SECOND:>7.0}{cells}", "all", "pages per CPU second");
    let ratio = cell(Some(cost.ratio()), 2);
    println!(
        "{:<13}{:<22}{:>7}{ratio}",
        "all",
        "attributes to links",
        format!("<{TIMES_THE_LINKS}")
    );
}

fn missed_costs(columns: &[Column], cost: &Cost) -> Vec<String> {
    let mut missed = Vec::new();
    if let Some(own) =
        columns.first().map(Column::pages_a_second).filter(|own| *own < PAGES_A_SECOND)
    {
        missed.push(format!("{own:.0} pages per CPU second, not {PAGES_A_SECOND}"));
    }
    if cost.ratio() >= TIMES_THE_LINKS {
        missed.push(format!("attributes cost {:.2} times the links", cost.ratio()));
    }
    missed
}

fn cell(figure: Option<f64>, digits: usize) -> String {
    match figure {
        Some(figure) => format!("{figure:>13.digits$}"),
        None => format!("{:>13}", "-"),
    }
}
