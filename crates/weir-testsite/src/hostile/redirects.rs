//! Redirects that lead nowhere, or where nobody should go.

use super::{Hostile, page};
use crate::script::Script;

pub(super) const ALL: &[Hostile] = &[
    Hostile::REDIRECT_LOOPS,
    Hostile::REDIRECT_ELSEWHERE,
    Hostile::REDIRECT_FORBIDDEN,
    Hostile::ODD_LOCATIONS,
];

impl Hostile {
    /// To itself, between two, and a chain of a hundred. A chain of ten has an end.
    pub const REDIRECT_LOOPS: Hostile =
        Hostile::new("redirect-loops", &["/self", "/there", "/chain/100", "/short/10"], |asked| {
            match asked.path {
                "/self" => Some(Script::redirect("/self")),
                "/there" => Some(Script::redirect("/back")),
                "/back" => Some(Script::redirect("/there")),
                "/chain/0" | "/short/0" => Some(page(asked.path, &[])),
                path => {
                    let (chain, left) = path.rsplit_once('/')?;
                    let left: u32 = left.parse().ok().filter(|_| chain != "/good")?;
                    Some(Script::redirect(&format!("{chain}/{}", left.saturating_sub(1))))
                }
            }
        });

    /// To what is no web page, or no URL.
    pub const REDIRECT_ELSEWHERE: Hostile = Hostile::new(
        "redirect-elsewhere",
        &["/file", "/javascript", "/data", "/ftp", "/nothing", "/broken", "/two"],
        |asked| {
            let location = match asked.path {
                "/file" => "file:///etc/passwd",
                "/javascript" => "javascript:alert(1)",
                "/data" => "data:text/html,<a href=/never>never</a>",
                "/ftp" => "ftp://127.0.0.1/x",
                "/nothing" => "",
                "/broken" => "http://[::1/",
                "/two" => "/never\r\nlocation: /never-too",
                _ => return None,
            };
            Some(Script::redirect(location))
        },
    );

    /// To a path that robots.txt forbids, and to a host that nobody named.
    pub const REDIRECT_FORBIDDEN: Hostile =
        Hostile::new("redirect-forbidden", &["/in", "/out"], |asked| match asked.path {
            "/robots.txt" => Some(Script::answer(200, "", "User-agent: *\nDisallow: /secret\n")),
            "/in" => Some(Script::redirect("/secret/page")),
            "/out" => Some(Script::redirect("http://elsewhere.invalid/")),
            "/secret/page" => Some(page("never to be seen", &[])),
            _ => None,
        });

    /// Locations that browsers understand: each ends at a page under `/found/`.
    pub const ODD_LOCATIONS: Hostile = Hostile::new(
        "odd-locations",
        &["/spaces", "/utf-8", "/fragment", "/dots/a/b", "/bare", "/slashes", "/padded", "/query"],
        |asked| {
            let location = match asked.path {
                "/spaces" => "/found/a b",
                "/utf-8" => "/found/ä",
                "/fragment" => "/found/fragment#there",
                "/dots/a/b" => "../../../../found/./x/../dots",
                "/bare" => "found/bare",
                "/slashes" => "\\found\\slashes",
                "/padded" => "   /found/padded   ",
                "/query" => "?found",
                "/query?found" => return Some(page("query", &[])),
                path if path.starts_with("/found/") => return Some(page(path, &[])),
                _ => return None,
            };
            Some(Script::redirect(location))
        },
    );
}
