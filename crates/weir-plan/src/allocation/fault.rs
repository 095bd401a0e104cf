//! Checks a plan against what it must keep to, with no knowledge of how it was made.

use super::{Allocation, Piece};
use crate::{Cap, Site};

/// Rounding that is forgiven, as a part of the whole.
const SLIP: f64 = 1e-7;

pub fn find(
    plan: &Allocation,
    cap: &Cap,
    at_once: Option<usize>,
    sites: &[Site],
) -> Option<String> {
    let of_a_piece = plan.pieces.iter().find_map(|piece| piece_fault(piece, &sites[piece.site]));
    of_a_piece.or_else(|| size_fault(plan, sites)).or_else(|| sum_fault(&plan.pieces, cap, at_once))
}

fn piece_fault(piece: &Piece, site: &Site) -> Option<String> {
    let Piece { site: index, from, to, rate } = *piece;
    let what = if !(from >= 0.0 && to >= from && to.is_finite() && rate >= 0.0) {
        "is no stretch of time with a rate"
    } else if rate > site.max_rate * (1.0 + SLIP) {
        "is above the site's highest rate"
    } else if from < site.release * (1.0 - SLIP) {
        "is before the site's release"
    } else {
        return None;
    };
    Some(format!("site {index}: rate {rate} from {from} to {to} {what}"))
}

fn size_fault(plan: &Allocation, sites: &[Site]) -> Option<String> {
    let mut got = vec![0.0; sites.len()];
    let mut blur = vec![0.0; sites.len()];
    for piece in &plan.pieces {
        got[piece.site] += piece.rate * (piece.to - piece.from);
        blur[piece.site] += super::blur(piece);
    }
    (0..sites.len())
        .filter(|&index| plan.end[index].is_finite())
        .find(|&index| {
            (got[index] - sites[index].size).abs() > SLIP * sites[index].size + blur[index]
        })
        .map(|index| format!("site {index}: gets {} of {}", got[index], sites[index].size))
}

/// Walks over all beginnings and ends; at each instant the sum must fit the cap.
fn sum_fault(pieces: &[Piece], cap: &Cap, at_once: Option<usize>) -> Option<String> {
    // A stretch shorter than the rounding of the clock moves nothing.
    let last = pieces.iter().map(|piece| piece.to).fold(0.0, f64::max);
    let mut edges: Vec<(f64, f64, i64)> = Vec::with_capacity(pieces.len() * 2);
    for piece in
        pieces.iter().filter(|piece| piece.rate > 0.0 && piece.to - piece.from > last * 1e-12)
    {
        edges.push((piece.from, piece.rate, 1));
        edges.push((piece.to, -piece.rate, -1));
    }
    edges.extend(cap.changes().map(|at| (at, 0.0, 0)));
    edges.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut rate, mut running) = (0.0, 0);
    for pair in 0..edges.len() {
        let (at, change, one) = edges[pair];
        rate += change;
        running += one;
        let until = edges.get(pair + 1).map_or(at, |next| next.0);
        if until - at <= last * 1e-10 {
            continue;
        }
        if rate > cap.at((at + until) / 2.0) * (1.0 + SLIP) {
            return Some(format!(
                "{rate} in all from {at} to {until}: above the cap {}",
                cap.at(at)
            ));
        }
        if at_once.is_some_and(|most| running > most as i64) {
            return Some(format!("{running} sites at once from {at} to {until}"));
        }
    }
    None
}
