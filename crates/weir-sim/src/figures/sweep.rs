//! Many policies over many problems: a row for each point of the axis, a column for each measure of
//! each policy.

use weir_plan::{Goal, Options, Policy, Problem, Score, allocate};

use super::FigureError;
use crate::chart::{Axis, Lines, Panel, Series};
use crate::table::{Cell, Table};

/// A policy under the name that the paper gives it.
#[derive(Clone, Copy)]
pub struct Peer {
    pub name: &'static str,
    pub policy: Policy,
}

/// What is measured, and what those policies aim at that can be told.
#[derive(Clone, Copy)]
pub struct Measure {
    pub name: &'static str,
    pub goal: Goal,
    pub of: fn(&Score) -> f64,
}

/// The points of the axis, and the problems of each: one for each set of deadlines.
pub struct Sweep<'a> {
    pub axis: &'a str,
    pub points: &'a [f64],
    pub sets: u64,
    pub problem: &'a dyn Fn(f64, u64) -> Problem,
}

impl Sweep<'_> {
    /// Means over the sets; columns are called `MEASURE of PEER`.
    pub fn table(&self, peers: &[Peer], measures: &[Measure]) -> Result<Table, FigureError> {
        let names =
            measures.iter().flat_map(|measure| peers.iter().map(|peer| column(measure, peer)));
        let mut table = Table::new("", std::iter::once(self.axis.to_owned()).chain(names));
        for &point in self.points {
            let mut row: Vec<Cell> = vec![point.into()];
            for measure in measures {
                for peer in peers {
                    row.push(self.mean(point, peer, measure)?.into());
                }
            }
            table.push(row);
        }
        Ok(table)
    }

    fn mean(&self, point: f64, peer: &Peer, measure: &Measure) -> Result<f64, FigureError> {
        let mut sum = 0.0;
        for set in 0..self.sets {
            let problem = (self.problem)(point, set);
            let options = Options { goal: measure.goal, seed: set };
            let plan = allocate(&problem, peer.policy, &options)
                .map_err(|why| FigureError::Refused { policy: peer.policy, why })?;
            sum += (measure.of)(&plan.score(&problem.sites));
        }
        Ok(sum / self.sets as f64)
    }
}

pub fn column(measure: &Measure, peer: &Peer) -> String {
    format!("{} of {}", measure.name, peer.name)
}

/// Draws the columns of one measure over the first column.
pub fn panel(table: &Table, measure: &str, peers: &[Peer], title: &str, y: Axis) -> Panel {
    let xs = table.column(&table.columns[0]).unwrap_or_default();
    let series = peers.iter().enumerate().map(|(look, peer)| {
        let values = table.column(&format!("{measure} of {}", peer.name)).unwrap_or_default();
        let points = xs.iter().copied().zip(values).collect();
        Series { name: peer.name.to_owned(), points, look, ..Series::default() }
    });
    Panel::Lines(Lines {
        title: title.to_owned(),
        x: Axis::new(&table.columns[0]),
        left: y,
        right: None,
        series: series.collect(),
    })
}
