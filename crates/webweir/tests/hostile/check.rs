use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{GOOD_PAGES, HostSpec, Hostile, Spec, Visit, Web};

use crate::support::command::{Ended, crawl};
use crate::support::outcome::{report, why};
use crate::support::warc::{self, Response};

/// A crawl of a hostile host and its neighbour that has ended well.
pub struct Crawled {
    pub web: Web,
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
/// Bodies of 16 MiB on their way in, two copies and a page of it decoded.
pub const MEMORY_FOR_LARGE_BODIES: u64 = 350_000_000;
/// So that no test waits for what takes minutes by default; long enough for a busy machine.
pub const SHORT: &[&str] = &["--timeout", "3s"];

/// The number of the hostile host.
const HOST: usize = 0;
const NEIGHBOUR_PAGES: u32 = 30;

/// Crawls with the usual flags.
pub fn against(hostile: Hostile) -> Crawled {
    against_with(hostile, &[])
}

pub fn against_with(hostile: Hostile, flags: &[&str]) -> Crawled {
    Crawled::of(HostSpec::hostile(hostile), flags, MEMORY)
}

impl Crawled {
    pub fn of(host: HostSpec, flags: &[&str], memory: u64) -> Crawled {
        let neighbour = HostSpec::pages(NEIGHBOUR_PAGES);
        let web = Web::start(Spec::new(vec![host, neighbour])).unwrap();
        let out = tempfile::tempdir().unwrap();
        let ended = crawl(&web.seeds(), out.path(), flags).wait_within(BOUND);
        ended.expect_code(0);
        let mut crawled = Crawled { web, ended, report: Value::Null, out };
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
        format!("{}{path}", self.web.seeds()[HOST].trim_end_matches('/'))
    }

    pub fn why(&self, path: &str) -> String {
        why(self.out.path(), &self.url(path))
    }

    pub fn stored(&self, path: &str) -> Option<Response> {
        warc::response(self.out.path(), &self.url(path))
    }

    pub fn visits(&self) -> Vec<Visit> {
        self.web.visits(HOST)
    }

    /// How often a path of the hostile host was asked for.
    pub fn asked(&self, path: &str) -> usize {
        self.visits().iter().filter(|visit| visit.path == path).count()
    }

    pub fn skipped(&self, reason: &str) -> u64 {
        self.report["skipped"][reason].as_u64().unwrap()
    }

    /// What became of paths of the hostile host.
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

    /// The good pages of the hostile host are kept, each with its own text.
    pub fn expect_good_pages(&self) -> &Crawled {
        for path in GOOD_PAGES {
            self.expect(&[(path, Fate::Kept(200))]);
            let stored = self.stored(path).unwrap();
            let body = String::from_utf8_lossy(stored.body()).into_owned();
            assert!(body.contains(&format!("<h1>{path}</h1>")), "{path} has the body {body:?}");
        }
        self
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
