//! Many policies over many problems: a row for each point of the axis, a column for each measure of
//! each policy.

use weir_plan::{Goal, Options, Policy, Problem, Score, allocate, deadline};

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
            let mut sums = vec![0.0; measures.len() * peers.len()];
            for set in 0..self.sets {
                let problem = (self.problem)(point, set);
                for (index, peer) in peers.iter().enumerate() {
                    let scores = Scores::of(&problem, peer.policy, set, measures)?;
                    for (measure, sum) in
                        measures.iter().zip(sums[index..].iter_mut().step_by(peers.len()))
                    {
                        *sum += scores.get(measure);
                    }
                }
            }
            // Less than this is rounding.
            let mean = |sum: f64| if sum < 1e-9 { 0.0 } else { sum / self.sets as f64 };
            let means = sums.into_iter().map(|sum| Cell::from(mean(sum)));
            table.push(std::iter::once(point.into()).chain(means).collect());
        }
        Ok(table)
    }
}

/// How a policy does with either aim, as far as the measures ask for it.
struct Scores {
    sum: Option<Score>,
    last: Option<Score>,
}

impl Scores {
    fn of(
        problem: &Problem,
        policy: Policy,
        seed: u64,
        measures: &[Measure],
    ) -> Result<Scores, FigureError> {
        let score = |goal: Goal| -> Result<Option<Score>, FigureError> {
            if measures.iter().all(|measure| measure.goal != goal) {
                return Ok(None);
            }
            let plan = match policy {
                // As thorough as it is when it plans every second.
                Policy::Deadline => deadline::allocate(problem, goal, deadline::QUICK),
                _ => allocate(problem, policy, &Options { goal, seed, ends_only: false })
                    .map_err(|why| FigureError::Refused { policy, why })?,
            };
            Ok(Some(plan.score(&problem.sites)))
        };
        Ok(Scores { sum: score(Goal::Sum)?, last: score(Goal::Last)? })
    }

    fn get(&self, measure: &Measure) -> f64 {
        let score = match measure.goal {
            Goal::Sum => &self.sum,
            Goal::Last => &self.last,
        };
        (measure.of)(score.as_ref().expect("made for the aims of the measures"))
    }
}

impl Peer {
    /// The same in all figures, for a policy and its relatives.
    pub fn look(&self) -> usize {
        match self.policy {
            Policy::Deadline => 0,
            Policy::MMaxt | Policy::MStet | Policy::ReallocMaxt => 1,
            Policy::MSumt | Policy::ReallocSumt => 2,
            Policy::ProBandwidth | Policy::ReallocProbandwidth => 3,
            Policy::ProData | Policy::ReallocProdata => 4,
            Policy::Ga => 5,
            Policy::De => 6,
            Policy::Random => 7,
            _ => 8,
        }
    }
}

pub fn column(measure: &Measure, peer: &Peer) -> String {
    format!("{} of {}", measure.name, peer.name)
}

/// Draws the columns of one measure over the first column.
pub fn panel(table: &Table, measure: &str, peers: &[Peer], title: &str, y: Axis) -> Panel {
    let xs = table.column(&table.columns[0]).unwrap_or_default();
    let series = peers.iter().map(|peer| {
        let values = table.column(&format!("{measure} of {}", peer.name)).unwrap_or_default();
        let points = xs.iter().copied().zip(values).collect();
        Series { name: peer.name.to_owned(), points, look: peer.look(), ..Series::default() }
    });
    Panel::Lines(Lines {
        title: title.to_owned(),
        x: Axis::new(&table.columns[0]),
        left: y,
        right: None,
        series: series.collect(),
    })
}
