use std::cell::Cell;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{HostSpec, RobotsSpec, Spec, Web};

use crate::output;
use crate::support::command::{Weir, weir};
use crate::support::outcome::report;
use crate::support::wait_until;

/// A web, and a folder for a scheduler and its downloaders, who are all processes of their own.
pub struct Cluster {
    pub web: Web,
    folder: TempDir,
    seeds: Vec<String>,
    flags: Vec<String>,
    /// An address that nobody else has, so that a scheduler finds its port free when it comes back.
    at: Ipv4Addr,
    port: Cell<u16>,
    keys: Option<PathBuf>,
    /// Flags of all downloaders, and what is in their environment.
    outlets: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

/// What each downloader has under way at a time.
pub const SLOTS: usize = 4;
/// A crawl that takes longer hangs.
pub const BOUND: Duration = Duration::from_secs(120);
const MS: fn(u64) -> Duration = Duration::from_millis;

/// A bit of everything that a crawl meets, and slow enough that one can be in the midst of it.
pub fn site(pages: u32) -> HostSpec {
    let some = pages / 50;
    let site = HostSpec::pages(pages).links_per_page(12).robots(RobotsSpec::Private);
    site.redirects(some).dead_links(some).duplicates(some * 2).files(some).latency(MS(15))
}

/// So many hosts of so many pages, with links from each to the others.
pub fn sites(hosts: usize, pages: u32) -> Spec {
    Spec::new(vec![site(pages).cross_links(2); hosts])
}

impl Cluster {
    pub fn of(spec: Spec, flags: &[&str]) -> Cluster {
        let web = Web::start(spec).unwrap();
        Cluster { seeds: web.seeds(), ..Cluster::crawling(Vec::new(), web, flags) }
    }

    /// The same for seeds elsewhere.
    pub fn crawling(seeds: Vec<String>, web: Web, flags: &[&str]) -> Cluster {
        Cluster {
            web,
            folder: tempfile::tempdir().unwrap(),
            seeds,
            flags: flags.iter().map(|flag| flag.to_string()).collect(),
            at: own_address(),
            port: Cell::new(0),
            keys: None,
            outlets: Vec::new(),
            environment: Vec::new(),
        }
    }

    /// Everybody has the keys of this cluster.
    pub fn with_keys(mut self) -> Cluster {
        let keys = self.path("keys");
        let name = self.at.to_string();
        weir(&["cluster", "init", "--keys", keys.to_str().unwrap(), "--name", &name])
            .expect_code(0);
        self.keys = Some(keys);
        self
    }

    /// Pages go on from the folders of all downloaders, as these flags say.
    pub fn with_outlets(mut self, flags: &[&str]) -> Cluster {
        self.outlets = flags.iter().map(|flag| flag.to_string()).collect();
        self
    }

    /// What keys of object stores and the like are in.
    #[cfg(feature = "objects")]
    pub fn with_environment(mut self, environment: Vec<(&'static str, String)>) -> Cluster {
        self.environment = environment;
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The scheduler's.
    pub fn out(&self) -> PathBuf {
        self.path("crawl")
    }

    /// Those of all downloaders there ever were.
    pub fn folders(&self) -> Vec<PathBuf> {
        let all = self.path("d").read_dir().into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
        all.sort();
        all
    }

    pub fn url(&self) -> String {
        let scheme = if self.keys.is_some() { "https" } else { "http" };
        format!("{scheme}://{}:{}", self.at, self.port.get())
    }

    /// `weir crawl` of the same, into a folder of its own.
    pub fn crawl(&self, folder: &str, more: &[&str]) -> Weir {
        let words = ["crawl".to_owned(), "--out".to_owned(), folder.to_owned()];
        self.start(words.into_iter().chain(more.iter().map(|word| word.to_string())))
    }

    fn start(&self, words: impl IntoIterator<Item = String>) -> Weir {
        let words = words.into_iter().chain(self.seeds.iter().cloned());
        let usual = ["--allow-private", "--progress", "plain", "--slow-down", "0"];
        let words = words.chain(usual.map(String::from)).chain(self.flags.iter().cloned());
        Weir::start(words, Some(self.folder.path()))
    }

    /// Starts the scheduler, once more with the address that it had, and waits until it listens.
    pub fn scheduler(&self) -> Weir {
        self.scheduler_with(&[])
    }

    pub fn scheduler_with(&self, more: &[&str]) -> Weir {
        let mut scheduler = self.start_scheduler(more);
        wait_until("the scheduler to listen", || {
            assert!(scheduler.ended().is_none(), "it ended: {}", scheduler.said());
            // It is written piece by piece.
            scheduler.said().contains(" --slots ")
        });
        let said = scheduler.said();
        let rest = said.split(&format!("{}:", self.at)).nth(1).unwrap();
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        self.port.set(port.parse().unwrap());
        scheduler
    }

    /// The same, without waiting for it to listen.
    pub fn start_scheduler(&self, more: &[&str]) -> Weir {
        let listen = format!("{}:{}", self.at, self.port.get());
        let mut words: Vec<String> =
            ["scheduler", "--out", "crawl", "--listen", &listen].map(String::from).into();
        words.extend(more.iter().map(|word| word.to_string()));
        words.extend(self.key_words());
        self.start(words)
    }

    fn key_words(&self) -> Vec<String> {
        let words = |keys: &PathBuf| vec!["--keys".to_owned(), keys.display().to_string()];
        self.keys.as_ref().map(words).unwrap_or_default()
    }

    /// Starts the downloader of this name, with the folder that it has or a new one.
    pub fn downloader(&self, name: &str) -> Weir {
        self.downloader_with(name, &[])
    }

    pub fn downloader_with(&self, name: &str, more: &[&str]) -> Weir {
        let (url, out) = (self.url(), self.folder_of(name));
        let slots = SLOTS.to_string();
        let mut words = vec!["downloader", "--scheduler", &url, "--name", name];
        words.extend(["--out", out.to_str().unwrap()]);
        if !more.contains(&"--slots") {
            words.extend(["--slots", &slots]);
        }
        words.extend(more);
        let keys = if more.contains(&"--keys") { Vec::new() } else { self.key_words() };
        let outlets = self.outlets.iter().cloned();
        let words = words.into_iter().map(String::from).chain(keys).chain(outlets);
        Weir::start_with(words, Some(self.folder.path()), &self.environment)
    }

    pub fn folder_of(&self, name: &str) -> PathBuf {
        self.path("d").join(name)
    }

    pub fn requests(&self) -> u64 {
        self.web.counts().total().requests
    }

    /// Waits for so many requests more, which must come before the scheduler ends.
    pub fn wait_for(&self, more: u64, scheduler: &mut Weir) {
        let upto = self.requests() + more;
        wait_until("more requests", || {
            assert!(scheduler.ended().is_none(), "it ended too early: {}", scheduler.said());
            self.requests() >= upto
        });
    }

    pub fn report(&self) -> Value {
        report(&self.out())
    }

    /// What `weir status` says of the scheduler's folder.
    pub fn status(&self, more: &[&str]) -> String {
        let out = self.out();
        let words = ["status", "-o", out.to_str().unwrap()];
        let ended = weir(&[&words[..], more].concat());
        ended.expect_code(0);
        ended.stdout
    }

    pub fn expect_each_once(&self) {
        output::expect_each_once(&self.web, &self.folders());
    }

    /// No host was asked for more than this at a time.
    pub fn expect_at_most_at_once(&self, per_host: u32) {
        let peak = self.web.counts().total().peak_requests;
        assert!(peak <= per_host, "a host was asked for {peak} pages at a time");
    }
}

/// Of this test alone: the number of its process is in it.
fn own_address() -> Ipv4Addr {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let count = COUNT.fetch_add(1, Ordering::Relaxed) as u8;
    Ipv4Addr::new(127, 64 + (high ^ count) % 128, middle, low.clamp(1, 254))
}

pub fn write(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}
