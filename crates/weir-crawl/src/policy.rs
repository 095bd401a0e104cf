//! What is done about each thing that can go wrong: the one table.

use std::time::Duration;

use weir_fetch::Failure;
use weir_types::{Cut, Outcome, Page, Skip};

/// Tries of one URL before it is given up, or kept as it is.
const MOST_TRIES: u32 = 3;
/// The same where the host said when to come back.
const MOST_RESTS: u32 = 5;
/// A server that asks for more is not believed.
const LONGEST_REST: Duration = Duration::from_secs(300);

/// The outcome of a fetch that gave no response; `attempts` were made before it.
pub fn after_failure(failure: &Failure, attempts: u32) -> Outcome {
    let why = failure.to_string();
    match failure {
        Failure::Private { .. } => Outcome::Dropped { skip: Some(Skip::Private), why },
        Failure::BadUrl { .. } | Failure::NoAddress { .. } => Outcome::Dropped { skip: None, why },
        Failure::Dns { .. }
        | Failure::Refused { .. }
        | Failure::Unreachable { .. }
        | Failure::ConnectTimeout { .. }
        | Failure::Tls { .. } => Outcome::HostResting { why, rest: None },
        Failure::FirstByteTimeout { .. }
        | Failure::IdleTimeout { .. }
        | Failure::Closed { .. }
        | Failure::BadResponse { .. }
        | Failure::HeadersTooLarge { .. } => {
            if attempts + 1 < MOST_TRIES {
                Outcome::Retry { why }
            } else {
                Outcome::Dropped { skip: None, why: format!("{why} ({MOST_TRIES} tries)") }
            }
        }
    }
}

/// The outcome of a response that is better asked for again; `None` if it is to be kept.
pub fn after_response(page: &Page, attempts: u32) -> Option<Outcome> {
    let why = || format!("status {}", page.status);
    match page.status {
        429 | 503 if attempts + 1 < MOST_RESTS => {
            Some(Outcome::HostResting { why: why(), rest: retry_after(page) })
        }
        408 | 500 | 502 | 504 | 520..=524 if attempts + 1 < MOST_TRIES => {
            Some(Outcome::Retry { why: why() })
        }
        _ if page.cut == Some(Cut::Disconnect) && attempts + 1 < MOST_TRIES => {
            Some(Outcome::Retry { why: "the connection broke in the middle of the body".into() })
        }
        _ => None,
    }
}

/// Seconds only; a date, or what makes no sense, leaves the rest to us.
fn retry_after(page: &Page) -> Option<Duration> {
    let seconds: u64 = page.header("retry-after")?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST_REST))
}
