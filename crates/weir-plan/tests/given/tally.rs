//! Counts what was compared, so that a test cannot pass by comparing nothing.

use serde_json::Value;

#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    pub rel: f64,
    pub abs: f64,
}

impl Tolerance {
    pub fn close(self, got: f64, expected: f64) -> bool {
        got == expected || (got - expected).abs() <= self.abs + self.rel * expected.abs()
    }
}

#[derive(Default)]
pub struct Tally {
    compared: usize,
    wrong: Vec<String>,
}

impl Tally {
    pub fn check(&mut self, what: &str, holds: bool, why: impl FnOnce() -> String) {
        self.compared += 1;
        if !holds {
            self.wrong.push(format!("{what}: {}", why()));
        }
    }

    /// One figure; a `null` in the files stands for infinity.
    pub fn number(&mut self, what: &str, got: f64, expected: &Value, tolerance: Tolerance) {
        let expected = if expected.is_null() { f64::INFINITY } else { expected.as_f64().unwrap() };
        self.check(what, tolerance.close(got, expected), || format!("{got}, not {expected}"));
    }

    pub fn count(&mut self, what: &str, got: usize, expected: &Value) {
        let expected = usize::try_from(expected.as_u64().unwrap()).unwrap();
        self.check(what, got == expected, || format!("{got}, not {expected}"));
    }

    pub fn list(&mut self, what: &str, got: &[f64], expected: &Value, tolerance: Tolerance) {
        let expected = expected.as_array().unwrap_or_else(|| panic!("{what}: no list"));
        self.check(what, got.len() == expected.len(), || "another length".to_owned());
        for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
            self.number(&format!("{what}[{index}]"), *got, expected, tolerance);
        }
    }

    pub fn end(self, at_least: usize) {
        let some: Vec<&String> = self.wrong.iter().take(20).collect();
        assert!(
            self.wrong.is_empty(),
            "{} of {} differ: {some:#?}",
            self.wrong.len(),
            self.compared
        );
        assert!(self.compared >= at_least, "only {} compared, not {at_least}", self.compared);
        eprintln!("{} figures compared", self.compared);
    }
}
