//! One allocation problem or many in, allocations out. `problem` reads what is asked, `answer`
//! writes what came of it.

mod answer;
mod fields;
mod generated;
mod lenient;
mod problem;
mod speeds;

use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;
use weir_plan::{Options, Policy, suits};

use self::problem::Asked;
use crate::args::AllocateArgs;
use crate::exit::{Exit, WrongUse, unless_reader_left};

pub fn run(args: &AllocateArgs) -> Result<Exit> {
    let text = read(&args.file)?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
    let given: Value = serde_json::from_slice(text)
        .or_else(|_| serde_json::from_slice(&lenient::quote_impossible_numbers(text)))
        .map_err(|why| WrongUse(format!("{} is not JSON: {why}", name(&args.file))))?;
    // Whatever can be refused is refused before anything is answered, since half a list is no JSON.
    let asked = problem::read_all(&given)?;
    check_policy(&asked, args.policy)?;
    let options = Options { goal: args.goal.into(), seed: args.seed, ends_only: args.no_plan };
    let mut out = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let mut write = || -> Result<()> {
        for (index, asked) in asked.iter().enumerate() {
            let text = match asked {
                Asked::Problem { id, problem, .. } => {
                    let answer = answer::to(id, problem, args.policy, &options, !args.no_plan);
                    serde_json::to_vec(&answer)?
                }
                Asked::Other(answer) => serde_json::to_vec(answer)?,
            };
            out.write_all(if index == 0 { b"[" } else { b",\n" })?;
            out.write_all(&text)?;
        }
        out.write_all(b"]\n")?;
        Ok(out.flush()?)
    };
    unless_reader_left(write())
}

/// A policy that suits nothing of what is asked is a mistake. One that suits some of it has no
/// allocation for the rest, and the answers to these say why.
fn check_policy(asked: &[Asked], policy: Policy) -> Result<()> {
    let mut unfit = asked.iter().filter_map(|asked| match asked {
        Asked::Problem { label, problem, .. } => {
            suits(problem, policy).err().map(|why| format!("{label}: {why}"))
        }
        Asked::Other(_) => None,
    });
    let Some(first) = unfit.next() else { return Ok(()) };
    let count = 1 + unfit.count();
    if count == asked.len() {
        return Err(WrongUse(first).into());
    }
    eprintln!(
        "warning: {first}; {count} of {} have no allocation, `refused` in their answers says why",
        asked.len()
    );
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    if file.as_os_str() == "-" {
        let mut text = Vec::new();
        std::io::stdin().lock().read_to_end(&mut text).context("cannot read standard input")?;
        return Ok(text);
    }
    std::fs::read(file).map_err(|why| {
        WrongUse(format!(
            "cannot read {}: {why}; give a file, or - for standard input",
            file.display()
        ))
        .into()
    })
}

fn name(file: &Path) -> String {
    if file.as_os_str() == "-" { "standard input".to_owned() } else { file.display().to_string() }
}
