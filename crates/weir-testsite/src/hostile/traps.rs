//! Sites without end: every page is whole and well, but there is always one more.

use super::{Hostile, html};
use crate::script::{Asked, Script};

pub(super) const ALL: &[Hostile] = &[
    Hostile::CALENDAR,
    Hostile::SESSION_IN_QUERY,
    Hostile::TOKEN_IN_QUERY,
    Hostile::SESSION_IN_PATH,
    Hostile::GROWING_PATH,
    Hostile::GROWING_QUERY,
    Hostile::ENDLESS_PAGES,
    Hostile::SOFT_404,
    Hostile::SOFT_404_ECHO,
];

impl Hostile {
    /// A month a page, with links to the month before and the one after.
    pub const CALENDAR: Hostile = Hostile::new("calendar", &["/cal/2024/5"], |asked| {
        let (year, month) = asked.path.strip_prefix("/cal/")?.split_once('/')?;
        let at: i64 = year.parse::<i64>().ok()? * 12 + month.parse::<i64>().ok()? - 1;
        let link = |at: i64| format!("/cal/{}/{}", at.div_euclid(12), at.rem_euclid(12) + 1);
        Some(linked(&format!("Events in {month}/{year}: none"), &[link(at - 1), link(at + 1)]))
    });

    /// Five pages, linked with a new session id each time, under a name that is well known.
    pub const SESSION_IN_QUERY: Hostile = Hostile::new("session-in-query", &["/s?id=0"], |asked| {
        let id = asked.path.strip_prefix("/s?id=")?.split('&').next()?.to_owned();
        let links = |n: u32| format!("/s?id={n}&PHPSESSID={}", number(asked, n));
        Some(linked(&format!("item {id}"), &(0..5).map(links).collect::<Vec<_>>()))
    });

    /// The same under a name that nobody knows.
    pub const TOKEN_IN_QUERY: Hostile = Hostile::new("token-in-query", &["/t?id=0"], |asked| {
        let id = asked.path.strip_prefix("/t?id=")?.split('&').next()?.to_owned();
        let links = |n: u32| format!("/t?id={n}&qx={}", number(asked, n));
        Some(linked(&format!("item {id}"), &(0..5).map(links).collect::<Vec<_>>()))
    });

    /// The same with the session id as a folder.
    pub const SESSION_IN_PATH: Hostile =
        Hostile::new("session-in-path", &["/s/0/item0"], |asked| {
            let (_, item) = asked.path.strip_prefix("/s/")?.split_once('/')?;
            let links = |n: u32| format!("/s/{}/item{n}", number(asked, n));
            Some(linked(item, &(0..5).map(links).collect::<Vec<_>>()))
        });

    /// A relative link that should have had a slash in front.
    pub const GROWING_PATH: Hostile = Hostile::new("growing-path", &["/a/b/"], |asked| {
        asked.path.starts_with("/a/b/").then(|| linked("the same", &["a/b/".to_owned()]))
    });

    /// Each page adds a parameter to the query it was asked with.
    pub const GROWING_QUERY: Hostile = Hostile::new("growing-query", &["/q?a=1"], |asked| {
        asked.path.starts_with("/q?").then(|| {
            let more = |letter: &str| format!("{}&{letter}=1", asked.path);
            linked("the same", &[more("a"), more("b")])
        })
    });

    /// A list that goes on although it has ended.
    pub const ENDLESS_PAGES: Hostile = Hostile::new("endless-pages", &["/list?page=1"], |asked| {
        let page: u64 = asked.path.strip_prefix("/list?page=")?.parse().ok()?;
        Some(linked("No more results.", &[format!("/list?page={}", page + 1)]))
    });

    /// Whatever is asked for is there, and is the same page with ten links to new ones.
    pub const SOFT_404: Hostile = Hostile::new("soft-404", &["/first-wrong-link"], |asked| {
        if matches!(asked.path, "/" | "/robots.txt") || asked.path.starts_with("/good/") {
            return None;
        }
        Some(linked("Sorry, we could not find that.", &ten_new(asked)))
    });

    /// The same, and the page repeats the address that was asked for.
    pub const SOFT_404_ECHO: Hostile = Hostile::new("soft-404-echo", &["/first-wrong"], |asked| {
        if matches!(asked.path, "/" | "/robots.txt") || asked.path.starts_with("/good/") {
            return None;
        }
        Some(linked(&format!("Sorry, {} is not here.", asked.path), &ten_new(asked)))
    });
}

fn ten_new(asked: &Asked<'_>) -> Vec<String> {
    (0..10).map(|n| format!("/{}.html", number(asked, n))).collect()
}

/// A number that no other request or link of this host has.
fn number(asked: &Asked<'_>, n: u32) -> String {
    let number = (u64::from(asked.nth) * 64 + u64::from(n) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{number:016x}")
}

/// The links have no text of their own: an address that is new is not news.
fn linked(text: &str, links: &[String]) -> Script {
    let links = links.iter().map(|link| format!("<a href=\"{link}\">more</a>\n"));
    Script::html(html(text, &[]) + &links.collect::<String>())
}
