//! Traps: places where a site has URLs without end and nothing new behind them, such as calendars,
//! filters, session ids and pages that answer to any address.
//!
//! `shape` tells those that a URL alone gives away. The others show themselves by what they bring:
//! URLs that look alike (`pattern`) share a budget of pages, which each page uses up by one and
//! which new content fills up again. A pattern whose budget is used up is left; so is a host.

mod pattern;
mod shape;

use std::collections::HashSet;

use weir_frontier::HostId;
use weir_types::{Sketch, Skip};

use pattern::Patterns;

pub struct Traps {
    on: bool,
    hosts: Vec<HostTraps>,
}

#[derive(Default)]
struct HostTraps {
    /// Pages asked for, before anything is remembered of them.
    asked: u32,
    watched: Option<Box<Watched>>,
}

/// What is remembered of a host with more than a few pages.
struct Watched {
    patterns: Patterns,
    budgets: Vec<Budget>,
    closed: u32,
    credit: i64,
}

struct Budget {
    credit: i64,
    asked: u32,
    seen: Seen,
}

/// What a page may be asked for with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Admitted {
    /// The pattern that it is charged to.
    pub pattern: Option<u32>,
    /// Look what its text is made of, and tell `learn`.
    pub sketch: bool,
}

/// What a page brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<'a> {
    Unknown,
    /// It leads nowhere by itself, as an error does, and so cannot be part of a trap.
    DeadEnd,
    Some,
    /// Hashes of pieces of its text; new is what its pattern has not had.
    Sample(&'a [u32]),
}

/// A host with fewer pages than this is not watched.
const FEW: u32 = 64;
/// Pages a pattern may have without bringing anything new.
const START: i64 = 200;
/// What it can have saved up at the most: it is left after so many pages without news, however
/// rich it was before.
const MOST: i64 = 2000;
const HOST_START: i64 = 1000;
const HOST_MOST: i64 = 10_000;
/// What a page with news adds. One page in eight with something new is enough to go on.
const GAIN: i64 = 8;
/// One page in so many is looked at closely, once a pattern has [`UNSAMPLED`] of them: looking
/// costs half as much as fetching.
const SAMPLED: u32 = 4;
/// The same while a pattern has more than half of what it can save up.
const SAMPLED_RICH: u32 = 32;
const UNSAMPLED: u32 = 16;
/// What is new on a page has to weigh so much (see [`Sketch::weight`]): a paragraph, a picture, or a
/// few short texts. Less may be an address that the page repeats.
const NEWS: u32 = 6;

impl Traps {
    pub fn new(on: bool) -> Self {
        Traps { on, hosts: Vec::new() }
    }

    /// Whether a URL that was just found is better left out, and by which rule.
    pub fn refuse(&self, host: HostId, url: &str) -> Option<Skip> {
        if !self.on {
            return None;
        }
        shape::trap(url).or_else(|| {
            let watched = self.hosts.get(host.0 as usize)?.watched.as_ref()?;
            let pattern = (watched.closed > 0).then(|| watched.patterns.find(url))??;
            (watched.budgets[pattern as usize].credit <= 0).then_some(Skip::Trap)
        })
    }

    /// Charges a URL that is about to be asked for. `Err` says why it is not.
    pub fn admit(&mut self, host: HostId, url: &str) -> Result<Admitted, String> {
        if !self.on {
            return Ok(Admitted::default());
        }
        let index = host.0 as usize;
        if self.hosts.len() <= index {
            self.hosts.resize_with(index + 1, HostTraps::default);
        }
        let host = &mut self.hosts[index];
        host.asked += 1;
        if host.asked <= FEW {
            return Ok(Admitted::default());
        }
        host.watched.get_or_insert_with(|| Box::new(Watched::new())).admit(url)
    }

    pub fn learn(&mut self, host: HostId, pattern: Option<u32>, news: News<'_>) {
        let Some(pattern) = pattern else { return };
        let watched = self.hosts.get_mut(host.0 as usize).and_then(|host| host.watched.as_mut());
        if let Some(watched) = watched {
            watched.learn(pattern as usize, news);
        }
    }
}

impl Watched {
    fn new() -> Self {
        Watched {
            patterns: Patterns::default(),
            budgets: Vec::new(),
            closed: 0,
            credit: HOST_START,
        }
    }

    fn admit(&mut self, url: &str) -> Result<Admitted, String> {
        if self.credit <= 0 {
            return Err(format!("the last {HOST_START} pages of its host brought nothing new"));
        }
        let pattern = self.patterns.number(url);
        if pattern as usize == self.budgets.len() {
            self.budgets.push(Budget { credit: START, asked: 0, seen: Seen::default() });
        }
        let budget = &mut self.budgets[pattern as usize];
        if budget.credit <= 0 {
            let like = pattern::show(url);
            return Err(format!(
                "{} pages like {like} were asked for, and the last ones brought nothing new",
                budget.asked
            ));
        }
        budget.credit -= 1;
        self.credit -= 1;
        self.closed += u32::from(budget.credit == 0);
        budget.asked += 1;
        let every = if budget.credit > MOST / 2 { SAMPLED_RICH } else { SAMPLED };
        let sketch = budget.asked > UNSAMPLED && budget.asked.is_multiple_of(every);
        Ok(Admitted { pattern: Some(pattern), sketch })
    }

    fn learn(&mut self, pattern: usize, news: News<'_>) {
        let Some(budget) = self.budgets.get_mut(pattern) else { return };
        let gain = match news {
            News::Unknown => 0,
            News::DeadEnd => 1,
            News::Some => GAIN,
            News::Sample(sample) if budget.seen.is_news(sample) => GAIN * i64::from(SAMPLED),
            News::Sample(_) => 0,
        };
        if gain == 0 {
            return;
        }
        self.closed -= u32::from(budget.credit <= 0);
        budget.credit = (budget.credit + gain).min(MOST);
        self.credit = (self.credit + gain).min(HOST_MOST);
    }
}

/// The pieces of text that a pattern had lately: two generations, so that forgetting is cheap.
#[derive(Default)]
struct Seen {
    now: HashSet<u32>,
    before: HashSet<u32>,
}

const GENERATION: usize = 1 << 12;

impl Seen {
    fn is_news(&mut self, sample: &[u32]) -> bool {
        let (mut new, mut all) = (0, 0);
        for piece in sample {
            all += Sketch::weight(*piece);
            if self.now.insert(*piece) && !self.before.contains(piece) {
                new += Sketch::weight(*piece);
            }
        }
        if self.now.len() > GENERATION {
            self.before = std::mem::take(&mut self.now);
        }
        new >= NEWS.min(all).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: HostId = HostId(0);

    /// How many of `count` pages are asked for, with what each brings.
    fn asked(count: u32, url: impl Fn(u32) -> String, brings: impl Fn(u32) -> Vec<u32>) -> u32 {
        let mut traps = Traps::new(true);
        let mut asked = 0;
        for number in 0..count {
            let url = url(number);
            if traps.refuse(HOST, &url).is_some() {
                continue;
            }
            let Ok(admitted) = traps.admit(HOST, &url) else { continue };
            asked += 1;
            let sample = brings(number);
            let news = if admitted.sketch { News::Sample(&sample) } else { News::Unknown };
            traps.learn(HOST, admitted.pattern, news);
        }
        asked
    }

    fn calendar(number: u32) -> String {
        format!("http://a/calendar/{}/{}", 2000 + number / 12, number % 12)
    }

    /// Short texts with these names.
    fn short(names: impl IntoIterator<Item = u32>) -> Vec<u32> {
        names.into_iter().map(|name| name << 2 | 1).collect()
    }

    #[test]
    fn a_calendar_without_end_comes_to_an_end() {
        let months = |number: u32| short([1, 2, 3, 100 + number % 12, 200 + number % 7]);
        let asked = asked(100_000, calendar, months);
        assert!((200..900).contains(&asked), "{asked}");
    }

    #[test]
    fn a_large_site_with_something_new_on_every_page_is_crawled_whole() {
        let texts = |n: u32| short([1, 2, 3, 3 * n + 10, 3 * n + 11, 3 * n + 12]);
        assert_eq!(asked(100_000, calendar, texts), 100_000);
        let pictures = |number: u32| vec![1 << 2 | 1, (number + 10) << 2 | 3];
        assert_eq!(asked(100_000, calendar, pictures), 100_000);
        let figures = |number: u32| (0..6).map(|n| (6 * number + n + 10) << 2).collect();
        assert_eq!(asked(100_000, calendar, figures), 100_000);
    }

    #[test]
    fn one_page_in_eight_with_something_new_is_enough() {
        let pages = |n: u32| match n / SAMPLED % 6 {
            0 => short([3 * n + 10, 3 * n + 11, 3 * n + 12]),
            _ => short([1, 2, 3]),
        };
        assert_eq!(asked(50_000, calendar, pages), 50_000);
    }

    #[test]
    fn random_addresses_with_the_same_answer_come_to_an_end() {
        let random = |number: u32| {
            let mut rng = fastrand::Rng::with_seed(u64::from(number));
            let mut word = || (0..6).map(|_| rng.lowercase()).collect::<String>();
            format!("http://a/{}/{}", word(), word())
        };
        let asked = asked(200_000, random, |_| short([1, 2, 3]));
        assert!(asked < 1500, "{asked}");
    }

    #[test]
    fn a_pattern_that_is_left_is_refused_with_its_name() {
        let mut traps = Traps::new(true);
        let why = (0..10_000).find_map(|number| traps.admit(HOST, &calendar(number)).err());
        assert!(why.unwrap().contains("/calendar/#/#"));
        assert_eq!(traps.refuse(HOST, "http://a/calendar/1/2"), Some(Skip::Trap));
        assert_eq!(traps.refuse(HOST, "http://a/about"), None);
        assert_eq!(traps.refuse(HOST, "http://a/x/x/x"), Some(Skip::TrapRepeats));
        traps.on = false;
        assert_eq!(traps.refuse(HOST, "http://a/x/x/x"), None);
    }
}
