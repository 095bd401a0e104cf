use weir_plan::refresh::Seen;

use super::web::{Changes, Page, Web};
use super::{MEASURED, Peer};

/// How fresh a policy has kept its copies. Means over the pages are weighted by their value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// The part of the time that a copy was equal to its page.
    pub freshness: f64,
    /// Days for which a copy had been out of date, on average over time; 0 while it is fresh.
    pub age: f64,
    /// Bytes a day, and visits a day.
    pub bytes: f64,
    pub visits: f64,
}

/// Who decides which page is next.
pub trait Policy {
    /// When the next page is due; none if no page is worth it any more.
    fn due(&self) -> Option<f64>;
    /// The next page to visit.
    fn take(&mut self) -> usize;
    /// What came of it.
    fn visited(&mut self, visit: &Visit);
    /// A new day has begun, with so many bytes left over.
    fn new_day(&mut self, _now: f64, _left: f64) {}
}

#[derive(Clone, Copy, Debug)]
pub struct Visit {
    pub page: usize,
    pub now: f64,
    pub elapsed: f64,
    pub seen: Seen,
}

/// What is not spent can be spent later, within so many days.
const CARRIED: f64 = 1.0;

/// All pages have been fetched at the beginning. From then on, the next one is visited as soon as it is due and
/// the bytes of the last one are paid for at `budget` bytes a day. What happens in the first `warm_up` days, in
/// which rates are learnt, does not count.
pub fn run(web: &Web, peer: Peer, budget: f64, warm_up: f64) -> Kept {
    let mut policy = peer.policy(web, budget);
    let mut copies: Vec<Copied> = web.pages.iter().map(Copied::new).collect();
    let mut tally = Tally::new(warm_up);
    let (mut now, mut paid, mut day) = (0.0_f64, 0.0_f64, 1.0);
    let end = warm_up + MEASURED;
    while day <= end {
        let ready = policy.due().unwrap_or(f64::INFINITY).max(paid).max(now);
        if ready >= day {
            policy.new_day(day, (day - paid).min(CARRIED) * budget);
            (now, day) = (day, day + 1.0);
            continue;
        }
        now = ready;
        let page = policy.take();
        let visit = copies[page].visit(&web.pages[page], page, now, &mut tally);
        let bytes = cost(&web.pages[page], peer, visit.seen);
        tally.count(bytes, now);
        policy.visited(&visit);
        paid = paid.max(now - CARRIED) + bytes / budget;
    }
    for (id, (copy, page)) in copies.iter_mut().zip(&web.pages).enumerate() {
        copy.visit(page, id, end, &mut tally);
    }
    tally.mean(web)
}

fn cost(page: &Page, peer: Peer, seen: Seen) -> f64 {
    if seen == Seen::Same && peer.is_conditional() { page.check } else { page.fetch }
}

/// Our copy of a page.
struct Copied {
    at: f64,
    changes: Changes,
}

impl Copied {
    fn new(page: &Page) -> Copied {
        Copied { at: 0.0, changes: page.changes() }
    }

    fn visit(&mut self, page: &Page, id: usize, now: f64, tally: &mut Tally) -> Visit {
        let changed = self.changes.until(now);
        let first = changed.map_or(f64::INFINITY, |(first, _)| first);
        tally.add(page.weight, self.at, first, now);
        let seen = match changed {
            None => Seen::Same,
            Some((_, last)) if page.dated => Seen::ChangedAgo(now - last),
            Some(_) => Seen::Changed,
        };
        let elapsed = now - self.at;
        self.at = now;
        Visit { page: id, now, elapsed, seen }
    }
}

/// Sums over pages and time, from the end of the warm-up on.
struct Tally {
    from: f64,
    fresh: f64,
    age: f64,
    bytes: f64,
    visits: f64,
}

impl Tally {
    fn new(from: f64) -> Tally {
        Tally { from, fresh: 0.0, age: 0.0, bytes: 0.0, visits: 0.0 }
    }

    /// A copy from `from`, out of date since `first`, was replaced at `to`.
    fn add(&mut self, weight: f64, from: f64, first: f64, to: f64) {
        let from = from.max(self.from);
        self.fresh += weight * (first.min(to) - from).max(0.0);
        let age = |now: f64| 0.5 * (now - first).max(0.0).powi(2);
        self.age += weight * (age(to) - age(from)).max(0.0);
    }

    fn count(&mut self, bytes: f64, now: f64) {
        if now >= self.from {
            self.bytes += bytes;
            self.visits += 1.0;
        }
    }

    fn mean(&self, web: &Web) -> Kept {
        let weight: f64 = web.pages.iter().map(|page| page.weight).sum();
        Kept {
            freshness: self.fresh / weight / MEASURED,
            age: self.age / weight / MEASURED,
            bytes: self.bytes / MEASURED,
            visits: self.visits / MEASURED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refresh::{MIXES, WARM_UP};

    #[test]
    fn freshness_and_age_count_from_the_end_of_the_warm_up() {
        let kept = |from: f64, first: f64, to: f64| {
            let mut tally = Tally::new(10.0);
            tally.add(2.0, 10.0 + from, 10.0 + first, 10.0 + to);
            (tally.fresh, tally.age)
        };
        assert_eq!(kept(1.0, 3.0, 7.0), (4.0, 16.0));
        assert_eq!(kept(-5.0, 3.0, 7.0), (6.0, 16.0));
        assert_eq!(kept(-5.0, -3.0, 1.0), (0.0, 16.0 - 9.0));
        assert_eq!(kept(-5.0, -3.0, -1.0), (0.0, 0.0));
        assert_eq!(kept(1.0, f64::INFINITY, 7.0), (12.0, 0.0));
    }

    #[test]
    fn every_policy_uses_the_budget_and_no_more() {
        let web = Web::new(&MIXES[0], 1);
        let budget = 0.05 * web.bytes();
        for peer in Peer::ALL {
            let kept = run(&web, peer, budget, WARM_UP);
            assert!((kept.bytes / budget - 1.0).abs() < 0.01, "{peer:?}: {}", kept.bytes / budget);
        }
    }

    #[test]
    fn a_run_is_the_same_every_time() {
        let web = Web::new(&MIXES[0], 1);
        let again = || run(&web, Peer::Ours, 0.05 * web.bytes(), WARM_UP);
        assert_eq!(again(), again());
    }
}
