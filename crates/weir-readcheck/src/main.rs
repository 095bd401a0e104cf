//! `weir-readcheck`: real pages whose text people have marked, read by weir, and scored as the
//! makers of the collections score them. The pages are not part of the project.
//!
//! Read `corpus` for the pages, `shingles` for the measure of a text, `text_score` and `meta_score`
//! for the tables.

mod clock;
mod corpus;
mod meta_score;
mod shingles;
mod text_score;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

/// Scores what weir reads in real pages against what people marked in them.
#[derive(Parser)]
struct Args {
    /// The folder of the collections
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/articles"))]
    data: PathBuf,
    /// Shows this many pages of each collection, the worst first
    #[arg(long, default_value_t = 0)]
    worst: usize,
    /// Shows one page: what is missing, and what is too much
    #[arg(long)]
    show: Option<String>,
}

fn main() -> ExitCode {
    match check(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why:#}");
            ExitCode::FAILURE
        }
    }
}

fn check(args: &Args) -> Result<()> {
    if let Some(id) = &args.show {
        return text_score::show(&args.data, id);
    }
    text_score::print(&args.data, args.worst)?;
    meta_score::print(&args.data, args.worst)
}
