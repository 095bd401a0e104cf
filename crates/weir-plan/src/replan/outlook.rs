//! What is to be expected of the deadlines, and how much slack there is.

use super::{HAIR, Known, State};
use crate::verdict::{SURE, holds, quick_scale};
use crate::{Cap, Site};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// All deadlines hold, even if sizes are as large as they may be.
    Holds,
    /// It depends on sizes, or on rates that are not known yet.
    Unsure,
    /// Some are missed, even if sizes are as small as they may be.
    Overload,
}

/// Whether there is slack to spare, and the cap to plan with if so.
pub enum Reserve {
    Enough(Cap),
    Little,
}

/// Above this spread of sizes an order made from sizes is not to be trusted; deadlines are.
const TRUSTED: f64 = 1.5;

pub fn of(state: &State, exact: bool, needs: &Needs) -> (Outlook, Reserve) {
    let part = 1.0 - state.reserve;
    if needs.fit(part) && is_well_known(state) {
        return (Outlook::Holds, Reserve::Enough(state.cap.scaled(part)));
    }
    if needs.fit(1.0) {
        return (Outlook::Holds, Reserve::Little);
    }
    let lost = exact || !holds(&state.cap, &sites(state, |known| known.low));
    let outlook = if lost && rates_are_known(state) { Outlook::Overload } else { Outlook::Unsure };
    (outlook, Reserve::Little)
}

fn is_well_known(state: &State) -> bool {
    dated(state).all(|known| known.high <= TRUSTED) && rates_are_known(state)
}

fn rates_are_known(state: &State) -> bool {
    dated(state).all(|known| known.rate_is_known)
}

fn dated(state: &State) -> impl Iterator<Item = &Known> {
    state.sites.iter().filter(|known| known.site.size > 0.0 && known.site.deadline.is_some())
}

/// The sites with their sizes times a factor.
pub fn sites(state: &State, factor: impl Fn(&Known) -> f64) -> Vec<Site> {
    let scaled =
        |known: &Known| Site { size: known.site.size * factor(known), ..known.site.clone() };
    state.sites.iter().map(scaled).collect()
}

/// The sites with deadlines later by what no one can tell. Shortly before a deadline a rounding is any part of
/// what is left, so no part of that can be forgiven instead.
pub fn a_hair_later(sites: &[Site], period: f64) -> Vec<Site> {
    let later = |site: &Site| Site {
        deadline: site.deadline.map(|due| due + period * HAIR),
        ..site.clone()
    };
    sites.iter().map(later).collect()
}

/// What the deadlines need of the cap: worked out once where that is quick.
pub struct Needs<'a> {
    cap: &'a Cap,
    sites: &'a [Site],
    scale: Option<f64>,
}

impl Needs<'_> {
    pub fn new<'a>(cap: &'a Cap, sites: &'a [Site]) -> Needs<'a> {
        Needs { cap, sites, scale: quick_scale(cap, sites) }
    }

    /// Whether this part of the cap is enough.
    pub fn fit(&self, part: f64) -> bool {
        match self.scale {
            Some(scale) => scale <= part * SURE,
            None => holds(&self.cap.scaled(part), self.sites),
        }
    }
}
