//! How fresh copies are kept, beside those who know the rates and those who do not ask.

#![allow(clippy::unwrap_used)]

use weir_sim::refresh::{BUDGETS, MIXES, Peer, WARM_UP, Web, run};

/// Other webs than those of the table in docs/recrawl.md.
const SEEDS: [u64; 2] = [101, 102];

#[test]
fn ours_comes_near_to_who_knows_all_rates_and_is_above_who_does_not_learn() {
    for mix in &MIXES {
        for seed in SEEDS {
            let web = Web::new(mix, seed);
            for budget in BUDGETS {
                let fresh = |peer: Peer| run(&web, peer, budget * web.bytes(), WARM_UP).freshness;
                let (ours, optimum) = (fresh(Peer::Ours), fresh(Peer::Optimum));
                let case = format!("{} {seed} {budget}", mix.name);
                assert!(ours >= 0.95 * optimum, "{case}: {ours} of {optimum}");
                for peer in
                    [Peer::Uniform, Peer::Proportional, Peer::Nutch, Peer::Doubling, Peer::Full]
                {
                    let other = fresh(peer);
                    assert!(ours > other, "{case}: {ours}, {} {other}", peer.name());
                }
            }
        }
    }
}
