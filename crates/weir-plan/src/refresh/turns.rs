use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::page::Page;
use super::schedule::Limits;

/// Whose turn it is: the best schedule as a queue. A page is due when it gains the price; nothing is solved
/// for, beside that one page's age.
///
/// Once a day much was learnt and the price is another: take it one step [`nearer`](super::nearer) to what the budget
/// demands, [`Turns::begin`] with it and add all pages again.
#[derive(Clone, Debug)]
pub struct Turns {
    price: f64,
    limits: Limits,
    line: BinaryHeap<Reverse<Turn>>,
}

impl Turns {
    /// The price to begin with may be wrong: [`for_budget`](super::for_budget) of a sample has a good one.
    pub fn new(price: f64, limits: Limits) -> Turns {
        Turns { price, limits, line: BinaryHeap::new() }
    }

    pub fn price(&self) -> f64 {
        self.price
    }

    /// Empties the line, for all to be added at this price.
    pub fn begin(&mut self, price: f64) {
        self.price = price;
        self.line.clear();
    }

    /// Puts a page in line, under a number of the caller's. It is there once: add it again after its visit.
    pub fn add(&mut self, id: usize, page: &Page, visited: f64) {
        let due = visited + self.limits.hold(page.interval(self.price));
        if due.is_finite() {
            self.line.push(Reverse(Turn { due, id }));
        }
    }

    /// When the next page is due.
    pub fn due(&self) -> Option<f64> {
        self.line.peek().map(|Reverse(turn)| turn.due)
    }

    /// Takes the next page out of the line, due or not.
    pub fn take(&mut self) -> Option<usize> {
        self.line.pop().map(|Reverse(turn)| turn.id)
    }
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    due: f64,
    id: usize,
}

impl Ord for Turn {
    fn cmp(&self, other: &Turn) -> std::cmp::Ordering {
        self.due.total_cmp(&other.due).then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Turn {
    fn partial_cmp(&self, other: &Turn) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Turn {
    fn eq(&self, other: &Turn) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Turn {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::{Belief, for_budget, nearer};

    /// Rates are doubtful, as they always are. Of a few pages with known rates, whole pages come and go with
    /// the last digit of the price, and one price a day cannot have just what is wanted.
    fn pages() -> Vec<Page> {
        let days = |n: i32| 80.0 / 1.1_f64.powi(n);
        let page = |n: i32| Page {
            belief: Belief { changes: 0.8, days: days(n) },
            weight: 1.0 + f64::from(n % 3),
            check: 500.0,
            fetch: 20_000.0,
        };
        (0..80).map(page).collect()
    }

    /// Visits pages when they are due; tells what the second half is expected to bring and to cost a day.
    fn run(pages: &[Page], budget: f64, price: f64, days: f64) -> (f64, f64) {
        let mut turns = Turns::new(price, Limits::NONE);
        let mut visited = vec![0.0; pages.len()];
        let (mut fresh, mut bytes, mut day) = (0.0, 0.0, 0.0);
        while day < days {
            turns.begin(nearer(pages, turns.price(), budget, Limits::NONE));
            let all = pages.iter().zip(&visited).enumerate();
            all.for_each(|(id, (page, visited))| turns.add(id, page, *visited));
            while let Some(due) = turns.due().filter(|due| *due < day + 1.0) {
                let id = turns.take().expect("it is due");
                let (page, now) = (&pages[id], due.max(day));
                let age = now - visited[id];
                if visited[id] > days / 2.0 {
                    fresh += page.weight * page.belief.fresh_days(age);
                    bytes += page.cost(age);
                }
                visited[id] = now;
                turns.add(id, page, now);
            }
            day += 1.0;
        }
        let weight: f64 = pages.iter().map(|page| page.weight).sum();
        (fresh / weight / (days / 2.0), bytes / (days / 2.0))
    }

    #[test]
    fn the_queue_has_the_freshness_of_the_best_schedule_and_its_cost() {
        let pages = pages();
        for budget in [50_000.0, 500_000.0] {
            let best = for_budget(&pages, budget, Limits::NONE);
            for wrong in [0.1, 1.0, 10.0] {
                let (fresh, bytes) = run(&pages, budget, best.price * wrong, 3000.0);
                assert!((fresh / best.freshness - 1.0).abs() < 0.02, "{fresh} {best:?}");
                assert!((bytes / budget - 1.0).abs() < 0.02, "{bytes} {budget}");
            }
        }
    }

    #[test]
    fn a_page_that_is_never_worth_it_is_not_in_line() {
        let mut turns = Turns::new(1.0, Limits::NONE);
        turns.add(7, &Page { belief: Belief::known(0.01), ..pages()[0] }, 0.0);
        assert_eq!(turns.take(), None);
    }

    #[test]
    fn the_longest_interval_brings_it_back() {
        let mut turns = Turns::new(1.0, Limits { shortest: 0.1, longest: 30.0 });
        turns.add(7, &Page { belief: Belief::known(0.01), ..pages()[0] }, 12.0);
        assert_eq!((turns.due(), turns.take()), (Some(42.0), Some(7)));
    }
}
