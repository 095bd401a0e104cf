use std::fs;
use std::path::Path;

use crate::conformance::{self, Table};
use crate::fuzz;
use crate::needs::Needs;
use crate::shell::{Job, cargo, find_program, root_of_project};
use crate::tally::Tally;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// All but the long ones.
    Usual,
    /// Only the long ones: those of the command that are marked `#[ignore]`, optimised.
    Long,
    /// Only those that run suites of others.
    Conformance,
    /// Only those that spoil inputs.
    Fuzz,
    /// The same of the crate whose parsers nobody else sees.
    FuzzInside,
}

impl Which {
    fn targets(self) -> &'static [&'static str] {
        match self {
            Which::Usual => &["--workspace", "--tests"],
            Which::Long => &[
                "--release",
                "--package",
                "webweir",
                "--test",
                "e2e",
                "--test",
                "hostile",
                "--test",
                "cluster",
                "--test",
                "machines",
                "--test",
                "sinks",
            ],
            Which::Conformance => conformance::TARGETS,
            Which::Fuzz => fuzz::TARGETS,
            Which::FuzzInside => fuzz::TARGETS_INSIDE,
        }
    }
}

/// Properties are tried with the same inputs each time, so that whoever breaks something learns it, and nobody else;
/// `fuzz`, `soak` and plain cargo look for others.
const SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "20261117");

/// Runs the tests of the workspace with cargo-nextest, which gives each a process of its own and
/// a bound, or else with what cargo brings along. `equip` gives them what they need.
pub fn tests(which: Which, equip: impl FnOnce(Job) -> Job, tally: &mut Tally) {
    let equip = |job| match which {
        Which::Usual => equip(job).env(SEED.0, SEED.1),
        _ => equip(job),
    };
    let good = if find_program("cargo-nextest").is_some() {
        with_nextest(which, equip, tally)
    } else {
        println!("cargo-nextest is not installed: using cargo test");
        with_cargo(which, equip, tally)
    };
    tally.step("tests", good);
}

fn with_nextest(which: Which, equip: impl FnOnce(Job) -> Job, tally: &mut Tally) -> bool {
    let (profile, ignored) = match which {
        Which::Usual | Which::Conformance => ("ci", "default"),
        Which::Fuzz | Which::FuzzInside => ("fuzz", "default"),
        Which::Long => ("soak", "only"),
    };
    // Always here, wherever cargo builds.
    let report = root_of_project().join("target/nextest").join(profile).join("junit.xml");
    remove_old(&report);
    let job = cargo(["nextest", "run", "--profile", profile, "--run-ignored", ignored]);
    let job = job.args(which.targets());
    let good = equip(job).run();
    read_report(&report, tally) && good
}

fn with_cargo(which: Which, equip: impl FnOnce(Job) -> Job, tally: &mut Tally) -> bool {
    let job = cargo(["test", "--no-fail-fast"]).args(which.targets()).args(["--", "--show-output"]);
    let job = match which {
        Which::Usual | Which::Conformance | Which::Fuzz | Which::FuzzInside => job,
        Which::Long => job.args(["--ignored"]),
    };
    equip(job).run_watched(|line| tally.look(line))
}

/// The examples in the documentation, which nextest does not run.
pub fn docs(tally: &mut Tally) {
    // Of all packages, as the tests before: with fewer of them, others would be built with other features.
    let job = cargo(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]);
    let good = job.run_watched(|line| tally.look(line));
    tally.step("documentation tests", good);
}

/// The tests of the independent checkers: that they find what they are there to find.
pub fn checkers(needs: &Needs, tally: &mut Tally) {
    let Some(python) = &needs.python else {
        return tally.skip("checkers: their Python environment is missing");
    };
    let good = Job::new(python).args(["tests/python/test_checkers.py"]).run();
    tally.step("tests of the checkers", good);
    tally.count(u64::from(good), u64::from(!good));
}

/// What the independent checkers need.
pub fn with_python(job: Job, needs: &Needs) -> Job {
    match &needs.python {
        Some(python) => job.env("WEIR_TEST_PYTHON", python),
        None => job,
    }
}

fn remove_old(report: &Path) {
    if let Err(why) = fs::remove_file(report)
        && why.kind() != std::io::ErrorKind::NotFound
    {
        eprintln!("cannot remove {}: {why}", report.display());
    }
}

/// The counts of a JUnit file, and the lines of suites in the output kept there.
fn read_report(report: &Path, tally: &mut Tally) -> bool {
    let text = match fs::read_to_string(report) {
        Ok(text) => text,
        Err(why) => {
            eprintln!("no test was run ({}: {why})", report.display());
            return false;
        }
    };
    let whole = text.lines().find(|line| line.contains("<testsuites")).unwrap_or_default();
    let [tests, failures, errors] = ["tests", "failures", "errors"].map(|key| count(whole, key));
    let bad = failures + errors;
    tally.count(tests.saturating_sub(bad), bad);
    let told = text.lines().filter(|line| line.contains("SKIPPED: ") || Table::is_row(line));
    told.for_each(|line| tally.look(&plain(line)));
    second_tries(&text).for_each(|test| tally.second_try(&plain(test)));
    true
}

/// Tests with a failure that did not last: its element stands inside that of the test.
fn second_tries(report: &str) -> impl Iterator<Item = &str> {
    report
        .split("<testcase ")
        .skip(1)
        .filter(|test| test.contains("<flakyFailure"))
        .filter_map(|test| test.split_once("name=\"").and_then(|(_, rest)| rest.split('"').next()))
}

/// XML text as it was before it was XML.
fn plain(text: &str) -> String {
    let pairs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    pairs.iter().fold(text.to_owned(), |text, (written, meant)| text.replace(written, meant))
}

/// 7 in `<testsuites tests="7">`, asked for `tests`.
fn count(line: &str, key: &str) -> u64 {
    let value = line.split_once(&format!(" {key}=\"")).and_then(|(_, rest)| rest.split('"').next());
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_a_junit_report_are_read() {
        let line = r#"<testsuites name="nextest-run" tests="7" failures="2" errors="0">"#;
        assert_eq!(count(line, "tests"), 7);
        assert_eq!(count(line, "failures"), 2);
        assert_eq!(count(line, "disabled"), 0);
    }

    #[test]
    fn a_test_that_passed_in_its_second_try_is_named() {
        let report = r#"<testcase name="good" classname="a"></testcase>
            <testcase name="odd::one" classname="a"><flakyFailure message="x"/></testcase>
            <testcase name="bad" classname="a"><failure message="x"/></testcase>"#;
        assert_eq!(second_tries(report).collect::<Vec<_>>(), ["odd::one"]);
    }

    #[test]
    fn xml_text_is_read_as_it_was_meant() {
        assert_eq!(plain("a &lt;b&gt; &amp;lt; &quot;c&apos;"), "a <b> &lt; \"c'");
    }
}
