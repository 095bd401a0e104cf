//! Shares by chance.

use super::search::Search;
use crate::{Goal, Site};

/// Each site gets what its deadline needs and a random share of the rest; where the cap is too
/// small for that, a random share of the whole (the paper's Random).
pub fn random(sites: &[Site], cap: f64, seed: u64) -> Vec<f64> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let search = Search::new(sites, cap, Goal::Sum);
    search.rates(&search.genes(&mut rng))
}
