use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use weir_testsite::{HostSpec, Spec, Web};

use crate::paper;
use crate::support::command::{Ended, Weir, weir};

/// A web with the paper on it, and a folder with a `weir.toml`.
pub struct Run {
    pub web: Web,
    pub folder: TempDir,
}

/// For every test that asks for the topic.
pub const TOPIC: &str = r#"
[topic."food safety"]
terms = { "food safety" = 1, "recall*" = 2, "salmonella" = 1, "contamina*" = 1 }
"#;

impl Run {
    pub fn new() -> Run {
        Run::slow(Duration::ZERO)
    }

    /// Each answer takes so long.
    pub fn slow(latency: Duration) -> Run {
        let host = HostSpec::scripted(move |asked| Some(paper::answer(asked, latency))).watched();
        Run {
            web: Web::start(Spec::new(vec![host])).unwrap(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// As a `[[site]]` names it.
    pub fn site(&self) -> String {
        let seed = self.web.seeds()[0].clone();
        seed.trim_start_matches("http://").trim_end_matches('/').to_owned()
    }

    pub fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    pub fn start(&self, settings: &str, flags: &[&str]) -> Weir {
        let file = self.folder.path().join("weir.toml");
        fs::write(&file, settings).unwrap();
        let mut words = vec!["crawl".to_owned(), "-c".to_owned(), "weir.toml".to_owned()];
        words.extend(self.web.seeds());
        words.extend(["--allow-private", "--progress", "none", "--out", "out"].map(String::from));
        words.extend(["--slow-down", "0"].map(String::from));
        words.extend(flags.iter().map(|flag| flag.to_string()));
        Weir::start(words, Some(self.folder.path()))
    }

    pub fn crawl(&self, settings: &str, flags: &[&str]) -> Ended {
        let ended = self.start(settings, flags).wait();
        ended.expect_code(0);
        ended
    }

    /// The rows by path, each there once.
    pub fn rows(&self) -> BTreeMap<String, Value> {
        let file = self.folder.path().join("rows.jsonl");
        let (out, to) = (self.out(), file.to_str().unwrap().to_owned());
        let ended = weir(&["export", "-o", out.to_str().unwrap(), "--to", "jsonl", "--file", &to]);
        ended.expect_code(0);
        let mut rows = BTreeMap::new();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let url = row["url"].as_str().unwrap();
            let path = url[url.find(&self.site()).unwrap() + self.site().len()..].to_owned();
            assert!(rows.insert(path.clone(), row).is_none(), "{path} is there twice");
        }
        rows
    }

    pub fn report(&self) -> Value {
        serde_json::from_slice(&fs::read(self.out().join("report.json")).unwrap()).unwrap()
    }

    /// Paths in the order they were asked for, without robots.txt.
    pub fn asked(&self) -> Vec<String> {
        let paths = self.web.visits(0).into_iter().map(|visit| visit.path);
        paths.filter(|path| path != "/robots.txt").collect()
    }
}
