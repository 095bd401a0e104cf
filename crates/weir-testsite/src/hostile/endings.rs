//! Answers that end in the wrong place.

use super::lengths::{LIE, answer};
use super::{Hostile, page};
use crate::script::Script;

pub(super) const ALL: &[Hostile] =
    &[Hostile::BODY_WHERE_NONE_IS, Hostile::RESETS, Hostile::RESETS_AT_RANDOM];

impl Hostile {
    /// Answers that have no body, with one, and one that has none although it could. The bodies
    /// look like the answer to the next request on the connection.
    pub const BODY_WHERE_NONE_IS: Hostile = Hostile::new(
        "body-where-none-is",
        &["/204", "/after-204", "/304", "/after-304", "/empty-200", "/after-200"],
        |asked| {
            let with_lie = |status: &str| {
                let length = LIE.len();
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n");
                Some(Script::bytes((head + LIE).into_bytes()))
            };
            match asked.path {
                "/204" => with_lie("204 No Content"),
                "/304" => with_lie("304 Not Modified"),
                "/empty-200" => Some(answer("content-length: 0\r\n", "")),
                path if path.starts_with("/after-") => Some(page(path, &[])),
                _ => None,
            }
        },
    );

    /// Always reset: before the head, after it, in the middle of the body. One page is reset the
    /// first time only.
    pub const RESETS: Hostile =
        Hostile::new("resets", &["/at-once", "/after-head", "/mid-body", "/first-time"], |asked| {
            let half = answer("content-length: 100\r\n", "<p>half").reset();
            match asked.path {
                "/at-once" => Some(Script::default().reset()),
                "/after-head" => Some(answer("content-length: 100\r\n", "").reset()),
                "/mid-body" => Some(half),
                "/first-time" if asked.times == 0 => Some(half),
                "/first-time" => Some(page("/first-time", &[])),
                _ => None,
            }
        });

    /// Two of three answers are reset, whatever is asked for.
    pub const RESETS_AT_RANDOM: Hostile = Hostile::new("resets-at-random", &[], |asked| {
        let lot = asked.nth.wrapping_mul(2_654_435_761) >> 16;
        (lot % 3 > 0 && asked.path != "/robots.txt")
            .then(|| answer("content-length: 100\r\n", "<p>half").reset())
    });
}
