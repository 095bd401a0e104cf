//! Whether the bandwidth cap holds on the wire: the real `weir` crawls servers with true TCP over a pair of
//! interfaces, whose own counters are read a hundred times a second.
//!
//! `cargo xtask capcheck` builds both and starts this; docs/cap.md says what the columns mean. Read next:
//! `catalogue.rs` (what is run), `run.rs` (one run), `judge.rs` (what is expected).

mod catalogue;
mod client;
mod clock;
mod cost;
mod fair;
mod figures;
mod judge;
mod lab;
mod machine;
mod meter;
mod report;
mod run;
mod scenario;
mod series;
mod serve;
mod servers;
mod settings;
mod table;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};

use lab::Place;
use run::Bench;
use scenario::{Aim, Scenario};
use table::Verdict;

#[derive(Parser)]
#[command(about = "Checks on the wire that weir holds its bandwidth cap.")]
struct Args {
    /// The command to check
    #[arg(long, default_value = "weir")]
    weir: PathBuf,
    /// Folder for what a run leaves: settings, samples, error output
    #[arg(long, default_value = "capcheck")]
    folder: PathBuf,
    /// Length of each run [default: 16, or 12 in the short form]
    #[arg(long, value_parser = clap::value_parser!(u64).range(3..))]
    seconds: Option<u64>,
    /// Only scenarios whose line has all these words, such as "mixed 1MB/s shape" (repeatable)
    #[arg(long, value_name = "WORDS")]
    only: Vec<String>,
    /// A few runs of `shape` only; one that fails is tried up to three times more
    #[arg(long)]
    short: bool,
    /// Say what would be run
    #[arg(long)]
    list: bool,
    /// Leave segmentation offload on: fewer, larger packets than on a real line
    #[arg(long)]
    offload: bool,
    /// On loopback, without namespaces
    #[arg(long)]
    loopback: bool,
    #[command(subcommand)]
    part: Option<Part>,
}

/// What other processes of the check do.
#[derive(Subcommand)]
#[command(hide = true)]
enum Part {
    Serve {
        /// How to lay it, as JSON
        #[arg(long)]
        wire: Option<String>,
    },
    Probe,
    Exec {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.part {
        Some(Part::Probe) => lab::try_wire().map(|()| true),
        Some(Part::Exec { words }) => client::become_program(words).map(|()| true),
        Some(Part::Serve { wire }) => serve_apart(wire.as_deref()).map(|()| true),
        None => check(&args),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("capcheck: {why:#}");
            ExitCode::FAILURE
        }
    }
}

fn serve_apart(wire: Option<&str>) -> Result<()> {
    client::die_with_parent()?;
    if let Some(laying) = wire {
        lab::lay(&serde_json::from_str(laying)?)?;
    }
    serve::run()
}

const TRIES: u32 = 2;
/// Where tests run, other things do too.
const SHORT_TRIES: u32 = 4;
/// Numbers that each scenario has for itself.
const RUNS: u32 = 80;

/// Runs what is asked for. True if nothing failed.
fn check(args: &Args) -> Result<bool> {
    let chosen: Vec<Scenario> =
        catalogue::all().into_iter().filter(|scenario| args.wants(scenario)).collect();
    ensure!(!chosen.is_empty(), "no scenario has all of these words: see --list");
    if args.list {
        chosen.iter().for_each(|scenario| println!("{}", scenario.title()));
        return Ok(true);
    }
    let bench = Bench {
        place: place(args),
        weir: args.weir.clone(),
        folder: std::path::absolute(&args.folder)?,
        seconds: args.seconds.unwrap_or(if args.short { 12 } else { 16 }),
        offload: args.offload,
    };
    println!("{}", table::HEAD);
    let outcomes: Vec<(String, Outcome)> = chosen
        .iter()
        .zip(0..)
        .map(|(scenario, at)| (scenario.title(), outcome(&bench, scenario, at, args.short)))
        .collect();
    let those = |wanted: Outcome| {
        let fits = move |(_, outcome): &&(String, Outcome)| *outcome == wanted;
        outcomes.iter().filter(fits).map(|(title, _)| title)
    };
    let (failed, not_judged) = (those(Outcome::Failed).count(), those(Outcome::NotJudged).count());
    let judged = chosen.iter().filter(|scenario| scenario.is_judged()).count() - not_judged;
    println!("{} of {judged} judged runs are as they should be", judged - failed);
    those(Outcome::NotJudged).for_each(|title| {
        println!("SKIPPED: {title}: each time too much of the machine was stolen to judge it");
    });
    those(Outcome::Failed).for_each(|title| println!("FAILED: {title}"));
    Ok(failed == 0)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Passed,
    NotJudged,
    Failed,
}

/// Runs a scenario, and some more times if it fails: the figures are of milliseconds.
fn outcome(bench: &Bench, scenario: &Scenario, at: u32, short: bool) -> Outcome {
    let tries = if short { SHORT_TRIES } else { TRIES };
    let tries = (0..tries).map(|again| {
        if again > 0 {
            println!("  once more, for the machine may have been busy:");
        }
        try_one(bench, scenario, RUNS * at + again * (RUNS / SHORT_TRIES))
    });
    best(tries)
}

/// Of tries that end with the first that passes. One that could be judged and failed counts for more than any that could not.
fn best(tries: impl Iterator<Item = Outcome>) -> Outcome {
    let mut so_far = Outcome::NotJudged;
    for outcome in tries {
        match outcome {
            Outcome::Passed => return Outcome::Passed,
            Outcome::NotJudged => {}
            Outcome::Failed => so_far = Outcome::Failed,
        }
    }
    so_far
}

fn place(args: &Args) -> Place {
    if args.loopback {
        return Place::Loopback;
    }
    match lab::probe().and_then(|()| lab::enter()) {
        Ok(()) => Place::Wire,
        Err(why) => {
            println!(
                "SKIPPED: capcheck on a wire: {why:#}; on loopback instead, by the servers' count"
            );
            Place::Loopback
        }
    }
}

/// Runs a scenario and prints its line.
fn try_one(bench: &Bench, scenario: &Scenario, number: u32) -> Outcome {
    let passed_if = |good: bool| if good { Outcome::Passed } else { Outcome::Failed };
    let failed = |why: anyhow::Error| {
        println!("{:<42} {:<9} ERROR: {why:#}", scenario.name, scenario.client.name());
        !scenario.is_judged()
    };
    if scenario.aim == Aim::Cost {
        return passed_if(cost::is_small(bench, scenario, number).unwrap_or_else(failed));
    }
    let figures = match run::run(bench, scenario, number) {
        Ok(figures) => figures,
        Err(why) => return passed_if(failed(why)),
    };
    let misses = judge::misses(scenario, &figures);
    let (verdict, outcome) = match scenario.is_judged() {
        false => (Verdict::Shown, Outcome::Passed),
        true if misses.is_empty() => (Verdict::Passed, Outcome::Passed),
        true if judge::is_no_evidence(scenario, &figures) => {
            (Verdict::NotJudged(misses), Outcome::NotJudged)
        }
        true => (Verdict::Failed(misses), Outcome::Failed),
    };
    println!("{}", table::line(scenario, &figures, &verdict));
    outcome
}

impl Args {
    fn wants(&self, scenario: &Scenario) -> bool {
        let title = scenario.title();
        let has = |word: &str| title.split(' ').any(|part| part == word);
        let fits = |words: &String| words.split_whitespace().all(has);
        let short = !self.short || scenario.in_short && scenario.is_judged();
        short && (self.only.is_empty() || self.only.iter().any(fits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_could_be_judged_is_not_excused_by_tries_that_could_not() {
        use Outcome::{Failed, NotJudged, Passed};
        assert_eq!(best([NotJudged, Failed, NotJudged].into_iter()), Failed);
        assert_eq!(best([NotJudged, NotJudged].into_iter()), NotJudged);
        assert_eq!(best([Failed, NotJudged, Passed, Failed].into_iter()), Passed);
    }
}
