//! What must hold for coming back to pages, whatever goes in.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use weir_plan::refresh::{Belief, Habits, Limits, MEMORY, Page, Prior, Schedule, Seen, for_budget};

fn power(low: f64, high: f64) -> impl Strategy<Value = f64> {
    (low..high).prop_map(|x| 10_f64.powf(x))
}

/// Rates between once in thirty years and a hundred times a day, known well or hardly at all.
fn belief() -> impl Strategy<Value = Belief> {
    let rate = || power(-4.0, 2.0);
    prop_oneof![
        rate().prop_map(Belief::known),
        (rate(), power(-1.0, 2.0))
            .prop_map(|(rate, changes)| Belief { changes, days: changes / rate }),
    ]
}

fn page() -> impl Strategy<Value = Page> {
    (belief(), power(-1.0, 1.0), power(2.0, 4.0), power(0.0, 3.0)).prop_map(
        |(belief, weight, check, times)| Page { belief, weight, check, fetch: check * times },
    )
}

fn pages() -> impl Strategy<Value = Vec<Page>> {
    prop::collection::vec(page(), 2..30)
}

proptest! {
    #[test]
    fn the_budget_is_used_exactly(pages in pages(), budget in power(2.0, 7.0)) {
        let schedule = for_budget(&pages, budget, Limits::NONE);
        prop_assert!((schedule.spends / budget - 1.0).abs() < 1e-6, "{schedule:?}");
    }

    #[test]
    fn within_limits_it_is_used_unless_no_page_may_be_visited_more(
        pages in pages(),
        budget in power(2.0, 9.0),
    ) {
        let limits = Limits { shortest: 0.5, longest: f64::INFINITY };
        let schedule = for_budget(&pages, budget, limits);
        let most = Schedule::at(&pages, 0.0, limits).spends;
        prop_assert!((schedule.spends / budget.min(most) - 1.0).abs() < 1e-6, "{schedule:?}");
        prop_assert!(schedule.intervals.iter().all(|days| *days >= 0.5));
    }

    /// A little more often for one page, and as many bytes less for another.
    #[test]
    fn no_exchange_between_two_pages_raises_the_freshness(
        pages in pages(),
        budget in power(3.0, 6.0),
        bytes in power(-4.0, -1.0),
    ) {
        let best = for_budget(&pages, budget, Limits::NONE);
        for from in 0..pages.len() {
            let to = (from + 1) % pages.len();
            let moved = bytes * budget;
            let (gives, gets) = (&pages[from], &pages[to]);
            let left = gives.spends(best.intervals[from]) - moved;
            if left <= 0.0 {
                continue;
            }
            let mut other = best.intervals.clone();
            other[from] = spending(gives, left);
            other[to] = spending(gets, gets.spends(best.intervals[to]) + moved);
            if other[to] > 1e6 {
                continue; // Once in three thousand years is not looked for.
            }
            let other = Schedule::of(&pages, best.price, other);
            prop_assert!((other.spends / best.spends - 1.0).abs() < 1e-6);
            prop_assert!(other.freshness <= best.freshness + 1e-9, "{other:?} {best:?}");
        }
    }

    /// Costs that are not convex make this worth a test of its own.
    #[test]
    fn no_other_schedule_of_the_same_budget_is_fresher(
        pages in pages(),
        visits in prop::collection::vec(power(-3.0, 2.0), 30),
    ) {
        let intervals = visits[..pages.len()].iter().map(|visits| 1.0 / visits).collect();
        let other = Schedule::of(&pages, 0.0, intervals);
        let best = for_budget(&pages, other.spends, Limits::NONE);
        prop_assert!(best.freshness >= other.freshness - 1e-9, "{best:?} {other:?}");
    }

    #[test]
    fn more_budget_never_lowers_the_freshness(pages in pages(), budget in power(2.0, 6.0)) {
        let mut before = 0.0;
        for times in [1.0, 1.01, 2.0, 10.0] {
            let schedule = for_budget(&pages, times * budget, Limits::NONE);
            prop_assert!(schedule.freshness >= before - 1e-9);
            before = schedule.freshness;
        }
    }

    #[test]
    fn a_rate_is_never_nought_nor_infinite(
        first in prop::option::of(-1.0..1e4),
        visits in prop::collection::vec((power(-7.0, 4.0), 0..3_usize, -0.2..1.2), 0..200),
    ) {
        let (site, mut page) = (*Prior::default().belief(), Habits::first(first));
        for (elapsed, kind, part) in visits {
            let seen = [Seen::Same, Seen::Changed, Seen::ChangedAgo(part * elapsed)][kind];
            page.observe(&site, elapsed, seen, MEMORY);
            let rate = page.belief(&site).rate();
            prop_assert!(rate > 0.0 && rate.is_finite(), "{page:?}");
            prop_assert!(page.numbers().iter().all(|x| *x >= 0.0 && x.is_finite()), "{page:?}");
        }
    }
}

/// How often a page can be visited for so many bytes a day.
fn spending(page: &Page, bytes: f64) -> f64 {
    let (mut low, mut high) = (1e-12_f64, 1e12_f64);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if page.spends(middle) > bytes { low = middle } else { high = middle }
    }
    high
}
