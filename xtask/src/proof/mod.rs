//! Every claim of the README, tried in its short form, with the figures of this machine as `PROOF.md`.

mod claims;
mod machine;
mod paper;

use std::fs;
use std::time::Instant;

use crate::shell::{Job, cargo, root_of_project, target_folder};
use claims::{CLAIMS, Claim};

const PAPER: &str = "PROOF.md";
/// Lines of a command's output that are kept of each claim: its last table and its verdicts.
const MOST_LINES: usize = 60;

/// What came of one claim.
struct Outcome {
    claim: &'static Claim,
    holds: bool,
    seconds: u64,
    lines: Vec<String>,
}

/// True if all claims hold. With words, only claims whose key is one of them are tried, and the paper is not written.
pub fn run(only: &[String]) -> bool {
    if let Some(unknown) = only.iter().find(|key| !CLAIMS.iter().any(|claim| claim.key == **key)) {
        let keys: Vec<_> = CLAIMS.iter().map(|claim| claim.key).collect();
        eprintln!("no claim {unknown:?}: there are {}", keys.join(", "));
        return false;
    }
    if !build() {
        return false;
    }
    let started = Instant::now();
    let chosen =
        CLAIMS.iter().filter(|claim| only.is_empty() || only.contains(&claim.key.to_owned()));
    let outcomes: Vec<Outcome> = chosen.map(try_claim).collect();
    close(&outcomes, started.elapsed().as_secs());
    if only.is_empty() {
        let text = paper::write(&outcomes, &machine::facts());
        if let Err(why) = fs::write(root_of_project().join(PAPER), text) {
            eprintln!("cannot write {PAPER}: {why}");
            return false;
        }
        println!("written: {PAPER}");
    }
    outcomes.iter().all(|outcome| outcome.holds)
}

/// All that users get at once, so that nothing is built twice with other features.
fn build() -> bool {
    cargo(["build", "--release", "--quiet", "--workspace", "--bins", "--lib", "--examples"]).run()
}

fn try_claim(claim: &'static Claim) -> Outcome {
    println!("\n{}\n{}: {}", "=".repeat(72), claim.key, claim.says);
    let started = Instant::now();
    let (program, arguments) = claim.words();
    let mut lines = Vec::new();
    let holds = Job::new(program)
        .args(arguments)
        .env("WEIR_PROGRAMS", target_folder().join("release"))
        .run_watched(|line| lines.push(line.to_owned()));
    let kept = claim.figures(&lines).rev().take(MOST_LINES).cloned().collect::<Vec<_>>();
    let lines = kept.into_iter().rev().collect();
    Outcome { claim, holds, seconds: started.elapsed().as_secs(), lines }
}

fn close(outcomes: &[Outcome], seconds: u64) {
    println!("\n{}", "-".repeat(72));
    for outcome in outcomes {
        let word = if outcome.holds { "holds" } else { "DOES NOT HOLD" };
        println!(
            "{word:14} {:12} {:5} s  {}",
            outcome.claim.key, outcome.seconds, outcome.claim.says
        );
    }
    let held = outcomes.iter().filter(|outcome| outcome.holds).count();
    println!("{held} of {} claims hold, in {seconds} s", outcomes.len());
}
