//! Answers about single URLs, files and pages, from the same functions that a crawl uses. A file
//! for each question; `jsonl` answers many in one process, `input` reads what is asked about.

mod input;
mod jsonl;
mod page;
mod robots;
mod sitemap;
mod url;

use std::io::Write;

use anyhow::Result;

use crate::args::{Inspect, InspectArgs};
use crate::exit::{Exit, unless_reader_left};

pub fn run(args: &InspectArgs) -> Result<Exit> {
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let answered = match &args.what {
        Inspect::Url(args) => url::run(args, &mut out),
        Inspect::Robots(args) => robots::run(args, &mut out),
        Inspect::Sitemap(args) => sitemap::run(args, &mut out),
        Inspect::Page(args) => page::run(args, &mut out),
    };
    unless_reader_left(answered.and_then(|()| Ok(out.flush()?)))
}

/// One answer for people.
fn show(out: &mut impl Write, answer: &impl serde::Serialize) -> Result<()> {
    serde_json::to_writer_pretty(&mut *out, answer).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}
