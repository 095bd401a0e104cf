use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_plan::refresh::{Belief, Limits, Page, SHORTEST, for_budget};

use super::SHIFT;
use super::run::{Policy, Visit};
use super::web::Web;

/// Each page at a frequency of its own, evenly spaced. Where the frequencies are more or less than the budget
/// allows, all are slowed down or sped up alike.
pub struct Steady<'a> {
    web: &'a Web,
    budget: f64,
    wants: Wants,
    intervals: Vec<f64>,
    /// The time of the schedule at which a page is next, in millionths of a day.
    line: BinaryHeap<Reverse<(u64, usize)>>,
    /// The same, of the page that was taken last.
    at: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wants {
    Best,
    AsItChanges,
    Same,
}

impl Steady<'_> {
    pub fn new(web: &Web, budget: f64, wants: Wants) -> Steady<'_> {
        let line = BinaryHeap::new();
        let mut steady = Steady { web, budget, wants, intervals: Vec::new(), line, at: 0 };
        steady.begin(0.0);
        steady
    }

    fn begin(&mut self, now: f64) {
        self.intervals = self.wanted(now);
        self.line.clear();
        for page in 0..self.intervals.len() {
            // Spread evenly over the interval (the golden ratio does it without a lot).
            let part = (page as f64 * 0.618_033_988_749_894_9).fract();
            self.push(page, part * self.intervals[page]);
        }
    }

    fn wanted(&self, now: f64) -> Vec<f64> {
        let pages = &self.web.pages;
        match self.wants {
            Wants::Same => vec![1.0; pages.len()],
            Wants::AsItChanges => pages.iter().map(|page| 1.0 / page.rate(now)).collect(),
            Wants::Best => {
                let known: Vec<Page> = pages
                    .iter()
                    .map(|page| Page {
                        belief: Belief::known(page.rate(now)),
                        weight: page.weight,
                        check: page.check,
                        fetch: page.fetch,
                    })
                    .collect();
                let limits = Limits { shortest: SHORTEST, ..Limits::NONE };
                for_budget(&known, self.budget, limits).intervals
            }
        }
    }

    fn push(&mut self, page: usize, wait: f64) {
        if wait.is_finite() {
            self.line.push(Reverse((self.at + (wait * 1e6) as u64, page)));
        }
    }
}

impl Policy for Steady<'_> {
    /// Always: it goes by a time of its own.
    fn due(&self) -> Option<f64> {
        self.line.peek().map(|_| 0.0)
    }

    fn take(&mut self) -> usize {
        let Reverse((at, page)) = self.line.pop().expect("a page is due");
        self.at = at;
        page
    }

    fn visited(&mut self, visit: &Visit) {
        self.push(visit.page, self.intervals[visit.page]);
    }

    /// Who knows the rates knows when they change, too.
    fn new_day(&mut self, now: f64, _left: f64) {
        let shifts = self.web.pages.iter().any(|page| page.rates[0] != page.rates[1]);
        if shifts && now == SHIFT {
            self.begin(now);
        }
    }
}
