//! The `weir` command. It reads what was typed, calls the library that does it, and shows what
//! came of it; nothing is decided here. `args.rs` lists the flags, `commands/` has a file for each
//! command.

// First, so that all the others print by it.
#[macro_use]
mod say;

mod args;
mod commands;
mod exit;
mod log;
mod memory;
#[cfg(test)]
mod reference;
mod show;
mod version;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::exit::Exit;

fn main() -> ExitCode {
    memory::give_back_soon();
    let args = Args::parse();
    let done = match args.command {
        Command::Crawl(crawl) => commands::crawl::run(&crawl),
        Command::Plan(plan) => commands::plan::run(&plan),
        Command::Status(status) => commands::status::run(&status),
        Command::Why(why) => commands::why::run(&why),
        Command::Export(export) => commands::export::run(&export),
        Command::Allocate(allocate) => commands::allocate::run(&allocate),
        Command::Inspect(inspect) => commands::inspect::run(&inspect),
        Command::Simulate(simulate) => commands::simulate::run(&simulate),
        Command::Init(init) => commands::init::run(&init),
        Command::Demo(demo) => commands::demo::run(demo),
        Command::Scheduler(scheduler) => commands::scheduler::run(&scheduler),
        Command::Downloader(downloader) => commands::downloader::run(downloader),
        Command::Cluster(cluster) => commands::cluster::run(&cluster),
        Command::Serve(serve) => commands::serve::run(&serve),
        Command::Completions(completions) => commands::completions::run(&completions),
        Command::Man(man) => commands::man::run(&man),
    };
    done.unwrap_or_else(|why| {
        eprintln!("error: {why:#}");
        Exit::of(&why)
    })
    .into()
}
