//! Servers that ask to be left alone for a while.

use std::time::{Duration, SystemTime};

use super::{Hostile, http_date, page};
use crate::script::{Asked, Script};

/// All but the one that makes a crawl wait for minutes.
pub(super) const ALL: &[Hostile] = &[
    Hostile::BUSY_SECONDS,
    Hostile::BUSY_DATE,
    Hostile::BUSY_A_YEAR,
    Hostile::BUSY_NONSENSE,
    Hostile::ALWAYS_BUSY,
];

impl Hostile {
    /// 429 the first time, back in two seconds.
    pub const BUSY_SECONDS: Hostile =
        Hostile::new("busy-seconds", &["/busy"], |asked| busy(asked, 429, "2"));

    /// 503 the first time, back at a time three seconds from now.
    pub const BUSY_DATE: Hostile = Hostile::new("busy-date", &["/busy"], |asked| {
        busy(asked, 503, &http_date(SystemTime::now() + Duration::from_secs(3)))
    });

    /// 429 the first time, back in a bit more than five minutes.
    pub const BUSY_301_SECONDS: Hostile =
        Hostile::new("busy-301-seconds", &["/busy"], |asked| busy(asked, 429, "301"));

    /// 429 the first time, back in a year.
    pub const BUSY_A_YEAR: Hostile =
        Hostile::new("busy-a-year", &["/busy"], |asked| busy(asked, 429, "31536000"));

    /// 503 the first time, and a time that is none.
    pub const BUSY_NONSENSE: Hostile =
        Hostile::new("busy-nonsense", &["/busy"], |asked| busy(asked, 503, "-1"));

    /// 503 for ever, whatever is asked for, robots.txt apart; back in a second.
    pub const ALWAYS_BUSY: Hostile = Hostile::new("always-busy", &[], |asked| {
        (asked.path != "/robots.txt").then(|| refusal(503, "1"))
    });
}

fn busy(asked: &Asked<'_>, status: u16, retry_after: &str) -> Option<Script> {
    match (asked.path, asked.times) {
        ("/busy", 0) => Some(refusal(status, retry_after)),
        ("/busy", _) => Some(page("/busy", &[])),
        _ => None,
    }
}

fn refusal(status: u16, retry_after: &str) -> Script {
    Script::answer(status, &format!("retry-after: {retry_after}\r\n"), "not now\n")
}
