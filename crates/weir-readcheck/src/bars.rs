//! What weir must reach: the best figure of any tool that was measured on these pages.

use crate::corpus::Page;
use crate::field_score::{Judge, author, date, title, total};
use crate::reading::Reading;
use crate::text_score;

/// One line of the table.
#[derive(Clone, Copy)]
pub struct Row {
    pub set: &'static str,
    pub name: &'static str,
    pub metric: Metric,
    pub bar: f64,
}

#[derive(Clone, Copy)]
pub enum Metric {
    /// The main text, which is in this field.
    Text(&'static str),
    Field(Judge),
}

pub const ROWS: [Row; 10] = [
    row("aeb", "text", Metric::Text("articleBody"), 0.966),
    row("naeb", "text", Metric::Text("text"), 0.916),
    row("trafilatura", "text", Metric::Text(""), 0.929),
    row("naeb", "title", Metric::Field(title), 0.800),
    row("trafilatura", "title", Metric::Field(title), 0.709),
    row("naeb", "author", Metric::Field(author), 0.844),
    row("trafilatura", "author", Metric::Field(author), 0.691),
    row("naeb", "date", Metric::Field(date), 0.900),
    row("trafilatura", "date", Metric::Field(date), 0.880),
    row("htmldate", "date", Metric::Field(date), 0.877),
];

/// Pages per CPU second, at least: everything but the fetching.
pub const PAGES_A_SECOND: f64 = 100.0;

/// Attributes may cost less than so many times what the links cost.
pub const TIMES_THE_LINKS: f64 = 3.0;

const fn row(set: &'static str, name: &'static str, metric: Metric, bar: f64) -> Row {
    Row { set, name, metric, bar }
}

impl Row {
    /// The figure of a tool; `None` if it does not offer this.
    pub fn figure(&self, pages: &[Page], readings: &[Reading]) -> Option<f64> {
        match self.metric {
            Metric::Text(field) => {
                let texts: Option<Vec<&str>> =
                    readings.iter().map(|reading| reading.text.as_deref()).collect();
                Some(text_score::figure(pages, field, &texts?))
            }
            Metric::Field(judge) => {
                let offered = readings.iter().any(|reading| self.offered(reading));
                let marks: Vec<_> =
                    pages.iter().zip(readings).filter_map(|(page, own)| judge(page, own)).collect();
                offered.then(|| total(&marks))
            }
        }
    }

    fn offered(&self, reading: &Reading) -> bool {
        match self.name {
            "title" => reading.title.is_some(),
            "author" => reading.authors.is_some(),
            _ => reading.day.is_some(),
        }
    }

    /// Bars are given with three digits, so that is how figures are compared with them.
    pub fn is_reached(&self, figure: f64) -> bool {
        (figure * 1000.0).round() >= (self.bar * 1000.0).round()
    }
}
