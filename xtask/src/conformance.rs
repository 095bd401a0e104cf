//! Suites that others wrote: the tests that run them print a line each, and here the lines become
//! one table.

use std::collections::BTreeMap;

/// The crates that have such suites, and the test files that run them.
pub const TARGETS: &[&str] = &[
    "--package=weir-fetch",
    "--package=weir-parse",
    "--test=bodies",
    "--test=pages",
    "--test=raw_responses",
    "--test=robots_corpus",
    "--test=sitemap_vectors",
    "--test=url_vectors",
    "--test=vectors",
];

const MARK: &str = "conformance: ";

/// What is known of each suite, by its name.
#[derive(Default)]
pub struct Table {
    suites: BTreeMap<String, Row>,
}

#[derive(Debug, PartialEq)]
enum Row {
    /// Its material is not here.
    Skipped,
    Run {
        cases: u64,
        passed: u64,
        known: u64,
        reasons: Vec<String>,
    },
    /// A line that is none of the two.
    Unreadable,
}

impl Table {
    /// Whether a line of a test's output is for the table.
    pub fn is_row(line: &str) -> bool {
        line.contains(MARK)
    }

    /// `conformance: SUITE | CASES | PASSED | KNOWN | reason; reason`, or `SUITE | skipped`.
    pub fn add(&mut self, line: &str) {
        let Some((_, row)) = line.split_once(MARK) else { return };
        let (suite, rest) = row.split_once('|').unwrap_or((row, ""));
        self.suites.insert(suite.trim().to_owned(), Row::of(rest));
    }

    pub fn is_empty(&self) -> bool {
        self.suites.is_empty()
    }

    /// Suites in which something else is different than what is known to be.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.suites.iter().filter(|(_, row)| !row.is_good()).map(|(suite, _)| suite.as_str())
    }

    pub fn print(&self) {
        let width = self.suites.keys().map(|suite| suite.chars().count()).max().unwrap_or(0).max(5);
        println!("\n{:width$}  {:>6}  {:>6}  known differences", "suite", "cases", "passed");
        for (suite, row) in &self.suites {
            println!("{suite:width$}  {row}");
        }
        self.print_reasons();
    }

    fn print_reasons(&self) {
        for (suite, row) in &self.suites {
            let Row::Run { reasons, .. } = row else { continue };
            if !reasons.is_empty() {
                println!("\nknown differences, {suite}:");
                reasons.iter().for_each(|reason| println!("  - {reason}"));
            }
        }
    }
}

impl Row {
    fn of(text: &str) -> Row {
        let parts: Vec<&str> = text.splitn(4, '|').map(str::trim).collect();
        let number = |at: usize| parts.get(at).and_then(|part| part.parse().ok());
        match (number(0), number(1), number(2)) {
            (Some(cases), Some(passed), Some(known)) => {
                let reasons = parts.get(3).copied().unwrap_or_default();
                let reasons = reasons.split("; ").filter(|reason| !reason.is_empty());
                Row::Run { cases, passed, known, reasons: reasons.map(str::to_owned).collect() }
            }
            _ if parts == ["skipped"] => Row::Skipped,
            _ => Row::Unreadable,
        }
    }

    fn is_good(&self) -> bool {
        match self {
            Row::Skipped => true,
            Row::Run { cases, passed, known, .. } => passed + known == *cases,
            Row::Unreadable => false,
        }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Row::Skipped => write!(f, "skipped: its material is not here"),
            Row::Unreadable => write!(f, "FAILED: its line cannot be read"),
            Row::Run { cases, passed, known, .. } => {
                write!(f, "{cases:6}  {passed:6}  {known:6}")?;
                if self.is_good() { Ok(()) } else { write!(f, "  FAILED") }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_test_file_that_settles_a_suite_is_run() {
        let crates = crate::shell::root_of_project().join("crates");
        for package in ["weir-fetch", "weir-parse"] {
            for file in std::fs::read_dir(crates.join(package).join("tests")).unwrap() {
                let path = file.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let target = format!("--test={}", path.file_stem().unwrap().display());
                assert!(!text.contains("settle(") || TARGETS.contains(&&*target), "{target}");
            }
        }
    }

    #[test]
    fn a_line_becomes_a_row() {
        let mut table = Table::default();
        table.add("  <system-err>conformance: a suite | 10 | 8 | 2 | one `|` reason; another");
        table.add("conformance: b | 3 | 3 | 0 | ");
        table.add("conformance: c | skipped");
        let reasons = vec!["one `|` reason".to_owned(), "another".to_owned()];
        let expected = Row::Run { cases: 10, passed: 8, known: 2, reasons };
        assert_eq!(table.suites["a suite"], expected);
        assert_eq!(table.suites["c"], Row::Skipped);
        assert_eq!(table.failed().count(), 0);
    }

    #[test]
    fn what_is_neither_passed_nor_known_fails() {
        let mut table = Table::default();
        for line in ["x | 10 | 8 | 1 | why", "y | 10", "z", "good | 1 | 1 | 0 |"] {
            table.add(&format!("{MARK}{line}"));
        }
        assert_eq!(table.failed().collect::<Vec<_>>(), ["x", "y", "z"]);
    }
}
