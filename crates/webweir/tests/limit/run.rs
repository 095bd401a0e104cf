//! How these tests call weir.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::server::Server;
use crate::support::command::{Ended, Weir};
use crate::support::outcome::report;

/// A folder to crawl into, again and again.
pub struct Crawl {
    seeds: Vec<String>,
    out: TempDir,
}

/// A crawl that takes longer hangs.
pub const BOUND: Duration = Duration::from_secs(100);

impl Crawl {
    pub fn of(servers: &[&Server]) -> Crawl {
        let seeds = servers.iter().map(|server| server.seed()).collect();
        Crawl { seeds, out: tempfile::tempdir().unwrap() }
    }

    pub fn out(&self) -> &Path {
        self.out.path()
    }

    /// Only what is linked is asked for, and nothing of it is left out.
    pub fn start(&self, flags: &[&str]) -> Weir {
        self.begin("crawl", flags)
    }

    fn begin(&self, command: &str, flags: &[&str]) -> Weir {
        let mut all = vec![command, "--allow-private", "--robots", "ignore", "--traps", "ignore"];
        all.extend(self.seeds.iter().map(String::as_str));
        all.extend(["--out", self.out().to_str().unwrap()]);
        for (flag, usual) in [("--store", "none"), ("--progress", "none")] {
            if !flags.contains(&flag) {
                all.extend([flag, usual]);
            }
        }
        Weir::start(all.iter().chain(flags), None)
    }

    pub fn plan(&self, flags: &[&str]) -> Ended {
        self.begin("plan", flags).wait_within(BOUND)
    }

    pub fn run(&self, flags: &[&str]) -> Ended {
        self.start(flags).wait_within(BOUND)
    }

    /// The same with a config file.
    pub fn start_with(&self, config: &str, flags: &[&str]) -> Weir {
        let path = self.out().join("weir.toml");
        std::fs::write(&path, config).unwrap();
        self.start(&[&["-c", path.to_str().unwrap()], flags].concat())
    }

    pub fn report(&self) -> Value {
        report(self.out())
    }

    pub fn pages(&self) -> u64 {
        self.report()["pages"].as_u64().unwrap()
    }
}

/// At the latest; what is due already is not waited for.
pub fn sleep_until(at: Instant) {
    std::thread::sleep(at.saturating_duration_since(Instant::now()));
}
