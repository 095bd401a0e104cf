//! Rates found by breeding (the paper's GA, whose settings it does not give).

use super::search::{POPULATION, Search, Try, best, first_tries, within_reason};
use crate::{Goal, Site};

/// Tries that are compared for each parent.
const RIVALS: usize = 3;
/// How far a child may lie beyond its parents, as a part of their distance.
const BEYOND: f64 = 0.25;
/// How much a mutation changes a gene: by up to this power of e, either way.
const MUTATION: f64 = 0.5;

/// Searches for the rates with the least last or summed time, or the least lateness where the
/// cap is too small for all deadlines. The same seed gives the same rates.
pub fn ga(sites: &[Site], cap: f64, aim: Goal, seed: u64) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let search = Search::new(sites, cap, aim);
    let mut tries = first_tries(&search, &mut rng);
    for _ in 0..search.generations() {
        // The best of each generation lives on unchanged.
        let mut next = vec![best(&tries).clone()];
        while next.len() < POPULATION {
            let (one, other) = (parent(&tries, &mut rng), parent(&tries, &mut rng));
            next.push(Try::new(child(one, other, &mut rng), &search));
        }
        tries = next;
    }
    search.rates(&best(&tries).genes)
}

fn parent<'a>(tries: &'a [Try], rng: &mut fastrand::Rng) -> &'a [f64] {
    let rivals: [&Try; RIVALS] = std::array::from_fn(|_| &tries[rng.usize(..tries.len())]);
    &best(rivals).genes
}

/// Each gene lies between its parents' or a little beyond, and on average one mutates.
fn child(one: &[f64], other: &[f64], rng: &mut fastrand::Rng) -> Vec<f64> {
    let rarely = 1.0 / one.len() as f64;
    let mut gene = |(a, b): (&f64, &f64)| {
        let between = a + (b - a) * (rng.f64() * (1.0 + 2.0 * BEYOND) - BEYOND);
        let factor =
            if rng.f64() < rarely { ((2.0 * rng.f64() - 1.0) * MUTATION).exp() } else { 1.0 };
        within_reason(between * factor)
    };
    one.iter().zip(other).map(&mut gene).collect()
}
