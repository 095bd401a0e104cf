use std::path::Path;

use anyhow::Result;
use serde_json::json;
use weir_plan::{Policy, Refused};
use weir_sim::report;
use weir_sim::run::{Outcome, run_watched};
use weir_sim::scenario::Scenario;

use super::{Progress, json, print, write};
use crate::args::SimulateArgs;
use crate::exit::{Exit, WrongUse};

pub fn run(file: &Path, args: &SimulateArgs) -> Result<Exit> {
    let scenario = read(file, args)?;
    let (outcomes, refused) = all_runs(&scenario, args.quiet);
    for (policy, why) in &refused {
        eprintln!("{policy} is left out: {why}");
    }
    if outcomes.is_empty() {
        return Err(WrongUse("no policy can be used with this scenario".to_owned()).into());
    }
    let (summary, sites) = (report::summary(&outcomes), report::sites(&outcomes));
    if args.out.is_some() {
        let note = format!("weir simulate -c {}", file.display());
        let mut files: Vec<(String, String)> = [&summary, &sites, &report::rates(&outcomes)]
            .map(|table| (format!("{}.csv", table.name), table.csv(&note)))
            .to_vec();
        let pictures = report::pictures(&outcomes);
        files.extend(pictures.into_iter().map(|(name, svg)| (format!("{name}.svg"), svg)));
        write(args.out.as_deref(), &files)?;
    }
    if args.json {
        let refused: Vec<_> = refused
            .iter()
            .map(|(policy, why)| json!({"policy": policy.name(), "why": why.to_string()}))
            .collect();
        let all = json!({"summary": json::rows(&summary), "sites": json::rows(&sites), "refused": refused});
        print(&format!("{all}\n"))?;
    } else {
        print(&summary.plain())?;
    }
    Ok(Exit::Done)
}

fn read(file: &Path, args: &SimulateArgs) -> Result<Scenario> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|why| WrongUse(format!("cannot read {shown}: {why}; check the path")))?;
    let mut scenario = Scenario::parse(&text).map_err(|why| WrongUse(format!("{shown}: {why}")))?;
    if !args.policy.is_empty() {
        scenario.policies = args.policy.clone();
    }
    scenario.seed = args.seed.unwrap_or(scenario.seed);
    Ok(scenario)
}

/// Every policy with every seed; a policy that does not apply is left out, with the reason.
fn all_runs(scenario: &Scenario, quiet: bool) -> (Vec<Outcome>, Vec<(Policy, Refused)>) {
    let (mut outcomes, mut refused) = (Vec::new(), Vec::new());
    let all = scenario.policies.len() * scenario.runs as usize;
    let mut progress = Progress::new(quiet);
    'policies: for (index, &policy) in scenario.policies.iter().enumerate() {
        for (run, seed) in scenario.seeds().enumerate() {
            let done = index * scenario.runs as usize + run;
            let mut watch = |part: f64| {
                progress.say(
                    done,
                    all,
                    &format!("{policy} with seed {seed}, {:.0} %", part * 100.0),
                );
            };
            match run_watched(&scenario.world(seed), policy, seed, &mut watch) {
                Ok(outcome) => outcomes.push(outcome),
                Err(why) => {
                    outcomes.retain(|outcome: &Outcome| outcome.policy != policy);
                    refused.push((policy, why));
                    continue 'policies;
                }
            }
        }
    }
    (outcomes, refused)
}
