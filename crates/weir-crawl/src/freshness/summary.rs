use weir_plan::refresh::{Belief, Evidence, Page};

use super::days;
use crate::visit::Visit;

/// What is needed of the visits of a page to say what the next one is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    pub visits: u32,
    /// Visits that found it changed.
    pub changes: u32,
    /// Milliseconds since 1970.
    pub visited_ms: u64,
    /// Bytes of the last answer that brought something new, and of the last that did not (0 if there
    /// was none).
    pub fetch: u64,
    pub check: u64,
    /// URLs that nobody knew and that a later visit found on it.
    pub found: u32,
    /// The server can tell whether the page has changed.
    pub has_validators: bool,
    pub evidence: Evidence,
}

/// What it is to visit a page now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Worth {
    /// What one byte for it brings: pages are visited in this order.
    pub gain: f64,
    /// Bytes that come, on average.
    pub bytes: f64,
    /// Days since the last visit.
    pub age: f64,
    /// Changes a day, on average over what is believed.
    pub rate: f64,
}

/// A page that leads to new ones is worth more, up to this.
const MOST_WORTH: f64 = 100.0;
/// An answer without a body, as long as nobody has seen one of this page.
pub const HEAD_BYTES: f64 = 400.0;

impl Summary {
    pub fn of(visit: &Visit) -> Summary {
        let changes = &visit.changes;
        Summary {
            visits: changes.visits,
            changes: changes.changes,
            visited_ms: changes.visited_ms,
            fetch: changes.fetch,
            check: changes.check,
            found: changes.found,
            has_validators: visit.has_validators(),
            evidence: *changes.evidence(),
        }
    }

    /// Its site being like this.
    pub fn worth(&self, site: &Belief, now_ms: u64) -> Worth {
        let (page, age) = (self.page(site), self.age(now_ms).max(0.0));
        Worth { gain: page.gain(age), bytes: page.cost(age), age, rate: page.belief.rate() }
    }

    pub(super) fn age(&self, now_ms: u64) -> f64 {
        days(self.visited_ms, now_ms)
    }

    pub(super) fn page(&self, site: &Belief) -> Page {
        let fetch = (self.fetch as f64).max(1.0);
        let check = match self.check {
            0 if self.has_validators => HEAD_BYTES,
            0 => fetch,
            seen => seen as f64,
        };
        Page {
            belief: self.evidence.belief(site),
            // As many pages as nobody would know without it.
            weight: (1.0 + self.leads()).min(MOST_WORTH),
            check: check.min(fetch),
            fetch,
        }
    }

    /// New URLs that a change of it brings, on average.
    fn leads(&self) -> f64 {
        f64::from(self.found) / f64::from(self.changes.max(1))
    }
}
