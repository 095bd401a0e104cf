//! Policies in virtual time: the papers' figures, a web of the user's own, or a crawl once more.

mod figure;
mod json;
mod replay;
mod scenario;

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::args::SimulateArgs;
use crate::exit::{Exit, WrongUse};

pub fn run(args: &SimulateArgs) -> Result<Exit> {
    if let Some(out) = &args.out {
        fs::create_dir_all(out).map_err(|why| {
            WrongUse(format!("--out {}: {why}; name a folder that can be made", out.display()))
        })?;
    }
    match (&args.figure, &args.config, &args.replay) {
        (Some(name), ..) => figure::run(name, args),
        (None, Some(file), _) => scenario::run(file, args),
        (None, None, Some(folder)) => replay::run(folder, args),
        (None, None, None) => unreachable!("clap asks for one of the three"),
    }
}

/// Writes files into the folder, if one was named.
fn write(out: Option<&Path>, files: &[(String, String)]) -> Result<()> {
    let Some(out) = out else { return Ok(()) };
    for (name, text) in files {
        let path = out.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Prints to standard output; a reader that has seen enough is no error.
fn print(text: &str) -> Result<()> {
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        Err(why) if why.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Says on standard error how far it is, once it has taken longer than a moment.
struct Progress {
    quiet: bool,
    started: Instant,
    last: Instant,
}

impl Progress {
    fn new(quiet: bool) -> Progress {
        let now = Instant::now();
        Progress { quiet, started: now, last: now }
    }

    fn say(&mut self, done: usize, all: usize, what: &str) {
        let often = Duration::from_millis(900);
        if !self.quiet && done < all && self.last.elapsed() > often {
            self.last = Instant::now();
            eprintln!("{done} of {all} done after {:.0?}: {what}", self.started.elapsed());
        }
    }
}
