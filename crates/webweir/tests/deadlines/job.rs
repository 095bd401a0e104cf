use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::{Ended, Weir};
use crate::support::outcome;

/// Sites on loopback, and a `weir.toml` for them.
pub struct Job {
    pub web: Web,
    folder: TempDir,
}

/// However slow the machine is.
const BOUND: Duration = Duration::from_secs(120);

impl Job {
    /// Each site with its lines of `[[site]]`.
    pub fn new(settings: &str, sites: Vec<(HostSpec, &str)>) -> Job {
        let (hosts, lines): (Vec<HostSpec>, Vec<&str>) = sites.into_iter().unzip();
        let job =
            Job { web: Web::start(Spec::new(hosts)).unwrap(), folder: TempDir::new().unwrap() };
        job.write(settings, &lines);
        job
    }

    /// Writes `weir.toml` anew.
    pub fn write(&self, settings: &str, sites: &[&str]) {
        let seeds = self.web.seeds();
        let mut text = format!("urls = {seeds:?}\nallow-private = true\n{settings}\n");
        for (at, lines) in sites.iter().enumerate() {
            writeln!(text, "[[site]]\nname = \"{}\"\n{lines}", self.name(at)).unwrap();
        }
        std::fs::write(self.folder.path().join("weir.toml"), text).unwrap();
    }

    /// How a site is called: its host and port.
    pub fn name(&self, at: usize) -> String {
        self.web.seeds()[at].trim_start_matches("http://").trim_end_matches('/').to_owned()
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn start(&self, command: &str, more: &[&str]) -> Weir {
        let config = self.folder.path().join("weir.toml");
        let out = self.out();
        let mut arguments = vec![command, "-o", out.to_str().unwrap()];
        if command != "status" {
            arguments.extend(["-c", config.to_str().unwrap()]);
        }
        arguments.extend(more);
        Weir::start(&arguments, None)
    }

    pub fn run(&self, command: &str, more: &[&str]) -> Ended {
        self.start(command, more).wait_within(BOUND)
    }

    pub fn report(&self) -> Value {
        outcome::report(&self.out())
    }

    pub fn plan(&self) -> Value {
        let bytes = std::fs::read(self.out().join("plan.json")).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// What a report or a plan says of a site.
    pub fn site(&self, all: &Value, at: usize) -> Value {
        let name = self.name(at);
        let found = all["sites"].as_array().unwrap().iter().find(|site| site["site"] == name);
        found.unwrap_or_else(|| panic!("{name} is not in {all}")).clone()
    }
}

/// All of these words stand in what was printed.
pub fn expect_words(ended: &Ended, words: &[&str]) {
    let all = format!("{}{}", ended.stdout, ended.stderr);
    for word in words {
        assert!(all.contains(word), "no {word:?} in:\n{all}");
    }
}

pub fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}
