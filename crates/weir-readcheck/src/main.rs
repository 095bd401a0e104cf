//! `weir-readcheck`: real pages whose text people have marked, read by weir, and scored as the
//! makers of the collections score them; on request, beside tools of others. The pages are not part
//! of the project.
//!
//! Read `corpus` for the pages, `bars` for what is to be reached, `shingles` and `field_score` for how
//! it is measured, `peers` for the tools of others, `cost` for the time.

mod bars;
mod clock;
mod corpus;
mod cost;
mod field_score;
mod meta_score;
mod peers;
mod reading;
mod shingles;
mod table;
#[cfg(test)]
mod tests;
mod text_score;
mod videos;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use weir_parse::tree::Builder;

use crate::clock::thread_time;
use crate::corpus::Corpora;
use crate::cost::Cost;
use crate::table::Column;

/// Where the collections are, beside the project.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/articles");

/// Scores what weir reads in real pages against what people marked in them.
#[derive(Parser)]
struct Args {
    /// The folder of the collections
    #[arg(long, default_value = DATA)]
    data: PathBuf,
    /// Shows this many pages of each collection, the worst first
    #[arg(long, default_value_t = 0)]
    worst: usize,
    /// Shows one page: what is missing, and what is too much
    #[arg(long)]
    show: Option<String>,
    /// Tools of others read the pages too; a Python that has all of peers/requirements.txt
    #[arg(long, value_name = "PYTHON")]
    peers: Option<PathBuf>,
}

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

/// False if a bar is missed.
fn check(args: &Args) -> Result<bool> {
    if let Some(id) = &args.show {
        return text_score::show(&args.data, id).map(|()| true);
    }
    if !args.data.is_dir() {
        println!(
            "SKIPPED: extraction: no article corpora at {}; name them with --data",
            args.data.display()
        );
        return Ok(true);
    }
    text_score::print(&args.data, args.worst)?;
    let corpora = corpus::all(&args.data)?;
    let mut columns = vec![own(&corpora)];
    meta_score::print(&corpora, &columns[0], args.worst);
    videos::print(&args.data, &corpora, &columns[0], args.worst)?;
    let cost = Cost::measure(&corpora);
    cost.print();
    for tool in args.peers.iter().flat_map(|python| peers::TOOLS.map(|tool| (python, tool))) {
        columns.push(peers::column(tool.0, tool.1, &corpora)?);
    }
    let missed = table::print(&corpora, &columns, &cost);
    for bar in &missed {
        println!("MISSED {bar}");
    }
    Ok(missed.is_empty())
}

/// What weir reads in all pages; like the others it is asked once for each, and gets decoded text.
fn own(corpora: &Corpora) -> Column {
    let mut builder = Builder::new();
    let mut column = Column::new("weir");
    for (set, pages) in corpora {
        for page in pages {
            let html = page.decoded();
            let start = thread_time();
            let reading = reading::read(page, &html, &mut builder);
            column.add(set, reading, thread_time() - start);
        }
    }
    column
}
