//! `weir-duecheck`: sixty sites on loopback, their sizes over three orders of magnitude and unknown
//! to weir, crawled by the real command with deadlines and a cap; once for each policy and each load.
//! What came of it stands beside the best plan that knows all sizes.
//!
//! Read `web` for the sites, `task` for deadlines and caps, `run` for one crawl, `judge` for what
//! counts as good.

mod judge;
mod many;
mod run;
mod table;
mod task;
mod web;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;

use crate::judge::Judge;
use crate::run::Runner;
use crate::task::{Load, Task};
use crate::web::Sites;

/// Crawls a web with deadlines under several policies, and says how many were kept.
#[derive(Parser)]
struct Args {
    /// The command to check
    #[arg(long)]
    weir: PathBuf,
    /// Where its output goes
    #[arg(long)]
    folder: PathBuf,
    /// Few sites, little time, loose bounds
    #[arg(long)]
    short: bool,
    /// Another seed gives other sites and deadlines
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Sites [default: 60]
    #[arg(long)]
    sites: Option<usize>,
    /// Seconds that all bytes take at the cap, about [default: 60]
    #[arg(long)]
    seconds: Option<f64>,
    /// A job so many times as large, with as many times the time
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Only these policies (repeatable); `none` is no deadlines at all
    #[arg(long)]
    policy: Vec<String>,
    /// Only what plans for 1,000 sites cost
    #[arg(long)]
    many: bool,
    /// Only these loads (repeatable)
    #[arg(long, value_enum)]
    load: Vec<Load>,
}

const POLICIES: [&str; 7] =
    ["deadline", "edf", "realloc-maxt", "realloc-sumt", "alloc-once-maxt", "pro-data", "none"];

fn main() -> ExitCode {
    match check(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("error: {why:#}");
            ExitCode::FAILURE
        }
    }
}

fn check(args: &Args) -> Result<bool> {
    if args.many {
        return planning(args);
    }
    let (sites, seconds) = if args.short { (20, 12.0) } else { (60, 60.0) };
    let sites = args.sites.unwrap_or(sites);
    let seconds = args.seconds.unwrap_or(seconds) * args.scale;
    let loads = match (args.load.as_slice(), args.short) {
        ([], true) => vec![Load::Easy, Load::Over],
        ([], false) => vec![Load::Spare10, Load::Spare2, Load::Over],
        (given, _) => given.to_vec(),
    };
    let policies: Vec<String> = match (args.policy.as_slice(), args.short) {
        ([], true) => ["deadline", "realloc-maxt"].map(str::to_owned).to_vec(),
        ([], false) => POLICIES.map(str::to_owned).to_vec(),
        (given, _) => given.to_vec(),
    };
    let web =
        Sites::start(sites, args.seed, args.scale).context("cannot start the sites on loopback")?;
    let runner = runner(args);
    println!("{sites} sites, seed {}: what they have, and how fast they are", args.seed);
    let truth = runner.measure(&web)?;
    println!("{}", table::truth(&truth));
    let mut judge = Judge::new(args.short);
    println!("{}", table::head());
    for load in loads {
        let task = Task::new(&truth, load, seconds, args.seed);
        println!("{}", table::task(&task));
        for policy in &policies {
            let run = runner.run(&web, &task, policy, false)?;
            println!("{}", table::row(&task, &run));
            judge.look(&task, run);
        }
        if policies.iter().any(|policy| policy == "deadline") {
            let run = runner.run(&web, &task, "deadline", true)?;
            println!("{}", table::row(&task, &run));
            judge.look(&task, run);
        }
        judge.end_load(&task);
    }
    println!("{}", judge.predictions());
    if !args.short && args.policy.is_empty() {
        let (planning, cpu) = many::measure(&runner)?;
        println!("{}", judge.planning(planning, cpu));
    }
    Ok(verdict(&judge))
}

fn planning(args: &Args) -> Result<bool> {
    let mut judge = Judge::new(false);
    let (planning, cpu) = many::measure(&runner(args))?;
    println!("{}", judge.planning(planning, cpu));
    Ok(verdict(&judge))
}

fn runner(args: &Args) -> Runner {
    Runner { weir: args.weir.clone(), folder: args.folder.clone(), seed: args.seed }
}

fn verdict(judge: &Judge) -> bool {
    judge.faults().iter().for_each(|fault| println!("FAULT {fault}"));
    println!("{}", judge.summary());
    judge.faults().is_empty()
}
