//! Who may start when there is a limit. `shape` lets all start and bounds their bytes; the other
//! two are controls of the past, kept to be compared with. They hold back jobs and bound no byte.
//!
//! No clock here, and nothing that fetches: jobs, times and rates come in, jobs go out. A job is
//! offered, waits, is given out by `next`, and ends.

mod feedback;
mod predict;

use std::net::IpAddr;

pub use feedback::Feedback;
pub use predict::Predict;

/// How the limit is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Admission {
    /// Bytes are bounded as they come, whoever starts.
    #[default]
    Shape,
    /// What is predicted to fit starts (Diligenti et al. 2004).
    Predict,
    /// One fetcher more or fewer, by what was measured (Shkapenyuk and Suel 2002).
    Feedback,
}

/// A job that would like to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Offer<J> {
    /// By which it is known when it ends.
    pub id: u64,
    pub job: J,
    pub server: IpAddr,
    /// The highest goes first; among equals the one that came first.
    pub score: f32,
}

/// One of the controls of the past.
#[derive(Debug)]
pub enum Gate<J> {
    Predict(Predict<J>),
    Feedback(Feedback<J>),
}

impl<J> Gate<J> {
    /// `None` for `shape`, where nobody waits here. `depth` is the paper's max_d, `fetchers` the
    /// most that may run at a time.
    pub fn new(admission: Admission, depth: usize, fetchers: usize) -> Option<Gate<J>> {
        match admission {
            Admission::Shape => None,
            Admission::Predict => Some(Gate::Predict(Predict::new(depth, fetchers))),
            Admission::Feedback => Some(Gate::Feedback(Feedback::new(fetchers))),
        }
    }

    /// How many more jobs it would like to be offered.
    pub fn wants(&self) -> usize {
        match self {
            Gate::Predict(gate) => gate.wants(),
            Gate::Feedback(gate) => gate.wants(),
        }
    }

    pub fn offer(&mut self, offer: Offer<J>) {
        match self {
            Gate::Predict(gate) => gate.offer(offer),
            Gate::Feedback(gate) => gate.offer(offer),
        }
    }

    /// A job that may start under this limit (bytes a second; zero pauses, infinity is none).
    /// `speed` predicts what a server brings.
    pub fn next(&mut self, limit: f64, speed: impl Fn(IpAddr) -> f64) -> Option<J> {
        match self {
            Gate::Predict(gate) => gate.next(limit, speed),
            Gate::Feedback(gate) => gate.next(limit),
        }
    }

    /// A job that was given out has ended, however.
    pub fn ended(&mut self, id: u64) {
        match self {
            Gate::Predict(gate) => gate.ended(id),
            Gate::Feedback(gate) => gate.ended(id),
        }
    }

    /// What came in lately, in bytes a second. May be told as often as one likes.
    pub fn measured(&mut self, now_ms: u64, rate: f64, limit: f64) {
        if let Gate::Feedback(gate) = self {
            gate.measured(now_ms, rate, limit);
        }
    }

    /// Jobs that wait here.
    pub fn waiting(&self) -> usize {
        match self {
            Gate::Predict(gate) => gate.waiting(),
            Gate::Feedback(gate) => gate.waiting(),
        }
    }
}
