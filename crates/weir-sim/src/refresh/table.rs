use std::ops::Range;

use super::{MEASURED, MIXES, Mix, Peer, WARM_UP, Web, run};
use crate::chart::{Axis, Lines, Panel, Series};
use crate::figures::Figure;
use crate::table::{Cell, Table};

/// Bytes a day, as parts of what all pages together weigh.
pub const BUDGETS: [f64; 4] = [0.01, 0.03, 0.1, 0.3];
pub const NAME: &str = "recrawl";
pub const TITLE: &str = "Freshness of copies for so many bytes a day, weir beside others";

/// The webs of the figure.
const SEEDS: Range<u64> = 0..3;

/// How fresh each policy keeps its copies: a table for each mix.
pub fn figure() -> Figure {
    let tables: Vec<Table> = MIXES.iter().map(|mix| table(mix, &Peer::ALL, SEEDS)).collect();
    let panels = vec![panel(&tables[0])];
    Figure { name: NAME, title: TITLE, settings: settings(), tables, panels }
}

fn settings() -> String {
    let web = Web::new(&MIXES[0], 0);
    format!(
        "Means over {} webs of {} pages on {} sites. Bytes a day are given as a part of what all pages weigh. \
         Freshness is the part of the time that a copy equals its page, over {MEASURED} days, after {WARM_UP} in \
         which rates are learnt. The optimum and proportional know all rates; weir, nutch and doubling do not.",
        SEEDS.count(),
        web.pages.len(),
        web.sites,
    )
}

/// The mean freshness of each policy over these webs, for each budget, and how near weir comes to who
/// knows the rates.
pub fn table(mix: &Mix, peers: &[Peer], seeds: Range<u64>) -> Table {
    let names = peers.iter().map(|peer| format!("freshness of {}", peer.name()));
    let columns = ["bytes a day".to_owned()].into_iter().chain(names);
    let mut table = Table::new(mix.name, columns.chain(["weir/optimum".to_owned()]));
    for budget in BUDGETS {
        let fresh = |peer: Peer| {
            let webs = seeds.clone().map(|seed| Web::new(mix, seed));
            let sum: f64 =
                webs.map(|web| run(&web, peer, budget * web.bytes(), WARM_UP).freshness).sum();
            sum / seeds.clone().count() as f64
        };
        let means: Vec<f64> = peers.iter().map(|peer| fresh(*peer)).collect();
        let of = |wanted: Peer| {
            peers.iter().position(|peer| *peer == wanted).map_or(f64::NAN, |at| means[at])
        };
        let part = of(Peer::Ours) / of(Peer::Optimum);
        let cells = means.iter().chain([&part]).map(|mean| Cell::from(*mean));
        table.push([Cell::from(budget)].into_iter().chain(cells).collect());
    }
    table
}

fn panel(table: &Table) -> Panel {
    let x = table.column(&table.columns[0]).unwrap_or_default();
    let series = Peer::ALL.iter().enumerate().map(|(look, peer)| {
        let column = table.column(&format!("freshness of {}", peer.name())).unwrap_or_default();
        let points = x.iter().copied().zip(column).collect();
        Series { name: peer.name().to_owned(), points, look, ..Series::default() }
    });
    Panel::Lines(Lines {
        title: format!("mix {}", table.name),
        x: Axis::log("bytes a day, as a part of what all pages weigh"),
        left: Axis::from_zero("freshness"),
        right: None,
        series: series.collect(),
    })
}
