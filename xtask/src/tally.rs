use std::time::Instant;

use crate::conformance::Table;

/// What came of all steps, for the closing lines.
pub struct Tally {
    started: Instant,
    last: Instant,
    took: Vec<(String, u64)>,
    passed: u64,
    failed: u64,
    broken: Vec<String>,
    skipped: Vec<String>,
    second_tries: Vec<String>,
    lacking: Vec<String>,
    conformance: Table,
}

impl Tally {
    pub fn new() -> Tally {
        Tally {
            started: Instant::now(),
            last: Instant::now(),
            took: Vec::new(),
            passed: 0,
            failed: 0,
            broken: Vec::new(),
            skipped: Vec::new(),
            second_tries: Vec::new(),
            lacking: Vec::new(),
            conformance: Table::default(),
        }
    }

    /// A step is one thing that holds or does not; the tests in it are counted apart.
    pub fn step(&mut self, name: &str, good: bool) {
        self.took.push((name.to_owned(), self.last.elapsed().as_secs()));
        self.last = Instant::now();
        if !good {
            self.broken.push(name.to_owned());
        }
    }

    pub fn count(&mut self, passed: u64, failed: u64) {
        self.passed += passed;
        self.failed += failed;
    }

    /// Something that cannot be installed here.
    pub fn lacks(&mut self, what: &str, remedy: &str) {
        eprintln!("MISSING: {what}: {remedy}");
        self.lacking.push(format!("{what}: {remedy}"));
    }

    /// `why` begins with the name of the suite.
    pub fn skip(&mut self, why: &str) {
        if !self.skipped.iter().any(|known| known == why) {
            self.skipped.push(why.to_owned());
        }
    }

    /// A test that failed at first and passed when it was tried once more.
    pub fn second_try(&mut self, test: &str) {
        self.second_tries.push(test.to_owned());
    }

    /// Notes the skipped suites, rows of the conformance table, and the harness's counts in one
    /// line of a test run's output.
    pub fn look(&mut self, line: &str) {
        if Table::is_row(line) {
            self.conformance.add(line);
        } else if let Some((_, why)) = line.split_once("SKIPPED: ") {
            self.skip(why.trim());
        } else if let Some(counts) = line.trim().strip_prefix("test result: ") {
            let number = |word| number_before(counts, word);
            self.count(number(" passed"), number(" failed"));
        }
    }

    /// The same of pytest, whose counts stand in its last line.
    pub fn look_at_pytest(&mut self, line: &str) {
        let is_last =
            line.contains(" in ") && (line.contains(" passed") || line.contains(" failed"));
        if is_last {
            let number = |word| number_before(line, word);
            self.count(number(" passed"), number(" failed") + number(" error"));
        }
    }

    /// How the suites of others went; each that failed is a step that failed.
    fn close_conformance(&mut self) {
        if self.conformance.is_empty() {
            return;
        }
        self.conformance.print();
        let failed = self.conformance.failed().map(|suite| format!("conformance of {suite}"));
        self.broken.extend(failed.collect::<Vec<_>>());
    }

    /// Prints the table and the closing lines. True if nothing failed.
    pub fn close(mut self) -> bool {
        self.close_conformance();
        println!("\n{}", "-".repeat(72));
        self.lacking.iter().for_each(|what| println!("missing: {what}"));
        self.skipped.iter().for_each(|suite| println!("skipped: {suite}"));
        self.second_tries.iter().for_each(|test| println!("passed in its second try: {test}"));
        self.broken.iter().for_each(|step| println!("FAILED: {step}"));
        let took = self.took.iter().filter(|(_, seconds)| *seconds > 0);
        let took: Vec<_> = took.map(|(step, seconds)| format!("{step} {seconds}")).collect();
        println!("seconds: {}", took.join(", "));
        let good = self.failed == 0 && self.broken.is_empty();
        println!(
            "{}: {} tests passed, {} failed, {} suites skipped, in {} s",
            if good { "all good" } else { "NOT GOOD" },
            self.passed,
            self.failed,
            self.skipped.len(),
            self.started.elapsed().as_secs(),
        );
        good
    }
}

/// 12 in `ok. 12 passed; 0 failed`, asked for ` passed`.
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split_once(word).map_or("", |(before, _)| before);
    let start = before.rfind(|letter: char| !letter.is_ascii_digit()).map_or(0, |at| at + 1);
    before[start..].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_skipped_suites_are_read_from_the_output() {
        let mut tally = Tally::new();
        tally.look("test result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 0 filtered out");
        tally.look("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured");
        tally.look("    SKIPPED: disk_full: needs root");
        tally.look("SKIPPED: disk_full: needs root");
        assert_eq!((tally.passed, tally.failed), (13, 2));
        assert_eq!(tally.skipped, ["disk_full: needs root"]);
        assert!(!tally.close());
    }
}
