//! The three figures of Diligenti et al. 2004: forty seconds of a crawler with a limit of 140 KB/s.

use std::ops::Range;

use super::{Figure, FigureError};
use crate::bounded::{
    Control, Estimate, LIMIT, MEASURED, SETTLING, Setting, Trace, WEBS, Web, crawl,
};
use crate::chart::{Axis, Draw, Lines, Panel, Series};
use crate::table::{Cell, Table};

/// The assumptions under which each figure is drawn, and what to call them.
const KINDS: [(&str, Setting, &str); 2] = [
    ("mixed", Setting::MIXED, "mixed servers: a few are nearly as fast as the limit, or faster"),
    ("alike", Setting::ALIKE, "servers alike: few come near half of the limit"),
];
/// What is drawn, of the first web.
const WINDOW: Range<usize> = SETTLING + 60..SETTLING + 100;

/// A control under a name, and how its lines look in all figures.
struct Peer {
    name: &'static str,
    control: Control,
    look: usize,
    draw: Draw,
}

const SIX: Peer = Peer { name: "max_d 6", control: Control::predict(6), look: 4, draw: Draw::Line };
const TWO: Peer = Peer { name: "max_d 2", control: Control::predict(2), look: 6, draw: Draw::Line };
const FEEDBACK: Peer =
    Peer { name: "feedback", control: Control::Feedback, look: 8, draw: Draw::Line };
const SHAPE: Peer = Peer {
    name: "shape (weir)",
    control: Control::Shape { ahead: 2.5 },
    look: 0,
    draw: Draw::Both,
};
const RATIO: Peer = Peer {
    name: "max_d 6 by ratio",
    control: Control::Predict { depth: 6, estimate: Estimate::Ratio },
    look: 1,
    draw: Draw::Line,
};
const PREDICTED: usize = 2;
const LIMIT_LOOK: usize = 7;

type Measure = (&'static str, fn(&Trace) -> f64);
const USED: Measure = ("use", Trace::used);
const ABOVE: Measure = ("above", Trace::above);
const WORST: Measure = ("worst", Trace::worst);
const SWING: Measure = ("swing", Trace::swing);

pub fn predicted(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let measures: &[Measure] = &[
        USED,
        ("predicted", Trace::mean_predicted),
        ("most predicted", |trace| trace.most_predicted / LIMIT),
        ("apart", Trace::apart),
        ABOVE,
        WORST,
    ];
    let about =
        "The predicted bandwidth is the sum of what was predicted for all downloads under way.";
    Ok(make(name, title, about, &[SIX], &[SIX], measures))
}

pub fn depths(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let measures: &[Measure] = &[USED, ("out of order", Trace::out_of_order)];
    let about = "The paper's averages are 71,788 (max_d 6) and 64,562 (max_d 2), unit not said; as bytes \
                 a second they are 51 and 46 % of the limit.";
    Ok(make(name, title, about, &[SIX, TWO], &[SIX, TWO], measures))
}

pub fn feedback(name: &'static str, title: &'static str) -> Result<Figure, FigureError> {
    let about = "Feedback: each second one fetcher fewer if more than the limit was measured, else one more. \
                 Shape is weir's: bytes are held to the limit, and downloads start until 2.5 times the \
                 limit is predicted.";
    let all = [FEEDBACK, SIX, RATIO, SHAPE];
    Ok(make(name, title, about, &[FEEDBACK, SHAPE], &all, &[USED, ABOVE, WORST, SWING]))
}

/// Draws `shown`, and measures `all` on all webs.
fn make(
    name: &'static str,
    title: &'static str,
    about: &str,
    shown: &[Peer],
    all: &[Peer],
    measures: &[Measure],
) -> Figure {
    let mut panels = Vec::new();
    let mut drawn = Table::new("", ["time (s)"]);
    drawn.rows = (0..WINDOW.len()).map(|second| vec![second.into()]).collect();
    let mut webs = Vec::new();
    for (kind, setting, title) in &KINDS {
        let first = Web::all(setting).next().expect("there are webs");
        let traces: Vec<Trace> =
            shown.iter().map(|peer| crawl(&first, setting, peer.control)).collect();
        let series = series(shown, &traces);
        for one in &series {
            drawn.columns.push(format!("{} (KB/s) of {kind}", one.name));
            for (row, point) in drawn.rows.iter_mut().zip(&one.points) {
                row.push(point.1.into());
            }
        }
        panels.push(panel(title, series));
        webs.push(over_webs(kind, setting, all, measures));
    }
    let mut tables = vec![drawn];
    tables.extend(webs);
    Figure { name, title, settings: format!("{} {about}", settings()), tables, panels }
}

/// What each control had in each second; the prediction, if there is only one; and the limit.
fn series(peers: &[Peer], traces: &[Trace]) -> Vec<Series> {
    let alone = peers.len() == 1;
    let line = |name: &str, rates: &[f64], look: usize, draw: Draw| Series {
        name: name.to_owned(),
        points: rates.iter().enumerate().map(|(at, rate)| (at as f64, rate / 1000.0)).collect(),
        look,
        draw,
        ..Series::default()
    };
    let mut series = Vec::new();
    for (peer, trace) in peers.iter().zip(traces) {
        let name = if alone { "measured" } else { peer.name };
        series.push(line(name, &trace.measured[WINDOW], peer.look, peer.draw));
    }
    if alone {
        series.push(line("predicted", &traces[0].predicted[WINDOW], PREDICTED, Draw::Line));
    }
    series.push(line("limit", &[LIMIT; WINDOW.end - WINDOW.start], LIMIT_LOOK, Draw::Line));
    series
}

fn panel(title: &str, series: Vec<Series>) -> Panel {
    Panel::Lines(Lines {
        title: title.to_owned(),
        x: Axis::new("time (s)"),
        left: Axis::from_zero("bandwidth (KB/s)"),
        right: None,
        series,
    })
}

/// A row for each web, a column for each measure of each control.
fn over_webs(kind: &str, setting: &Setting, peers: &[Peer], measures: &[Measure]) -> Table {
    let names = measures.iter().flat_map(|(measure, _)| {
        peers.iter().map(move |peer| format!("{measure} of {}", peer.name))
    });
    let mut table = Table::new(kind, std::iter::once("web".to_owned()).chain(names));
    for (index, web) in Web::all(setting).enumerate() {
        let traces: Vec<Trace> =
            peers.iter().map(|peer| crawl(&web, setting, peer.control)).collect();
        let cells =
            measures.iter().flat_map(|(_, of)| traces.iter().map(|trace| Cell::from(of(trace))));
        table.push(std::iter::once(Cell::from(index + 1)).chain(cells).collect());
    }
    table
}

fn settings() -> String {
    let Setting { servers, noise, latency, fetchers, known, .. } = Setting::MIXED;
    format!(
        "Limit 140 KB/s, k 0.3, sigma 120 min. The paper does not say the rest, so it is ours: {servers} servers \
         with a median of 18 KB/s, lognormal with sigma {} (mixed; of some 300 settings among the nearest to the \
         paper's averages, on other webs than these) or {} (alike), {latency} s to the first byte, sigma of the noise of a download {noise}; documents with a median of 12 KB and sigma 1; \
         {fetchers} fetchers; {known} downloads of each server known before; one search after each download; a \
         document overtaken 16 times lets nobody pass. Forty seconds of the first of {WEBS} webs are drawn; \
         the tables have {MEASURED} s of all: use, most predicted, worst second, swing (standard deviation) and \
         apart (mean distance of measured and predicted) as parts of the limit, above as the part of the \
         seconds above 1.02 of it.",
        Setting::MIXED.spread,
        Setting::ALIKE.spread
    )
}
