//! What the blind searches have in common: genes that stand for rates, and what rates cost.

use super::paper::paces;
use super::split::{Part, split};
use crate::{Goal, Site};

/// As many are bred at a time.
pub const POPULATION: usize = 40;
const GENERATIONS: usize = 80;
/// Genes looked at in one search. With more than a few thousand sites there are fewer
/// generations, and the searches stay what they are: baselines.
const EFFORT: usize = 8_000_000;

/// Genes never vanish, or a site would never end.
const LEAST_GENE: f64 = 1e-6;

/// One gene a site. Where all deadlines can be kept they share out what the deadlines leave,
/// so that each try keeps them; else they share out the whole cap.
pub struct Search<'a> {
    sites: &'a [Site],
    floors: Vec<f64>,
    surplus: f64,
    cost: Cost,
}

#[derive(Clone, Copy)]
enum Cost {
    Last,
    Sum,
    Lateness,
}

impl<'a> Search<'a> {
    pub fn new(sites: &'a [Site], cap: f64, goal: Goal) -> Search<'a> {
        let Ok(floors) = paces(sites, cap) else {
            let floors = vec![0.0; sites.len()];
            return Search { sites, floors, surplus: cap, cost: Cost::Lateness };
        };
        let surplus = f64::max(cap - floors.iter().sum::<f64>(), 0.0);
        let cost = match goal {
            Goal::Last => Cost::Last,
            Goal::Sum => Cost::Sum,
        };
        Search { sites, floors, surplus, cost }
    }

    pub fn generations(&self) -> usize {
        (EFFORT / (POPULATION * self.sites.len()).max(1)).clamp(1, GENERATIONS)
    }

    pub fn genes(&self, rng: &mut fastrand::Rng) -> Vec<f64> {
        self.sites.iter().map(|_| within_reason(rng.f64())).collect()
    }

    pub fn rates(&self, genes: &[f64]) -> Vec<f64> {
        let part = |((site, &floor), &gene): ((&Site, &f64), &f64)| {
            let high = if site.size > 0.0 { site.max_rate - floor } else { 0.0 };
            Part { pull: gene, low: 0.0, high }
        };
        let parts: Vec<Part> = self.sites.iter().zip(&self.floors).zip(genes).map(part).collect();
        let extras = split(self.surplus, &parts);
        let sum = |((site, floor), extra): ((&Site, &f64), f64)| (floor + extra).min(site.max_rate);
        self.sites.iter().zip(&self.floors).zip(extras).map(sum).collect()
    }

    pub fn cost(&self, genes: &[f64]) -> f64 {
        let rates = self.rates(genes);
        let busy = || self.sites.iter().zip(&rates).filter(|(site, _)| site.size > 0.0);
        let times = || busy().map(|(site, rate)| site.size / rate);
        match self.cost {
            Cost::Last => times().fold(0.0, f64::max),
            Cost::Sum => times().sum(),
            Cost::Lateness => {
                busy().map(|(site, rate)| (site.size / rate - site.due()).max(0.0)).sum()
            }
        }
    }
}

pub fn within_reason(gene: f64) -> f64 {
    gene.clamp(LEAST_GENE, 1.0)
}

/// One try and what it costs.
#[derive(Clone)]
pub struct Try {
    pub genes: Vec<f64>,
    pub cost: f64,
}

impl Try {
    pub fn new(genes: Vec<f64>, search: &Search) -> Try {
        let cost = search.cost(&genes);
        Try { genes, cost }
    }
}

pub fn first_tries(search: &Search, rng: &mut fastrand::Rng) -> Vec<Try> {
    (0..POPULATION).map(|_| Try::new(search.genes(rng), search)).collect()
}

pub fn best<'a>(tries: impl IntoIterator<Item = &'a Try>) -> &'a Try {
    let cheapest = tries.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    cheapest.expect("a population is never empty")
}
