//! Figures 11 and 12: one crawler that fetches page after page from a site at a given rate, and what
//! is left of time = xi * data / rate.

mod site;

use weir_plan::calibrate::{Fit, Run};

use super::{Figure, FigureError};
use crate::chart::{Axis, Draw, Lines, Panel, Series};
use crate::table::{Cell, Table};
use site::{KINDS, Kind};

const DATA: f64 = 50_000.0;
const RATE: f64 = 250.0;

pub fn bandwidth(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<(f64, f64, f64)> =
        (1..=10).map(|step| 50.0 * f64::from(step)).map(|rate| (rate, DATA, rate)).collect();
    let about = format!(
        "{DATA} kb of data, 50 to 500 kb/s (the paper says neither; a site's share in its other figures \
         is 100 to 300)."
    );
    Ok(make(name, title, "bandwidth (kb/s)", &about, &points))
}

pub fn data(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let points: Vec<(f64, f64, f64)> =
        (1..=10).map(|step| 10_000.0 * f64::from(step)).map(|data| (data, data, RATE)).collect();
    let about = format!("{RATE} kb/s, 10,000 to 100,000 kb of data (the paper says neither).");
    Ok(make(name, title, "data amount (kb)", &about, &points))
}

/// Points are what stands on the axis, the data to fetch, and the rate.
fn make(
    name: &'static str,
    title: &'static str,
    axis: &str,
    about: &str,
    points: &[(f64, f64, f64)],
) -> Figure {
    let runs: Vec<Vec<Run>> = KINDS
        .iter()
        .map(|kind| points.iter().map(|&(_, data, rate)| kind.crawl(data, rate)).collect())
        .collect();
    let fits: Vec<Fit> = runs.iter().map(|runs| fit(runs)).collect();
    let mut table = Table::new("", columns(axis));
    let mut series = Vec::new();
    for (row, &(x, ..)) in points.iter().enumerate() {
        table.push(std::iter::once(x.into()).chain(cells(&runs, &fits, row)).collect());
    }
    for (look, kind) in KINDS.iter().enumerate() {
        for (what, draw) in [("measured", Draw::Marks), ("xi D / v", Draw::Line)] {
            let column = format!("{what} {} (s)", kind.name);
            let values = table.column(&column).unwrap_or_default();
            let points = points.iter().map(|point| point.0).zip(values).collect();
            let name = format!("{}, {what}", kind.name);
            series.push(Series { name, points, look, draw, ..Series::default() });
        }
    }
    let panel = Lines {
        title: "points are simulated, lines are xi D / v with the fitted xi".to_owned(),
        x: Axis::new(axis),
        left: Axis::log("execution time (s)"),
        right: None,
        series,
    };
    let settings = format!("{about} {}", settings(&fits));
    let tables = vec![table, factors(&fits)];
    Figure { name, title, settings, tables, panels: vec![Panel::Lines(panel)] }
}

fn fit(runs: &[Run]) -> Fit {
    let mut fit = Fit::default();
    for &run in runs {
        fit.add(run).expect("a simulated run is a sound one");
    }
    fit
}

fn columns(axis: &str) -> Vec<String> {
    let mut columns = vec![axis.to_owned()];
    for kind in &KINDS {
        columns.push(format!("measured {} (s)", kind.name));
        columns.push(format!("xi D / v {} (s)", kind.name));
    }
    columns
}

fn cells(runs: &[Vec<Run>], fits: &[Fit], row: usize) -> Vec<Cell> {
    let of_kind = |(runs, fit): (&Vec<Run>, &Fit)| {
        let run = runs[row];
        let fitted = fit.xi().map(|xi| xi * run.bytes / run.rate);
        [run.elapsed.into(), fitted.into()]
    };
    runs.iter().zip(fits).flat_map(of_kind).collect()
}

fn factors(fits: &[Fit]) -> Table {
    let columns = ["site", "xi", "spread", "page (kb)", "answer time (s)", "overhead"];
    let mut table = Table::new("xi", columns);
    for (kind, fit) in KINDS.iter().zip(fits) {
        table.push(vec![
            kind.name.into(),
            fit.xi().into(),
            fit.spread().into(),
            kind.page.into(),
            kind.answer_time().into(),
            kind.overhead().into(),
        ]);
    }
    table
}

fn settings(fits: &[Fit]) -> String {
    let each = |(kind, fit): (&Kind, &Fit)| {
        format!(
            "{}: pages of {} kb on average, {:.2} s to the first byte, xi {:.3}",
            kind.name,
            kind.page,
            kind.answer_time(),
            fit.xi().unwrap_or(f64::NAN)
        )
    };
    let all: Vec<String> = KINDS.iter().zip(fits).map(each).collect();
    format!(
        "One page after the other over connections that carry 20 requests, with headers, TCP/IP and TLS; \
         page sizes are lognormal. {}.",
        all.join("; ")
    )
}
