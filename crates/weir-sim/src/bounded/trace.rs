use super::{LIMIT, MEASURED, SETTLING};

/// What was seen of a crawl, second by second.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Bytes in each second.
    pub measured: Vec<f64>,
    /// The predicted sum of what ran, on average over each second.
    pub predicted: Vec<f64>,
    /// The largest predicted sum of all.
    pub most_predicted: f64,
    /// Fetches under way, on average over each second.
    pub running: Vec<f64>,
    /// How many documents were started.
    pub started: usize,
    /// How many of them while one with a higher score was left behind.
    pub overtook: usize,
}

impl Trace {
    pub fn new() -> Trace {
        let empty = || vec![0.0; SETTLING + MEASURED];
        Trace { measured: empty(), predicted: empty(), running: empty(), ..Trace::default() }
    }

    /// The mean of what was measured, as a part of the limit.
    pub fn used(&self) -> f64 {
        mean(settled(&self.measured)) / LIMIT
    }

    pub fn mean_predicted(&self) -> f64 {
        mean(settled(&self.predicted)) / LIMIT
    }

    /// The standard deviation of what was measured, as a part of the limit.
    pub fn swing(&self) -> f64 {
        let measured = settled(&self.measured);
        let mean = mean(measured);
        let squares = measured.iter().map(|rate| (rate - mean).powi(2)).sum::<f64>();
        (squares / measured.len() as f64).sqrt() / LIMIT
    }

    /// The part of the seconds in which more than 1.02 of the limit was measured.
    pub fn above(&self) -> f64 {
        let measured = settled(&self.measured);
        let above = measured.iter().filter(|rate| **rate > 1.02 * LIMIT).count();
        above as f64 / measured.len() as f64
    }

    pub fn worst(&self) -> f64 {
        settled(&self.measured).iter().copied().fold(0.0, f64::max) / LIMIT
    }

    /// How far measured and predicted are apart in a second, on average, as a part of the limit.
    pub fn apart(&self) -> f64 {
        let pairs = settled(&self.measured).iter().zip(settled(&self.predicted));
        pairs.map(|(measured, predicted)| (measured - predicted).abs()).sum::<f64>()
            / (MEASURED as f64 * LIMIT)
    }

    /// The part of the documents that overtook one with a higher score.
    pub fn out_of_order(&self) -> f64 {
        self.overtook as f64 / self.started.max(1) as f64
    }
}

fn settled(seconds: &[f64]) -> &[f64] {
    &seconds[SETTLING..]
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_begins_after_settling() {
        let mut trace = Trace::new();
        trace.measured[..SETTLING].fill(9e9);
        trace.measured[SETTLING..].fill(LIMIT / 2.0);
        trace.measured[SETTLING] = 1.5 * LIMIT;
        trace.predicted[SETTLING..].fill(LIMIT / 2.0);
        let seconds = MEASURED as f64;
        assert_eq!(trace.worst(), 1.5);
        assert!((trace.used() - (0.5 + 1.0 / seconds)).abs() < 1e-9);
        assert!((trace.above() - 1.0 / seconds).abs() < 1e-9);
        assert!((trace.apart() - 1.0 / seconds).abs() < 1e-9);
        assert!((trace.swing() - (1.0 / seconds - 1.0 / seconds.powi(2)).sqrt()).abs() < 1e-9);
    }
}
