//! Suites that others wrote, and how their results are told.
#![allow(dead_code)]

use std::path::PathBuf;

/// The shared test material, if it lies beside this checkout.
pub fn material(suite: &str, path: &str) -> Option<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let found = PathBuf::from(folder).join(path);
    if !found.exists() {
        eprintln!("SKIPPED: {suite}: no shared test data {path}");
        eprintln!("conformance: {suite} | skipped");
        return None;
    }
    Some(found)
}

/// Cases in which we differ and mean to: their ids, and the reason.
pub type Known<'k> = &'k [(&'k [&'k str], &'k str)];

/// Prints the line that `cargo xtask conformance` collects, then fails unless exactly the cases
/// that `known` lists are `wrong`, which has their ids and what was found.
pub fn settle(suite: &str, cases: usize, wrong: &[(String, String)], known: Known<'_>) {
    let is_known = |id: &str| known.iter().any(|(ids, _)| ids.contains(&id));
    let (listed, new): (Vec<_>, Vec<_>) = wrong.iter().partition(|(id, _)| is_known(id));
    let reasons: Vec<&str> = known.iter().map(|(_, reason)| *reason).collect();
    let passed = cases - wrong.len();
    let (listed, reasons) = (listed.len(), reasons.join("; "));
    eprintln!("conformance: {suite} | {cases} | {passed} | {listed} | {reasons}");
    assert!(new.is_empty(), "{suite}: new differences are {new:#?}");
    let differs = |id: &&str| wrong.iter().any(|(other, _)| other == id);
    let all = known.iter().flat_map(|(ids, _)| *ids).copied();
    let gone: Vec<&str> = all.filter(|id| !differs(id)).collect();
    assert!(gone.is_empty(), "{suite}: no differences any more: {gone:?}");
}
