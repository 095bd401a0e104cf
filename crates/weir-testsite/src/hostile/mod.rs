//! Servers that do what real ones do to crawlers, by mistake or on purpose.
//!
//! Each is a host with a first page that links to what is wrong with it and to three good pages,
//! so that a test sees both: what becomes of the bad, and that the good of the same host is not
//! lost. A file each for what goes wrong: silence, endless answers, lengths, codings, heads,
//! endings, redirects, traps, pages, waits, robots.txt.

mod codings;
mod date;
mod endings;
mod endless;
mod heads;
mod lengths;
mod pages;
mod redirects;
mod robots;
mod silence;
mod traps;
mod waits;

use std::fmt::{self, Write};
use std::sync::Arc;

use crate::script::{Asked, Play, Script};

pub use date::http_date;

/// A way to misbehave; the constants are all there are.
#[derive(Clone, Copy)]
pub struct Hostile {
    pub name: &'static str,
    /// What the first page links to, besides the good pages.
    pub links: &'static [&'static str],
    /// `None` leaves a request to robots.txt, the first page, the good pages, and 404.
    answer: fn(&Asked<'_>) -> Option<Script>,
    /// Answers for robots.txt, which is not there otherwise.
    robots: Option<fn(&Asked<'_>) -> Script>,
    greeting: Option<fn() -> Script>,
}

const FILES: [&[Hostile]; 11] = [
    silence::ALL,
    endless::ALL,
    lengths::ALL,
    codings::ALL,
    heads::ALL,
    endings::ALL,
    redirects::ALL,
    traps::ALL,
    pages::ALL,
    waits::ALL,
    robots::ALL,
];

/// Pages under `/good/` that every hostile host has, and whose text is their path.
pub const GOOD_PAGES: [&str; 3] = ["/good/1", "/good/2", "/good/3"];

impl Hostile {
    const fn new(
        name: &'static str,
        links: &'static [&'static str],
        answer: fn(&Asked<'_>) -> Option<Script>,
    ) -> Hostile {
        Hostile { name, links, answer, robots: None, greeting: None }
    }

    /// Every one, in the order of the files.
    pub fn all() -> impl Iterator<Item = Hostile> {
        FILES.into_iter().flatten().copied()
    }

    pub fn named(name: &str) -> Option<Hostile> {
        Hostile::all().find(|hostile| hostile.name == name)
    }

    /// So many of them, of as many kinds as can be: one from each file in turn, and from the start
    /// again when all were taken.
    pub fn mix(count: usize) -> Vec<Hostile> {
        let longest = FILES.iter().map(|file| file.len()).max().unwrap_or(0);
        let turns = (0..longest).flat_map(|turn| FILES.iter().filter_map(move |it| it.get(turn)));
        turns.copied().collect::<Vec<_>>().into_iter().cycle().take(count).collect()
    }

    /// The same with only one of its links, so that what it does there stands alone.
    pub fn only(self, link: usize) -> Hostile {
        Hostile { links: &self.links[link..=link], ..self }
    }

    pub(crate) fn play(self) -> Play {
        let answer = move |asked: &Asked<'_>| {
            let script = (self.answer)(asked).or_else(|| self.ordinary(asked));
            Some(script.unwrap_or_else(missing))
        };
        Play { answer: Arc::new(answer), greeting: self.greeting }
    }

    fn ordinary(self, asked: &Asked<'_>) -> Option<Script> {
        if asked.path == "/robots.txt" {
            return self.robots.map(|robots| robots(asked));
        }
        if asked.path == "/" {
            return Some(page("first", GOOD_PAGES.iter().chain(self.links)));
        }
        GOOD_PAGES.contains(&asked.path).then(|| page(asked.path, &[]))
    }
}

impl fmt::Debug for Hostile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// An honest page with this text and these links.
fn page<'a>(text: &str, links: impl IntoIterator<Item = &'a &'a str>) -> Script {
    Script::html(html(text, links))
}

fn html<'a>(text: &str, links: impl IntoIterator<Item = &'a &'a str>) -> String {
    let mut html = format!("<!doctype html><title>{text}</title><h1>{text}</h1>\n");
    for link in links {
        writeln!(html, "<a href=\"{link}\">{link}</a>").expect("a string takes all");
    }
    html
}

fn missing() -> Script {
    Script::answer(404, "content-type: text/html\r\n", "<title>not found</title>\n")
}

/// The head of an answer whose end is the end of the connection.
const ENDLESS_HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n";
