//! Whether the bandwidth cap holds on the wire: the real `weir` crawls servers with true TCP over a pair of
//! interfaces, whose own counters are read a hundred times a second.
//!
//! `cargo xtask capcheck` builds both and starts this; docs/cap.md says what the columns mean. Read next:
//! `catalogue.rs` (what is run), `run.rs` (one run), `judge.rs` (what is expected).

mod catalogue;
mod client;
mod clock;
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
use scenario::Scenario;
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
    /// Length of each run
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(3..))]
    seconds: u64,
    /// Only scenarios whose line has all these words, such as "mixed 1MB/s shape" (repeatable)
    #[arg(long, value_name = "WORDS")]
    only: Vec<String>,
    /// A few runs of `shape` only; one that fails is tried once more
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
        #[arg(long)]
        wire: Option<u32>,
        #[arg(long, default_value_t = 0)]
        crawler: u32,
        #[arg(long)]
        offload: bool,
    },
    Exec {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<String>,
    },
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match &args.part {
        Some(Part::Exec { words }) => client::become_program(words).map(|()| true),
        Some(Part::Serve { wire, crawler, offload }) => {
            serve_apart(*wire, *crawler, *offload).map(|()| true)
        }
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

fn serve_apart(wire: Option<u32>, crawler: u32, offload: bool) -> Result<()> {
    client::die_with_parent()?;
    if let Some(number) = wire {
        lab::leave_the_crawler()?;
        lab::lay(number, crawler, offload)?;
    }
    serve::run()
}

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
        seconds: args.seconds,
        offload: args.offload,
    };
    println!("{}", table::HEAD);
    let mut failed = 0;
    for (number, scenario) in chosen.iter().enumerate() {
        let mut good = try_one(&bench, scenario, 2 * number as u32);
        if !good && args.short {
            println!("  once more, for the machine may have been busy:");
            good = try_one(&bench, scenario, 2 * number as u32 + 1);
        }
        failed += u32::from(!good);
    }
    println!("{}", if failed == 0 { "the cap holds".into() } else { format!("{failed} FAILED") });
    Ok(failed == 0)
}

fn place(args: &Args) -> Place {
    if args.loopback {
        return Place::Loopback;
    }
    match lab::enter() {
        Ok(()) => Place::Wire,
        Err(why) => {
            eprintln!(
                "SKIPPED: capcheck on a wire: {why:#}; on loopback instead, by the servers' count"
            );
            Place::Loopback
        }
    }
}

/// Runs a scenario and prints its line. True if it is as it should be.
fn try_one(bench: &Bench, scenario: &Scenario, number: u32) -> bool {
    let figures = match run::run(bench, scenario, number) {
        Ok(figures) => figures,
        Err(why) => {
            println!("{:<42} {:<9} ERROR: {why:#}", scenario.name, scenario.client.name());
            return !scenario.is_judged();
        }
    };
    let misses = judge::misses(scenario, &figures);
    let verdict = match scenario.is_judged() {
        false => Verdict::Shown,
        true if misses.is_empty() => Verdict::Passed,
        true => Verdict::Failed(misses),
    };
    println!("{}", table::line(scenario, &figures, &verdict));
    !matches!(verdict, Verdict::Failed(_))
}

impl Args {
    fn wants(&self, scenario: &Scenario) -> bool {
        let title = scenario.title();
        let fits = |words: &String| words.split_whitespace().all(|word| title.contains(word));
        let short = !self.short || scenario.in_short && scenario.is_judged();
        short && (self.only.is_empty() || self.only.iter().any(fits))
    }
}
