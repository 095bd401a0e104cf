//! Traps: places where a site has URLs without end and nothing new behind them, such as calendars,
//! filters, session ids and pages that answer to any address.
//!
//! `shape` tells those that a URL alone gives away. The others show themselves by what they bring:
//! URLs that look alike (`pattern`) share a budget of pages, which each page uses up by one and
//! which new content fills up again. A pattern whose budget is used up is left; so is a host.
//!
//! A trap begets itself: only pages that were found by way of pages like them are counted. What a
//! list or a sitemap names is asked for, whatever it brings.

mod budget;
mod pattern;
mod shape;

use weir_frontier::HostId;
use weir_types::Skip;

use budget::{Bounds, Budget};
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
    /// For each pattern, those that led to it, directly or not.
    before: Vec<Vec<u32>>,
    /// Of the host as a whole: it may have very many patterns of a few pages each.
    all: Budget,
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
/// Patterns that are remembered to lead to another; a loop through more of them is not seen.
const MOST_BEFORE: usize = 64;
const PATTERN: Bounds = Bounds { start: 200, most: 2000, unsampled: 16, remembered: 1 << 12 };
const HOST: Bounds = Bounds { start: 1000, most: 10_000, unsampled: 0, remembered: 1 << 14 };

impl Traps {
    pub fn new(on: bool) -> Self {
        Traps { on, hosts: Vec::new() }
    }

    /// Whether a URL that was just found is better left out, and by which rule.
    pub fn refuse(&self, url: &str) -> Option<Skip> {
        if self.on { shape::trap(url) } else { None }
    }

    /// Charges a URL that is about to be asked for; `parent` is the page of the same host that it
    /// was found on. `Err` says why it is not asked for.
    pub fn admit(
        &mut self,
        host: HostId,
        url: &str,
        parent: Option<&str>,
    ) -> Result<Admitted, String> {
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
        host.watched.get_or_insert_with(|| Box::new(Watched::new())).admit(url, parent)
    }

    /// All of a host is asked for once more.
    pub fn forget(&mut self, host: HostId) {
        if let Some(host) = self.hosts.get_mut(host.0 as usize) {
            *host = HostTraps::default();
        }
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
            before: Vec::new(),
            all: Budget::new(&HOST),
        }
    }

    fn admit(&mut self, url: &str, parent: Option<&str>) -> Result<Admitted, String> {
        let pattern = self.patterns.number(url);
        if pattern as usize == self.budgets.len() {
            self.budgets.push(Budget::new(&PATTERN));
            self.before.push(Vec::new());
        }
        let parent = parent.and_then(|parent| self.patterns.find(parent));
        let counts = parent.is_some_and(|parent| self.led_to(pattern, parent));
        let budget = &mut self.budgets[pattern as usize];
        if counts && budget.is_used_up() {
            return Err(nothing_new(budget, &format!("like {}", pattern::show(url))));
        }
        if counts && self.all.is_used_up() {
            return Err(nothing_new(&self.all, "of its host"));
        }
        let wanted = [budget.ask(counts), self.all.ask(counts)];
        Ok(Admitted { pattern: Some(pattern), sketch: wanted.contains(&true) })
    }

    /// Whether pages like this one lead to pages like its parent. Remembers that the parent leads
    /// to this one.
    fn led_to(&mut self, pattern: u32, parent: u32) -> bool {
        if pattern == parent {
            return true;
        }
        // Taken out and put back, so that both lists can be had at once without a copy.
        let further = std::mem::take(&mut self.before[parent as usize]);
        let before = &mut self.before[pattern as usize];
        for leading in further.iter().chain([&parent]) {
            if before.len() < MOST_BEFORE && !before.contains(leading) {
                before.push(*leading);
            }
        }
        let leads_back = further.contains(&pattern);
        self.before[parent as usize] = further;
        leads_back
    }

    fn learn(&mut self, pattern: usize, news: News<'_>) {
        if let Some(budget) = self.budgets.get_mut(pattern) {
            budget.learn(news);
            self.all.learn(news);
        }
    }
}

fn nothing_new(budget: &Budget, which: &str) -> String {
    let asked = budget.asked();
    format!("{asked} pages {which} were asked for, and the last ones brought nothing new")
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: HostId = HostId(0);

    /// How many of `count` pages are asked for, each found on the one before it, with what each
    /// brings.
    fn asked(count: u32, url: impl Fn(u32) -> String, brings: impl Fn(u32) -> Vec<u32>) -> u32 {
        asked_from(count, |number| url(number.saturating_sub(1)), &url, brings)
    }

    fn asked_from(
        count: u32,
        parent: impl Fn(u32) -> String,
        url: impl Fn(u32) -> String,
        brings: impl Fn(u32) -> Vec<u32>,
    ) -> u32 {
        let mut traps = Traps::new(true);
        let mut asked = 0;
        for number in 0..count {
            let (url, parent) = (url(number), parent(number));
            if traps.refuse(&url).is_some() {
                continue;
            }
            let Ok(admitted) = traps.admit(HERE, &url, Some(&parent)) else { continue };
            asked += 1;
            let sample = brings(number);
            let news = if admitted.sketch { News::Sample(&sample) } else { News::Unknown };
            traps.learn(HERE, admitted.pattern, news);
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
    fn what_lists_name_is_asked_for_whatever_it_brings() {
        let list = |number: u32| format!("http://a/list/{}", number / 100);
        assert_eq!(asked_from(50_000, list, calendar, |_| short([1])), 50_000);
    }

    #[test]
    fn a_loop_through_several_patterns_comes_to_an_end() {
        let pages = ["home", "shop", "cart", "help", "about"];
        let url = |number: u32| format!("http://a/s/{number:032x}/{}", pages[number as usize % 5]);
        let asked = asked(100_000, url, |number| short([number % 5]));
        assert!(asked < 2500, "{asked}");
    }

    #[test]
    fn many_patterns_of_a_few_new_pages_each_are_crawled_whole() {
        let folders = |number: u32| {
            let letter = |n: u32| char::from(b'a' + (n % 26) as u8);
            let folder = number / 10;
            let (one, two, three) = (letter(folder), letter(folder / 26), letter(folder / 676));
            format!("http://a/{one}/{two}{three}/{}", letter(number % 10))
        };
        let texts = |n: u32| short([1, 2, 3, 3 * n + 10, 3 * n + 11, 3 * n + 12]);
        assert_eq!(asked(50_000, folders, texts), 50_000);
    }

    #[test]
    fn one_page_in_eight_with_something_new_is_enough() {
        let pages = |n: u32| match n / 4 % 6 {
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
        let parent = calendar(0);
        let mut admit = |url: &str| traps.admit(HERE, url, Some(&parent));
        let why = (0..10_000).find_map(|number| admit(&calendar(number)).err());
        assert!(why.unwrap().contains("/calendar/#/#"));
        assert!(admit("http://a/about").is_ok());
        assert_eq!(traps.refuse("http://a/x/x/x"), Some(Skip::TrapRepeats));
        traps.on = false;
        assert_eq!(traps.refuse("http://a/x/x/x"), None);
    }
}
