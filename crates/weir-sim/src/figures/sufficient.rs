//! Figures 2 to 4: six sites at once, and constant rates can keep every deadline.

use weir_plan::{Goal, Policy, Problem};

use super::six::{Deadlines, SETS, words};
use super::sweep::{Measure, Peer, Sweep, panel};
use super::{Figure, FigureError};
use crate::chart::Axis;

const PEERS: [Peer; 7] = [
    Peer { name: "M-MAXT", policy: Policy::MMaxt },
    Peer { name: "M-SUMT", policy: Policy::MSumt },
    Peer { name: "Random", policy: Policy::Random },
    Peer { name: "PROBandwidth", policy: Policy::ProBandwidth },
    Peer { name: "GA", policy: Policy::Ga },
    Peer { name: "DE", policy: Policy::De },
    Peer { name: "deadline (weir)", policy: Policy::Deadline },
];

/// GA and DE search for whichever is measured, and `deadline` plans for it.
const MEASURES: [Measure; 3] = [
    Measure { name: "max t (s)", goal: Goal::Last, of: |score| score.max_end },
    Measure { name: "sum t (s)", goal: Goal::Sum, of: |score| score.sum_end },
    Measure { name: "late sites", goal: Goal::Sum, of: |score| 6.0 - score.met as f64 },
];

const NEEDED_2: f64 = 760.0;
const NEEDED_3: f64 = 950.0;

pub fn bandwidth(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<f64> = (0..=8).map(|step| 800.0 + 50.0 * f64::from(step)).collect();
    let settings = words(&format!(
        "the same for every bandwidth and scaled so that constant rates need {NEEDED_2} kb/s; \
         125,000 kb in all"
    ));
    let problem =
        |cap: f64, set| Deadlines::of_all(set).problem(cap, 125_000.0, NEEDED_2, 125_000.0);
    make(name, title, &settings, false, "bandwidth (kb/s)", &points, &problem)
}

pub fn data(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<f64> = (0..=10).map(|step| 100_000.0 + 5_000.0 * f64::from(step)).collect();
    let settings = words(&format!(
        "the same for every amount and scaled so that constant rates need {NEEDED_3} kb/s for \
         150,000 kb; 1000 kb/s"
    ));
    let problem =
        |total: f64, set| Deadlines::of_all(set).problem(1000.0, total, NEEDED_3, 150_000.0);
    make(name, title, &settings, false, "data amount (kb)", &points, &problem)
}

pub fn tightness(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points = [850.0, 875.0, 900.0, 925.0, 945.0, 965.0, 980.0, 990.0, 995.0, 999.0];
    let settings = words(
        "scaled to the tightness, two of the sites without a deadline; 125,000 kb in all, 1000 kb/s. \
         PROBandwidth takes the latest deadline for sites without one, and may miss others for it. Random \
         leaves a site next to nothing in a few sets, which rule its mean",
    );
    let problem =
        |tight: f64, set| Deadlines::of_four(set).problem(1000.0, 125_000.0, tight, 125_000.0);
    make(name, title, &settings, true, "tightness (kb/s)", &points, &problem)
}

fn make(
    name: &'static str,
    title: &'static str,
    settings: &str,
    log: bool,
    axis: &str,
    points: &[f64],
    problem: &dyn Fn(f64, u64) -> Problem,
) -> Result<Figure, FigureError> {
    let sweep = Sweep { axis, points, sets: SETS, problem };
    let table = sweep.table(&PEERS, &MEASURES)?;
    let upwards = |label| if log { Axis::log(label) } else { Axis::new(label) };
    let panels = vec![
        panel(&table, "max t (s)", &PEERS, "maximum complete time", upwards("max t (s)")),
        panel(&table, "sum t (s)", &PEERS, "sum of execution times", upwards("sum t (s)")),
    ];
    let settings = format!("{settings} GA and DE aim at what is measured.");
    Ok(Figure { name, title, settings, tables: vec![table], panels })
}
