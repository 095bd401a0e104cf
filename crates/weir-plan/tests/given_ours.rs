//! The given instances for our own policies, where rates may change over time: exact optima of
//! small problems, bounds for large ones.
#![allow(clippy::unwrap_used)]

mod given;

use given::{Instance, Tally, Tolerance, generated, instances};
use serde_json::Value;
use weir_plan::{
    Allocation, Cap, Goal, Options, Policy, Problem, Score, Site, allocate, judge, needed,
};

fn plan(problem: &Problem, policy: Policy) -> Allocation {
    let plan = allocate(problem, policy, &Options::default()).unwrap();
    assert_eq!(plan.fault(&problem.cap, problem.at_once, &problem.sites), None, "{policy}");
    plan
}

fn score(problem: &Problem, policy: Policy) -> Score {
    plan(problem, policy).score(&problem.sites)
}

fn late(problem: &Problem, score: &Score) -> usize {
    problem.sites.len() - score.met
}

/// A verdict within a rounding of the border may go either way.
fn on_the_border(problem: &Problem) -> bool {
    let own = problem.sites.iter().filter(|site| site.size > 0.0 && site.deadline.is_some());
    let slow = own.map(|site| site.size / site.max_rate / site.due());
    let scale = judge(problem).least_scale;
    slow.chain([scale]).any(|part| (part - 1.0).abs() < 1e-6)
}

/// The means that are promised for a set of instances.
#[derive(Default)]
struct Means {
    ratios: Vec<f64>,
    excesses: Vec<f64>,
}

impl Means {
    fn end(&self, name: &str, ratio: (f64, f64), excess: f64) {
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len().max(1) as f64;
        let worst = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
        eprintln!(
            "{name}: sum of ends {:.6} times the least on average, {:.6} at worst ({} in time); excess lateness {:.6}, {:.6} ({} in overload)",
            mean(&self.ratios),
            worst(&self.ratios),
            self.ratios.len(),
            mean(&self.excesses),
            worst(&self.excesses),
            self.excesses.len()
        );
        assert!(!self.ratios.is_empty() && !self.excesses.is_empty());
        assert!(mean(&self.ratios) <= ratio.0 && worst(&self.ratios) <= ratio.1);
        assert!(mean(&self.excesses) <= excess);
    }
}

/// What is known of the best plans with changing rates, against what `deadline` does.
fn ours(
    tally: &mut Tally,
    means: &mut Means,
    instance: &Instance,
    problem: &Problem,
    best: &Value,
) {
    let what = |name: &str| format!("{} {name}", instance.id);
    let got = score(problem, Policy::Deadline);
    let feasible = best["feasible"].as_bool().unwrap();
    let verdict = judge(problem);
    if !on_the_border(problem) {
        tally.check(&what("feasible"), verdict.feasible == feasible, || {
            verdict.feasible.to_string()
        });
    }
    if feasible {
        tally.check(&what("late"), late(problem, &got) == 0, || late(problem, &got).to_string());
    }
    if let Some(least) = best["sum_C_deadlines"].as_f64() {
        let ratio = got.sum_end / least;
        tally.check(&what("sum of ends"), ratio >= 1.0 - 1e-6, || format!("{ratio} is too good"));
        means.ratios.push(ratio);
    }
    let weighted = best["sum_wT"].as_f64().map(|least| (got.weighted_tardiness, least));
    let plain = best["sum_T"].as_f64().map(|least| (got.sum_tardiness, least));
    if let Some((late, least)) = weighted.or(plain).filter(|_| !feasible) {
        let due: Vec<f64> = problem.sites.iter().filter_map(|site| site.deadline).collect();
        let mean_due = due.iter().sum::<f64>() / due.len() as f64;
        tally.check(&what("lateness"), late >= least * (1.0 - 1e-6) - 1e-9, || format!("{late}"));
        means.excesses.push((late - least) / (least + 0.05 * mean_due));
    }
    bounds(tally, instance, problem, best);
}

fn bounds(tally: &mut Tally, instance: &Instance, problem: &Problem, best: &Value) {
    let what = |name: &str| format!("{} {name}", instance.id);
    let close = instance.tolerance;
    let verdict = judge(problem);
    if best.get("U_min").is_some() && !on_the_border(problem) {
        tally.number(&what("U_min"), verdict.least_cap.unwrap(), &best["U_min"], close);
    }
    // As exact as times of this size can be.
    let longest = problem.sites.iter().filter_map(|site| site.deadline).fold(0.0, f64::max);
    let close = Tolerance { abs: close.abs.max(longest * 1e-9), ..close };
    for (name, got) in
        [("L_max", verdict.least_lateness), ("max_bytes_by_deadline", verdict.most_in_time)]
    {
        if let (Some(got), Some(_)) = (got, best.get(name)) {
            tally.number(&what(name), got, &best[name], close);
        }
    }
    if best["feasible"] == true && best["max_C"].is_number() {
        let last = Options { goal: Goal::Last, ..Options::default() };
        let got = allocate(problem, Policy::Deadline, &last).unwrap().score(&problem.sites);
        tally.number(
            &what("max_C"),
            got.max_end,
            &best["max_C"],
            Tolerance { rel: 1e-6, abs: 1e-6 },
        );
        tally.check(&what("late"), late(problem, &got) == 0, || "late for an early end".to_owned());
    }
    if let Some(least) = best["late_min"].as_u64().filter(|_| !on_the_border(problem)) {
        let got = late(problem, &score(problem, Policy::MinLate)) as u64;
        tally.check(&what("late_min"), got == least, || format!("{got}, not {least}"));
    }
}

#[test]
fn changing_rates_without_highest_rates_are_the_best_there_are() {
    let Some(mut given) = instances("malleable") else { return };
    given.retain(|instance| {
        instance.problem().sites.iter().all(|site| site.max_rate == f64::INFINITY)
    });
    let (mut tally, mut means) = (Tally::default(), Means::default());
    for instance in &given {
        let problem = instance.problem();
        ours(&mut tally, &mut means, instance, &problem, &instance.raw["expect"]);
        let edf = score(&problem, Policy::Edf).sum_tardiness;
        tally.number(&instance.id, edf, instance.expect("sum_T_edf"), instance.tolerance);
        fair(&mut tally, instance, &problem);
    }
    means.end("any rate", (1.0001, 1.0001), 0.02);
    tally.end(28 * 6);
}

#[test]
fn changing_rates_with_highest_rates_are_near_the_best() {
    let Some(mut given) = instances("malleable") else { return };
    given.retain(|instance| {
        instance.problem().sites.iter().any(|site| site.max_rate < f64::INFINITY)
    });
    let (mut tally, mut means) = (Tally::default(), Means::default());
    for instance in &given {
        let problem = instance.problem();
        ours(&mut tally, &mut means, instance, &problem, &instance.raw["expect"]);
        fair(&mut tally, instance, &problem);
        let reference = &instance.expect("reference_plan")["sum_C"];
        if let Some(sum) = reference.as_f64().filter(|_| judge(&problem).feasible) {
            let got = score(&problem, Policy::Deadline).sum_end;
            tally.check(&instance.id, got <= sum * (1.0 + 1e-9), || format!("{got}, not {sum}"));
        }
    }
    means.end("highest rates", (1.03, 1.10), 0.10);
    tally.end(28 * 4);
}

fn fair(tally: &mut Tally, instance: &Instance, problem: &Problem) {
    if let Some(expected) = instance.expect("wdeq").get("C") {
        let got = plan(problem, Policy::Fair);
        tally.list(&format!("{} wdeq", instance.id), &got.end, expected, instance.tolerance);
    }
}

#[test]
fn the_papers_own_problems_are_solved_better_than_by_constant_rates() {
    let (mut tally, mut means) = (Tally::default(), Means::default());
    for kind in ["static", "task"] {
        let Some(given) = instances(kind) else { return };
        for instance in &given {
            let problem = instance.problem();
            let best = instance.expect("malleable");
            let mut best = best.clone();
            if best["feasible"].is_null() {
                best["feasible"] =
                    Value::from(best["U_min"].as_f64().unwrap() <= instance.number("U"));
            }
            ours(&mut tally, &mut means, instance, &problem, &best);
            if let Some(mdd) = best["sum_T_mdd"].as_f64() {
                let got = score(&problem, Policy::Deadline).sum_tardiness;
                tally.check(&instance.id, got <= mdd * (1.0 + 1e-9) + 1e-9, || {
                    format!("{got}, mdd {mdd}")
                });
            }
        }
    }
    means.end("the paper's", (1.0001, 1.0001), 0.02);
    tally.end(113 * 4);
}

#[test]
fn a_changing_cap_and_late_comers_are_judged_exactly_and_kept() {
    let Some(given) = instances("profile") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let problem = instance.problem();
        let what = |name: &str| format!("{} {name}", instance.id);
        let verdict = judge(&problem);
        let close = instance.tolerance;
        tally.number(&what("min_scale"), verdict.least_scale, instance.expect("min_scale"), close);
        let feasible = instance.expect("feasible").as_bool().unwrap();
        tally.check(&what("feasible"), verdict.feasible == feasible, || {
            verdict.feasible.to_string()
        });
        let volume = verdict.most_in_time.unwrap();
        tally.number(&what("bytes"), volume, instance.expect("max_bytes_by_deadline"), close);
        let got = score(&problem, Policy::Deadline);
        tally.check(&what("late"), !feasible || late(&problem, &got) == 0, || got.met.to_string());
        for policy in [Policy::Edf, Policy::Fair, Policy::MinLate, Policy::Stretch] {
            let other = score(&problem, policy);
            let worse = got.sum_tardiness <= other.sum_tardiness + 1e-6;
            tally.check(&what(policy.name()), worse, || format!("{got:?} {other:?}"));
        }
    }
    tally.end(12 * 8);
}

#[test]
fn a_hundred_thousand_sites_are_planned_as_exactly() {
    let Some(given) = instances("generated") else { return };
    let mut tally = Tally::default();
    for instance in &given {
        let capped = generated(&instance.raw["generator"]);
        let close = instance.tolerance;
        let least = needed::least_cap(&capped);
        tally.number(&instance.id, least, instance.expect("U_min_capped"), close);
        let free = |site: &Site| Site { max_rate: f64::INFINITY, ..site.clone() };
        let sites: Vec<Site> = capped.iter().map(free).collect();
        let least = needed::least_cap(&sites);
        tally.number(&instance.id, least, instance.expect("U_min_uncapped"), close);
        let at = |part: f64| Problem {
            cap: Cap::constant(least * part),
            at_once: None,
            sites: sites.clone(),
        };
        let in_time = score(&at(1.05), Policy::Deadline);
        tally.number(
            &instance.id,
            in_time.sum_end,
            instance.expect("smith_sum_C_at_1.05Umin"),
            close,
        );
        tally.check(&instance.id, in_time.met == sites.len(), || in_time.met.to_string());
        let overload = at(0.8);
        let edf = score(&overload, Policy::Edf).sum_tardiness;
        tally.number(&instance.id, edf, instance.expect("edf_sum_T_at_0.8Umin"), close);
        let few = late(&overload, &score(&overload, Policy::MinLate));
        tally.count(&instance.id, few, instance.expect("late_min_at_0.8Umin"));
        let mdd = instance.expect("mdd_sum_T_at_0.8Umin").as_f64().unwrap();
        let got = score(&overload, Policy::Deadline).sum_tardiness;
        tally.check(&instance.id, got <= mdd * (1.0 + 1e-6), || format!("{got}, mdd {mdd}"));
        if let Some(late) = judge(&overload).least_lateness {
            tally.number(&instance.id, late, instance.expect("L_max_at_0.8Umin"), close);
        }
        slow_sites_are_in_time(&mut tally, instance, capped);
    }
    tally.end(3 * 8);
}

/// With their highest rates, at 5 % above what they need; the largest set takes too long here.
fn slow_sites_are_in_time(tally: &mut Tally, instance: &Instance, sites: Vec<Site>) {
    if sites.len() > 10_000 {
        return;
    }
    let cap = Cap::constant(needed::least_cap(&sites) * 1.05);
    let problem = Problem { cap, at_once: None, sites };
    let got = score(&problem, Policy::Deadline);
    tally.check(&instance.id, got.met == problem.sites.len(), || format!("{} in time", got.met));
}
