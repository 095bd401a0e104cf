//! How fresh copies are kept, beside those who know the rates and those who do not ask.

#![allow(clippy::unwrap_used)]

use weir_sim::refresh::{BUDGETS, MIXES, Mix, Peer, WARM_UP, Web, run};

/// Other webs than those of the figure.
const SEEDS: [u64; 2] = [101, 102];

fn mix(name: &str) -> &'static Mix {
    MIXES.iter().find(|mix| mix.name == name).unwrap()
}

/// At least this part of what the optimum reaches, and more than every other.
fn check(mix: &Mix, seed: u64, budget: f64, least: f64) {
    let web = Web::new(mix, seed);
    let fresh = |peer: Peer| run(&web, peer, budget * web.bytes(), WARM_UP).freshness;
    let (ours, optimum) = (fresh(Peer::Ours), fresh(Peer::Optimum));
    let case = format!("{} {seed} {budget}", mix.name);
    assert!(ours >= least * optimum, "{case}: {ours} of {optimum}");
    for peer in [Peer::Uniform, Peer::Proportional, Peer::Nutch, Peer::Doubling, Peer::Full] {
        let other = fresh(peer);
        assert!(ours > other, "{case}: {ours}, {} {other}", peer.name());
    }
}

#[test]
fn weir_comes_near_to_who_knows_all_rates_and_is_above_who_does_not_learn() {
    for seed in SEEDS {
        BUDGETS.into_iter().for_each(|budget| check(mix("web"), seed, budget, 0.95));
    }
}

#[test]
fn so_it_does_where_pages_differ_in_value_servers_say_nothing_or_habits_change() {
    for name in ["unequal", "silent", "shifting", "broad"] {
        [0.03, 0.1].into_iter().for_each(|budget| check(mix(name), 103, budget, 0.95));
    }
}

/// Where half of the pages change daily or more and there are bytes for one page in thirty, it takes many
/// visits to tell the pages that are worth it from those that are not.
#[test]
fn of_pages_that_mostly_change_too_quickly_it_still_finds_those_that_pay() {
    check(mix("news"), 103, 0.1, 0.93);
    check(mix("news"), 103, 0.03, 0.88);
}
