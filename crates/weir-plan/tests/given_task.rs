//! The given instances with more sites than may run at once.
#![allow(clippy::unwrap_used)]

mod given;

use given::{Instance, Tally, instances};
use weir_plan::rounds::{Rounds, Rule, anew_each_round, in_groups, set_once};
use weir_plan::{Goal, Options, Policy, Problem, allocate};

const POLICIES: [Policy; 6] = [
    Policy::ReallocMaxt,
    Policy::ReallocSumt,
    Policy::ReallocProbandwidth,
    Policy::AllocOnceMaxt,
    Policy::AllocOnceSumt,
    Policy::ReallocProdata,
];

#[test]
fn rounds_go_as_the_paper_means_them() {
    let Some(given) = instances("task") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        for policy in POLICIES {
            compare(&mut tally, instance, &instance.problem(), policy);
        }
    }
    tally.end(14_000);
}

fn compare(tally: &mut Tally, instance: &Instance, problem: &Problem, policy: Policy) {
    let what = |field: &str| format!("{} {policy} {field}", instance.id);
    let expected = instance.expect(policy.name());
    let close = instance.tolerance;
    let plan = allocate(problem, policy, &Options::default()).unwrap();
    let fault = plan.fault(&problem.cap, problem.at_once, &problem.sites);
    tally.check(&what("plan"), fault.is_none(), || format!("{fault:?}"));
    tally.list(&what("start"), &plan.start, &expected["start"], close);
    tally.list(&what("end"), &plan.end, &expected["end"], close);
    tally.count(&what("rounds"), plan.rounds.unwrap(), &expected["rounds"]);
    let score = plan.score(&problem.sites);
    tally.number(&what("max_end"), score.max_end, &expected["max_end"], close);
    tally.number(&what("sum_end"), score.sum_end, &expected["sum_end"], close);
    tally.number(&what("sum_exec"), score.sum_exec, &expected["sum_exec"], close);
    tally.number(&what("sum_tardiness"), score.sum_tardiness, &expected["sum_tardiness"], close);
    tally.count(&what("n_met"), score.met, &expected["n_met"]);
    if expected.get("first_round_v").is_some() {
        let (sites, v): (Vec<f64>, Vec<f64>) =
            first_round(problem, policy).first.iter().map(|&(site, v)| (site as f64, v)).unzip();
        tally.list(&what("first_round_sites"), &sites, &expected["first_round_sites"], close);
        tally.list(&what("first_round_v"), &v, &expected["first_round_v"], close);
    }
}

fn first_round(problem: &Problem, policy: Policy) -> Rounds {
    let (sites, m) = (problem.sites.as_slice(), problem.at_once);
    let cap = problem.cap.fixed().unwrap();
    match policy {
        Policy::ReallocMaxt => anew_each_round(sites, cap, m, Rule::Auto(Goal::Last)),
        Policy::ReallocSumt => anew_each_round(sites, cap, m, Rule::Auto(Goal::Sum)),
        Policy::ReallocProbandwidth => anew_each_round(sites, cap, m, Rule::ProBandwidth),
        Policy::AllocOnceMaxt => set_once(sites, cap, m, Rule::Auto(Goal::Last)),
        Policy::AllocOnceSumt => set_once(sites, cap, m, Rule::Auto(Goal::Sum)),
        _ => in_groups(sites, cap, m),
    }
}
