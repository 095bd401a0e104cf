use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::page::Page;
use super::schedule::Limits;

/// Whose turn it is: the best schedule as a queue, which is never solved for.
///
/// A page is due when it gains the price. Who asks [`Turns::next`] whenever there are bytes for another
/// visit takes pages early if bytes are plenty and late if they are scarce, and the price follows what
/// pages have gained when they were visited. So it becomes the price at which the budget is just used, and
/// pages come in the order of what a byte for them gains.
#[derive(Clone, Debug)]
pub struct Turns {
    price: f64,
    limits: Limits,
    line: BinaryHeap<Reverse<Turn>>,
}

/// How much of the price a visit makes up: it is that of the last two hundred or so.
const FOLLOWS: f64 = 0.005;

impl Turns {
    /// The price to begin with may be wrong: [`for_budget`](super::for_budget) of a sample has a good one.
    pub fn new(price: f64, limits: Limits) -> Turns {
        Turns { price, limits, line: BinaryHeap::new() }
    }

    pub fn price(&self) -> f64 {
        self.price
    }

    /// When a page that was visited at this time is due again.
    pub fn due(&self, page: &Page, visited: f64) -> f64 {
        visited + self.limits.hold(page.interval(self.price))
    }

    /// Puts a page in line, under a number of the caller's. It is there once: add it again after its visit.
    pub fn add(&mut self, id: usize, page: &Page, visited: f64) {
        let due = self.due(page, visited);
        if due.is_finite() {
            self.line.push(Reverse(Turn { due, id }));
        }
    }

    /// Takes the next page out of the line, with the time when it is due.
    pub fn next(&mut self) -> Option<(usize, f64)> {
        self.line.pop().map(|Reverse(turn)| (turn.id, turn.due))
    }

    /// A page was visited at this age, with what was known of it before the visit.
    pub fn visited(&mut self, page: &Page, age: f64) {
        let gain = page.gain(age);
        if gain > 0.0 && gain.is_finite() {
            // Of the roots, as a gain grows with the square of the age: then being early by a day and late by
            // a day cancel out.
            let root = self.price.sqrt();
            self.price = (root + FOLLOWS * (gain.sqrt() - root)).powi(2);
        }
    }

    /// Forgets the line, not the price. Put all pages in anew once a day: much was learnt, and pages that were
    /// not worth the price may be worth it now.
    pub fn clear(&mut self) {
        self.line.clear();
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
    use crate::refresh::{Belief, for_budget};

    fn pages() -> Vec<Page> {
        let page = |n: i32| Page {
            belief: Belief::known(0.01 * 1.1_f64.powi(n)),
            weight: 1.0 + f64::from(n % 3),
            check: 500.0,
            fetch: 20_000.0,
        };
        (0..80).map(page).collect()
    }

    /// Visits pages one after the other as the budget allows; tells the expected freshness of the second half.
    fn run(pages: &[Page], budget: f64, price: f64, days: f64) -> (f64, f64) {
        let mut turns = Turns::new(price, Limits::NONE);
        let mut visited = vec![0.0; pages.len()];
        pages.iter().enumerate().for_each(|(id, page)| turns.add(id, page, 0.0));
        let (mut now, mut fresh, mut day) = (0.0, 0.0, 1.0);
        while now < days {
            if now > day {
                turns.clear();
                let all = pages.iter().zip(&visited).enumerate();
                all.for_each(|(id, (page, visited))| turns.add(id, page, *visited));
                day += 1.0;
            }
            let (id, _) = turns.next().expect("some page is worth it");
            let (page, age) = (&pages[id], now - visited[id]);
            if now - age > days / 2.0 {
                fresh += page.weight * page.belief.fresh_days(age);
            }
            turns.visited(page, age);
            visited[id] = now;
            turns.add(id, page, now);
            now += page.cost(age) / budget;
        }
        let weight: f64 = pages.iter().map(|page| page.weight).sum();
        (turns.price(), fresh / weight / (days / 2.0))
    }

    #[test]
    fn the_queue_comes_to_the_price_and_the_freshness_of_the_best_schedule() {
        let pages = pages();
        for budget in [50_000.0, 500_000.0] {
            let best = for_budget(&pages, budget, Limits::NONE);
            for wrong in [0.3, 1.0, 3.0] {
                let (price, fresh) = run(&pages, budget, best.price * wrong, 1000.0);
                assert!((price / best.price - 1.0).abs() < 0.15, "{price} {}", best.price);
                assert!((fresh / best.freshness - 1.0).abs() < 0.02, "{fresh} {best:?}");
            }
        }
    }

    #[test]
    fn a_page_that_is_never_worth_it_is_not_in_line() {
        let mut turns = Turns::new(1.0, Limits::NONE);
        turns.add(7, &pages()[0], 0.0);
        assert_eq!(turns.next(), None);
    }

    #[test]
    fn the_longest_interval_brings_it_back() {
        let mut turns = Turns::new(1.0, Limits { shortest: 0.1, longest: 30.0 });
        turns.add(7, &pages()[0], 12.0);
        assert_eq!(turns.next(), Some((7, 42.0)));
    }
}
