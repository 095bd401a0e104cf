//! Vectors that others wrote, and how their results are told.

use base64::Engine;
use serde_json::Value;

use super::material;

/// The lines of a file of the shared material, each one JSON.
pub fn rows(path: &str) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(material(path)?).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

pub fn base64(value: &Value) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap()).unwrap()
}

/// Cases that differ from what is expected, and are meant to: their numbers and the reason.
pub type Known<'k> = &'k [(&'k [usize], &'k str)];

/// Prints the line that `cargo xtask conformance` collects, then fails unless exactly the cases
/// that `known` lists are wrong.
pub fn settle(suite: &str, cases: usize, wrong: &[(usize, String)], known: Known<'_>) {
    let reasons: Vec<&str> = known.iter().map(|(_, reason)| *reason).collect();
    let mut numbers: Vec<usize> = known.iter().flat_map(|(numbers, _)| *numbers).copied().collect();
    numbers.sort_unstable();
    let listed = wrong.iter().filter(|(number, _)| numbers.contains(number)).count();
    let passed = cases - wrong.len();
    eprintln!("conformance: {suite} | {cases} | {passed} | {listed} | {}", reasons.join("; "));
    let found: Vec<usize> = wrong.iter().map(|(number, _)| *number).collect();
    let new: Vec<_> = wrong.iter().filter(|(number, _)| !numbers.contains(number)).collect();
    assert_eq!(found, numbers, "{suite}: new differences are {new:#?}");
}
