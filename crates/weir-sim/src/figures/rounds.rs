//! Figures 8 to 10: fifty sites, of which five run at a time.

use weir_plan::{Goal, Policy};

use super::fifty::{AT_ONCE, SETS, SITES, in_groups, independent};
use super::sweep::{Measure, Peer, Sweep, panel};
use super::{Figure, FigureError};
use crate::chart::{Axis, Lines, Panel, Series};
use crate::table::Table;

/// AllocOnce has the first rates by the rule of the scheduler that the figure is about.
const PEERS: [Peer; 6] = [
    Peer { name: "ReAlloc-MAXT", policy: Policy::ReallocMaxt },
    Peer { name: "ReAlloc-SUMT", policy: Policy::ReallocSumt },
    Peer { name: "ReAlloc-PROBandwidth", policy: Policy::ReallocProbandwidth },
    Peer { name: "AllocOnce", policy: Policy::AllocOnceMaxt },
    Peer { name: "ReAlloc-PRODataAmount", policy: Policy::ReallocProdata },
    Peer { name: "deadline (weir)", policy: Policy::Deadline },
];

const TARDINESS: Measure =
    Measure { name: "tardiness (s)", goal: Goal::Sum, of: |score| score.sum_tardiness };
const MET: Measure = Measure { name: "met", goal: Goal::Sum, of: |score| score.met as f64 };
const LAST: Measure = Measure { name: "max t (s)", goal: Goal::Last, of: |score| score.max_end };
const EXEC: Measure = Measure { name: "sum exec (s)", goal: Goal::Sum, of: |score| score.sum_exec };

pub fn last(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    objective(name, title, &PEERS, LAST, "ln max t + ln tardiness")
}

pub fn sum(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let mut peers = PEERS;
    peers[3].policy = Policy::AllocOnceSumt;
    objective(name, title, &peers, EXEC, "ln sum exec + ln tardiness")
}

fn objective(
    name: &'static str,
    title: &'static str,
    peers: &[Peer],
    time: Measure,
    measure: &str,
) -> Result<Figure, FigureError> {
    // The tardiness is that of the same plans, so both have the same aim.
    let tardiness = Measure { goal: time.goal, ..TARDINESS };
    let measures = [time, tardiness];
    let mut tables = both_kinds(peers, &measures)?;
    for table in &mut tables {
        add_objective(table, peers, &measures, measure);
    }
    let y = || Axis::new(measure);
    let panels = vec![
        panel(&tables[0], measure, peers, "deadlines in groups", y()),
        panel(&tables[1], measure, peers, "independent deadlines", y()),
    ];
    let settings = format!(
        "{} The measure is taken of the means; where nobody is late in any set it is minus infinity, \
         drawn on the lower edge; its parts stand in the table.",
        settings()
    );
    Ok(Figure { name, title, settings, tables, panels })
}

pub fn tardiness(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let tables = both_kinds(&PEERS, &[TARDINESS, MET])?;
    let panels = vec![
        two_axes(&tables[0], "deadlines in groups"),
        two_axes(&tables[1], "independent deadlines"),
    ];
    Ok(Figure { name, title, settings: settings(), tables, panels })
}

/// A table with deadlines in groups, and one with independent deadlines.
fn both_kinds(peers: &[Peer], measures: &[Measure]) -> Result<Vec<Table>, FigureError> {
    let points: Vec<f64> = (0..=10).map(|step| 520.0 + 2.0 * f64::from(step)).collect();
    let sweep = |problem| Sweep { axis: "bandwidth (kb/s)", points: &points, sets: SETS, problem };
    let groups = sweep(&in_groups).table(peers, measures)?;
    let mut apart = sweep(&independent).table(peers, measures)?;
    apart.name = "independent".to_owned();
    Ok(vec![groups, apart])
}

/// The paper's measure of the two means, in front of them.
fn add_objective(table: &mut Table, peers: &[Peer], measures: &[Measure; 2], name: &str) {
    for (index, peer) in peers.iter().enumerate() {
        let of = |measure: &Measure| table.column(&super::sweep::column(measure, peer));
        let (Some(time), Some(late)) = (of(&measures[0]), of(&measures[1])) else { continue };
        table.columns.insert(1 + index, format!("{name} of {}", peer.name));
        for (row, (time, late)) in table.rows.iter_mut().zip(time.into_iter().zip(late)) {
            // A rounding error is not lateness.
            let late = if late < 1e-6 { 0.0 } else { late };
            row.insert(1 + index, (time.ln() + late.ln()).into());
        }
    }
}

fn two_axes(table: &Table, title: &str) -> Panel {
    let xs = table.column(&table.columns[0]).unwrap_or_default();
    let series = |measure: &str, right: bool| {
        let xs = xs.clone();
        let measure = measure.to_owned();
        PEERS.iter().map(move |peer| {
            let values = table.column(&format!("{measure} of {}", peer.name)).unwrap_or_default();
            Series {
                name: peer.name.to_owned(),
                points: xs.iter().copied().zip(values).collect(),
                right,
                look: peer.look(),
                ..Series::default()
            }
        })
    };
    Panel::Lines(Lines {
        title: title.to_owned(),
        x: Axis::new(&table.columns[0]),
        left: Axis::new("sum of tardiness (s)"),
        right: Some(Axis::new("deadlines met")),
        series: series("tardiness (s)", false).chain(series("met", true)).collect(),
    })
}

fn settings() -> String {
    format!(
        "{SITES} sites, {AT_ONCE} at once, sizes drawn between 1000 and 5000 kb, mean of {SETS} sets of \
         each kind. Deadlines in groups: when the group of five would be done, one after the other at 530 \
         kb/s, times 0.955 to 1.055 (chosen because it shows the trends that the paper describes). Independent \
         deadlines: drawn apart, scaled so that 530 kb/s is the least that keeps all."
    )
}
