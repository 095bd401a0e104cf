use std::net::IpAddr;

use hashbrown::HashMap;
use weir_plan::admit::{Waiting, activate};

use super::Offer;

/// A job starts if the sum of predictions stays within the limit, or if it runs alone (the fetcher
/// manager of Diligenti et al. 2004, corrected as in `weir_plan::admit`).
#[derive(Debug)]
pub struct Predict<J> {
    depth: usize,
    fetchers: usize,
    /// By score, highest first; at most `depth`.
    queue: Vec<Candidate<J>>,
    /// What each running job was predicted to bring when it was started. That very figure is taken
    /// off again, not a newer prediction, or the sum drifts.
    running: HashMap<u64, f64>,
    /// The sum of these (the paper's CB).
    predicted: f64,
}

#[derive(Debug)]
struct Candidate<J> {
    offer: Offer<J>,
    overtaken: u32,
}

impl<J> Predict<J> {
    pub fn new(depth: usize, fetchers: usize) -> Predict<J> {
        Predict {
            depth: depth.max(1),
            fetchers: fetchers.max(1),
            queue: Vec::new(),
            running: HashMap::new(),
            predicted: 0.0,
        }
    }

    pub fn wants(&self) -> usize {
        self.depth.saturating_sub(self.queue.len())
    }

    pub fn offer(&mut self, offer: Offer<J>) {
        let place = self.queue.partition_point(|other| other.offer.score >= offer.score);
        self.queue.insert(place, Candidate { offer, overtaken: 0 });
    }

    pub fn next(&mut self, limit: f64, speed: impl Fn(IpAddr) -> f64) -> Option<J> {
        let mut waiting: Vec<Waiting> = (self.queue.iter().take(self.depth))
            .map(|one| Waiting { speed: speed(one.offer.server), overtaken: one.overtaken })
            .map(|one| one.slowed_to(limit))
            .collect();
        let idle = self.fetchers.saturating_sub(self.running.len()).min(1);
        let (started, sum) = activate(&mut waiting, self.predicted, limit, idle, self.depth);
        for (candidate, waiting) in self.queue.iter_mut().zip(&waiting) {
            candidate.overtaken = waiting.overtaken;
        }
        let place = *started.first()?;
        let Offer { id, job, .. } = self.queue.remove(place).offer;
        self.running.insert(id, sum - self.predicted);
        self.predicted = sum;
        Some(job)
    }

    pub fn ended(&mut self, id: u64) {
        let Some(counted) = self.running.remove(&id) else { return };
        // With nobody left the sum is zero, and errors of rounding begin anew.
        self.predicted = match self.running.is_empty() {
            true => 0.0,
            false => (self.predicted - counted).max(0.0),
        };
    }

    pub fn waiting(&self) -> usize {
        self.queue.len()
    }
}

#[cfg(test)]
mod tests {
    use weir_plan::admit::PATIENCE;

    use super::*;

    /// A server's speed is the number of its address, and its job's name the same.
    fn offer(id: u64, speed: u32, score: f32) -> Offer<u32> {
        Offer { id, job: speed, server: IpAddr::from(speed.to_be_bytes()), score }
    }

    fn speed(server: IpAddr) -> f64 {
        match server {
            IpAddr::V4(address) => f64::from(u32::from(address)),
            IpAddr::V6(_) => 0.0,
        }
    }

    fn started(gate: &mut Predict<u32>, limit: f64) -> Vec<u32> {
        std::iter::from_fn(|| gate.next(limit, speed)).collect()
    }

    #[test]
    fn the_predicted_sum_stays_within_the_limit() {
        let mut gate = Predict::new(6, 100);
        assert_eq!(gate.wants(), 6);
        for (id, speed) in [60, 50, 30, 20, 10].into_iter().enumerate() {
            gate.offer(offer(id as u64, speed, 0.0));
        }
        assert_eq!(started(&mut gate, 100.0), [60, 30, 10]);
        assert_eq!((gate.predicted, gate.waiting(), gate.wants()), (100.0, 2, 4));
        gate.ended(0);
        assert_eq!(started(&mut gate, 100.0), [50]);
    }

    #[test]
    fn the_best_of_those_that_fit_goes_first() {
        let mut gate = Predict::new(6, 100);
        for (id, (speed, score)) in [(10, 0.1), (11, 0.9), (90, 1.0), (12, 0.9)].iter().enumerate()
        {
            gate.offer(offer(id as u64, *speed, *score));
        }
        assert_eq!(started(&mut gate, 95.0), [90]);
        assert_eq!(started(&mut gate, 101.0), [11]);
        assert_eq!(started(&mut gate, 200.0), [12, 10]);
    }

    #[test]
    fn the_search_goes_no_deeper_than_allowed() {
        let mut gate = Predict::new(2, 100);
        gate.offer(offer(0, 60, 0.0));
        assert_eq!(started(&mut gate, 100.0), [60]);
        (1..=2).for_each(|id| gate.offer(offer(id, 90, 0.0)));
        assert_eq!(gate.wants(), 0);
        gate.offer(offer(3, 10, 0.0));
        assert_eq!(started(&mut gate, 100.0), [0; 0]);
    }

    #[test]
    fn what_was_added_is_taken_off_even_if_the_prediction_changed() {
        let mut gate = Predict::new(6, 100);
        (0..3).for_each(|id| gate.offer(offer(id, 30, 0.0)));
        assert_eq!(started(&mut gate, 90.0).len(), 3);
        gate.ended(1);
        gate.ended(1);
        gate.ended(77);
        gate.offer(offer(3, 30, 0.0));
        assert_eq!(gate.next(90.0, |_| 30.0), Some(30));
        assert_eq!(gate.predicted, 90.0);
        [0, 2, 3].into_iter().for_each(|id| gate.ended(id));
        assert_eq!(gate.predicted, 0.0);
    }

    #[test]
    fn a_server_faster_than_the_limit_runs_alone_and_is_not_starved() {
        let mut gate = Predict::new(6, 100);
        gate.offer(offer(0, 500, 1.0));
        assert_eq!(started(&mut gate, 100.0), [500]);
        gate.offer(offer(1, 1, 0.0));
        assert_eq!(gate.next(100.0, speed), None, "alone");
        gate.ended(0);
        // Slow ones come all the time; the fast one is overtaken, but not for ever.
        assert_eq!(gate.next(100.0, speed), Some(1));
        gate.offer(offer(2, 500, 0.0));
        let mut last = 1;
        let mut overtaken = 0;
        for id in 3..200 {
            gate.offer(offer(id, 1, 0.0));
            match gate.next(100.0, speed) {
                Some(500) => break,
                Some(_) => {
                    overtaken += 1;
                    gate.ended(last);
                    last = id;
                }
                None => gate.ended(last),
            }
        }
        assert_eq!(overtaken, PATIENCE);
        assert_eq!(gate.predicted, 100.0);
    }

    #[test]
    fn a_pause_starts_nothing_and_no_limit_holds_nothing_back() {
        let mut gate = Predict::new(6, 2);
        (0..3).for_each(|id| gate.offer(offer(id, 1_000_000, 0.0)));
        assert_eq!(started(&mut gate, 0.0), [0; 0]);
        assert_eq!(started(&mut gate, f64::INFINITY).len(), 2, "as many as there are fetchers");
        assert_eq!(gate.waiting(), 1);
    }

    #[test]
    fn after_a_lower_limit_nothing_starts_until_enough_has_ended() {
        let mut gate = Predict::new(6, 100);
        (0..6).for_each(|id| gate.offer(offer(id, 20, 0.0)));
        assert_eq!(started(&mut gate, 100.0).len(), 5);
        assert_eq!(started(&mut gate, 50.0), [0; 0]);
        (0..4).for_each(|id| gate.ended(id));
        assert_eq!(started(&mut gate, 50.0), [20]);
    }
}
