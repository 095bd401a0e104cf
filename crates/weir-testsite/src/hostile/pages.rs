//! Pages that are hard to read.

use std::io::Write;

use super::{Hostile, html, page};
use crate::script::Script;

pub(super) const ALL: &[Hostile] = &[
    Hostile::MILLION_LINKS,
    Hostile::HUGE_HTML,
    Hostile::ODD_URLS,
    Hostile::WRONG_CHARSETS,
    Hostile::BINARY,
    Hostile::DEEP_NESTING,
    Hostile::LONG_BASE,
];

impl Hostile {
    /// A million different links on a page, all to where robots.txt forbids to go.
    pub const MILLION_LINKS: Hostile =
        Hostile::new("million-links", &["/index"], |asked| match asked.path {
            "/robots.txt" => Some(Script::answer(200, "", "User-agent: *\nDisallow: /x/\n")),
            "/index" => {
                let link = |number, out: &mut Vec<u8>| {
                    write!(out, "<a href=/x/{number:x}>").expect("a vector takes all");
                };
                Some(made("", link, 1_000_000, ""))
            }
            _ => None,
        });

    /// A `base` that makes 20,000 short links 160 MB, all to where robots.txt forbids to go.
    pub const LONG_BASE: Hostile =
        Hostile::new("long-base", &["/index"], |asked| match asked.path {
            "/robots.txt" => Some(Script::answer(200, "", "User-agent: *\nDisallow: /x/\n")),
            "/index" => {
                let base = format!("<base href=\"/x/{}/\">", "y".repeat(8_000));
                let links = (0..20_000).map(|number| format!("<a href={number:05}>"));
                Some(Script::html(base + &links.collect::<String>()))
            }
            _ => None,
        });

    /// A hundred megabytes of HTML, with a link at the start.
    pub const HUGE_HTML: Hostile =
        Hostile::new("huge-html", &["/huge"], |asked| match asked.path {
            "/huge" => {
                let text = |number, out: &mut Vec<u8>| {
                    let text = "Nothing happens on this line, nor on the ones after it.";
                    writeln!(out, "<p class=\"n{number}\">{number} {text}</p>").expect("as above");
                };
                Some(made("<a href=/from/huge>", text, 1_200_000, ""))
            }
            "/from/huge" => Some(page("/from/huge", &[])),
            _ => None,
        });

    /// Links that are no URLs, or too long, or too odd; and a good one behind them.
    pub const ODD_URLS: Hostile = Hostile::new("odd-urls", &["/links"], |asked| match asked.path {
        "/links" => {
            let long = format!("/long/{}", "x".repeat(100_000));
            let label = format!("http://{}.invalid/", "a".repeat(64));
            let links = [
                &long,
                &label,
                "http://127.0.0.1:0/",
                "http://127.0.0.1:99999/",
                "http://[::1/",
                "http://a b/",
                "http://%00/",
                "http://",
                "//",
                "http:///",
                "\0",
                "/from/links",
            ];
            Some(page("odd", &links))
        }
        "/from/links" => Some(page("/from/links", &[])),
        _ => None,
    });

    /// Labels of encodings that are wrong or missing. Each page has a link under `/from/`.
    pub const WRONG_CHARSETS: Hostile = Hostile::new(
        "wrong-charsets",
        &["/utf-16", "/utf-16be", "/two-boms", "/bom-wins", "/unknown", "/ascii-only", "/mixed"],
        |asked| {
            let link = format!("/from{}", asked.path);
            let text = html("ümläut", &[link.as_str()]);
            let (charset, body) = match asked.path {
                "/utf-16" => ("utf-16", utf_16(&text, u16::to_le_bytes)),
                "/utf-16be" => ("utf-16be", utf_16(&text, u16::to_be_bytes)),
                "/two-boms" => ("utf-8", ["\u{feff}\u{feff}", &text].concat().into_bytes()),
                "/bom-wins" => ("iso-8859-1", utf_16(&format!("\u{feff}{text}"), u16::to_le_bytes)),
                "/unknown" => ("klingon-8", text.into_bytes()),
                "/ascii-only" => ("shift_jis", text.into_bytes()),
                "/mixed" => ("utf-8", [b"<p>caf\xe9 \xff \x80\x80</p>", text.as_bytes()].concat()),
                path if path.starts_with("/from/") => return Some(page(path, &[])),
                _ => return None,
            };
            let headers = format!("content-type: text/html; charset={charset}\r\n");
            Some(Script::answer(200, &headers, body))
        },
    );

    /// Bytes that are no HTML although they are called so, and HTML that is called an image.
    pub const BINARY: Hostile =
        Hostile::new("binary", &["/nuls", "/noise", "/image"], |asked| match asked.path {
            "/nuls" => Some(Script::html(b"\0<p>\0<a \0href=\"/from/nuls\"\0>\0x\0</a>\0")),
            "/noise" => {
                let noise = |number: u64, out: &mut Vec<u8>| {
                    let number = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    out.extend_from_slice(&(number ^ (number >> 29)).to_le_bytes());
                };
                Some(made("", noise, 40_000, ""))
            }
            "/image" => {
                let body = html("image", &["/from/image"]);
                Some(Script::answer(200, "content-type: image/png\r\n", body))
            }
            "/from/nuls" => Some(page("/from/nuls", &[])),
            _ => None,
        });

    /// A million elements in each other, and a link in the innermost.
    pub const DEEP_NESTING: Hostile =
        Hostile::new("deep-nesting", &["/deep"], |asked| match asked.path {
            "/deep" => {
                let open = |_, out: &mut Vec<u8>| out.extend_from_slice(b"<div>");
                Some(made("", open, 1_000_000, "<a href=/from/deep>x</a>"))
            }
            "/from/deep" => Some(page("/from/deep", &[])),
            _ => None,
        });
}

/// A body of pieces until the connection closes.
fn made(
    start: &'static str,
    piece: fn(u64, &mut Vec<u8>),
    pieces: u64,
    end: &'static str,
) -> Script {
    let mut number = 0;
    let body = Script::bytes(super::ENDLESS_HEAD).send(start.as_bytes()).make(move |out| {
        piece(number, out);
        number += 1;
        number < pieces
    });
    body.send(end.as_bytes()).close()
}

fn utf_16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}
