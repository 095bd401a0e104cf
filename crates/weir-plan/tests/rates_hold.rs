//! What must hold for the paper's policies whatever goes in.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use weir_plan::{Allocation, Cap, Options, Policy, Problem, Refused, Site, allocate};

const EXACT: [Policy; 7] = [
    Policy::MMaxt,
    Policy::MSumt,
    Policy::MStet,
    Policy::MStetPure,
    Policy::MAuto,
    Policy::ProBandwidth,
    Policy::ProData,
];
const BY_CHANCE: [Policy; 3] = [Policy::Random, Policy::Ga, Policy::De];
const ROUNDS: [Policy; 6] = [
    Policy::ReallocMaxt,
    Policy::ReallocSumt,
    Policy::ReallocProbandwidth,
    Policy::AllocOnceMaxt,
    Policy::AllocOnceSumt,
    Policy::ReallocProdata,
];

fn site() -> impl Strategy<Value = Site> {
    let size = prop_oneof![1 => Just(0.0), 8 => 1.0..1000.0, 2 => (-6.0..12.0).prop_map(power)];
    let due = prop_oneof![
        3 => Just(None),
        1 => (-10.0..=0.0).prop_map(Some),
        8 => (-3.0..5.0).prop_map(|x| Some(power(x))),
    ];
    let max_rate = prop_oneof![2 => Just(f64::INFINITY), 1 => (-1.0..4.0).prop_map(power)];
    (size, due, max_rate)
        .prop_map(|(size, due, max_rate)| Site { max_rate, ..Site::new(size, due) })
}

fn power(x: f64) -> f64 {
    10_f64.powf(x)
}

fn sites() -> impl Strategy<Value = Vec<Site>> {
    prop::collection::vec(site(), 1..12)
}

/// A cap around what the deadlines need, so that both sides of it are met often.
fn cap(sites: &[Site], part: f64) -> f64 {
    let paces = sites.iter().filter(|site| site.due() > 0.0).map(|site| site.size / site.due());
    (paces.sum::<f64>() * part).clamp(1.0, 1e9)
}

fn run(policy: Policy, cap: f64, sites: &[Site]) -> Option<Allocation> {
    let problem = Problem { cap: Cap::constant(cap), at_once: None, sites: sites.to_vec() };
    match allocate(&problem, policy, &Options::default()) {
        Ok(plan) => Some(plan),
        Err(Refused::Overbooked { .. }) => None,
        Err(other) => panic!("{policy}: {other}"),
    }
}

fn rates(policy: Policy, cap: f64, sites: &[Site]) -> Option<Vec<f64>> {
    run(policy, cap, sites).map(|plan| plan.rates.unwrap())
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// The most that a policy may hand out to a site.
fn most(policy: Policy, site: &Site) -> f64 {
    let paced = match (policy, site.deadline) {
        _ if site.size == 0.0 => 0.0,
        (Policy::MStet | Policy::MStetPure, Some(due)) if due > 0.0 => site.size / due,
        (Policy::MStetPure, None) => 0.0,
        _ => f64::INFINITY,
    };
    paced.min(site.max_rate)
}

fn keeps_bounds(policy: Policy, cap: f64, sites: &[Site]) -> Result<(), TestCaseError> {
    let Some(rates) = rates(policy, cap, sites) else { return Ok(()) };
    for (site, &rate) in sites.iter().zip(&rates) {
        prop_assert!(rate >= 0.0 && rate <= site.max_rate, "{policy}: {rate} for {site:?}");
        prop_assert!(site.size > 0.0 || rate == 0.0, "{policy}: {rate} for nothing");
    }
    let used: f64 = rates.iter().sum();
    prop_assert!(used <= cap * (1.0 + 1e-12), "{policy}: {used} of {cap}");
    if policy != Policy::MAuto {
        let usable = sites.iter().map(|site| most(policy, site)).sum::<f64>().min(cap);
        prop_assert!(close(used, usable), "{policy}: {used} of {usable}");
    }
    Ok(())
}

/// What a policy claims to make as small as can be.
fn cost(policy: Policy, sites: &[Site], rates: &[f64]) -> f64 {
    let times = sites.iter().zip(rates).filter(|(site, _)| site.size > 0.0);
    let times = times.map(|(site, rate)| (site, site.size / rate));
    match policy {
        Policy::MMaxt => times.map(|(_, time)| time).fold(0.0, f64::max),
        Policy::MSumt => times.map(|(_, time)| time).sum(),
        // As printed, a site without a deadline counts as one that is due at once.
        Policy::MStet => times.map(|(s, time)| (time - s.deadline.unwrap_or(0.0)).max(0.0)).sum(),
        _ => times.filter(|(s, _)| s.deadline.is_some()).map(|(s, t)| (t - s.due()).max(0.0)).sum(),
    }
}

/// Moves a part of one site's rate to another, if both may have what comes out.
fn moved(policy: Policy, sites: &[Site], rates: &[f64], step: (usize, usize, f64)) -> Vec<f64> {
    let (from, to) = (step.0 % sites.len(), step.1 % sites.len());
    let mut moved = rates.to_vec();
    let amount = (rates[from] * step.2).min(sites[to].max_rate - rates[to]);
    let keeps = matches!(policy, Policy::MMaxt | Policy::MSumt);
    let least = if keeps { sites[from].size / sites[from].due() } else { 0.0 };
    if from != to && rates[from] - amount >= least {
        moved[from] -= amount;
        moved[to] += amount;
    }
    moved
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn no_share_passes_a_bound_and_the_cap_is_used_up(sites in sites(), part in 0.3..3.0) {
        for policy in EXACT {
            keeps_bounds(policy, cap(&sites, part), &sites)?;
        }
    }

    #[test]
    fn the_order_of_sites_does_not_matter(sites in sites(), part in 0.3..3.0) {
        let cap = cap(&sites, part);
        let turned: Vec<Site> = sites.iter().rev().cloned().collect();
        for policy in EXACT {
            let (Some(one), Some(other)) = (rates(policy, cap, &sites), rates(policy, cap, &turned))
            else { continue };
            let same = one.iter().zip(other.iter().rev()).all(|(a, b)| (a - b).abs() <= 1e-9 * cap);
            prop_assert!(same, "{policy}: {one:?} and {other:?}");
        }
    }

    #[test]
    fn units_do_not_matter(sites in sites(), part in 0.3..3.0, powers in (-9..9, -9..9)) {
        let (bytes, seconds) = (2_f64.powi(powers.0), 2_f64.powi(powers.1));
        let other = |site: &Site| Site {
            size: site.size * bytes,
            deadline: site.deadline.map(|due| due * seconds),
            max_rate: site.max_rate * bytes / seconds,
            ..site.clone()
        };
        let others: Vec<Site> = sites.iter().map(other).collect();
        let cap = cap(&sites, part);
        for policy in EXACT {
            let here = rates(policy, cap, &sites);
            let there = rates(policy, cap * bytes / seconds, &others);
            prop_assert_eq!(here.is_some(), there.is_some());
            for (a, b) in here.into_iter().flatten().zip(there.into_iter().flatten()) {
                prop_assert!(close(a * bytes / seconds, b), "{policy}: {a} and {b}");
            }
        }
    }

    #[test]
    fn no_other_constant_rates_are_better(
        sites in sites(),
        part in 0.3..3.0,
        steps in prop::collection::vec((0..12_usize, 0..12_usize, 0.0..1.0), 40),
    ) {
        let cap = cap(&sites, part);
        for policy in [Policy::MMaxt, Policy::MSumt, Policy::MStet, Policy::MStetPure] {
            let Some(rates) = rates(policy, cap, &sites) else { continue };
            let best = cost(policy, &sites, &rates);
            for &(from, to, part) in &steps {
                for part in [part, part * 1e-3] {
                    let other = moved(policy, &sites, &rates, (from, to, part));
                    let cost = cost(policy, &sites, &other);
                    prop_assert!(cost >= best * (1.0 - 1e-9), "{policy}: {cost} below {best}");
                }
            }
        }
    }

    #[test]
    fn more_cap_is_never_worse(sites in sites(), part in 0.3..3.0, more in 1.0..2.0) {
        let cap = cap(&sites, part);
        for policy in [Policy::MMaxt, Policy::MSumt, Policy::MStet, Policy::MStetPure] {
            let (less, more) = (rates(policy, cap, &sites), rates(policy, cap * more, &sites));
            prop_assert!(less.is_none() || more.is_some());
            if let (Some(less), Some(more)) = (less, more) {
                let (before, after) = (cost(policy, &sites, &less), cost(policy, &sites, &more));
                prop_assert!(after <= before * (1.0 + 1e-9), "{policy}: {after} after {before}");
            }
        }
    }

    #[test]
    fn rounds_finish_every_site_within_all_bounds(
        mut sites in sites(),
        part in 0.3..3.0,
        at_once in prop::option::of(1..6_usize),
    ) {
        // After a round of years the clock has no digits left for a site of milliseconds.
        for site in sites.iter_mut().filter(|site| site.size > 0.0) {
            site.size = site.size.clamp(1.0, 1000.0);
        }
        let cap = cap(&sites, part).min(1000.0);
        let problem = Problem { cap: Cap::constant(cap), at_once, sites };
        for policy in ROUNDS {
            let plan = allocate(&problem, policy, &Options::default()).unwrap();
            let fault = plan.fault(&problem.cap, at_once, &problem.sites);
            prop_assert!(fault.is_none(), "{policy}: {fault:?}");
            prop_assert!(plan.end.iter().all(|end| end.is_finite()), "{policy}: {:?}", plan.end);
            let busy = problem.sites.iter().filter(|site| site.size > 0.0).count();
            let least = usize::from(busy > 0);
            let most = busy.div_ceil(at_once.unwrap_or(usize::MAX)).max(least);
            let rounds = plan.rounds.unwrap();
            prop_assert!((least..=most).contains(&rounds), "{policy}: {rounds} rounds");
        }
    }
}

proptest! {
    #![proptest_config(cases(12))]

    #[test]
    fn chance_passes_no_bound_either(sites in sites(), part in 0.3..3.0) {
        for policy in BY_CHANCE {
            keeps_bounds(policy, cap(&sites, part), &sites)?;
        }
    }
}

#[test]
fn no_magnitude_breaks_the_arithmetic() {
    let figures = [f64::MIN_POSITIVE, 1e-150, 1.0, 1e150, 1e300];
    let dues = || figures.iter().map(|&due| Some(due)).chain([None, Some(-1e300)]);
    let all: Vec<Site> = figures
        .iter()
        .flat_map(|&size| dues().map(move |due| Site::new(size, due)))
        .flat_map(|site| {
            [1e-150, 1.0, f64::INFINITY].map(|max_rate| Site { max_rate, ..site.clone() })
        })
        .collect();
    for cap in figures {
        for start in 0..all.len() {
            let some: Vec<Site> =
                all.iter().cycle().skip(start).step_by(7).take(5).cloned().collect();
            for policy in EXACT.into_iter().chain(ROUNDS).chain([Policy::Random]) {
                let Some(plan) = run(policy, cap, &some) else { continue };
                assert!(!plan.end.iter().any(|end| end.is_nan()), "{policy} {cap} {some:?}");
                let rates = plan.rates.unwrap_or_default();
                let sound = |(rate, site): (&f64, &Site)| *rate >= 0.0 && *rate <= site.max_rate;
                assert!(rates.iter().zip(&some).all(sound), "{policy} {cap}: {rates:?} {some:?}");
                let used: f64 = rates.iter().sum();
                assert!(used <= cap * (1.0 + 1e-9), "{policy}: {used} of {cap} {some:?}");
            }
        }
    }
}
