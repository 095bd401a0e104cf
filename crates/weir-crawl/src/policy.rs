//! What is done about each thing that can go wrong: the one table.

use std::time::{Duration, SystemTime};

use weir_fetch::Failure;
use weir_types::{Cut, Outcome, Page, Skip};

/// Tries of one URL before it is given up, or kept as it is.
const MOST_TRIES: u32 = 3;
/// The same where nothing came in time: that took long enough.
const MOST_WAITS: u32 = 2;
/// The same where the host said when to come back.
const MOST_RESTS: u32 = 10;
/// Longer wishes are taken for this.
pub const LONGEST_REST: Duration = Duration::from_secs(366 * 24 * 3600);

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
        Failure::FirstByteTimeout { .. } | Failure::IdleTimeout { .. } => {
            retry_or_drop(why, attempts, MOST_WAITS)
        }
        Failure::Closed { .. } | Failure::BadResponse { .. } | Failure::HeadersTooLarge { .. } => {
            retry_or_drop(why, attempts, MOST_TRIES)
        }
    }
}

fn retry_or_drop(why: String, attempts: u32, most: u32) -> Outcome {
    match attempts + 1 < most {
        true => Outcome::Retry { why },
        false => Outcome::Dropped { skip: None, why: format!("{why} ({most} tries)") },
    }
}

/// The outcome of a response that is better asked for again; `None` if it is to be kept.
pub fn after_response(page: &Page, attempts: u32) -> Option<Outcome> {
    let why = || format!("status {}", page.status);
    match page.status {
        429 | 503 if attempts + 1 < MOST_RESTS => {
            Some(Outcome::HostResting { why: why(), rest: retry_after(page, SystemTime::now()) })
        }
        // It says nothing about the page, which the next run may get.
        429 | 503 => {
            let why = format!("{} ({MOST_RESTS} tries)", why());
            Some(Outcome::Dropped { skip: None, why })
        }
        408 | 500 | 502 | 504 | 520..=524 if attempts + 1 < MOST_TRIES => {
            Some(Outcome::Retry { why: why() })
        }
        _ if page.cut == Some(Cut::Disconnect) && attempts + 1 < MOST_TRIES => {
            Some(Outcome::Retry { why: "the connection broke in the middle of the body".into() })
        }
        // The line may have been cut for a while; who is that slow again is kept as far as it came.
        _ if page.cut == Some(Cut::Time) && attempts + 1 < MOST_WAITS => {
            Some(Outcome::Retry { why: "the body did not come whole in time".into() })
        }
        _ => None,
    }
}

/// The server answers, but something is wrong with it rather than with the page.
pub fn is_trouble(status: u16) -> bool {
    matches!(status, 429 | 500 | 502..=504 | 520..=524)
}

/// Seconds or a date (RFC 9110, 10.2.3). What makes no sense leaves the rest to us.
pub fn retry_after(page: &Page, now: SystemTime) -> Option<Duration> {
    wait_of(page.header("retry-after")?.trim(), now)
}

fn wait_of(text: &str, now: SystemTime) -> Option<Duration> {
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // So many digits that they are no number are many seconds all the same.
        text.parse().map_or(LONGEST_REST, Duration::from_secs)
    } else {
        httpdate::parse_http_date(text).ok()?.duration_since(now).ok()?
    };
    // A date has whole seconds, and ours may be at the end of one.
    Some((wait + Duration::from_millis(1)).min(LONGEST_REST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_given_in_seconds_or_as_a_date() {
        let now = httpdate::parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT").unwrap();
        for (text, expected) in [
            ("4", Some(4)),
            ("0", Some(0)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", Some(60)),
            ("Sunday, 06-Nov-94 08:50:37 GMT", Some(60)),
            ("Sun Nov  6 08:50:37 1994", Some(60)),
            ("31536000", Some(31_536_000)),
            ("99999999999999999999999999", Some(LONGEST_REST.as_secs())),
            ("Sun, 06 Nov 1994 08:49:36 GMT", None),
            ("-1", None),
            ("1.5", None),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(wait_of(text, now).map(|wait| wait.as_secs()), expected, "{text}");
        }
    }
}
