//! Which of the waiting fetches may start, so that together they are not predicted to pass a
//! limit (the activation of Diligenti et al. 2004, with its stop rule put right).
//!
//! This steers a prediction. What bounds bytes is the shaper.

/// After it was overtaken this often, a fetch lets nobody pass until it fits itself.
pub const PATIENCE: u32 = 16;

/// A fetch in the queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Waiting {
    /// The rate it is predicted to take.
    pub speed: f64,
    /// How often one behind it was started first.
    pub overtaken: u32,
}

impl Waiting {
    pub fn new(speed: f64) -> Waiting {
        Waiting { speed, overtaken: 0 }
    }

    /// The same where a shaper slows it down. A fetch from a server faster than the whole limit can
    /// run alone then, instead of waiting for ever.
    pub fn slowed_to(self, limit: f64) -> Waiting {
        Waiting { speed: self.speed.min(limit), ..self }
    }
}

/// Starts what fits (`running` + its speed <= `limit`, as printed): looks at the first `depth` of the queue in order, with `running` the sum of
/// what already runs and `idle` the fetchers to be had. Gives the places of those that start,
/// and the new sum. The caller takes them out of the queue, and later takes off from the sum the
/// very figure that was added, not a newer prediction, or the sum drifts.
pub fn activate(
    queue: &mut [Waiting],
    running: f64,
    limit: f64,
    idle: usize,
    depth: usize,
) -> (Vec<usize>, f64) {
    let mut running = running;
    let mut started = Vec::new();
    let mut skipped = Vec::new();
    for place in 0..queue.len().min(depth) {
        if running >= limit || started.len() >= idle {
            break;
        }
        let takes = queue[place].speed;
        if running + takes <= limit {
            running += takes;
            started.push(place);
            skipped.iter().for_each(|&before: &usize| queue[before].overtaken += 1);
        } else if queue[place].overtaken >= PATIENCE {
            break;
        } else {
            skipped.push(place);
        }
    }
    (started, running)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(speeds: &[f64]) -> Vec<Waiting> {
        speeds.iter().copied().map(Waiting::new).collect()
    }

    #[test]
    fn what_does_not_fit_is_passed_over_and_remembered() {
        let mut queue = queue(&[80.0, 50.0, 30.0]);
        assert_eq!(activate(&mut queue, 30.0, 100.0, 9, 9), (vec![1], 80.0));
        assert_eq!(queue.iter().map(|one| one.overtaken).collect::<Vec<_>>(), [1, 0, 0]);
    }

    #[test]
    fn no_more_start_than_fetchers_are_idle_and_no_deeper_than_allowed() {
        assert_eq!(activate(&mut queue(&[1.0, 1.0, 1.0]), 0.0, 100.0, 2, 9).0, [0, 1]);
        assert_eq!(activate(&mut queue(&[99.0, 99.0, 1.0]), 50.0, 100.0, 9, 2).0, [0; 0]);
        assert_eq!(activate(&mut queue(&[0.0]), 100.0, 100.0, 9, 9).0, [0; 0]);
    }

    #[test]
    fn nobody_is_overtaken_for_ever() {
        let mut queue = queue(&[80.0, 30.0]);
        for _ in 0..PATIENCE {
            assert_eq!(activate(&mut queue, 50.0, 100.0, 9, 9).0, [1]);
        }
        assert_eq!(activate(&mut queue, 50.0, 100.0, 9, 9).0, [0; 0]);
        assert_eq!(activate(&mut queue, 20.0, 100.0, 9, 9).0, [0]);
    }

    #[test]
    fn a_server_faster_than_the_limit_runs_alone_if_it_is_slowed_down() {
        let mut queue = queue(&[500.0, 1.0]);
        assert_eq!(activate(&mut queue, 0.0, 100.0, 9, 9), (vec![1], 1.0));
        let mut slowed: Vec<Waiting> = queue.iter().map(|one| one.slowed_to(100.0)).collect();
        assert_eq!(slowed[0].overtaken, 1);
        assert_eq!(activate(&mut slowed, 0.0, 100.0, 9, 9), (vec![0], 100.0));
    }
}
