use std::collections::VecDeque;

use super::Offer;

/// One fetcher fewer when more came than the limit, one more when less did (as Shkapenyuk and Suel
/// 2002 are described by those who compared with them). Fetchers that are too many end their job
/// first. This steers the mean to the limit and swings around it.
#[derive(Debug)]
pub struct Feedback<J> {
    /// The most there may ever be.
    most: usize,
    /// Those there may be now.
    fetchers: usize,
    queue: VecDeque<Offer<J>>,
    running: Vec<u64>,
    last_ms: Option<u64>,
}

/// How often measured and limit are compared.
const PERIOD_MS: u64 = 1000;

impl<J> Feedback<J> {
    pub fn new(most: usize) -> Feedback<J> {
        Feedback {
            most: most.max(1),
            fetchers: 1,
            queue: VecDeque::new(),
            running: Vec::new(),
            last_ms: None,
        }
    }

    /// No more than could start: who waits here cannot be overtaken by a better one.
    pub fn wants(&self) -> usize {
        let taken = self.running.len() + self.queue.len();
        self.fetchers.saturating_sub(taken)
    }

    pub fn offer(&mut self, offer: Offer<J>) {
        let place = self.queue.partition_point(|other| other.score >= offer.score);
        self.queue.insert(place, offer);
    }

    pub fn next(&mut self, limit: f64) -> Option<J> {
        if limit == f64::INFINITY {
            self.fetchers = self.most;
        }
        if limit <= 0.0 || self.running.len() >= self.fetchers {
            return None;
        }
        let Offer { id, job, .. } = self.queue.pop_front()?;
        self.running.push(id);
        Some(job)
    }

    pub fn ended(&mut self, id: u64) {
        if let Some(place) = self.running.iter().position(|running| *running == id) {
            self.running.swap_remove(place);
        }
    }

    pub fn measured(&mut self, now_ms: u64, rate: f64, limit: f64) {
        let last_ms = *self.last_ms.get_or_insert(now_ms);
        if now_ms.saturating_sub(last_ms) < PERIOD_MS {
            return;
        }
        self.last_ms = Some(now_ms);
        if rate > limit {
            // From those that run: what was allowed and not used has not brought these bytes.
            self.fetchers = self.fetchers.min(self.running.len()).saturating_sub(1).max(1);
        } else if rate < limit && self.running.len() >= self.fetchers {
            // With fetchers idle, another one would not bring more.
            self.fetchers = (self.fetchers + 1).min(self.most);
        }
    }

    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn fill(gate: &mut Feedback<u64>, ids: &mut impl Iterator<Item = u64>, limit: f64) -> usize {
        for _ in 0..gate.wants() {
            let id = ids.next().unwrap();
            let server = IpAddr::V4(Ipv4Addr::LOCALHOST);
            gate.offer(Offer { id, job: id, server, score: 0.0 });
        }
        std::iter::from_fn(|| gate.next(limit)).count()
    }

    #[test]
    fn one_more_below_the_limit_and_one_fewer_above_it_each_period() {
        let mut gate = Feedback::new(100);
        let ids = &mut (0..);
        assert_eq!(fill(&mut gate, ids, 100.0), 1);
        gate.measured(0, 10.0, 100.0);
        gate.measured(999, 10.0, 100.0);
        assert_eq!(gate.fetchers, 1, "not before the period is over");
        for second in 1..5 {
            gate.measured(second * 1000, 10.0, 100.0);
            assert_eq!(fill(&mut gate, ids, 100.0), 1);
        }
        assert_eq!(gate.fetchers, 5);
        gate.measured(5000, 101.0, 100.0);
        assert_eq!((gate.fetchers, gate.wants()), (4, 0));
        gate.ended(0);
        assert_eq!(fill(&mut gate, ids, 100.0), 0, "the one too many is not replaced");
        gate.ended(1);
        assert_eq!(fill(&mut gate, ids, 100.0), 1);
    }

    #[test]
    fn there_is_always_one_and_never_more_than_allowed() {
        let mut gate = Feedback::new(3);
        let ids = &mut (0..);
        for second in 0..10 {
            fill(&mut gate, ids, 100.0);
            gate.measured(second * 1000, 10.0, 100.0);
        }
        assert_eq!(gate.fetchers, 3);
        (10..20).for_each(|second| gate.measured(second * 1000, 500.0, 100.0));
        assert_eq!(gate.fetchers, 1);
    }

    #[test]
    fn without_work_the_number_does_not_run_away() {
        let mut gate: Feedback<u64> = Feedback::new(100);
        (0..50).for_each(|second| gate.measured(second * 1000, 0.0, 100.0));
        assert_eq!(gate.fetchers, 1);
    }

    #[test]
    fn a_pause_starts_nothing_and_no_limit_holds_nothing_back() {
        let mut gate = Feedback::new(10);
        let ids = &mut (0..);
        assert_eq!(fill(&mut gate, ids, 0.0), 0);
        assert_eq!(gate.waiting(), 1);
        assert_eq!(fill(&mut gate, ids, f64::INFINITY), 1);
        assert_eq!(fill(&mut gate, ids, f64::INFINITY), 9);
        fill(&mut gate, ids, f64::INFINITY);
        assert_eq!(gate.waiting(), 0);
    }

    /// Each fetcher brings 10 a second, and goes on for 5 s after it should have stopped.
    #[test]
    fn it_swings_around_the_limit() {
        let mut gate = Feedback::new(100);
        let ids = &mut (0..);
        let mut ends: VecDeque<(u64, u64)> = VecDeque::new();
        let (mut above, mut sum, mut next_id) = (0, 0.0, 0);
        for second in 0..200u64 {
            while ends.front().is_some_and(|(end, _)| *end <= second) {
                let (_, id) = ends.pop_front().unwrap();
                gate.ended(id);
            }
            for _ in 0..fill(&mut gate, ids, 105.0) {
                ends.push_back((second + 5, next_id));
                next_id += 1;
            }
            let rate = ends.len() as f64 * 10.0;
            gate.measured(second * 1000, rate, 105.0);
            above += u32::from(second >= 50 && rate > 105.0);
            sum += if second >= 50 { rate } else { 0.0 };
        }
        assert!((90.0..120.0).contains(&(sum / 150.0)), "{sum}");
        assert!(above > 20, "{above} seconds of 150 above the limit");
    }
}
