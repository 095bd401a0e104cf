//! Rates found by differences between tries (the paper's DE, whose settings it does not give;
//! here the usual `rand/1/bin`).

use super::search::{Search, Try, best, first_tries, within_reason};
use crate::{Goal, Site};

/// How much of the difference of two tries is added to a third.
const STEP: f64 = 0.5;
/// How likely a gene is taken from that sum.
const CROSSING: f64 = 0.9;

/// Searches for the rates with the least last or summed time, or the least lateness where the
/// cap is too small for all deadlines. The same seed gives the same rates.
pub fn de(sites: &[Site], cap: f64, aim: Goal, seed: u64) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let search = Search::new(sites, cap, aim);
    let mut tries = first_tries(&search, &mut rng);
    for _ in 0..search.generations() {
        for index in 0..tries.len() {
            let rival = Try::new(crossed(&tries, index, &mut rng), &search);
            if rival.cost <= tries[index].cost {
                tries[index] = rival;
            }
        }
    }
    search.rates(&best(&tries).genes)
}

fn crossed(tries: &[Try], index: usize, rng: &mut fastrand::Rng) -> Vec<f64> {
    let [base, plus, minus] = std::array::from_fn(|_| &tries[rng.usize(..tries.len())].genes);
    let old = &tries[index].genes;
    let surely = rng.usize(..old.len());
    let mut gene = |site: usize| {
        if site == surely || rng.f64() < CROSSING {
            within_reason(base[site] + STEP * (plus[site] - minus[site]))
        } else {
            old[site]
        }
    };
    (0..old.len()).map(&mut gene).collect()
}
