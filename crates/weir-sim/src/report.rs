//! What came of the runs of a scenario: tables, and a picture for each policy.

use weir_plan::{Allocation, Cap, Policy};

use crate::chart::{self, Panel, Plan};
use crate::run::Outcome;
use crate::table::{Cell, Table};

/// One line for each policy, with means over its runs.
pub fn summary(outcomes: &[Outcome]) -> Table {
    let columns = [
        "policy",
        "runs",
        "sites",
        "with_deadline",
        "late",
        "most_late",
        "late_by_s",
        "worst_late_s",
        "on_time",
        "mean_end_s",
        "last_end_s",
        "unfinished",
        "utilisation",
    ];
    let mut table = Table::new("summary", columns);
    for policy in policies(outcomes) {
        let runs: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.policy == policy).collect();
        table.push(line(policy, &runs));
    }
    table
}

fn line(policy: Policy, runs: &[&Outcome]) -> Vec<Cell> {
    let mean = |of: &dyn Fn(&Outcome) -> f64| {
        runs.iter().map(|run| of(run)).sum::<f64>() / runs.len() as f64
    };
    let most = |of: &dyn Fn(&Outcome) -> f64| runs.iter().map(|run| of(run)).fold(0.0, f64::max);
    let sites = |run: &Outcome| run.problem.sites.len() as f64;
    let worst = |run: &Outcome| {
        (0..run.names.len()).filter_map(|site| run.lateness(site)).fold(0.0, f64::max)
    };
    let on_time = |run: &Outcome| {
        let all: f64 = run.problem.sites.iter().map(|site| site.size).sum();
        run.on_time.iter().sum::<f64>() / all
    };
    let unfinished = |run: &Outcome| run.plan.end.iter().filter(|end| end.is_infinite()).count();
    vec![
        policy.name().into(),
        runs.len().into(),
        mean(&sites).into(),
        mean(&|run| run.with_deadline() as f64).into(),
        mean(&|run| run.late() as f64).into(),
        most(&|run| run.late() as f64).into(),
        mean(&|run| run.score().sum_tardiness).into(),
        most(&worst).into(),
        mean(&on_time).into(),
        mean(&|run| run.score().sum_end / sites(run)).into(),
        mean(&|run| run.score().max_end).into(),
        mean(&|run| unfinished(run) as f64).into(),
        mean(&Outcome::used).into(),
    ]
}

/// One line for each site of each run.
pub fn sites(outcomes: &[Outcome]) -> Table {
    let columns = [
        "policy",
        "seed",
        "site",
        "bytes",
        "predicted_bytes",
        "release_s",
        "deadline_s",
        "start_s",
        "end_s",
        "met",
        "late_by_s",
        "bytes_on_time",
    ];
    let mut table = Table::new("sites", columns);
    for outcome in outcomes {
        for (index, site) in outcome.problem.sites.iter().enumerate() {
            let late = outcome.lateness(index);
            let met = late.map(|late| if late <= site.due().abs() * 1e-9 { "yes" } else { "no" });
            table.push(vec![
                outcome.policy.name().into(),
                (outcome.seed as usize).into(),
                outcome.names[index].as_str().into(),
                site.size.into(),
                outcome.predicted[index].into(),
                site.release.into(),
                site.deadline.into(),
                outcome.plan.start[index].into(),
                outcome.plan.end[index].into(),
                met.into(),
                late.into(),
                outcome.on_time[index].into(),
            ]);
        }
    }
    table
}

/// Who got what rate when, for the first run of each policy.
pub fn rates(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new("rates", ["policy", "seed", "site", "from_s", "to_s", "rate"]);
    for outcome in first_runs(outcomes) {
        for piece in &outcome.plan.pieces {
            table.push(vec![
                outcome.policy.name().into(),
                (outcome.seed as usize).into(),
                outcome.names[piece.site].as_str().into(),
                piece.from.into(),
                piece.to.into(),
                piece.rate.into(),
            ]);
        }
    }
    table
}

/// The first run of each policy as a picture, with the policy's name.
pub fn pictures(outcomes: &[Outcome]) -> Vec<(String, String)> {
    let picture = |outcome: &Outcome| {
        let title = outcome.policy.name();
        let late = match outcome.late() {
            0 => "nobody is late".to_owned(),
            late => format!("{late} late, by {:.0} s in all", outcome.score().sum_tardiness),
        };
        let caption = format!(
            "{} sites, {} with a deadline: {late}. Areas are the rates as they were, on top of each other. \
             Seed {}.",
            outcome.names.len(),
            outcome.with_deadline(),
            outcome.seed
        );
        (outcome.policy.to_string(), chart::svg(title, &caption, &[Panel::Plan(plan(outcome))]))
    };
    first_runs(outcomes).map(picture).collect()
}

fn plan(outcome: &Outcome) -> Plan {
    let plan = Plan::new("", &outcome.problem, &outcome.plan, &outcome.names);
    in_units(plan, &outcome.plan, &outcome.problem.cap)
}

/// The picture of an allocation of bytes and seconds, in units that fit it.
pub(crate) fn in_units(mut plan: Plan, shown: &Allocation, cap: &Cap) -> Plan {
    let last = shown.pieces.iter().map(|piece| piece.to).fold(0.0, f64::max);
    plan.time_unit = match last {
        14_400.0.. => (3600.0, "h".to_owned()),
        600.0.. => (60.0, "min".to_owned()),
        _ => (1.0, "s".to_owned()),
    };
    plan.rate_unit = match cap.highest() {
        1e9.. => (1e9, "GB/s".to_owned()),
        1e6.. => (1e6, "MB/s".to_owned()),
        1e3.. => (1e3, "KB/s".to_owned()),
        _ => (1.0, "B/s".to_owned()),
    };
    plan
}

fn first_runs(outcomes: &[Outcome]) -> impl Iterator<Item = &Outcome> {
    policies(outcomes)
        .into_iter()
        .filter_map(|policy| outcomes.iter().find(|outcome| outcome.policy == policy))
}

/// In the order of the runs, each once.
fn policies(outcomes: &[Outcome]) -> Vec<Policy> {
    let mut policies = Vec::new();
    for outcome in outcomes {
        if !policies.contains(&outcome.policy) {
            policies.push(outcome.policy);
        }
    }
    policies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::run;
    use crate::scenario::Scenario;

    fn outcomes() -> Vec<Outcome> {
        let text = "cap = \"1MB/s\"\nerror = 0.3\n[[site]]\nname = \"a <b>\"\nsize = \"5MB\"\n\
                    within = \"4s\"\n[[site]]\nsize = \"2MB\"\nwithin = 9\n[[site]]\nsize = \"1MB\"";
        let world = Scenario::parse(text).unwrap().world(1);
        let policies = [Policy::Edf, Policy::Edf, Policy::Fair];
        policies.iter().zip(1..).map(|(policy, seed)| run(&world, *policy, seed).unwrap()).collect()
    }

    #[test]
    fn a_policy_has_one_line_however_often_it_ran() {
        let table = summary(&outcomes());
        assert_eq!(table.rows.len(), 2);
        assert_eq!(table.column("runs").unwrap(), [2.0, 1.0]);
        assert_eq!(table.column("late").unwrap()[0], 1.0);
        assert!((table.column("late_by_s").unwrap()[0] - 1.0).abs() < 1e-6);
        assert!((table.column("on_time").unwrap()[0] - 7.0 / 8.0).abs() < 1e-6);
        assert!((table.column("utilisation").unwrap()[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn sites_and_rates_are_told_in_full() {
        let outcomes = outcomes();
        assert_eq!(sites(&outcomes).rows.len(), 9);
        let rates = rates(&outcomes);
        let bytes = |policy: &str| {
            let rows = rates.rows.iter().filter(|row| row[0] == Cell::from(policy));
            let number = |cell: &Cell| if let Cell::Number(number) = cell { *number } else { 0.0 };
            rows.map(|row| number(&row[5]) * (number(&row[4]) - number(&row[3]))).sum::<f64>()
        };
        assert!((bytes("edf") - 8e6).abs() < 1.0 && (bytes("fair") - 8e6).abs() < 1.0);
    }

    #[test]
    fn there_is_a_picture_for_each_policy() {
        let pictures = pictures(&outcomes());
        assert_eq!(pictures.len(), 2);
        assert!(pictures[0].1.contains("a &lt;b&gt;") && pictures[0].1.contains("late by 1 s"));
    }
}
