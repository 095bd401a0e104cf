//! What pages ask of crawlers: X-Robots-Tag, meta robots, rel=nofollow.

use weir_testsite::Script;

use crate::site::{Site, page};
use crate::support::python::{python, run};

/// Name of the page, its header, its head element, whether its link may be followed.
const PAGES: [(&str, &str, &str, bool); 14] = [
    ("plain", "", "", true),
    ("header-nofollow", "x-robots-tag: nofollow\r\n", "", false),
    ("header-none", "x-robots-tag: NONE\r\n", "", false),
    ("header-list", "x-robots-tag: noarchive, nofollow\r\n", "", false),
    ("header-twice", "x-robots-tag: noarchive\r\nx-robots-tag: nofollow\r\n", "", false),
    ("header-noindex", "x-robots-tag: noindex\r\n", "", true),
    ("header-to-us", "x-robots-tag: weir: nofollow\r\n", "", false),
    ("header-to-other", "x-robots-tag: otherbot: nofollow\r\n", "", true),
    ("meta-nofollow", "", "<meta name=robots content=nofollow>", false),
    ("meta-none", "", "<META NAME='Robots' CONTENT='None'>", false),
    ("meta-list", "", "<meta name=robots content='noindex , nofollow'>", false),
    ("meta-noindex", "", "<meta name=robots content=noindex>", true),
    ("meta-to-us", "", "<meta name=weir content=nofollow>", false),
    ("meta-to-other", "", "<meta name=otherbot content=nofollow>", true),
];

#[test]
fn links_of_pages_that_ask_for_it_are_not_followed() {
    let site = site();
    site.crawl(&[]);
    for (name, _, _, follow) in PAGES {
        assert_eq!(site.asked(&format!("/{name}")), 1, "the page itself is fetched: {name}");
        assert_eq!(site.asked(&format!("/from/{name}")), usize::from(follow), "{name}");
    }
}

#[test]
fn a_link_that_was_not_followed_on_one_page_is_followed_on_the_next() {
    for (header, element) in
        [("x-robots-tag: nofollow\r\n", ""), ("", "<meta name=robots content=noindex,nofollow>")]
    {
        let site = Site::scripted(move |asked| match asked.path {
            "/" => Some(page(["/login", "/home"])),
            "/login" => {
                let body = format!("<head>{element}</head><a href=/news></a><a href=/about></a>");
                Some(Script::answer(200, &format!("content-type: text/html\r\n{header}"), body))
            }
            "/home" => Some(page(["/about", "/news"])),
            "/news" | "/about" => Some(Script::html("")),
            _ => None,
        });
        site.crawl(&["--per-host", "1"]);
        let paths = site.paths();
        let at = |path: &str| paths.iter().position(|asked| asked == path);
        assert!(at("/login") < at("/home"), "read in this order: {paths:?}");
        assert_eq!(["/news", "/about"].map(|path| site.asked(path)), [1, 1], "{header}{element}");
    }
}

#[test]
fn pages_that_ask_not_to_be_indexed_are_kept_and_marked() {
    let Some(python) = python("noindex") else { return };
    let site = site();
    site.crawl(&[]);
    let folder = site.out.path().to_str().unwrap();
    let told = run(&python, "column.py", &[folder, "noindex"]).unwrap();
    let marked: Vec<&str> =
        told.lines().filter_map(|line| line.strip_suffix("\ttrue")?.rsplit('/').next()).collect();
    assert_eq!(marked, ["header-noindex", "header-none", "meta-list", "meta-noindex", "meta-none"]);
    assert_eq!(told.lines().count(), 1 + PAGES.len() + PAGES.iter().filter(|it| it.3).count());
}

#[test]
fn with_robots_ignored_they_are_followed() {
    let site = site();
    site.crawl(&["--robots", "ignore"]);
    for (name, ..) in PAGES {
        assert_eq!(site.asked(&format!("/from/{name}")), 1, "{name}");
    }
}

#[test]
fn rel_nofollow_is_followed_by_default_and_not_with_nofollow_obey() {
    for (flags, times) in [(&[][..], 1), (&["--nofollow", "obey"][..], 0)] {
        let site = Site::scripted(|asked| match asked.path {
            "/" => Some(Script::html(
                "<a href=/a rel=nofollow></a><a href=/b rel='ugc NOFOLLOW x'></a><a href=/c></a>",
            )),
            "/a" | "/b" | "/c" => Some(Script::html("")),
            _ => None,
        });
        site.crawl(flags);
        let asked = ["/a", "/b", "/c"].map(|path| site.asked(path));
        assert_eq!(asked, [times, times, 1], "{flags:?}");
    }
}

fn site() -> Site {
    Site::scripted(|asked| {
        let path = asked.path;
        if path == "/" {
            let link = |(name, ..): &(&str, &str, &str, bool)| format!("<a href=/{name}></a>\n");
            return Some(Script::html(PAGES.iter().map(link).collect::<String>()));
        }
        if path.starts_with("/from/") {
            return Some(Script::html(""));
        }
        let (name, header, element, _) = PAGES.iter().find(|(name, ..)| path[1..] == **name)?;
        let body = format!("<head>{element}</head><a href=/from/{name}></a>");
        Some(Script::answer(200, &format!("content-type: text/html\r\n{header}"), body))
    })
}
