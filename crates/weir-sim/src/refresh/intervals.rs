use std::cmp::Reverse;
use std::collections::BinaryHeap;

use weir_plan::refresh::Seen;

use super::run::{Policy, Visit};
use super::web::Web;

/// An interval for each page, longer after each visit that finds nothing and shorter after each that does.
/// The page that is due first is next, early if there are bytes to spare.
pub struct Intervals {
    longer: f64,
    shorter: f64,
    intervals: Vec<f64>,
    /// When pages are due, in millionths of a day.
    line: BinaryHeap<Reverse<(u64, usize)>>,
}

/// In days: Nutch begins with a month, and keeps between a minute and 90 days.
const FIRST: f64 = 30.0;
const LEAST: f64 = 1.0 / 1440.0;
const MOST: f64 = 90.0;

impl Intervals {
    pub fn new(web: &Web, longer: f64, shorter: f64) -> Intervals {
        let count = web.pages.len();
        let due = |page: usize| Reverse(((FIRST * 1e6 / count as f64) as u64 * page as u64, page));
        let line = (0..count).map(due).collect();
        Intervals { longer, shorter, intervals: vec![FIRST; count], line }
    }
}

impl Policy for Intervals {
    /// Always: there are bytes.
    fn due(&self) -> Option<f64> {
        self.line.peek().map(|_| 0.0)
    }

    fn take(&mut self) -> usize {
        let Reverse((_, page)) = self.line.pop().expect("a page is due");
        page
    }

    fn visited(&mut self, visit: &Visit) {
        let factor = if visit.seen == Seen::Same { self.longer } else { self.shorter };
        let interval = &mut self.intervals[visit.page];
        *interval = (*interval * factor).clamp(LEAST, MOST);
        self.line.push(Reverse((((visit.now + *interval) * 1e6) as u64, visit.page)));
    }
}
