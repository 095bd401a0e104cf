//! Pages that change by themselves, and the clock they go by.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::item::Item;
use crate::layout::Layout;

/// When the pages of a host change. Page `n` has a new edition every `periods[n % periods.len()]`, beginning
/// somewhere within the first one; `None` never changes. The text of an edition is all new, the links stay.
///
/// A page that changes has an `etag` and no `last-modified`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changing {
    pub periods: Vec<Option<Duration>>,
}

impl Changing {
    fn period(&self, page: u32) -> Option<Duration> {
        let count = self.periods.len().max(1);
        self.periods.get(page as usize % count).copied().flatten()
    }
}

/// Runs by itself until somebody sets it.
pub(crate) struct Clock {
    begun: Instant,
    /// In milliseconds, once it was set.
    set: AtomicU64,
}

const RUNS: u64 = u64::MAX;

impl Clock {
    pub(crate) fn new() -> Clock {
        Clock { begun: Instant::now(), set: AtomicU64::new(RUNS) }
    }

    pub(crate) fn set(&self, at: Duration) {
        self.set.store(at.as_millis() as u64, Relaxed);
    }

    fn now_ms(&self) -> u64 {
        match self.set.load(Relaxed) {
            RUNS => self.begun.elapsed().as_millis() as u64,
            set => set,
        }
    }
}

impl Layout {
    /// Which edition of an item is served now, counted from 0.
    pub(crate) fn edition(&self, host: usize, item: Item) -> u32 {
        let Item::Page(page) = item else { return 0 };
        let Some(period) = self.hosts[host].spec.changing.period(page) else { return 0 };
        let period_ms = u32::try_from(period.as_millis()).unwrap_or(u32::MAX).max(1);
        let early_ms = self.rng(host, page ^ EARLY).below(period_ms);
        ((self.clock.now_ms() + u64::from(early_ms)) / u64::from(period_ms)) as u32
    }
}

/// Another number than those that a page draws for its text.
const EARLY: u32 = 0x5bd1_e995;
