//! Which pages of a round are worth their bytes.

use weir_plan::refresh::{LONGEST, LOOKS_AGAIN, Page};

/// A page that may be visited in this round.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub page: Page,
    /// Days since the last visit.
    pub age: f64,
    /// It is visited whatever that costs: a seed, or one of which nothing is known.
    pub always: bool,
}

/// What was chosen of all candidates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    pub visits: Vec<bool>,
    /// Bytes that they are expected to bring.
    pub bytes: f64,
    /// How likely a copy equals its page until the next round, weighted by what the pages are worth.
    pub freshness: f64,
}

/// Visits the pages that gain most for a byte, until `budget` bytes are used. In the long run that is the best
/// schedule there is: each page is visited when it gains as much as all others do then
/// ([`weir_plan::refresh`]). `period` is for how many days nobody comes back.
pub fn choose(all: &[Candidate], budget: f64, period: f64) -> Chosen {
    let mut chosen = Chosen { visits: vec![false; all.len()], ..Chosen::default() };
    let always = |chosen: &mut Chosen, index: usize| chosen.visit(index, &all[index]);
    (0..all.len()).filter(|index| all[*index].always).for_each(|index| always(&mut chosen, index));
    let mut rest: Vec<(f64, usize)> = (0..all.len())
        .filter(|index| !all[*index].always)
        .map(|index| (all[index].page.gain(all[index].age.max(0.0)), index))
        .filter(|(gain, _)| *gain > 0.0)
        .collect();
    look_again(all, &rest, LOOKS_AGAIN * budget, &mut chosen);
    rest.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    for (_, index) in rest {
        if !chosen.visits[index] && chosen.bytes + all[index].cost() <= budget {
            chosen.visit(index, &all[index]);
        }
    }
    chosen.freshness = freshness(all, &chosen.visits, period);
    chosen
}

/// Pages which are not worth it, so far as anybody knows, but were not looked at for very long: they may have
/// other habits by now. Those that were left alone for longest, first.
fn look_again(all: &[Candidate], rest: &[(f64, usize)], most: f64, chosen: &mut Chosen) {
    let old = |(_, index): &(f64, usize)| (all[*index].age >= LONGEST).then_some(*index);
    let mut old: Vec<usize> = rest.iter().filter_map(old).collect();
    old.sort_by(|one, other| all[*other].age.total_cmp(&all[*one].age));
    let mut spent = 0.0;
    for index in old {
        spent += all[index].cost();
        if spent > most {
            return;
        }
        chosen.visit(index, &all[index]);
    }
}

fn freshness(all: &[Candidate], visits: &[bool], period: f64) -> f64 {
    let (mut fresh, mut weight) = (0.0, 0.0);
    for (candidate, visited) in all.iter().zip(visits) {
        let from = if *visited { 0.0 } else { candidate.age.max(0.0) };
        fresh += candidate.page.weight * fresh_part(&candidate.page, from, period);
        weight += candidate.page.weight;
    }
    if weight > 0.0 { fresh / weight } else { 1.0 }
}

/// Of the next `period` days, for a copy of this age.
fn fresh_part(page: &Page, age: f64, period: f64) -> f64 {
    if period <= 0.0 {
        return page.belief.same_after(age);
    }
    let days = page.belief.fresh_days(age + period) - page.belief.fresh_days(age);
    (days / period).clamp(0.0, 1.0)
}

impl Candidate {
    /// Bytes of a visit now, on average.
    pub fn cost(&self) -> f64 {
        self.page.cost(self.age.max(0.0))
    }
}

impl Chosen {
    fn visit(&mut self, index: usize, candidate: &Candidate) {
        self.visits[index] = true;
        self.bytes += candidate.cost();
    }
}

#[cfg(test)]
mod tests {
    use weir_plan::refresh::Belief;

    use super::*;

    fn page(rate: f64, age: f64) -> Candidate {
        let belief = Belief { changes: 20.0, days: 20.0 / rate };
        let page = Page { belief, weight: 1.0, check: 300.0, fetch: 10_000.0 };
        Candidate { page, age, always: false }
    }

    fn visited(all: &[Candidate], budget: f64) -> Vec<usize> {
        let chosen = choose(all, budget, 1.0);
        assert!(chosen.bytes <= budget + 1.0, "{chosen:?}");
        (0..all.len()).filter(|index| chosen.visits[*index]).collect()
    }

    #[test]
    fn what_changes_now_and_then_is_visited_before_what_never_does_or_always() {
        let all = [page(1e-4, 3.0), page(0.3, 3.0), page(500.0, 3.0)];
        assert_eq!(visited(&all, 6_200.0), [1]);
        assert_eq!(visited(&all, 100_000.0), [0, 1, 2], "there is enough for all");
    }

    #[test]
    fn seeds_are_visited_whatever_it_costs_and_what_was_left_for_long_is_looked_at_again() {
        let seed = Candidate { always: true, ..page(500.0, 1.0) };
        assert_eq!(choose(&[seed, page(0.3, 1.0)], 100.0, 1.0).visits, [true, false]);
        let mut all = vec![page(2000.0, 100.0)];
        all.extend((0..60).map(|_| page(0.5, 4.0)));
        assert!(choose(&all, 120_000.0, 1.0).visits[0]);
        all[0].age = 50.0;
        assert!(!choose(&all, 120_000.0, 1.0).visits[0]);
    }

    #[test]
    fn the_freshness_to_expect_is_more_the_more_may_be_spent() {
        let all: Vec<Candidate> = (1..80).map(|n| page(0.02 * f64::from(n), 5.0)).collect();
        let fresh = |budget: f64| choose(&all, budget, 1.0).freshness;
        assert!(fresh(0.0) < 0.3 && fresh(0.0) > 0.0, "{}", fresh(0.0));
        assert!(fresh(0.0) < fresh(100_000.0) && fresh(100_000.0) < fresh(1e9));
        assert!(fresh(1e9) > 0.6 && fresh(1e9) < 0.95, "{}", fresh(1e9));
    }

    #[test]
    fn nothing_to_choose_from_is_fresh() {
        let none = choose(&[], 1000.0, 1.0);
        assert_eq!((none.freshness, none.bytes), (1.0, 0.0));
    }
}
