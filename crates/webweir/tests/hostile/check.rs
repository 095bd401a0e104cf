use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{GOOD_PAGES, HostSpec, Hostile, Spec, Visit, Web};

use crate::support::command::{Ended, crawl};
use crate::support::outcome::{report, why};
use crate::support::warc::{self, Response};

/// A crawl of hostile hosts and their neighbour that has ended well.
pub struct Crawled {
    pub web: Web,
    /// Paths that only one of several hostile hosts has: that of the first where none is named.
    paths: Vec<&'static str>,
    pub ended: Ended,
    pub report: Value,
    out: TempDir,
}

/// What `weir why` says became of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Kept with this status, whole.
    Kept(u16),
    /// Kept as far as it came, with the reason that `WARC-Truncated` gives.
    Cut(&'static str),
    /// Given up; the reason has this word.
    Failed(&'static str),
    /// Left out; the reason has this word.
    LeftOut(&'static str),
    /// No page that was read links to it.
    NeverFound,
}

/// A crawl that takes longer hangs.
const BOUND: Duration = Duration::from_secs(100);
/// Of a build that is not optimised; ordinary crawls of this size take 30 MB.
pub const MEMORY: u64 = 100_000_000;
/// With bodies as long as they may be, one of them being read.
pub const MEMORY_FOR_LARGE_BODIES: u64 = 120_000_000;
/// So that no test waits for what takes minutes by default; long enough for a busy machine.
pub const SHORT: &[&str] = &["--timeout", "3s"];

const NEIGHBOUR_PAGES: u32 = 30;

/// Crawls with the usual flags.
pub fn against(hostile: Hostile) -> Crawled {
    against_with(hostile, &[])
}

pub fn against_with(hostile: Hostile, flags: &[&str]) -> Crawled {
    Crawled::of(HostSpec::hostile(hostile), flags, MEMORY)
}

/// A host for each bad page: on one host, five bad answers in a row would be the host's fault.
pub fn against_each(hostile: Hostile) -> Crawled {
    let hosts = (0..hostile.links.len()).map(|link| HostSpec::hostile(hostile.only(link)));
    Crawled::of_all(hosts.collect(), hostile.links.to_vec(), &[], MEMORY)
}

impl Crawled {
    pub fn of(host: HostSpec, flags: &[&str], memory: u64) -> Crawled {
        Crawled::of_all(vec![host], Vec::new(), flags, memory)
    }

    /// Several hostile hosts that are told apart by their URLs.
    pub fn of_hosts(hosts: Vec<HostSpec>) -> Crawled {
        Crawled::of_all(hosts, Vec::new(), &[], MEMORY)
    }

    fn of_all(
        mut hosts: Vec<HostSpec>,
        paths: Vec<&'static str>,
        flags: &[&str],
        memory: u64,
    ) -> Crawled {
        hosts.push(HostSpec::pages(NEIGHBOUR_PAGES).watched());
        let web = Web::start(Spec::new(hosts)).unwrap();
        let out = tempfile::tempdir().unwrap();
        let ended = crawl(&web.seeds(), out.path(), flags).wait_within(BOUND);
        ended.expect_code(0);
        let mut crawled = Crawled { web, paths, ended, report: Value::Null, out };
        crawled.report = report(crawled.out.path());
        crawled.expect_good_end(memory);
        crawled
    }

    fn expect_good_end(&self, memory: u64) {
        let missing: Vec<String> = self.web.missing().take(5).collect();
        assert!(missing.is_empty(), "the neighbour's pages were not crawled: {missing:?}");
        assert_eq!(self.report["outcome"], "complete", "{:#}", self.report);
        assert_eq!(self.report["urls_waiting"], 0, "{:#}", self.report);
        println!("peak memory {} of {memory}", self.ended.usage.memory);
        assert!(self.ended.usage.memory <= memory, "{} bytes", self.ended.usage.memory);
    }

    /// The same crawl again, into the same folder.
    pub fn again(&self, flags: &[&str]) -> Ended {
        crawl(&self.web.seeds(), self.out.path(), flags).wait_within(BOUND)
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.web.seeds()[self.host_of(path)].trim_end_matches('/'))
    }

    fn host_of(&self, path: &str) -> usize {
        self.paths.iter().position(|known| *known == path).unwrap_or(0)
    }

    pub fn why(&self, path: &str) -> String {
        self.why_url(&self.url(path))
    }

    pub fn why_url(&self, url: &str) -> String {
        why(self.out.path(), url)
    }

    pub fn stored(&self, path: &str) -> Option<Response> {
        self.stored_url(&self.url(path))
    }

    pub fn stored_url(&self, url: &str) -> Option<Response> {
        warc::response(self.out.path(), url)
    }

    /// Requests to the hostile host, or to the first of them.
    pub fn visits(&self) -> Vec<Visit> {
        self.web.visits(0)
    }

    /// The neighbour had all its pages before the hostile host was asked for `path` again.
    pub fn expect_neighbour_was_not_held_up(&self, path: &str) {
        let neighbour = self.web.visits(self.web.seeds().len() - 1);
        let visits = self.visits();
        let again = visits.iter().filter(|visit| visit.path == path).nth(1).unwrap();
        assert!(neighbour.last().unwrap().at < again.at, "the neighbour waited for {path}");
    }

    /// How often a path was asked for.
    pub fn asked(&self, path: &str) -> usize {
        let visits = self.web.visits(self.host_of(path));
        visits.iter().filter(|visit| visit.path == path).count()
    }

    pub fn skipped(&self, reason: &str) -> u64 {
        self.report["skipped"][reason].as_u64().unwrap()
    }

    /// What became of paths of the hostile hosts.
    pub fn expect(&self, fates: &[(&str, Fate)]) -> &Crawled {
        for (path, fate) in fates {
            let why = self.why(path);
            assert!(fate.is_told(&why), "{path} should be {fate:?}, but:\n{why}");
            let stored = self.stored(path);
            let truncated = stored.as_ref().map(|it| it.truncated());
            let should_be = match fate {
                Fate::Kept(_) => Some(None),
                Fate::Cut(reason) => Some(Some(*reason)),
                _ => None,
            };
            assert_eq!(truncated, should_be, "truncated, in the WARC, of {path}:\n{why}");
        }
        self
    }

    /// The good pages of the hostile hosts are kept, each with its own text.
    pub fn expect_good_pages(&self) -> &Crawled {
        for host in 0..self.paths.len().max(1) {
            for path in GOOD_PAGES {
                self.expect_own_text(host, path);
            }
        }
        self
    }

    /// A page was kept with its own text, and not with that of another answer.
    pub fn expect_own_text(&self, host: usize, path: &str) {
        let url = format!("{}{path}", self.web.seeds()[host].trim_end_matches('/'));
        let why = self.why_url(&url);
        assert!(Fate::Kept(200).is_told(&why), "{why}");
        let stored = self.stored_url(&url).unwrap();
        let body = String::from_utf8_lossy(stored.body()).into_owned();
        assert!(body.contains(&format!("<h1>{path}</h1>")), "{url} has the body {body:?}");
    }
}

impl Fate {
    fn is_told(self, why: &str) -> bool {
        let line = |start: &str| why.lines().find(|line| line.trim().starts_with(start));
        let with = |start: &str, word: &str| {
            line(start).is_some_and(|line| line.to_lowercase().contains(word))
        };
        match self {
            Fate::Kept(status) => with("kept:", &format!("status {status},")),
            Fate::Cut(_) => line("kept:").is_some(),
            Fate::Failed(word) => with("failed:", word) && line("kept:").is_none(),
            Fate::LeftOut(word) => with("left out:", word) && line("kept:").is_none(),
            Fate::NeverFound => line("never found").is_some(),
        }
    }
}
