use super::{MIXES, Peer, WARM_UP, Web, run};
use crate::table::{Cell, Table};

/// Bytes a day, as parts of what all pages together weigh.
pub const BUDGETS: [f64; 4] = [0.01, 0.03, 0.1, 0.3];

/// The mean freshness of each policy over these webs, for each mix and budget.
pub fn refresh_table(peers: &[Peer], seeds: std::ops::Range<u64>) -> Table {
    let names = peers.iter().map(|peer| peer.name());
    let mut table = Table::new("freshness", ["mix", "budget"].into_iter().chain(names));
    for mix in &MIXES {
        for budget in BUDGETS {
            let means = peers.iter().map(|peer| {
                let fresh = seeds.clone().map(|seed| {
                    let web = Web::new(mix, seed);
                    run(&web, *peer, budget * web.bytes(), WARM_UP).freshness
                });
                Cell::from(fresh.sum::<f64>() / seeds.clone().count() as f64)
            });
            table.push([Cell::from(mix.name), budget.into()].into_iter().chain(means).collect());
        }
    }
    table
}
