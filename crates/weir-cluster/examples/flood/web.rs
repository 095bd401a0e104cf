//! A web without end: page `n` of a host links to its pages `3n + 1` to `3n + 3`, which nobody else has
//! named before, to others of the same host that are known already, and to the first pages of other
//! hosts.

use std::fmt::Write;

use weir_cluster::wire::Links;

/// What the pages of one member link to. Known pages are those that it has told of before, drawn by lot
/// over all of them, so that looking them up is as hard as in a real crawl.
pub struct Web {
    dice: Dice,
    hosts: Vec<Host>,
}

#[derive(Clone, Default)]
struct Host {
    known: Vec<u32>,
    told: u64,
}

#[derive(Clone, Copy)]
struct Page {
    host: u32,
    number: u32,
}

const HOSTS: u32 = 1000;
const NEAR_LINKS: usize = 27;
const FAR_LINKS: usize = 3;
pub const NEW_LINKS: u32 = 3;
/// Of one host; more need not be remembered to draw from.
const MOST_KNOWN: usize = 4096;

impl Web {
    pub fn new(seed: u64) -> Web {
        Web { dice: Dice(seed), hosts: vec![Host::default(); HOSTS as usize] }
    }

    /// `None` if the URL is not of this web.
    pub fn links(&mut self, url: &str) -> Option<Links> {
        let page = Page::read(url)?;
        let host = self.hosts.get_mut(page.host as usize)?;
        let mut links = Links::default();
        for _ in 0..NEAR_LINKS.min(host.known.len()) {
            let at = self.dice.below(host.known.len() as u64);
            add(&mut links, Page { number: host.known[at as usize], ..page });
        }
        for _ in 0..FAR_LINKS {
            let host = self.dice.below(u64::from(HOSTS)) as u32;
            add(&mut links, Page { host, number: 0 });
        }
        for new in 1..=NEW_LINKS {
            let number = page.number.checked_mul(NEW_LINKS)?.checked_add(new)?;
            add(&mut links, Page { number, ..page });
            host.remember(number, &mut self.dice);
        }
        links.kinds = vec![0; links.ends.len()].into();
        Some(links)
    }
}

impl Host {
    /// All that was ever told of is equally likely to be remembered.
    fn remember(&mut self, number: u32, dice: &mut Dice) {
        self.told += 1;
        if self.known.len() < MOST_KNOWN {
            return self.known.push(number);
        }
        let at = dice.below(self.told) as usize;
        if let Some(place) = self.known.get_mut(at) {
            *place = number;
        }
    }
}

impl Page {
    fn read(url: &str) -> Option<Page> {
        let (host, path) = url.strip_prefix("http://h")?.split_once(".example/")?;
        let number = match path {
            "" => 0,
            _ => path.strip_suffix(".html")?.rsplit_once('-')?.1.parse().ok()?,
        };
        Some(Page { host: host.parse().ok()?, number })
    }
}

fn add(links: &mut Links, page: Page) {
    let Page { host, number } = page;
    let section = number % 7;
    let written = match number {
        0 => write!(links.text, "http://h{host}.example/"),
        _ => write!(
            links.text,
            "http://h{host}.example/section-{section}/what-it-is-about-{number}.html"
        ),
    };
    written.expect("a text grows as it must");
    links.ends.push(links.text.len() as u32);
}

/// Numbers by lot, the same in every run (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.roll() % end
    }
}
