use super::{Connections, Control, Estimate, LIMIT, Search, Setting, Trace, WEBS, Web, crawl};
use crate::table::{Cell, Table};

/// What the paper's statements depend on: a row for each set of assumptions. All differ from the first
/// by what they say.
pub fn assumptions() -> Table {
    let columns = [
        "assumptions",
        "max_d 2",
        "max_d 6",
        "6 above 2",
        "apart",
        "above",
        "swing",
        "feedback swing",
        "swings more",
        "ratio",
        "ratio above",
        "shape",
    ];
    let mut table = Table::new("assumptions", columns);
    for (name, setting) in rows() {
        table.push(row(name, &setting));
    }
    table
}

fn rows() -> Vec<(&'static str, Setting)> {
    let mixed = Setting::MIXED;
    let one = Setting { connections: Connections::One, ..mixed };
    let counted = Setting { connections: Connections::OneCounted, ..mixed };
    let few = Setting { servers: 8, search: Search::Fill, patient: false, ..one };
    vec![
        ("mixed servers (upper panels)", mixed),
        ("servers alike (lower panels)", Setting::ALIKE),
        ("no server above half of the limit", Setting { fastest: 0.5 * LIMIT, ..mixed }),
        ("no server above a quarter of it", Setting { fastest: 0.25 * LIMIT, ..mixed }),
        ("fast servers may starve", Setting { patient: false, ..mixed }),
        ("searches until nothing more fits", Setting { search: Search::Fill, ..mixed }),
        ("one start a search, and one a second", one_start(mixed)),
        ("one connection a server", one),
        ("one connection, fast servers may starve", Setting { patient: false, ..one }),
        ("one connection, waiting for it uses up depth", counted),
        ("the same, five of a server in a row", Setting { in_a_row: 5.0, ..counted }),
        ("five of a server in a row", Setting { in_a_row: 5.0, ..mixed }),
        (
            "connections share a server's speed",
            Setting { connections: Connections::Shared, ..mixed },
        ),
        ("0.1 s to the first byte", Setting { latency: 0.1, ..mixed }),
        ("0.3 s to the first byte", Setting { latency: 0.3, ..mixed }),
        ("less noise (0.1)", Setting { noise: 0.1, ..mixed }),
        ("more noise (1.0)", Setting { noise: 1.0, ..mixed }),
        ("documents of one size", Setting { size_spread: 0.0, ..mixed }),
        ("no speeds known before", Setting { known: 0, ..mixed }),
        ("4 fetchers", Setting { fetchers: 4, ..mixed }),
        ("8 servers, one connection, searches until nothing fits, may starve", few),
        ("the same, 0.3 s to the first byte", Setting { latency: 0.3, ..few }),
    ]
}

fn one_start(setting: Setting) -> Setting {
    Setting { search: Search::One, check: 1.0, ..setting }
}

fn row(name: &str, setting: &Setting) -> Vec<Cell> {
    let ratio = Control::Predict { depth: 6, estimate: Estimate::Ratio };
    let shape = Control::Shape { ahead: 2.5 };
    let controls = [Control::predict(2), Control::predict(6), Control::Feedback, ratio, shape];
    let mut traces: [Vec<Trace>; 5] = Default::default();
    for web in Web::all(setting) {
        for (traces, control) in traces.iter_mut().zip(controls) {
            traces.push(crawl(&web, setting, control));
        }
    }
    let mean = |which: usize, of: fn(&Trace) -> f64| -> Cell {
        (traces[which].iter().map(of).sum::<f64>() / WEBS as f64).into()
    };
    let more = |a: usize, b: usize, of: fn(&Trace) -> f64| -> Cell {
        traces[a].iter().zip(&traces[b]).filter(|(a, b)| of(a) > of(b)).count().into()
    };
    vec![
        name.into(),
        mean(0, Trace::used),
        mean(1, Trace::used),
        more(1, 0, Trace::used),
        mean(1, Trace::apart),
        mean(1, Trace::above),
        mean(1, Trace::swing),
        mean(2, Trace::swing),
        more(2, 1, Trace::swing),
        mean(3, Trace::used),
        mean(3, Trace::above),
        mean(4, Trace::used),
    ]
}
