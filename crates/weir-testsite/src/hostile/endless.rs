//! Too much comes.

use std::io::Write;

use super::{ENDLESS_HEAD, Hostile};
use crate::script::Script;

pub(super) const ALL: &[Hostile] =
    &[Hostile::ENDLESS_BODY, Hostile::ENDLESS_HEADERS, Hostile::LARGE_HEADS];

impl Hostile {
    /// Bodies without end, as fast as they go: until the connection closes, and in chunks.
    pub const ENDLESS_BODY: Hostile =
        Hostile::new("endless-body", &["/plain", "/chunks"], |asked| match asked.path {
            "/plain" => {
                Some(Script::bytes(ENDLESS_HEAD).forever(b"<p>and so on, and so on.</p>\n"))
            }
            "/chunks" => {
                let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\
                    transfer-encoding: chunked\r\n\r\n";
                Some(Script::bytes(head.as_slice()).forever(b"10\r\n0123456789abcdef\r\n"))
            }
            _ => None,
        });

    /// Heads without end: one line, many lines, and interim answers.
    pub const ENDLESS_HEADERS: Hostile =
        Hostile::new("endless-headers", &["/line", "/lines", "/interim"], |asked| {
            let start = b"HTTP/1.1 200 OK\r\nx-long: ".as_slice();
            match asked.path {
                "/line" => Some(Script::bytes(start).forever(b"so long ")),
                "/lines" => Some(Script::bytes(start).forever(b"one\r\nx-more: ")),
                "/interim" => Some(Script::default().forever(b"HTTP/1.1 100 Continue\r\n\r\n")),
                _ => None,
            }
        });

    /// Heads that end, but too late: a line of 100 KB, 300 KB in all, 5,000 lines.
    pub const LARGE_HEADS: Hostile =
        Hostile::new("large-heads", &["/line-100-kb", "/head-300-kb", "/headers-5000"], |asked| {
            match asked.path {
                "/line-100-kb" => Some(with_headers(1, 100_000)),
                "/head-300-kb" => Some(with_headers(30, 10_000)),
                "/headers-5000" => Some(with_headers(5_000, 4)),
                _ => None,
            }
        });
}

fn with_headers(count: usize, length: usize) -> Script {
    let value = "x".repeat(length);
    let mut answer = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n".to_vec();
    for number in 0..count {
        write!(answer, "x-{number}: {value}\r\n").expect("a vector takes all");
    }
    answer.extend_from_slice(b"content-length: 2\r\n\r\nok");
    Script::bytes(answer)
}
