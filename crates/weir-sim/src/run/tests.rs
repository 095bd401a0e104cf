use super::*;
use crate::world::tests::{site, world};
use crate::world::{Daily, Prediction, Truth};

fn ends(world: &World, policy: Policy) -> Vec<f64> {
    let outcome = run(world, policy, 1).expect("a policy that applies");
    let fault = outcome.plan.fault(&outcome.problem.cap, world.at_once, &outcome.problem.sites);
    assert_eq!(fault, None, "{policy}");
    outcome.plan.end.iter().map(|end| (end * 1e6).round() / 1e6).collect()
}

fn three() -> World {
    let sites =
        vec![site("a", 400.0, Some(5.0)), site("b", 600.0, Some(20.0)), site("c", 100.0, None)];
    world(100.0, sites)
}

#[test]
fn with_everything_known_a_run_is_the_plan() {
    assert_eq!(ends(&three(), Policy::Edf), [4.0, 10.0, 11.0]);
    assert_eq!(ends(&three(), Policy::ProData), [11.0, 11.0, 11.0]);
    let fair = ends(&three(), Policy::Fair);
    assert_eq!((fair[2], fair[1]), (3.0, 11.0));
}

#[test]
fn every_policy_brings_everything_and_keeps_to_the_cap() {
    let mut world = three();
    for policy in Policy::ALL {
        let policy_cannot = policy == Policy::MMaxt || policy == Policy::MSumt;
        world.sites[1].deadline = Some(if policy_cannot { 200.0 } else { 9.0 });
        let ends = ends(&world, policy);
        // These starve whoever has no deadline.
        let starves = matches!(policy, Policy::MStetPure | Policy::Ga | Policy::De);
        let sites = if starves { 2 } else { 3 };
        assert!(ends[..sites].iter().all(|end| end.is_finite()), "{policy}: {ends:?}");
    }
}

#[test]
fn rounds_run_as_they_are_planned_when_predictions_are_right() {
    use weir_plan::{Options, allocate};
    let mut rng = fastrand::Rng::with_seed(5);
    let sites =
        (0..17).map(|i| site(&i.to_string(), 100.0 + 900.0 * rng.f64(), Some(100.0 * rng.f64())));
    let mut world = world(100.0, sites.collect());
    world.at_once = Some(4);
    for policy in [
        Policy::ReallocMaxt,
        Policy::ReallocSumt,
        Policy::ReallocProbandwidth,
        Policy::AllocOnceMaxt,
        Policy::AllocOnceSumt,
        Policy::ReallocProdata,
    ] {
        let plan = allocate(&world.problem(), policy, &Options::default()).expect("it applies");
        let outcome = run(&world, policy, 1).expect("it applies");
        for (site, (planned, ran)) in plan.end.iter().zip(&outcome.plan.end).enumerate() {
            assert!((planned - ran).abs() < 1e-3 * planned, "{policy} {site}: {planned} {ran}");
        }
    }
}

#[test]
fn a_late_comer_is_served_from_its_release_on() {
    let mut world = three();
    world.sites[2].release = 7.0;
    world.sites[2].deadline = Some(9.0);
    assert_eq!(ends(&world, Policy::Edf), [4.0, 11.0, 8.0]);
    world.sites[2].release = 50.0;
    assert_eq!(ends(&world, Policy::ProBandwidth)[2], 51.0);
}

#[test]
fn nothing_comes_faster_than_the_server_delivers() {
    let mut world = three();
    world.sites[0].speed = Daily::constant(50.0);
    let ends = ends(&world, Policy::Edf);
    assert_eq!(ends[0], 8.0);
    assert!(ends[1] <= 12.0, "what the slow one leaves is used: {ends:?}");
}

#[test]
fn a_speed_that_is_known_is_planned_for_from_the_start() {
    let mut world = three();
    world.sites[0].speed = Daily::constant(81.0);
    // Both could go first, but only one of them can wait for the other.
    world.sites[1].deadline = Some(11.0);
    world.sites[2].size = 500.0;
    world.speeds_known = true;
    let outcome = run(&world, Policy::Deadline, 1).expect("it applies");
    assert_eq!(outcome.late(), 0, "{:?}", outcome.plan.end);
}

#[test]
fn a_site_takes_its_time_to_begin() {
    let slow = Truth { latency: 3.0, ..site("a", 400.0, None) };
    assert_eq!(ends(&world(100.0, vec![slow.clone()]), Policy::Edf), [7.0]);
    let ramp = Truth { latency: 0.0, ramp_up: 4.0, speed: Daily::constant(100.0), ..slow };
    let end = ends(&world(100.0, vec![ramp]), Policy::Edf)[0];
    assert!(end > 5.5 && end < 6.5, "half the speed on the way up: {end}");
}

#[test]
fn the_hour_changes_cap_and_speed() {
    let mut world = world(1.0, vec![site("a", 1000.0, None)]);
    world.starts_at = 3600.0 - 5.0;
    world.cap = Daily::steps(vec![(0.0, 100.0), (3600.0, 20.0)]);
    assert_eq!(ends(&world, Policy::Deadline), [30.0]);
    assert_eq!(ends(&world, Policy::ProData), [30.0], "rates of another hour are cut to fit");
    world.cap = Daily::constant(100.0);
    world.sites[0].speed = Daily::steps(vec![(0.0, 100.0), (3600.0, 50.0)]);
    assert_eq!(ends(&world, Policy::Edf), [15.0]);
}

#[test]
fn a_wrong_prediction_is_corrected_on_the_way() {
    let wrong = |error| Prediction { error, sigma: 0.5, converges: true };
    let mut world = three();
    world.sites[0].prediction = wrong(-1.0);
    world.sites[1].prediction = wrong(0.8);
    for policy in [Policy::Deadline, Policy::Edf] {
        assert!(ends(&world, policy)[0] <= 5.0, "{policy}");
    }
    // Rates that were set once stay wrong.
    assert!(ends(&world, Policy::ProBandwidth)[0] > 5.0);
}

#[test]
fn a_run_ends_when_its_time_is_up() {
    let mut world = three();
    world.until = 6.0;
    let outcome = run(&world, Policy::Edf, 1).expect("it applies");
    assert_eq!(outcome.plan.end, [4.0, f64::INFINITY, f64::INFINITY]);
    assert_eq!(outcome.on_time, [400.0, 200.0, 0.0]);
    assert_eq!(outcome.late(), 1, "without an end is late, without a deadline never");
}

#[test]
fn no_site_starves_for_want_of_a_deadline() {
    let world = world(100.0, vec![site("a", 9000.0, Some(80.0)), site("b", 50.0, None)]);
    let outcome = run(&world, Policy::Deadline, 1).expect("it applies");
    assert!(outcome.plan.end[1] < 60.0, "{:?}", outcome.plan.end);
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let mut world = three();
    world.sites[1].prediction = Prediction { error: 0.3, sigma: 0.5, converges: false };
    for policy in [Policy::Random, Policy::Deadline] {
        assert_eq!(run(&world, policy, 3), run(&world, policy, 3));
    }
    assert_ne!(ends(&world, Policy::Random), {
        let outcome = run(&world, Policy::Random, 2).expect("it applies");
        outcome.plan.end
    });
}
