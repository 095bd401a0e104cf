//! The constant-rate policies on cases worked out by hand.
#![allow(clippy::unwrap_used)]

use weir_plan::constant::{de, earliest_finish, ga, least_lateness, least_sum, random};
use weir_plan::needed::at_constant_rates;
use weir_plan::{Cap, Goal, Options, Policy, Problem, Refused, Site, allocate};

fn by(size: f64, due: f64) -> Site {
    Site::new(size, Some(due))
}

fn anytime(size: f64) -> Site {
    Site::new(size, None)
}

fn up_to(max_rate: f64, site: Site) -> Site {
    Site { max_rate, ..site }
}

fn problem(cap: f64, sites: &[Site]) -> Problem {
    Problem { cap: Cap::constant(cap), at_once: None, sites: sites.to_vec() }
}

fn check(policy: Policy, cap: f64, sites: &[Site], expected: &[f64]) {
    let plan = allocate(&problem(cap, sites), policy, &Options::default()).unwrap();
    let rates = plan.rates.clone().unwrap();
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * cap;
    assert!(rates.iter().zip(expected).all(close), "{policy}: {rates:?}, not {expected:?}");
    assert_eq!(plan.fault(&Cap::constant(cap), None, sites), None);
}

#[test]
fn a_tight_deadline_gets_exactly_what_it_needs() {
    check(Policy::MMaxt, 100.0, &[by(400.0, 5.0), anytime(600.0)], &[80.0, 20.0]);
    check(Policy::MSumt, 3.0, &[by(1.0, 0.5), anytime(4.0)], &[2.0, 1.0]);
}

#[test]
fn without_tight_deadlines_rates_follow_size_or_its_root() {
    let sites = [by(100.0, 90.0), anytime(400.0)];
    check(Policy::MMaxt, 15.0, &sites, &[3.0, 12.0]);
    check(Policy::MSumt, 15.0, &sites, &[5.0, 10.0]);
}

#[test]
fn with_too_little_nobody_is_early() {
    check(Policy::MStet, 3.0, &[by(1.0, 10.0), by(4.0, 0.1)], &[0.1, 2.9]);
    check(Policy::MStet, 3.0, &[by(1.0, 0.1), by(4.0, 0.1)], &[1.0, 2.0]);
}

#[test]
fn the_least_lateness_starves_who_has_no_deadline() {
    let sites = [by(1.0, 0.1), anytime(4.0)];
    check(Policy::MStet, 3.0, &sites, &[1.0, 2.0]);
    check(Policy::MStetPure, 3.0, &sites, &[3.0, 0.0]);
}

#[test]
fn who_is_late_already_is_not_held_back() {
    let sites = [by(1.0, -5.0), by(4.0, 0.0), by(4.0, 40.0)];
    check(Policy::MStet, 3.0, &sites, &[2.9 / 3.0, 2.0 * 2.9 / 3.0, 0.1]);
    check(Policy::MAuto, 3.0, &sites, &[2.9 / 3.0, 2.0 * 2.9 / 3.0, 0.1]);
    assert_eq!(at_constant_rates(&sites), f64::INFINITY);
}

#[test]
fn shares_in_proportion() {
    check(Policy::ProData, 12.0, &[anytime(1.0), by(2.0, 1.0)], &[4.0, 8.0]);
    check(Policy::ProBandwidth, 12.0, &[by(4.0, 2.0), by(8.0, 2.0)], &[4.0, 8.0]);
    // Without a deadline: as with the latest of all; late: as with the earliest to come.
    let sites = [by(4.0, 2.0), by(8.0, 4.0), anytime(8.0), by(4.0, -1.0)];
    check(Policy::ProBandwidth, 12.0, &sites, &[3.0, 3.0, 3.0, 3.0]);
    check(Policy::ProBandwidth, 12.0, &[anytime(1.0), by(2.0, 0.0)], &[4.0, 8.0]);
}

#[test]
fn what_a_slow_site_cannot_take_goes_to_the_others() {
    let sites = [up_to(2.0, anytime(100.0)), anytime(10.0), by(20.0, 1000.0)];
    check(Policy::MMaxt, 11.0, &sites, &[2.0, 3.0, 6.0]);
    check(Policy::ProData, 11.0, &sites, &[2.0, 3.0, 6.0]);
    check(Policy::MSumt, 11.0, &[up_to(2.0, anytime(100.0)), anytime(1.0)], &[2.0, 9.0]);
    check(Policy::MMaxt, 11.0, &[up_to(2.0, anytime(1.0)), up_to(3.0, by(1.0, 1.0))], &[2.0, 3.0]);
}

#[test]
fn what_is_done_already_gets_nothing() {
    let sites = [by(0.0, 5.0), anytime(6.0), anytime(0.0), by(0.0, -1.0)];
    for policy in Policy::ALL.into_iter().filter(|policy| policy.name() != "m-stet-pure").skip(5) {
        let plan = allocate(&problem(3.0, &sites), policy, &Options::default()).unwrap();
        assert!((plan.end[1] - 2.0).abs() < 1e-9, "{policy}: {:?}", plan.end);
        assert_eq!([plan.end[0], plan.end[2], plan.end[3]], [0.0; 3], "{policy}");
        assert_eq!(plan.fault(&Cap::constant(3.0), None, &sites), None, "{policy}");
    }
}

#[test]
fn what_is_needed_may_be_exactly_the_cap() {
    let sites = [by(1045.2, 8.0), by(1567.8000000000002, 12.0), by(2613.0, 10.0)];
    check(Policy::MMaxt, 522.6, &sites, &[130.65, 130.65, 261.3]);
    check(Policy::MMaxt, 522.6 * (1.0 - 5e-10), &sites, &[130.65, 130.65, 261.3].map(scaled));
}

fn scaled(rate: f64) -> f64 {
    rate * (1.0 - 5e-10)
}

#[test]
fn constant_rates_refuse_what_they_cannot_keep() {
    let needs = |needed, cap| Err(Refused::Overbooked { needed, cap });
    assert_eq!(earliest_finish(&[by(10.0, 1.0)], 9.0), needs(10.0, 9.0));
    assert_eq!(least_sum(&[by(10.0, 1.0)], 9.0), needs(10.0, 9.0));
    // Nothing would be left for the second one, ever.
    assert_eq!(earliest_finish(&[by(10.0, 1.0), anytime(1.0)], 10.0), needs(10.0, 10.0));
    // The site itself is too slow for its deadline.
    assert_eq!(earliest_finish(&[up_to(5.0, by(10.0, 1.0))], 99.0), needs(10.0, 5.0));
    assert_eq!(least_lateness(&[up_to(5.0, by(10.0, 1.0))], 99.0), [5.0]);
}

#[test]
fn policies_say_what_they_are_unfit_for() {
    let mut two = problem(10.0, &[anytime(1.0), anytime(2.0), anytime(0.0)]);
    let refusal = |problem: &Problem, policy: Policy| {
        allocate(problem, policy, &Options::default()).unwrap_err().to_string()
    };
    two.at_once = Some(2);
    assert!(allocate(&two, Policy::MMaxt, &Options::default()).is_ok());
    two.at_once = Some(1);
    assert_eq!(
        refusal(&two, Policy::MMaxt),
        "m-maxt cannot be used with more sites than may run at once; use realloc-maxt"
    );
    two.sites[0].release = 3.0;
    let later = "cannot be used with sites that are released later; use deadline";
    let steps = "cannot be used with a cap that changes with time; use deadline";
    assert_eq!(refusal(&two, Policy::Ga), format!("ga {later}"));
    assert_eq!(refusal(&two, Policy::ReallocMaxt), format!("realloc-maxt {later}"));
    two.sites[0].release = 0.0;
    two.cap = Cap::steps(&[(0.0, 1.0), (5.0, 2.0)]);
    assert_eq!(refusal(&two, Policy::ProData), format!("pro-data {steps}"));
    assert_eq!(refusal(&two, Policy::AllocOnceSumt), format!("alloc-once-sumt {steps}"));
}

/// The paper's six sites, with two deadlines that bind.
fn six() -> [Site; 6] {
    let size = |ratio: f64| 125_000.0 * ratio / 10.5;
    [
        by(size(1.0), 60.0),
        by(size(1.3), 100.0),
        anytime(size(1.6)),
        by(size(1.9), 140.0),
        by(size(2.2), 400.0),
        anytime(size(2.5)),
    ]
}

#[test]
fn blind_searches_come_near_the_optimum_and_never_pass_it() {
    let times =
        |rates: &[f64]| six().iter().zip(rates).map(|(s, v)| s.size / v).collect::<Vec<_>>();
    let last = |rates: &[f64]| times(rates).into_iter().fold(0.0, f64::max);
    let sum = |rates: &[f64]| times(rates).into_iter().sum::<f64>();
    let best_last = last(&earliest_finish(&six(), 1000.0).unwrap());
    let best_sum = sum(&least_sum(&six(), 1000.0).unwrap());
    for seed in 0..5 {
        for search in [ga, de] {
            let ratio = last(&search(&six(), 1000.0, Goal::Last, seed)) / best_last;
            assert!((1.0 - 1e-9..1.02).contains(&ratio), "last {ratio}");
            let ratio = sum(&search(&six(), 1000.0, Goal::Sum, seed)) / best_sum;
            assert!((1.0 - 1e-9..1.01).contains(&ratio), "sum {ratio}");
        }
    }
}

#[test]
fn with_too_little_blind_searches_are_beaten_but_not_by_much() {
    let sites: Vec<Site> = six().iter().map(|site| by(site.size, 100.0)).collect();
    let late = |rates: &[f64]| -> f64 {
        sites.iter().zip(rates).map(|(site, rate)| (site.size / rate - 100.0).max(0.0)).sum()
    };
    let best = late(&least_lateness(&sites, 1000.0));
    for seed in 0..5 {
        for search in [ga, de] {
            let ratio = late(&search(&sites, 1000.0, Goal::Sum, seed)) / best;
            assert!((1.0 - 1e-9..1.5).contains(&ratio), "{ratio} at seed {seed}");
        }
    }
}

#[test]
fn a_seed_settles_everything() {
    for policy in [Policy::Random, Policy::Ga, Policy::De] {
        let rates = |seed| {
            let options = Options { seed, ..Options::default() };
            allocate(&problem(1000.0, &six()), policy, &options).unwrap().rates
        };
        assert_eq!(rates(7), rates(7), "{policy}");
        assert_ne!(rates(7), rates(8), "{policy}");
    }
    let rates = random(&six(), 1000.0, 7);
    assert!(six().iter().zip(rates).all(|(site, rate)| rate * site.due() > site.size));
}
