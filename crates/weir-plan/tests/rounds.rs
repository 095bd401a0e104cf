//! The policies by rounds on cases worked out by hand.
#![allow(clippy::unwrap_used)]

use weir_plan::{Allocation, Cap, Options, Policy, Problem, Site, allocate};

fn plan(policy: Policy, cap: f64, at_once: usize, sites: &[Site]) -> Allocation {
    let problem =
        Problem { cap: Cap::constant(cap), at_once: Some(at_once), sites: sites.to_vec() };
    let plan = allocate(&problem, policy, &Options::default()).unwrap();
    assert_eq!(plan.fault(&problem.cap, Some(at_once), sites), None, "{policy}");
    plan
}

fn sites(given: &[(f64, Option<f64>)]) -> Vec<Site> {
    given.iter().map(|&(size, due)| Site::new(size, due)).collect()
}

#[test]
fn who_follows_takes_over_the_rate_until_the_round_ends() {
    // Round 1: 5 and 5, until 6; the third follows at 2. Round 2: it has the whole cap for 5.
    let sites = sites(&[(10.0, Some(2.0)), (30.0, Some(6.0)), (25.0, None)]);
    let plan = plan(Policy::ReallocMaxt, 10.0, 2, &sites);
    assert_eq!(plan.start, [0.0, 0.0, 2.0]);
    assert_eq!(plan.end, [2.0, 6.0, 6.5]);
    assert_eq!(plan.rounds, Some(2));
}

#[test]
fn set_once_a_slot_keeps_its_rate() {
    let sites = sites(&[(10.0, Some(2.0)), (30.0, Some(6.0)), (25.0, None)]);
    let plan = plan(Policy::AllocOnceMaxt, 10.0, 2, &sites);
    assert_eq!((plan.end.as_slice(), plan.rounds), ([2.0, 6.0, 7.0].as_slice(), Some(1)));
}

#[test]
fn groups_wait_for_each_other() {
    let sites = sites(&[(10.0, Some(9.0)), (30.0, Some(1.0)), (20.0, None)]);
    let plan = plan(Policy::ReallocProdata, 10.0, 2, &sites);
    assert_eq!(plan.start, [0.0, 0.0, 4.0]);
    assert_eq!(plan.end, [4.0, 4.0, 6.0]);
    assert_eq!(plan.rounds, Some(2));
}

#[test]
fn a_slow_newcomer_takes_what_it_can() {
    let mut sites = sites(&[(10.0, Some(2.0)), (30.0, Some(6.0)), (8.0, None), (5.0, None)]);
    sites[2].max_rate = 4.0;
    let plan = plan(Policy::ReallocMaxt, 10.0, 2, &sites);
    // The slot has a rate of 5; the third uses 4 of it, the fourth all.
    assert_eq!(plan.end, [2.0, 6.0, 4.0, 5.0]);
}

#[test]
fn all_at_once_is_one_round() {
    let sites = sites(&[(10.0, Some(2.0)), (0.0, None), (30.0, None)]);
    for policy in [Policy::ReallocMaxt, Policy::ReallocSumt, Policy::ReallocProdata] {
        assert_eq!(plan(policy, 10.0, 2, &sites).rounds, Some(1), "{policy}");
    }
}

#[test]
fn who_becomes_late_while_waiting_is_late_and_not_without_a_deadline() {
    // By the order of deadlines, each alone at the full cap; only the third may wait for ever.
    let sites = sites(&[(20.0, Some(2.0)), (40.0, Some(1.5)), (10.0, None), (90.0, Some(3.0))]);
    let plan = plan(Policy::ReallocSumt, 10.0, 1, &sites);
    assert_eq!(plan.end, [6.0, 4.0, 16.0, 15.0]);
}
