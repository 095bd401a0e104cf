//! Figures 5 to 7: six sites at once, and constant rates cannot keep every deadline.

use weir_plan::{Goal, Policy, Problem};

use super::six::{Deadlines, SETS, words};
use super::sweep::{Measure, Peer, Sweep, panel};
use super::{Figure, FigureError};
use crate::chart::Axis;

const PEERS: [Peer; 6] = [
    Peer { name: "M-STET", policy: Policy::MStet },
    Peer { name: "PROBandwidth", policy: Policy::ProBandwidth },
    Peer { name: "PRODataAmount", policy: Policy::ProData },
    Peer { name: "GA", policy: Policy::Ga },
    Peer { name: "DE", policy: Policy::De },
    Peer { name: "deadline (weir)", policy: Policy::Deadline },
];

const MEASURES: [Measure; 2] = [
    Measure { name: "tardiness (s)", goal: Goal::Sum, of: |score| score.sum_tardiness },
    Measure { name: "late sites", goal: Goal::Sum, of: |score| 6.0 - score.met as f64 },
];

const NEEDED_5: f64 = 1260.0;
const NEEDED_6: f64 = 1050.0;

pub fn bandwidth(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<f64> = (0..=8).map(|step| 800.0 + 50.0 * f64::from(step)).collect();
    let settings = words(&format!(
        "the same for every bandwidth and scaled so that constant rates need {NEEDED_5} kb/s; \
         125,000 kb in all"
    ));
    let problem =
        |cap: f64, set| Deadlines::of_all(set).problem(cap, 125_000.0, NEEDED_5, 125_000.0);
    make(name, title, settings, "bandwidth (kb/s)", &points, &problem)
}

pub fn data(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<f64> = (0..=10).map(|step| 100_000.0 + 5_000.0 * f64::from(step)).collect();
    let settings = words(&format!(
        "the same for every amount and scaled so that constant rates need {NEEDED_6} kb/s for \
         100,000 kb; 1000 kb/s"
    ));
    let problem =
        |total: f64, set| Deadlines::of_all(set).problem(1000.0, total, NEEDED_6, 100_000.0);
    make(name, title, settings, "data amount (kb)", &points, &problem)
}

pub fn tightness(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<f64> = (1..=10).map(|step| 1000.0 + 40.0 * f64::from(step)).collect();
    let settings = words("scaled to the tightness; 125,000 kb in all, 1000 kb/s");
    let problem =
        |tight: f64, set| Deadlines::of_all(set).problem(1000.0, 125_000.0, tight, 125_000.0);
    make(name, title, settings, "tightness (kb/s)", &points, &problem)
}

fn make(
    name: &'static str,
    title: &'static str,
    settings: String,
    axis: &str,
    points: &[f64],
    problem: &dyn Fn(f64, u64) -> Problem,
) -> Result<Figure, FigureError> {
    let sweep = Sweep { axis, points, sets: SETS, problem };
    let table = sweep.table(&PEERS, &MEASURES)?;
    let y = Axis::new("sum of tardiness (s)");
    let title_of_panel = "sum of complete time exceeding time constraints";
    let panels = vec![panel(&table, "tardiness (s)", &PEERS, title_of_panel, y)];
    Ok(Figure { name, title, settings, tables: vec![table], panels })
}
