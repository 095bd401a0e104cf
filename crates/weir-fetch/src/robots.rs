//! The rules of a robots.txt (RFC 9309) for one crawler.
//!
//! What the RFC leaves open is decided as Google's parser does: directives may be misspelt in the
//! usual ways, a missing colon is forgiven, rules before any user agent are ignored.
//! `lines` reads the file, `pattern` compares a path with a rule.

mod lines;
mod pattern;

use std::time::Duration;

use lines::{Directive, directives};
use pattern::{matches, normal_path, normal_pattern};

/// What one robots.txt says to one crawler; small, since a crawl keeps one for each host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robots {
    /// The patterns of `rules`, one after the other.
    patterns: Box<[u8]>,
    /// The longest first, and of equal ones those that allow: the first that matches decides.
    rules: Box<[Rule]>,
    delay: Option<Duration>,
    sitemaps: Box<[Box<str>]>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Rule {
    end: u32,
    allow: bool,
}

impl Robots {
    /// What follows is not read.
    pub const MOST_BYTES: usize = 500 * 1024;

    /// Never fails: what is no rule is passed over. `agent` is the crawler's name; of
    /// `weir/1.0 (+http://...)` only `weir` counts.
    pub fn parse(bytes: &[u8], agent: &str) -> Robots {
        let bytes = &bytes[..bytes.len().min(Robots::MOST_BYTES)];
        let mut reading = Reading::new(agent);
        directives(bytes).for_each(|directive| reading.take(directive));
        reading.finish()
    }

    /// By the status robots.txt was answered with: a file that is there counts, one that is not
    /// there (4xx) allows all, and a server that cannot say (5xx) must not be crawled. Of 429 the RFC
    /// says nothing else; who crawls asks again later.
    pub fn for_status(status: u16, body: &[u8], agent: &str) -> Robots {
        match status {
            200..=299 => Robots::parse(body, agent),
            300..=499 => Robots::allow_all(),
            _ => Robots::disallow_all(),
        }
    }

    pub fn allow_all() -> Robots {
        Robots::default()
    }

    pub fn disallow_all() -> Robots {
        let rule = Rule { end: 1, allow: false };
        Robots { patterns: Box::new(*b"/"), rules: Box::new([rule]), ..Robots::default() }
    }

    /// Whether a URL with this path and query may be fetched.
    pub fn allows(&self, path_and_query: &str) -> bool {
        if self.rules.is_empty() || path_and_query == "/robots.txt" {
            return true;
        }
        let path = normal_path(path_and_query.as_bytes());
        let mut start = 0;
        for rule in &self.rules {
            let pattern = &self.patterns[start..rule.end as usize];
            if matches(pattern, &path) {
                return rule.allow;
            }
            start = rule.end as usize;
        }
        true
    }

    /// The pause asked for between two requests.
    pub fn crawl_delay(&self) -> Option<Duration> {
        self.delay
    }

    /// As written; they need not be on the same host, nor be valid.
    pub fn sitemaps(&self) -> impl Iterator<Item = &str> {
        self.sitemaps.iter().map(|sitemap| &**sitemap)
    }
}

/// The state while reading: which group we are in, and what is ours so far.
struct Reading {
    agent: Vec<u8>,
    /// The user agents above this line, until a rule ends their list.
    group: Group,
    /// The same for the delay, of which the RFC knows nothing: it ends only its own list, so that
    /// it neither parts nor joins the groups that rules are for.
    delay_group: Group,
    ours: Section,
    everyone: Section,
    sitemaps: Vec<Box<str>>,
}

#[derive(Clone, Copy, Default)]
struct Group {
    ours: bool,
    everyone: bool,
    /// The next user agent begins another group.
    ended: bool,
}

impl Group {
    fn add(&mut self, ours: bool, everyone: bool) {
        let before = if self.ended { Group::default() } else { *self };
        *self = Group {
            ours: before.ours || ours,
            everyone: before.everyone || everyone,
            ended: false,
        };
    }
}

/// What applies to us, or to everyone who is not named.
#[derive(Default)]
struct Section {
    named: bool,
    rules: Vec<(Vec<u8>, bool)>,
    delay: Option<Duration>,
}

impl Reading {
    fn new(agent: &str) -> Self {
        Reading {
            agent: lines::product(agent.as_bytes()).to_vec(),
            group: Group::default(),
            delay_group: Group::default(),
            ours: Section::default(),
            everyone: Section::default(),
            sitemaps: Vec::new(),
        }
    }

    fn take(&mut self, directive: Directive<'_>) {
        match directive {
            Directive::UserAgent(name) => self.user_agent(name),
            Directive::Rule { allow, pattern } => self.rule(allow, pattern),
            Directive::CrawlDelay(delay) => self.crawl_delay(delay),
            Directive::Sitemap(url) => self.sitemaps.push(String::from_utf8_lossy(url).into()),
        }
    }

    fn user_agent(&mut self, name: &[u8]) {
        let everyone = matches!(name, [b'*'] | [b'*', b' ' | b'\t', ..]);
        let ours = !everyone
            && !self.agent.is_empty()
            && lines::product(name).eq_ignore_ascii_case(&self.agent);
        self.group.add(ours, everyone);
        self.delay_group.add(ours, everyone);
        self.ours.named |= ours;
    }

    fn rule(&mut self, allow: bool, pattern: &[u8]) {
        self.group.ended = true;
        self.delay_group.ended = true;
        if pattern.is_empty() || !(self.group.ours || self.group.everyone) {
            return;
        }
        let pattern = normal_pattern(pattern);
        let folder = folder_of_index(&pattern).filter(|_| allow);
        let group = self.group;
        for section in self.sections(group) {
            section.rules.extend(folder.clone().map(|folder| (folder, true)));
            section.rules.push((pattern.clone(), allow));
        }
    }

    fn crawl_delay(&mut self, delay: Option<Duration>) {
        self.delay_group.ended = true;
        let group = self.delay_group;
        self.sections(group).for_each(|section| section.delay = section.delay.or(delay));
    }

    /// The sections that a group is about.
    fn sections(&mut self, group: Group) -> impl Iterator<Item = &mut Section> {
        let ours = group.ours.then_some(&mut self.ours);
        ours.into_iter().chain(group.everyone.then_some(&mut self.everyone))
    }

    fn finish(self) -> Robots {
        let Section { mut rules, delay, .. } =
            if self.ours.named { self.ours } else { self.everyone };
        rules.sort_by(|(a, a_allows), (b, b_allows)| {
            b.len().cmp(&a.len()).then_with(|| a.cmp(b)).then(b_allows.cmp(a_allows))
        });
        rules.dedup_by(|(later, _), (earlier, _)| later == earlier);
        // Among different patterns of one length the one that allows goes first.
        rules.sort_by(|(a, a_allows), (b, b_allows)| {
            b.len().cmp(&a.len()).then(b_allows.cmp(a_allows))
        });
        let mut patterns = Vec::with_capacity(rules.iter().map(|(pattern, _)| pattern.len()).sum());
        let mut packed = Vec::with_capacity(rules.len());
        for (pattern, allow) in rules {
            patterns.extend_from_slice(&pattern);
            let end = u32::try_from(patterns.len()).expect("at most three times 500 KiB");
            packed.push(Rule { end, allow });
        }
        Robots {
            patterns: patterns.into(),
            rules: packed.into(),
            delay,
            sitemaps: self.sitemaps.into(),
        }
    }
}

/// Who allows `/a/index.html` means `/a/` too, which is the same page.
fn folder_of_index(pattern: &[u8]) -> Option<Vec<u8>> {
    let slash = memchr::memrchr(b'/', pattern)?;
    let (folder, file) = pattern.split_at(slash + 1);
    file.starts_with(b"index.htm").then(|| [folder, b"$"].concat())
}

#[cfg(test)]
mod tests;
