//! The fuzz targets that `test` runs for a few seconds, for longer and with other inputs.

use std::hash::{BuildHasher, RandomState};

use crate::shell::Job;
use crate::suites::{self, Which};
use crate::tally::Tally;

/// For each target, unless told otherwise.
const SECONDS: u64 = 60;

/// Test files that spoil inputs by `weir-fuzz`, and those that do so by proptest. Nothing is
/// optimised, because then overflows are found too.
pub const TARGETS: &[&str] = &[
    "--package=weir-fetch",
    "--package=weir-frontier",
    "--package=weir-parse",
    "--package=weir-sim",
    "--package=weir-spool",
    "--package=weir-store",
    "--test=fuzz",
    "--test=markup",
    "--test=properties",
];

/// What only a crate's own tests can reach.
pub const TARGETS_INSIDE: &[&str] = &["--package=weir-crawl", "--lib", "fuzz::"];

/// About what proptest does here in a second.
const PROPTEST_CASES_PER_SECOND: u64 = 500;

pub fn run(seconds: u64, tally: &mut Tally) {
    // Different in each process, on each machine.
    let seed = RandomState::new().hash_one(std::process::id()) >> 16;
    println!("{seconds} s for each target, from WEIR_FUZZ_SEED={seed}");
    let cases = seconds.saturating_mul(PROPTEST_CASES_PER_SECOND).clamp(1, u64::from(u32::MAX));
    for which in [Which::Fuzz, Which::FuzzInside] {
        let equip = |job: Job| {
            job.env("WEIR_FUZZ_SEED", seed.to_string())
                .env("WEIR_FUZZ_SECONDS", seconds.to_string())
                .env("PROPTEST_CASES", cases.to_string())
        };
        suites::tests(which, equip, tally);
    }
}

/// The number after `--seconds`, if that is all there is.
pub fn seconds(arguments: &[String]) -> Option<u64> {
    match arguments {
        [] => Some(SECONDS),
        [flag, number] if flag == "--seconds" => number.parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_given_by_a_flag() {
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(seconds(&[]), Some(SECONDS));
        assert_eq!(seconds(&words(&["--seconds", "7"])), Some(7));
        assert_eq!(seconds(&words(&["--seconds"])), None);
        assert_eq!(seconds(&words(&["--seconds", "long"])), None);
    }
}
