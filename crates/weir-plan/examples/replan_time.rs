//! How long it takes to plan anew, beside the time to sort the sites twice in the same run.
//!
//! `cargo run --release -p weir-plan --example replan_time -- [N...]`

use std::time::Instant;

use weir_plan::deadline::QUICK;
use weir_plan::{
    Cap, FLOOR, Goal, Known, Outlook, RESERVE, Site, State, least_scale, needed, replan,
};

fn main() {
    let given: Vec<usize> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let sizes = if given.is_empty() { vec![100, 1_000, 10_000, 100_000] } else { given };
    println!(
        "{:>8}  {:<28} {:>9} {:>12} {:>7} {:>8}",
        "sites", "what", "plan ms", "2 sorts ms", "ratio", "us/site"
    );
    for count in sizes {
        for (name, slow, profile, load, expected) in [
            ("fast sites, in time", false, STEADY, 0.9, Outlook::Holds),
            ("fast sites, overload", false, STEADY, 1.25, Outlook::Overload),
            ("slow sites, in time", true, STEADY, 0.9, Outlook::Holds),
            ("slow sites, just in time", true, STEADY, 0.9999, Outlook::Holds),
            ("slow sites, overload", true, STEADY, 1.25, Outlook::Overload),
            ("slow, cap falls, in time", true, FALLING, 0.8, Outlook::Holds),
            ("slow, cap falls, just so", true, FALLING, 0.999, Outlook::Holds),
        ] {
            let state = state(count, slow, profile, load);
            let sorts = best_of(5, || sort_twice(&state));
            let plan = best_of(5, || {
                let shares = replan(&state);
                assert_eq!(shares.outlook, expected);
                shares.rates.iter().sum::<f64>()
            });
            println!(
                "{count:>8}  {name:<28} {:>9.2} {:>12.2} {:>7.1} {:>8.3}",
                plan * 1e3,
                sorts * 1e3,
                plan / sorts,
                plan * 1e6 / count as f64
            );
        }
    }
}

/// The cap, in parts of the first rate. Deadlines lie between 6 and 106.
const STEADY: &[(f64, f64)] = &[(0.0, 1.0)];
const FALLING: &[(f64, f64)] = &[(0.0, 1.0), (20.0, 0.3), (60.0, 1.2)];

/// Sizes over three decades, one site in eight without a deadline. Slow sites can take a
/// thousandth to a twentieth of the cap, and at least 1.25 times what their deadline asks for.
fn state(count: usize, slow: bool, profile: &[(f64, f64)], load: f64) -> State {
    let mut random = fastrand::Rng::with_seed(count as u64);
    let mut sites: Vec<Site> = (0..count)
        .map(|_| {
            let size = 64.0 / (random.f64() + 1.0 / 4096.0);
            let due = 100.0 * (1.0 / 16.0 + random.f64());
            Site::new(size, (random.f64() > 0.125).then_some(due))
        })
        .collect();
    let cap = needed::least_cap(&sites);
    if slow {
        for site in &mut sites {
            let least = site.deadline.map_or(0.0, |due| 1.25 * site.size / due);
            site.max_rate = least.max(cap * (0.001 + 0.05 * random.f64() * random.f64()));
        }
    }
    let cap = Cap::steps(profile);
    let cap = cap.scaled(least_scale(&cap, &sites) / load);
    let sites = sites.into_iter().map(Known::exactly).collect();
    State {
        cap,
        at_once: None,
        floor: FLOOR,
        reserve: RESERVE,
        goal: Goal::Sum,
        effort: QUICK,
        period: 1.0,
        used: 1.0,
        sites,
    }
}

fn sort_twice(state: &State) -> f64 {
    let mut by_deadline: Vec<usize> = (0..state.sites.len()).collect();
    by_deadline.sort_by(|&a, &b| state.sites[a].site.due().total_cmp(&state.sites[b].site.due()));
    let mut by_size: Vec<usize> = (0..state.sites.len()).collect();
    by_size.sort_by(|&a, &b| state.sites[a].site.size.total_cmp(&state.sites[b].site.size));
    (by_deadline[0] + by_size[0]) as f64
}

fn best_of(times: usize, work: impl Fn() -> f64) -> f64 {
    let once = || {
        let start = Instant::now();
        std::hint::black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..times).map(|_| once()).fold(f64::INFINITY, f64::min)
}
