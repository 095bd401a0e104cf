//! Nothing comes, or next to nothing.

use std::time::Duration;

use super::lengths::answer;
use super::{ENDLESS_HEAD, Hostile, page};
use crate::script::Script;

pub(super) const ALL: &[Hostile] = &[
    Hostile::NEVER_ANSWERS,
    Hostile::ALWAYS_SILENT,
    Hostile::ACCEPTS_AND_CLOSES,
    Hostile::SLOW_BODY,
    Hostile::SLOW_HEAD,
    Hostile::STALLED_BODY,
];

const SECOND: Duration = Duration::from_secs(1);

impl Hostile {
    /// One page is never answered.
    pub const NEVER_ANSWERS: Hostile = Hostile::new("never-answers", &["/bad"], |asked| {
        (asked.path == "/bad").then(|| Script::default().stall())
    });

    /// Not even robots.txt is answered.
    pub const ALWAYS_SILENT: Hostile =
        Hostile::new("always-silent", &[], |_| Some(Script::default().stall()));

    /// Connections are taken and closed before anything is read.
    pub const ACCEPTS_AND_CLOSES: Hostile = Hostile {
        greeting: Some(|| Script::default().close()),
        ..Hostile::new("accepts-and-closes", &[], |_| None)
    };

    /// A body of one byte a second, without an end.
    pub const SLOW_BODY: Hostile = Hostile::new("slow-body", &["/bad"], |asked| {
        (asked.path == "/bad").then(|| Script::bytes(ENDLESS_HEAD).drip(b"slow ", SECOND))
    });

    /// A head of one byte a second.
    pub const SLOW_HEAD: Hostile = Hostile::new("slow-head", &["/bad"], |asked| {
        let start = b"HTTP/1.1 200 OK\r\nx-long: ";
        (asked.path == "/bad").then(|| Script::bytes(start.as_slice()).drip(b"slow ", SECOND))
    });

    /// Half of a body, then silence; of one page the first time only.
    pub const STALLED_BODY: Hostile =
        Hostile::new("stalled-body", &["/bad", "/first-time"], |asked| {
            let half = answer("content-length: 100\r\n", "half").stall();
            match asked.path {
                "/bad" => Some(half),
                "/first-time" if asked.times == 0 => Some(half),
                "/first-time" => Some(page("/first-time", &[])),
                _ => None,
            }
        });
}
