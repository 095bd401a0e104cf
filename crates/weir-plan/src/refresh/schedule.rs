use super::page::Page;

/// How often to come back to each page, and what that is expected to cost and to bring.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Weighted days of freshness that the last byte brings; each page is visited when it gains as much.
    pub price: f64,
    /// Days between two visits of each page; infinite for those not worth it.
    pub intervals: Vec<f64>,
    /// Bytes a day.
    pub spends: f64,
    /// The part of the time that a copy is equal to its page, as a weighted mean over the pages.
    pub freshness: f64,
}

/// No page is visited more often than every `shortest` days, and each at least every `longest`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub shortest: f64,
    pub longest: f64,
}

/// Ten minutes.
pub const SHORTEST: f64 = 10.0 / 1440.0;
/// Pages given up as too quick, or too slow, are looked at again after so many days: they may have changed
/// their habits.
pub const LONGEST: f64 = 90.0;
/// The part of the budget that this may cost at the most.
pub const LOOKS_AGAIN: f64 = 0.1;

impl Limits {
    /// Whatever pays.
    pub const NONE: Limits = Limits { shortest: 0.0, longest: f64::INFINITY };

    /// [`SHORTEST`] and [`LONGEST`], or longer where the budget is small: a limit that uses it up would leave
    /// nothing for the pages that are worth it.
    pub fn within(budget: f64, pages: &[Page]) -> Limits {
        let bytes: f64 = pages.iter().map(|page| page.fetch).sum();
        Limits { shortest: SHORTEST, longest: LONGEST.max(bytes / (LOOKS_AGAIN * budget)) }
    }

    pub fn hold(&self, interval: f64) -> f64 {
        interval.min(self.longest).max(self.shortest)
    }
}

/// The schedule with the highest expected freshness of all that spend `budget` bytes a day.
///
/// Less is spent only if all pages are at their shortest interval, and more only if the longest ones
/// demand it. Pages cost the more the more often they are found changed, so what is spent is no convex
/// function of the frequencies; the schedule is the best all the same, since for its price each page by
/// itself has the best interval of all.
pub fn for_budget(pages: &[Page], budget: f64, limits: Limits) -> Schedule {
    let (mut low, mut high) = (LEAST_LOG, MOST_LOG);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if Schedule::at(pages, middle.exp(), limits).spends > budget {
            low = middle
        } else {
            high = middle
        }
    }
    let more = Schedule::at(pages, low.exp(), limits);
    let less = Schedule::at(pages, high.exp(), limits);
    if more.spends <= budget || less.spends >= budget {
        return less;
    }
    between(budget, pages, &more, &less)
}

/// A price from which to go on, one step nearer to that of [`for_budget`]: two passes over the pages instead of
/// sixty, for who has to come back to it daily.
pub fn nearer(pages: &[Page], price: f64, budget: f64, limits: Limits) -> f64 {
    let spends = |price: f64| {
        pages.iter().map(|page| page.spends(limits.hold(page.interval(price)))).sum::<f64>()
    };
    let (here, there) = (spends(price), spends(price * 1.1));
    // By how many percent less is spent if the price rises by one: a half for pages that hardly change.
    let falls = ((here / there).ln() / 1.1_f64.ln()).clamp(0.25, 40.0);
    let step = if here > 0.0 { (here / budget).ln() / falls } else { -LONGEST_STEP };
    price * step.clamp(-LONGEST_STEP, LONGEST_STEP).exp()
}

impl Schedule {
    /// All pages visited when they gain this price.
    pub fn at(pages: &[Page], price: f64, limits: Limits) -> Schedule {
        let every = |page: &Page| limits.hold(page.interval(price));
        Schedule::of(pages, price, pages.iter().map(every).collect())
    }

    /// What these intervals are expected to cost and to bring, however they were found.
    pub fn of(pages: &[Page], price: f64, intervals: Vec<f64>) -> Schedule {
        let (mut spends, mut fresh, mut weight) = (0.0, 0.0, 0.0);
        for (page, &interval) in pages.iter().zip(&intervals) {
            spends += page.spends(interval);
            fresh += page.weight * page.freshness(interval);
            weight += page.weight;
        }
        let freshness = if weight > 0.0 { fresh / weight } else { 1.0 };
        Schedule { price, intervals, spends, freshness }
    }

    /// Visits of a page a day.
    pub fn visits(&self, page: usize) -> f64 {
        1.0 / self.intervals[page]
    }
}

/// A page that is hardly worth it goes from a visit in some weeks to none within the last digit of the price.
/// Whatever lies between is equally good, and one of it spends just the budget.
fn between(budget: f64, pages: &[Page], more: &Schedule, less: &Schedule) -> Schedule {
    let blend = |part: f64| {
        let both = more.intervals.iter().zip(&less.intervals);
        let visits = both.map(|(more, less)| part / more + (1.0 - part) / less);
        Schedule::of(pages, less.price, visits.map(|visits| 1.0 / visits).collect())
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (low + high);
        if blend(middle).spends > budget { high = middle } else { low = middle }
    }
    blend(low)
}

const LONGEST_STEP: f64 = 2.0;
/// Prices from 1e-100 to 1e100, and as many halvings as a double has room for.
const LEAST_LOG: f64 = -230.0;
const MOST_LOG: f64 = 230.0;
const BISECTIONS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::Belief;

    fn pages(rates: &[f64]) -> Vec<Page> {
        let page =
            |&rate: &f64| Page { belief: Belief::known(rate), weight: 1.0, check: 1.0, fetch: 1.0 };
        rates.iter().map(page).collect()
    }

    /// Cho and Garcia-Molina's example: five pages that change once to five times a day, five visits a day
    /// for all. They print 1.15, 1.36, 1.35, 1.14 and 0.00 visits.
    #[test]
    fn the_textbook_example_comes_out() {
        let schedule = for_budget(&pages(&[1.0, 2.0, 3.0, 4.0, 5.0]), 5.0, Limits::NONE);
        let visits: Vec<f64> =
            (0..5).map(|page| (schedule.visits(page) * 100.0).round() / 100.0).collect();
        assert_eq!(visits, [1.15, 1.36, 1.35, 1.14, 0.0]);
    }

    #[test]
    fn a_few_steps_lead_to_the_price_from_far_away() {
        let pages = pages(&[0.01, 0.1, 1.0, 10.0]);
        for budget in [0.1, 1.0, 30.0] {
            let wanted = for_budget(&pages, budget, Limits::NONE).price;
            for wrong in [1e-3, 0.5, 1e3] {
                let mut price = wanted * wrong;
                (0..8).for_each(|_| price = nearer(&pages, price, budget, Limits::NONE));
                assert!((price / wanted - 1.0).abs() < 0.02, "{budget} {wrong}: {price} {wanted}");
            }
        }
    }

    #[test]
    fn the_longest_interval_is_kept_even_if_it_does_not_pay() {
        let limits = Limits { shortest: 0.1, longest: 10.0 };
        let schedule = for_budget(&pages(&[1000.0, 1e-6]), 1e-9, limits);
        assert_eq!(schedule.intervals, [10.0, 10.0]);
    }

    #[test]
    fn looking_again_leaves_most_of_the_budget_to_what_pays() {
        let pages = pages(&[0.01, 0.02, 5.0, 50.0]);
        for budget in [0.001, 0.1, 10.0] {
            let limits = Limits::within(budget, &pages);
            let floor = Schedule::at(&pages, f64::INFINITY, limits).spends;
            assert!(floor <= 0.1001 * budget, "{floor} of {budget}");
            let schedule = for_budget(&pages, budget, limits);
            assert!((schedule.spends / budget - 1.0).abs() < 1e-6, "{schedule:?}");
        }
    }

    #[test]
    fn no_pages_cost_nothing() {
        let schedule = for_budget(&[], 100.0, Limits::within(100.0, &[]));
        assert_eq!((schedule.spends, schedule.freshness), (0.0, 1.0));
    }
}
