//! Broken inputs for the tests of whatever reads the network or the disk; no part of the product.
//!
//! Good inputs are spoiled again and again and handed to a check, which panics where something is
//! wrong. A run in CI is short and always the same. `cargo xtask fuzz` runs longer, each time with
//! other inputs: `WEIR_FUZZ_SECONDS` is how long, `WEIR_FUZZ_SEED` where chance begins. A failure
//! tells the seed that makes its input the first one.
//!
//! Read `mutate` next (what is done to an input), then `memory` and `linear` (what a check may cost).

mod linear;
mod memory;
mod mutate;
mod watch;

use std::time::{Duration, Instant};

pub use fastrand::Rng;
pub use linear::assert_linear;
pub use memory::{Counting, peak_of};

use crate::watch::Watch;

/// What is fed, how often, and with what.
pub struct Fuzz {
    target: &'static str,
    cases: u64,
    words: &'static [&'static str],
    most_bytes: usize,
}

impl Fuzz {
    /// `cases` inputs, unless a time is asked for.
    pub fn new(target: &'static str, cases: u64) -> Fuzz {
        Fuzz { target, cases, words: &[], most_bytes: 1 << 16 }
    }

    /// Words that mean something to the parser: chance alone hardly ever spells them.
    pub fn words(self, words: &'static [&'static str]) -> Fuzz {
        Fuzz { words, ..self }
    }

    /// Longer inputs are not made.
    pub fn most_bytes(self, most_bytes: usize) -> Fuzz {
        Fuzz { most_bytes, ..self }
    }

    /// Calls `check` with spoiled copies of `seeds`, and with chance of its own.
    pub fn run(self, seeds: &[Vec<u8>], mut check: impl FnMut(&[u8], &mut Rng)) {
        assert!(!seeds.is_empty(), "{} has nothing to begin with", self.target);
        let first = number("WEIR_FUZZ_SEED").unwrap_or(1);
        let end =
            number("WEIR_FUZZ_SECONDS").map(|time| Instant::now() + Duration::from_secs(time));
        let watch = Watch::start(self.target);
        let mut case = 0;
        while end.map_or(case < self.cases, |end| Instant::now() < end) {
            let seed = first.wrapping_add(case);
            let mut random = Rng::with_seed(seed);
            let input = mutate::input(seeds, self.words, self.most_bytes, &mut random);
            let failing = Failing { target: self.target, seed, input: &input };
            watch.begin(seed);
            check(&input, &mut random);
            drop(failing);
            case += 1;
        }
        eprintln!("fuzz: {}: {case} cases from seed {first}", self.target);
    }
}

fn number(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|why| panic!("{variable}={text} is no number: {why}")))
}

/// Dropped in a panic, it tells what led there.
struct Failing<'a> {
    target: &'static str,
    seed: u64,
    input: &'a [u8],
}

impl Drop for Failing<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let shown = &self.input[..self.input.len().min(4000)];
            eprintln!(
                "fuzz: {} failed: WEIR_FUZZ_SEED={} makes it the first case; {} bytes: \"{}\"",
                self.target,
                self.seed,
                self.input.len(),
                shown.escape_ascii()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(cases: u64) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        let fuzz = Fuzz::new("itself", cases).words(&["word"]).most_bytes(100);
        fuzz.run(&[b"one 1".to_vec(), b"another".to_vec()], |input, _| all.push(input.to_vec()));
        all
    }

    #[test]
    fn a_run_is_the_same_each_time_and_its_inputs_are_not() {
        let all = inputs(500);
        assert_eq!(all, inputs(500));
        assert_eq!(all.len(), 500);
        assert!(all.iter().all(|input| input.len() <= 100));
        let mut different = all.clone();
        different.sort();
        different.dedup();
        assert!(different.len() > 300, "{}", different.len());
        assert!(all.iter().any(|input| input.windows(4).any(|four| four == b"word")));
    }
}
