//! The given instances for constant rates.
#![allow(clippy::unwrap_used)]

mod given;

use given::{Instance, Tally, generated, instances};
use serde_json::Value;
use weir_plan::{
    Allocation, Cap, Options, Policy, Problem, Refused, Site, allocate, needed::at_constant_rates,
};

const POLICIES: [Policy; 6] = [
    Policy::MMaxt,
    Policy::MSumt,
    Policy::MStet,
    Policy::MStetPure,
    Policy::ProBandwidth,
    Policy::ProData,
];

fn rates(problem: &Problem, policy: Policy) -> Result<Allocation, Refused> {
    allocate(problem, policy, &Options::default())
}

#[test]
fn constant_rates_are_the_exact_optimum() {
    let Some(given) = instances("static") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let problem = instance.problem();
        tally.number(
            &format!("{} U_bar", instance.id),
            at_constant_rates(&problem.sites),
            instance.expect("U_bar"),
            instance.tolerance,
        );
        for policy in POLICIES {
            compare(&mut tally, instance, &problem, policy);
        }
        choice(&mut tally, instance, &problem);
    }
    tally.end(16_000);
}

fn compare(tally: &mut Tally, instance: &Instance, problem: &Problem, policy: Policy) {
    let what = |field: &str| format!("{} {policy} {field}", instance.id);
    let expected = instance.expect(policy.name());
    let plan = match (rates(problem, policy), instance.raw["expect"].get(policy.name())) {
        (_, None) => return,
        (Ok(plan), Some(Value::Object(_))) => plan,
        (got, expected) => {
            let overbooked = matches!(got, Err(Refused::Overbooked { .. }));
            let holds = overbooked && expected.is_some_and(Value::is_null);
            return tally.check(&what(""), holds, || format!("{got:?}"));
        }
    };
    let fault = plan.fault(&problem.cap, problem.at_once, &problem.sites);
    tally.check(&what("plan"), fault.is_none(), || format!("{fault:?}"));
    let (score, close) = (plan.score(&problem.sites), instance.tolerance);
    let v = plan.rates.unwrap();
    tally.number(&what("max_t"), score.max_end, &expected["max_t"], close);
    tally.number(&what("sum_t"), score.sum_end, &expected["sum_t"], close);
    tally.number(&what("sum_tardiness"), score.sum_tardiness, &expected["sum_tardiness"], close);
    tally.number(&what("sum_v"), v.iter().sum(), &expected["sum_v"], close);
    tally.count(&what("n_met"), score.met, &expected["n_met"]);
    if expected.get("v").is_some() {
        tally.list(&what("v"), &v, &expected["v"], close);
    }
}

/// `m-auto` does what the paper would choose.
fn choice(tally: &mut Tally, instance: &Instance, problem: &Problem) {
    let sufficient = instance.expect("sufficient").as_bool().unwrap();
    let chosen = if sufficient { Policy::MMaxt } else { Policy::MStet };
    let (got, expected) = (rates(problem, Policy::MAuto), rates(problem, chosen));
    tally.check(&instance.id, got == expected, || format!("m-auto {got:?}, not {expected:?}"));
}

#[test]
fn a_hundred_thousand_sites_are_no_less_exact() {
    let Some(given) = instances("generated") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let mut sites = generated(&instance.raw["generator"]);
        let sum: f64 = sites.iter().map(|site| site.size).sum();
        tally.number(&instance.id, sum, instance.expect("sum_D"), instance.tolerance);
        // Highest rates are for other figures of this instance.
        sites.iter_mut().for_each(|site| site.max_rate = f64::INFINITY);
        let needed = at_constant_rates(&sites);
        tally.number(&instance.id, needed, instance.expect("U_bar"), instance.tolerance);
        for (name, policy, part) in [
            ("m-maxt_at_1.1Ubar", Policy::MMaxt, 1.1),
            ("m-sumt_at_1.1Ubar", Policy::MSumt, 1.1),
            ("m-stet_at_0.7Ubar", Policy::MStet, 0.7),
        ] {
            at_cap(&mut tally, instance, &sites, (name, policy, part * needed));
        }
    }
    tally.end(3 * 7);
}

fn at_cap(
    tally: &mut Tally,
    instance: &Instance,
    sites: &[Site],
    (name, policy, cap): (&str, Policy, f64),
) {
    let problem = Problem { cap: Cap::constant(cap), at_once: None, sites: sites.to_vec() };
    let score = rates(&problem, policy).unwrap().score(sites);
    for (field, expected) in instance.expect(name).as_object().unwrap() {
        let got = match field.as_str() {
            "max_t" => score.max_end,
            "sum_t" => score.sum_end,
            "sum_tardiness" => score.sum_tardiness,
            other => panic!("{name}: {other} is not known"),
        };
        tally.number(&format!("{} {name} {field}", instance.id), got, expected, instance.tolerance);
    }
}
