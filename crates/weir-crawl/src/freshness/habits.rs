//! What pages are like, by what was seen of them: everywhere, and on each site.

use weir_plan::refresh::{Evidence, Prior};

/// Steps of expectation maximisation a round.
const STEPS: usize = 10;

/// What all pages are like, step by step: those of a site follow.
pub fn everywhere(before: Prior, pages: &[Evidence]) -> Vec<Prior> {
    let mut prior = before;
    let mut step = || {
        prior.learn(pages, &Prior::default());
        prior
    };
    (0..STEPS).map(|_| step()).collect()
}

/// What the pages of one site are like; `before` is what was believed in the last round.
pub fn of_site(before: Prior, pages: &[Evidence], everywhere: &[Prior]) -> Prior {
    let mut prior = before;
    everywhere.iter().for_each(|wider| prior.learn(pages, wider));
    prior
}
