//! How many more pages may be asked for without anything new among them.

use hashbrown::HashSet;
use weir_types::Sketch;

use super::News;

pub struct Budget {
    bounds: &'static Bounds,
    credit: i64,
    asked: u32,
    /// Pages asked for since one was chosen to be looked at.
    since: u32,
    /// Pages for which the chosen one stands, until it is there.
    stands_for: u32,
    seen: Seen,
}

pub struct Bounds {
    /// Pages there may be without anything new.
    pub start: i64,
    /// What can be saved up at the most: so many pages without news are the end, however rich it
    /// was before.
    pub most: i64,
    /// The first so many pages are not looked at.
    pub unsampled: u32,
    /// Pieces of text that are remembered, twice.
    pub remembered: usize,
}

/// What a page with news adds. One page in eight with something new is enough to go on.
const GAIN: i64 = 8;
/// One page in so many is looked at, because looking costs half as much as fetching.
const EVERY: u32 = 4;
/// The same while more than half of what can be saved up is there.
const EVERY_RICH: u32 = 32;
/// What is new on a page has to weigh so much (see [`Sketch::weight`]): a paragraph, a picture, or a
/// few short texts. Less may be an address that the page repeats.
const NEWS: u32 = 6;

impl Budget {
    pub fn new(bounds: &'static Bounds) -> Self {
        Budget {
            bounds,
            credit: bounds.start,
            asked: 0,
            since: 0,
            stands_for: 0,
            seen: Seen::default(),
        }
    }

    pub fn is_used_up(&self) -> bool {
        self.credit <= 0
    }

    pub fn asked(&self) -> u32 {
        self.asked
    }

    /// One more page is asked for, and uses up some of it if it `counts`. True if it should be
    /// looked at.
    pub fn ask(&mut self, counts: bool) -> bool {
        self.credit -= i64::from(counts);
        self.asked += 1;
        self.since += 1;
        let is_safe = !counts || self.credit > self.bounds.most / 2;
        let every = if is_safe { EVERY_RICH } else { EVERY };
        let chosen = self.asked > self.bounds.unsampled && self.since >= every;
        if chosen {
            self.stands_for += std::mem::take(&mut self.since);
        }
        chosen
    }

    pub fn learn(&mut self, news: News<'_>) {
        let gain = match news {
            News::Unknown => return,
            News::DeadEnd => 1,
            News::Some => GAIN,
            News::Sample(sample) => {
                let stands_for = std::mem::take(&mut self.stands_for).max(1);
                let is_news = self.seen.is_news(sample, self.bounds.remembered);
                GAIN * i64::from(stands_for) * i64::from(is_news)
            }
        };
        self.credit = (self.credit + gain).min(self.bounds.most);
    }
}

/// What there was lately: two generations, so that forgetting is cheap.
#[derive(Default)]
struct Seen {
    now: HashSet<u32>,
    before: HashSet<u32>,
}

impl Seen {
    fn is_news(&mut self, sample: &[u32], remembered: usize) -> bool {
        let (mut new, mut all) = (0, 0);
        for piece in sample {
            all += Sketch::weight(*piece);
            if self.now.insert(*piece) && !self.before.contains(piece) {
                new += Sketch::weight(*piece);
            }
        }
        if self.now.len() > remembered {
            self.before = std::mem::take(&mut self.now);
        }
        new >= NEWS.min(all).max(1)
    }
}
