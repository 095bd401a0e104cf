//! The given instances for the speed of servers and for what may start.
#![allow(clippy::unwrap_used)]

mod given;

use given::{Instance, Tally, instances, numbers};
use weir_plan::admit::{Waiting, activate};
use weir_plan::speed::{Clock, Day, Days, Learning, Speed};

#[test]
fn speeds_are_learnt_and_looked_up_as_given() {
    let Some(given) = instances("predictor") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let speed = learn(instance);
        for (field, kind) in [("B_holiday", Day::Holiday), ("B_working", Day::Working)] {
            let what = format!("{} {field}", instance.id);
            tally.list(&what, speed.of(kind), instance.expect(field), instance.tolerance);
        }
        for lookup in instance.expect("lookups_t_w_wnext_nearest_interp").as_array().unwrap() {
            let (at, today, next) = (lookup[0].as_f64().unwrap(), day(&lookup[1]), day(&lookup[2]));
            let what = format!("{} at {at}", instance.id);
            let close = instance.tolerance;
            tally.number(&what, speed.nearest(at, today, next), &lookup[3], close);
            tally.number(&what, speed.at(at, today, next), &lookup[4], close);
        }
    }
    tally.end(3 * 60);
}

fn learn(instance: &Instance) -> Speed {
    let clock = match instance.raw["mode"].as_str().unwrap() {
        "circular" => Clock::Round,
        "linear" => Clock::Straight,
        other => panic!("mode {other}"),
    };
    let learning = Learning {
        gain: instance.number("k"),
        reach: instance.number("sigma"),
        clock,
        eager: false,
    };
    let mut speed = Speed::new(instance.number("init"));
    for seen in instance.raw["observations_t_w_wprev_wnext_M"].as_array().unwrap() {
        let days = Days { today: day(&seen[1]), yesterday: day(&seen[2]), tomorrow: day(&seen[3]) };
        speed.observe(seen[0].as_f64().unwrap(), days, seen[4].as_f64().unwrap(), &learning);
    }
    speed
}

fn day(w: &serde_json::Value) -> Day {
    if w.as_u64().unwrap() == 1 { Day::Working } else { Day::Holiday }
}

#[test]
fn what_starts_is_as_given() {
    let Some(given) = instances("activate") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let mut queue: Vec<Waiting> =
            numbers(&instance.raw["queue_B"]).into_iter().map(Waiting::new).collect();
        let (idle, depth) = (instance.number("idle") as usize, instance.number("max_d") as usize);
        let (started, running) =
            activate(&mut queue, instance.number("CB"), instance.number("L"), idle, depth);
        let started: Vec<f64> = started.into_iter().map(|place| place as f64).collect();
        tally.list(&instance.id, &started, instance.expect("started"), instance.tolerance);
        tally.number(&instance.id, running, instance.expect("CB"), instance.tolerance);
    }
    tally.end(6 * 2);
}
