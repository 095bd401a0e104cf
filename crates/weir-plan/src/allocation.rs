//! What comes out: who gets what rate, from when to when, and how good that is.

mod fault;

use crate::{Cap, Site};

/// A plan to the end. Sites are numbered as in the problem.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Allocation {
    /// One rate a site, if the policy gives each a single one.
    pub rates: Option<Vec<f64>>,
    /// Every stretch of a rate, in any order; a site without a stretch gets nothing.
    pub pieces: Vec<Piece>,
    /// When each site gets its first byte, and its last; infinite if never. A site of size 0 is
    /// done at time 0.
    pub start: Vec<f64>,
    pub end: Vec<f64>,
    /// How often rates were set, where a policy goes by rounds.
    pub rounds: Option<usize>,
}

/// A site has a rate for a while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    pub site: usize,
    pub from: f64,
    pub to: f64,
    pub rate: f64,
}

/// The measures that policies are compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    pub max_end: f64,
    pub sum_end: f64,
    /// The sum of the times from the first to the last byte.
    pub sum_exec: f64,
    /// Over the sites with a deadline.
    pub sum_tardiness: f64,
    pub weighted_tardiness: f64,
    /// Sites by their deadline; one without is always met.
    pub met: usize,
}

impl Allocation {
    /// Every site at one rate from the start until it is done.
    pub fn at_constant_rates(sites: &[Site], rates: Vec<f64>) -> Allocation {
        let end: Vec<f64> =
            sites.iter().zip(&rates).map(|(site, &rate)| time_at(site.size, rate)).collect();
        let pieces = (0..sites.len())
            .filter(|&site| rates[site] > 0.0 && end[site] > 0.0)
            .map(|site| Piece { site, from: 0.0, to: end[site], rate: rates[site] })
            .collect();
        let start = end.iter().map(|&end| if end.is_finite() { 0.0 } else { end }).collect();
        Allocation { rates: Some(rates), pieces, start, end, rounds: None }
    }

    /// Start and end of each site from the stretches alone. Who does not get its whole size is never
    /// done.
    pub fn from_pieces(sites: &[Site], mut pieces: Vec<Piece>) -> Allocation {
        pieces.retain(|piece| piece.to > piece.from && piece.rate > 0.0);
        let mut start = vec![f64::INFINITY; sites.len()];
        let mut end = vec![f64::NEG_INFINITY; sites.len()];
        let mut got = vec![0.0; sites.len()];
        for piece in &pieces {
            start[piece.site] = start[piece.site].min(piece.from);
            end[piece.site] = end[piece.site].max(piece.to);
            got[piece.site] += piece.rate * (piece.to - piece.from) + blur(piece);
        }
        for (index, site) in sites.iter().enumerate() {
            if site.size == 0.0 {
                (start[index], end[index]) = (0.0, 0.0);
            } else if got[index] < site.size * (1.0 - 1e-6) {
                end[index] = f64::INFINITY;
            }
        }
        Allocation { rates: None, pieces, start, end, rounds: None }
    }

    pub fn score(&self, sites: &[Site]) -> Score {
        let mut score = Score {
            max_end: 0.0,
            sum_end: 0.0,
            sum_exec: 0.0,
            sum_tardiness: 0.0,
            weighted_tardiness: 0.0,
            met: 0,
        };
        for ((site, &start), &end) in sites.iter().zip(&self.start).zip(&self.end) {
            score.max_end = score.max_end.max(end);
            score.sum_end += end;
            score.sum_exec += if end.is_finite() { end - start } else { f64::INFINITY };
            let late = site.deadline.map_or(0.0, |due| (end - due).max(0.0));
            score.sum_tardiness += late;
            score.weighted_tardiness += site.weight * late;
            score.met += usize::from(is_met(end, site.due()));
        }
        score
    }

    /// Whether every site is done by its time, which is infinite for none.
    pub fn meets(&self, due: &[f64]) -> bool {
        self.end.iter().zip(due).all(|(&end, &due)| is_met(end, due))
    }

    /// What is wrong with the plan, if anything: more than the cap, more than a site's highest
    /// rate, too early, too many at once, or not what the site wants. For tests and for the wary.
    pub fn fault(&self, cap: &Cap, at_once: Option<usize>, sites: &[Site]) -> Option<String> {
        fault::find(self, cap, at_once, sites)
    }
}

/// What a stretch may be off by, since times far from zero are not told apart as finely as sizes.
fn blur(piece: &Piece) -> f64 {
    piece.rate * piece.to * 4.0 * f64::EPSILON
}

/// Whether a deadline counts as met, a rounding error forgiven.
pub fn is_met(end: f64, due: f64) -> bool {
    end <= due + due.abs() * 1e-9
}

fn time_at(size: f64, rate: f64) -> f64 {
    if size == 0.0 { 0.0 } else { size / rate }
}
