//! Heads that break the rules of HTTP, or only its customs.

use super::{Hostile, html};
use crate::script::Script;

pub(super) const ALL: &[Hostile] =
    &[Hostile::ODD_HEADERS, Hostile::ODD_STATUS, Hostile::INVALID_UTF8];

impl Hostile {
    /// Lines that are no headers.
    pub const ODD_HEADERS: Hostile = Hostile::new(
        "odd-headers",
        &["/nul", "/bare-cr", "/no-colon", "/space-first", "/folded", "/empty-name", "/bare-lf"],
        |asked| {
            let lines: &[u8] = match asked.path {
                "/nul" => b"x-a: b\0c\r\n",
                "/bare-cr" => b"x-a: b\rc\r\n",
                "/no-colon" => b"this is no header\r\n",
                "/space-first" => b" x-a: b\r\n",
                "/folded" => b"x-a: b\r\n c\r\n",
                "/empty-name" => b": b\r\n",
                "/bare-lf" => b"x-a: b\n",
                _ => return None,
            };
            Some(answer(b"HTTP/1.1 200 OK\r\n", lines, b"<p>ok"))
        },
    );

    /// First lines that are none.
    pub const ODD_STATUS: Hostile = Hostile::new(
        "odd-status",
        &["/http-0.9", "/http-1.2", "/status-2", "/status-minus-12", "/status-100-digits", "/ssh"],
        |asked| {
            let first = match asked.path {
                "/http-0.9" => return Some(Script::bytes(html("0.9", &[]).into_bytes()).close()),
                "/http-1.2" => "HTTP/1.2 200 OK\r\n".to_owned(),
                "/status-2" => "HTTP/1.1 2 OK\r\n".to_owned(),
                "/status-minus-12" => "HTTP/1.1 -12 OK\r\n".to_owned(),
                "/status-100-digits" => format!("HTTP/1.1 {} OK\r\n", "2".repeat(100)),
                "/ssh" => "SSH-2.0-OpenSSH_9.2\r\n".to_owned(),
                _ => return None,
            };
            Some(answer(first.as_bytes(), b"", b"<p>ok"))
        },
    );

    /// Bytes in headers that are no text in any encoding we know of. The page is good.
    pub const INVALID_UTF8: Hostile =
        Hostile::new("invalid-utf-8", &["/headers", "/location"], |asked| match asked.path {
            "/headers" => {
                let headers = b"x-a: \xff\xfe\xc3\x28\r\netag: \"\xe4\"\r\n";
                let body = html("/headers", &["/from/headers"]);
                Some(answer(b"HTTP/1.1 200 \xff\xfe\r\n", headers, body.as_bytes()))
            }
            "/location" => {
                Some(answer(b"HTTP/1.1 302 Found\r\n", b"location: /from/\xe4\xff\r\n", b""))
            }
            path if path.starts_with("/from/") => Some(super::page(path, &[])),
            _ => None,
        });
}

fn answer(first: &[u8], headers: &[u8], body: &[u8]) -> Script {
    let usual = format!("content-type: text/html\r\ncontent-length: {}\r\n\r\n", body.len());
    Script::bytes([first, headers, usual.as_bytes(), body].concat()).close()
}
