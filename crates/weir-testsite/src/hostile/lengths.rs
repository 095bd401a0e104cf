//! Bodies whose length is not what is said.

use super::Hostile;
use crate::script::Script;

pub(super) const ALL: &[Hostile] = &[
    Hostile::LENGTH_TOO_LARGE,
    Hostile::LENGTH_TOO_SMALL,
    Hostile::WRONG_LENGTHS,
    Hostile::CHUNKED_AND_LENGTH,
    Hostile::WRONG_CHUNKS,
];

/// An answer to another question, put behind a body to be taken for the next answer.
pub(super) const LIE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 21\r\n\r\n\
    <title>a lie</title>\n";

impl Hostile {
    /// More is promised than comes.
    pub const LENGTH_TOO_LARGE: Hostile = Hostile::new("length-too-large", &["/bad"], |asked| {
        (asked.path == "/bad")
            .then(|| answer("content-length: 1000\r\n", "<p>all there is").close())
    });

    /// More comes than is promised: the rest looks like the answer to the next request.
    pub const LENGTH_TOO_SMALL: Hostile =
        Hostile::new("length-too-small", &["/bad", "/after"], |asked| match asked.path {
            "/bad" => Some(answer("content-length: 4\r\n", &format!("<br>{LIE}"))),
            "/after" => Some(super::page("/after", &[])),
            _ => None,
        });

    /// Lengths that are no numbers, or two of them.
    pub const WRONG_LENGTHS: Hostile = Hostile::new(
        "wrong-lengths",
        &["/two", "/negative", "/letters", "/overflow", "/empty", "/list"],
        |asked| {
            let lengths = match asked.path {
                "/two" => "content-length: 2\r\ncontent-length: 3\r\n",
                "/negative" => "content-length: -2\r\n",
                "/letters" => "content-length: two\r\n",
                "/overflow" => "content-length: 99999999999999999999999999\r\n",
                "/empty" => "content-length: \r\n",
                "/list" => "content-length: 2, 3\r\n",
                _ => return None,
            };
            Some(answer(lengths, "ok!").close())
        },
    );

    /// Both ways of telling a length at once, and a lie behind the shorter one.
    pub const CHUNKED_AND_LENGTH: Hostile =
        Hostile::new("chunked-and-length", &["/bad", "/after"], |asked| match asked.path {
            "/bad" => {
                let body = format!("4\r\n<br>\r\n0\r\n\r\n{LIE}");
                Some(answer("content-length: 100\r\ntransfer-encoding: chunked\r\n", &body))
            }
            "/after" => Some(super::page("/after", &[])),
            _ => None,
        });

    /// Chunks that are none.
    pub const WRONG_CHUNKS: Hostile = Hostile::new(
        "wrong-chunks",
        &["/overflow", "/negative", "/letters", "/no-end", "/cut", "/long-line"],
        |asked| {
            let body = match asked.path {
                "/overflow" => "fffffffffffffffffff\r\nok\r\n0\r\n\r\n".to_owned(),
                "/negative" => "-2\r\nok\r\n0\r\n\r\n".to_owned(),
                "/letters" => "two\r\nok\r\n0\r\n\r\n".to_owned(),
                "/no-end" => "2\r\nokMORE\r\n0\r\n\r\n".to_owned(),
                "/cut" => "100\r\nok".to_owned(),
                "/long-line" => format!("2;{}\r\nok\r\n0\r\n\r\n", "x".repeat(1_000_000)),
                _ => return None,
            };
            Some(answer("transfer-encoding: chunked\r\n", &body).close())
        },
    );
}

/// The bytes of `body` as they are, behind a head with these lines.
pub(super) fn answer(headers: &str, body: &str) -> Script {
    Script::bytes(
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n{headers}\r\n{body}").into_bytes(),
    )
}
