use weir_plan::{Cap, Problem, Site};

use super::WhatIf;

/// What is known of a crawl afterwards. Times are seconds from its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorded {
    /// Bytes a second, if there was one limit.
    pub limit: Option<f64>,
    pub mean_rate: f64,
    /// All that came over the wire, what belongs to no page included.
    pub came: f64,
    pub sites: Vec<RecordedSite>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedSite {
    pub name: String,
    /// Bytes of pages that came.
    pub came: f64,
    /// All that it would bring, as far as that was known.
    pub predicted: Option<f64>,
    pub max_rate: Option<f64>,
    pub deadline: Option<f64>,
    /// When it was done, if it was.
    pub end: Option<f64>,
    pub met: Option<bool>,
    pub late_by: Option<f64>,
}

impl RecordedSite {
    /// What it has: what came, or what was expected of a site that the crawl was not done with.
    pub fn bytes(&self) -> f64 {
        match self.end {
            Some(_) => self.came,
            None => self.predicted.unwrap_or(0.0).max(self.came),
        }
    }
}

impl Recorded {
    /// Heads, robots.txt and what had to be sent twice take their part of a limit too.
    pub fn overhead(&self) -> f64 {
        let pages: f64 = self.sites.iter().map(|site| site.came).sum();
        if pages > 0.0 { (self.came / pages).max(1.0) } else { 1.0 }
    }

    pub(super) fn problem(&self, sites: &[RecordedSite], what_if: &WhatIf) -> Problem {
        let overhead = self.overhead();
        let site = |site: &RecordedSite| Site {
            max_rate: known(site.max_rate).map_or(f64::INFINITY, |rate| rate * overhead),
            ..Site::new(site.bytes() * overhead, site.deadline)
        };
        let sites: Vec<Site> = sites.iter().map(site).collect();
        let limit = what_if.limit.or(known(self.limit));
        let cap = Cap::constant(limit.unwrap_or_else(|| self.highest_rate(&sites)));
        Problem { cap, at_once: what_if.at_once, sites }
    }

    /// A crawl without a limit was held by its servers, as far as their speeds are known.
    fn highest_rate(&self, sites: &[Site]) -> f64 {
        let known = sites.iter().map(|site| site.max_rate).filter(|rate| rate.is_finite());
        known.sum::<f64>().max(self.mean_rate)
    }
}

/// A rate of nought is that of a pause or of a site that never answered, and says nothing.
fn known(rate: Option<f64>) -> Option<f64> {
    rate.filter(|rate| *rate > 0.0)
}
