//! The experiments of Zhu et al. 2020 and of Diligenti et al. 2004, figure by figure, with ours added.
//!
//! What the papers state is kept; what they leave open is chosen here, drawn from seeds, and said in
//! the settings that go with each figure. Read `six` and `fifty` for the deadlines, and
//! `bounded::Setting` for the servers.

mod bounded;
mod crawler;
mod fifty;
mod insufficient;
mod rounds;
pub(crate) mod six;
mod sufficient;
mod sweep;

use thiserror::Error;
use weir_plan::{Policy, Refused};

use crate::chart::{self, Panel};
use crate::refresh;
use crate::table::Table;

/// One figure, as numbers and as a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    pub name: &'static str,
    pub title: &'static str,
    /// What was simulated, in words.
    pub settings: String,
    /// The first has what is drawn.
    pub tables: Vec<Table>,
    pub panels: Vec<Panel>,
}

#[derive(Clone, Debug, Error, PartialEq)]
pub enum FigureError {
    #[error("there is no figure `{0}`; there are {names}, and all (of the papers)", names = names())]
    Unknown(String),
    /// A policy that does not apply to the settings of a figure would be a mistake of ours.
    #[error("{policy} gives no allocation: {why}")]
    Refused { policy: Policy, why: Refused },
}

type Draw = fn(&'static str, &'static str) -> Result<Figure, FigureError>;

/// Name, title, and how it is made.
const ALL: [(&str, &str, Draw); 14] = [
    ("zhu-2", "Fig. 2: completion against bandwidth, sufficient bandwidth", sufficient::bandwidth),
    ("zhu-3", "Fig. 3: completion against data amount, sufficient bandwidth", sufficient::data),
    ("zhu-4", "Fig. 4: completion against tightness, sufficient bandwidth", sufficient::tightness),
    (
        "zhu-5",
        "Fig. 5: tardiness against bandwidth, insufficient bandwidth",
        insufficient::bandwidth,
    ),
    ("zhu-6", "Fig. 6: tardiness against data amount, insufficient bandwidth", insufficient::data),
    (
        "zhu-7",
        "Fig. 7: tardiness against tightness, insufficient bandwidth",
        insufficient::tightness,
    ),
    ("zhu-8", "Fig. 8: ln max t + ln sum of tardiness, 50 sites in rounds", rounds::last),
    ("zhu-9", "Fig. 9: ln sum of execution + ln sum of tardiness, 50 sites in rounds", rounds::sum),
    ("zhu-10", "Fig. 10: tardiness and deadlines met, 50 sites in rounds", rounds::tardiness),
    ("zhu-11", "Fig. 11: execution time of a crawler against bandwidth", crawler::bandwidth),
    ("zhu-12", "Fig. 12: execution time of a crawler against data amount", crawler::data),
    (
        "diligenti-1",
        "Diligenti Fig. 1: measured and predicted bandwidth, max_d 6",
        bounded::predicted,
    ),
    (
        "diligenti-2",
        "Diligenti Fig. 2: measured bandwidth with max_d 6 and max_d 2",
        bounded::depths,
    ),
    (
        "diligenti-3",
        "Diligenti Fig. 3: measured bandwidth with control by feedback",
        bounded::feedback,
    ),
];

/// Names and titles, in order.
pub fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALL.iter().map(|(name, title, _)| (*name, *title))
}

/// Figures of ours, which no paper has. They are made by their name only.
pub fn own() -> impl Iterator<Item = (&'static str, &'static str)> {
    [(refresh::NAME, refresh::TITLE)].into_iter()
}

/// Makes the figure of that name.
pub fn figure(name: &str) -> Result<Figure, FigureError> {
    if name == refresh::NAME {
        return Ok(refresh::figure());
    }
    let (name, title, draw) = ALL
        .iter()
        .find(|(known, ..)| *known == name)
        .ok_or_else(|| FigureError::Unknown(name.to_owned()))?;
    draw(name, title)
}

impl Figure {
    pub fn svg(&self) -> String {
        chart::svg(self.title, &self.settings, &self.panels)
    }

    /// The tables for people: each measure by itself, under the names of the policies.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for table in &self.tables {
            for (measure, part) in by_measure(table) {
                let name = if table.name.is_empty() { "" } else { " " };
                text.push_str(&format!("\n{measure}{name}{}\n{}", table.name, part.plain()));
            }
        }
        text
    }

    /// The files of the figure, as names and contents.
    pub fn files(&self) -> Vec<(String, String)> {
        let note = format!("{}\n{}", self.title, self.settings);
        let mut files = vec![(format!("{}.svg", self.name), self.svg())];
        for table in &self.tables {
            let dash = if table.name.is_empty() { "" } else { "-" };
            files.push((format!("{}{dash}{}.csv", self.name, table.name), table.csv(&note)));
        }
        files
    }
}

/// Columns called `MEASURE of PEER` in a table for each measure; a table without such as it is.
fn by_measure(table: &Table) -> Vec<(&str, Table)> {
    let measure = |column: &str| column.split_once(" of ").map(|(measure, _)| measure.len());
    let mut parts: Vec<(&str, Table)> = Vec::new();
    for (index, column) in table.columns.iter().enumerate().skip(1) {
        let (name, peer) = match measure(column) {
            Some(length) => (&column[..length], &column[length + 4..]),
            None => ("", column.as_str()),
        };
        if parts.last().is_none_or(|last| last.0 != name) {
            let mut part = Table::new("", [table.columns[0].clone()]);
            part.rows = table.rows.iter().map(|row| vec![row[0].clone()]).collect();
            parts.push((name, part));
        }
        let (_, part) = parts.last_mut().expect("one was pushed if there was none");
        part.columns.push(peer.to_owned());
        for (to, from) in part.rows.iter_mut().zip(&table.rows) {
            to.push(from[index].clone());
        }
    }
    parts
}

fn names() -> String {
    list().chain(own()).map(|(name, _)| name).collect::<Vec<_>>().join(", ")
}
