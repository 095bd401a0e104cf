//! What came of exchanges in this run, counted by kind: for whoever asks why it is slow.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use weir_types::Outcome;

use crate::work::PageWorked;

/// Of one run.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Answers by status, and what came instead of one.
    pub outcomes: BTreeMap<&'static str, u64>,
    pub errors: BTreeMap<String, Error>,
    /// From the request to the first byte, and to the last one.
    pub first_byte: Histogram,
    pub whole: Histogram,
}

/// Things that went wrong in the same way.
#[derive(Clone, Debug, PartialEq)]
pub struct Error {
    pub count: u64,
    pub last: Timestamp,
    /// The last one in words.
    pub example: String,
}

/// Times, sorted into buckets of which each has what is not above its bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Histogram {
    /// The last one is for what is above all bounds.
    pub counts: [u64; BOUNDS_S.len() + 1],
    pub sum_s: f64,
}

pub const BOUNDS_S: [f64; 12] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 15.0, 60.0];
/// Kinds of errors that are told apart; who finds more has another problem.
const MOST_KINDS: usize = 100;
const OTHERS: &str = "other errors";

impl Histogram {
    pub fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        let at = BOUNDS_S.partition_point(|bound| *bound < seconds);
        self.counts[at] += 1;
        self.sum_s += seconds;
    }

    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl Counts {
    /// Something that was asked for has come to its end.
    pub fn take(&mut self, worked: &PageWorked) {
        if let Some(answer) = &worked.answer {
            self.first_byte.add(answer.took);
            self.whole.add(answer.elapsed.saturating_sub(answer.held));
        }
        let kind = match &worked.outcome {
            Outcome::Kept { status, .. } => {
                if *status >= 400 {
                    self.error(&format!("status {status}"), || worked.leased.url.to_string());
                }
                class(*status)
            }
            Outcome::Read { .. } => "sitemap",
            Outcome::Retry { why } => self.failed("retry", why, worked),
            Outcome::HostResting { why, .. } => self.failed("host_resting", why, worked),
            Outcome::Dropped { skip: Some(_), .. } => "left_out",
            Outcome::Dropped { skip: None, why } => self.failed("dropped", why, worked),
        };
        *self.outcomes.entry(kind).or_default() += 1;
    }

    fn failed(&mut self, outcome: &'static str, why: &str, worked: &PageWorked) -> &'static str {
        self.error(kind_of(why), || format!("{}: {why}", worked.leased.url));
        outcome
    }

    fn error(&mut self, kind: &str, example: impl FnOnce() -> String) {
        let is_known = self.errors.contains_key(kind);
        let kind = if is_known || self.errors.len() < MOST_KINDS { kind } else { OTHERS };
        let last = Timestamp::now();
        match self.errors.get_mut(kind) {
            Some(error) => {
                (error.count, error.last, error.example) = (error.count + 1, last, example())
            }
            None => {
                let error = Error { count: 1, last, example: example() };
                self.errors.insert(kind.to_owned(), error);
            }
        }
    }
}

fn class(status: u16) -> &'static str {
    match status {
        304 => "not_modified",
        ..300 => "ok",
        300..400 => "redirect",
        400..500 => "client_error",
        _ => "server_error",
    }
}

/// What is the same of all messages of a kind. Messages are made for people, by `weir_fetch::Failure` on whatever
/// machine, so they are told apart by their words; a test holds the two together.
fn kind_of(why: &str) -> &str {
    const KINDS: [(&str, &str); 11] = [
        ("looking up ", "name server failed"),
        ("has no address", "no such name"),
        ("refused the connection", "connection refused"),
        ("cannot be reached", "unreachable"),
        ("did not take the connection", "no connection in time"),
        ("no secure connection", "TLS failed"),
        ("sent nothing in time", "no answer in time"),
        ("did not finish the head", "no answer in time"),
        ("closed the connection", "connection closed"),
        ("sent a bad answer", "bad answer"),
        ("sent a head beyond", "bad answer"),
    ];
    if let Some(status) = why.strip_prefix("status ") {
        let digits = status.find(|it: char| !it.is_ascii_digit()).unwrap_or(status.len());
        return &why[.."status ".len() + digits];
    }
    if why.starts_with("the connection broke") {
        return "connection broke";
    }
    KINDS.iter().find(|(words, _)| why.contains(words)).map_or(OTHERS, |(_, kind)| *kind)
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use weir_fetch::Failure;

    use super::*;

    #[test]
    fn times_are_in_the_first_bucket_that_holds_them() {
        let mut times = Histogram::default();
        for ms in [1, 5, 6, 100_000] {
            times.add(Duration::from_millis(ms));
        }
        assert_eq!((times.counts[0], times.counts[1], times.counts[12]), (2, 1, 1));
        assert_eq!(times.count(), 4);
        assert!((times.sum_s - 100.012).abs() < 1e-9);
    }

    #[test]
    fn each_failure_has_a_kind() {
        let address: SocketAddr = "192.0.2.1:80".parse().unwrap();
        let (host, why) = (|| "a.example".to_owned(), || "because".to_owned());
        for (failure, kind) in [
            (Failure::Dns { host: host(), why: why() }, "name server failed"),
            (Failure::NoAddress { host: host() }, "no such name"),
            (Failure::Refused { host: host(), address }, "connection refused"),
            (Failure::Unreachable { host: host(), address, why: why() }, "unreachable"),
            (Failure::ConnectTimeout { host: host(), address }, "no connection in time"),
            (Failure::Tls { host: host(), why: why() }, "TLS failed"),
            (Failure::FirstByteTimeout { host: host(), address }, "no answer in time"),
            (Failure::IdleTimeout { host: host(), address }, "no answer in time"),
            (Failure::Closed { host: host(), address, why: why() }, "connection closed"),
            (Failure::BadResponse { host: host(), address, why: why() }, "bad answer"),
            (Failure::HeadersTooLarge { host: host(), address }, "bad answer"),
        ] {
            assert_eq!(kind_of(&failure.to_string()), kind);
        }
        assert_eq!(kind_of("status 503 (10 tries)"), "status 503");
        assert_eq!(kind_of("the connection broke in the middle of the body"), "connection broke");
        assert_eq!(kind_of("something else"), OTHERS);
    }
}
