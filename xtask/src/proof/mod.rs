//! Every claim of the README, tried in its short form, with the figures of this machine as `PROOF.md`.

mod claims;
mod machine;
mod paper;

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::shell::{Job, cargo, root_of_project, target_folder};
use claims::{CLAIMS, Claim};

const PAPER: &str = "PROOF.md";
/// Lines of a command's output that are kept of each claim: its last table and its verdicts.
const MOST_LINES: usize = 60;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verdict {
    Holds,
    /// Nothing spoke against it, but something it needs is not on this machine; the lines say what.
    NotInFull,
    DoesNotHold,
}

impl Verdict {
    fn of(ended_well: bool, lines: &[String]) -> Verdict {
        match (ended_well, lines.iter().any(|line| line.contains("SKIPPED: "))) {
            (false, _) => Verdict::DoesNotHold,
            (true, true) => Verdict::NotInFull,
            (true, false) => Verdict::Holds,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::NotInFull => "NOT SHOWN IN FULL",
            Verdict::DoesNotHold => "DOES NOT HOLD",
        }
    }
}

/// What came of one claim.
struct Outcome {
    claim: &'static Claim,
    verdict: Verdict,
    seconds: u64,
    lines: Vec<String>,
}

/// True if no claim fails to hold. With words, only claims whose key is one of them are tried, and the paper is not written.
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
    outcomes.iter().all(|outcome| outcome.verdict != Verdict::DoesNotHold)
}

/// All that users get at once, and the tests that are a claim: of fewer packages at a time, those they share would be built once more for each
/// claim, with other features. The claims find them by `WEIR_PROGRAMS`.
fn build() -> bool {
    let all = ["build", "--release", "--quiet", "--workspace", "--bins", "--lib", "--examples"];
    cargo(all).args(["--test", "polite"]).run()
}

fn try_claim(claim: &'static Claim) -> Outcome {
    println!("\n{}\n{}: {}", "=".repeat(72), claim.key, claim.says);
    let started = Instant::now();
    let (program, arguments) = claim.words();
    let mut lines = Vec::new();
    let ended_well = Job::new(program)
        .args(arguments)
        .env("WEIR_PROGRAMS", target_folder().join("release"))
        .run_watched(|line| lines.push(without_paths(line)));
    let verdict = Verdict::of(ended_well, &lines);
    let kept = claim.figures(&lines).rev().take(MOST_LINES).cloned().collect::<Vec<_>>();
    let lines = kept.into_iter().rev().collect();
    Outcome { claim, verdict, seconds: started.elapsed().as_secs(), lines }
}

/// Where things are on this machine is nobody's business who reads the paper.
fn without_paths(line: &str) -> String {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let places = [
        (Some(target_folder()), "target"),
        (Some(root_of_project()), "."),
        (home.filter(|home| home.parent().is_some()), "~"),
        (Some(std::env::temp_dir()), "TMP"),
    ];
    let places = places.into_iter().filter_map(|(place, name)| Some((place?, name)));
    places.fold(line.to_owned(), |line, (place, name)| {
        line.replace(place.to_string_lossy().as_ref(), name)
    })
}

fn close(outcomes: &[Outcome], seconds: u64) {
    println!("\n{}", "-".repeat(72));
    for outcome in outcomes {
        let (word, Claim { key, says, .. }) = (outcome.verdict.word(), outcome.claim);
        println!("{word:18} {key:12} {:5} s  {says}", outcome.seconds);
    }
    println!("{} of {} claims hold, in {seconds} s", held(outcomes), outcomes.len());
}

fn held(outcomes: &[Outcome]) -> usize {
    outcomes.iter().filter(|outcome| outcome.verdict == Verdict::Holds).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_skipped_is_not_said_to_hold() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(Verdict::of(true, &lines("a\nPASS")), Verdict::Holds);
        assert_eq!(Verdict::of(true, &lines("SKIPPED: no pages here")), Verdict::NotInFull);
        assert_eq!(Verdict::of(false, &lines("SKIPPED: no pages here")), Verdict::DoesNotHold);
    }

    #[test]
    fn the_paper_names_no_place_of_this_machine() {
        let temporary = std::env::temp_dir().join("x");
        for (place, name) in [(target_folder().join("soak"), "target/soak"), (temporary, "TMP/x")] {
            assert_eq!(
                without_paths(&format!("kept in {}", place.display())),
                format!("kept in {name}")
            );
        }
    }
}
