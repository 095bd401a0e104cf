use fastrand::Rng;

use super::{Mix, SHIFT};
use crate::draw::normal;

/// Pages that change by themselves. What they do follows from the seed, whoever visits them.
#[derive(Clone, Debug)]
pub struct Web {
    pub pages: Vec<Page>,
    pub sites: usize,
}

#[derive(Clone, Debug)]
pub struct Page {
    pub site: usize,
    /// Changes a day, before and after the shift.
    pub rates: [f64; 2],
    pub weight: f64,
    /// Bytes of an answer that there is nothing new, and of a whole one.
    pub check: f64,
    pub fetch: f64,
    /// The server says when it changed last.
    pub dated: bool,
    /// How long ago it had changed when it was first met.
    pub age: f64,
    seed: u64,
}

const SITES: usize = 50;
const PAGES_OF_A_SITE: usize = 30;
/// A page is of the main kind of its site with this probability, else of any.
const OF_MAIN_KIND: f64 = 0.6;
const HEADERS: f64 = 500.0;
const SIZE: f64 = 25_000.0;
const SIZE_SPREAD: f64 = 1.0;

impl Web {
    pub fn new(mix: &Mix, seed: u64) -> Web {
        let mut rng = Rng::with_seed(0x4ef4_0000 + seed);
        let pages = (0..SITES).flat_map(|site| site_of(mix, site, &mut rng)).collect();
        Web { pages, sites: SITES }
    }

    /// What one visit of every page costs, if all have changed.
    pub fn bytes(&self) -> f64 {
        self.pages.iter().map(|page| page.fetch).sum()
    }
}

fn site_of(mix: &Mix, site: usize, rng: &mut Rng) -> Vec<Page> {
    let main = any_kind(mix, rng);
    let quick = (mix.site_spread * normal(rng)).exp();
    let (conditional, dated) = (rng.f64() < mix.conditional, rng.f64() < mix.dated);
    let mut page = || {
        let mut rate = || {
            let kind = if rng.f64() < OF_MAIN_KIND { main } else { any_kind(mix, rng) };
            quick * (kind.2 * normal(rng)).exp() / kind.1
        };
        let first = rate();
        let second = rate();
        let shifts = rng.f64() < mix.shifting;
        let fetch = HEADERS + (SIZE * (SIZE_SPREAD * normal(rng)).exp()).clamp(500.0, 2e6);
        Page {
            site,
            rates: [first, if shifts { second } else { first }],
            weight: (mix.weight_spread * normal(rng)).exp(),
            check: if conditional { HEADERS } else { fetch },
            fetch,
            dated,
            age: exponential(rng) / first,
            seed: rng.u64(..),
        }
    };
    (0..PAGES_OF_A_SITE).map(|_| page()).collect()
}

fn any_kind(mix: &Mix, rng: &mut Rng) -> (f64, f64, f64) {
    let mut left = rng.f64();
    for kind in mix.kinds {
        left -= kind.0;
        if left < 0.0 {
            return *kind;
        }
    }
    mix.kinds[mix.kinds.len() - 1]
}

fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.f64()).ln()
}

impl Page {
    pub fn rate(&self, now: f64) -> f64 {
        self.rates[usize::from(now >= SHIFT)]
    }

    pub fn changes(&self) -> Changes {
        let mut changes = Changes { rates: self.rates, rng: Rng::with_seed(self.seed), next: 0.0 };
        changes.draw();
        changes
    }
}

/// The moments at which a page changes, one after the other.
#[derive(Clone, Debug)]
pub struct Changes {
    rates: [f64; 2],
    rng: Rng,
    next: f64,
}

impl Changes {
    /// The first and the last change until this time that were not told before.
    pub fn until(&mut self, now: f64) -> Option<(f64, f64)> {
        let first = self.next;
        let mut last = None;
        while self.next <= now {
            last = Some(self.next);
            self.draw();
        }
        last.map(|last| (first, last))
    }

    fn draw(&mut self) {
        let wait = exponential(&mut self.rng);
        let [first, second] = self.rates;
        let before = (SHIFT - self.next).max(0.0) * first;
        self.next = if wait < before {
            self.next + wait / first
        } else {
            self.next.max(SHIFT) + (wait - before) / second
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::MIXES;

    fn page(rates: [f64; 2]) -> Page {
        let mut page = Web::new(&MIXES[0], 1).pages.swap_remove(0);
        page.rates = rates;
        page
    }

    #[test]
    fn a_page_changes_at_its_rate_before_and_after_the_shift() {
        let mut changes = page([50.0, 200.0]).changes();
        let (mut before, mut after) = (0, 0);
        while changes.next < 2.0 * SHIFT {
            if changes.next < SHIFT {
                before += 1
            } else {
                after += 1
            }
            changes.draw();
        }
        let close = |count: i32, rate: f64| (f64::from(count) / SHIFT / rate - 1.0).abs() < 0.05;
        assert!(close(before, 50.0) && close(after, 200.0), "{before} {after}");
    }

    #[test]
    fn changes_are_the_same_however_often_one_looks() {
        let page = page([3.0, 3.0]);
        let (mut once, mut often) = (page.changes(), page.changes());
        let all = once.until(20.0).expect("sixty changes or so");
        let seen: Vec<(f64, f64)> =
            (1..=200).filter_map(|n| often.until(f64::from(n) / 10.0)).collect();
        assert_eq!(all, (seen[0].0, seen[seen.len() - 1].1));
        assert!(seen.windows(2).all(|two| two[0].1 < two[1].0));
    }

    #[test]
    fn most_pages_hardly_change_and_a_few_many_times_a_day() {
        for seed in 0..5 {
            let web = Web::new(&MIXES[0], seed);
            let part = |of: fn(f64) -> bool| {
                let count = web.pages.iter().filter(|page| of(page.rates[0])).count();
                count as f64 / web.pages.len() as f64
            };
            assert!((0.35..0.75).contains(&part(|rate| rate < 1.0 / 60.0)));
            assert!((0.01..0.40).contains(&part(|rate| rate > 0.5)));
            assert!(part(|rate| rate > 4.0) < 0.15);
        }
    }
}
