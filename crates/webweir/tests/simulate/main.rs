//! `weir simulate` as users and scripts call it.

#![allow(clippy::unwrap_used, reason = "all of this is test code")]

mod figures;
mod mistakes;
mod replays;
mod scenarios;

use std::path::{Path, PathBuf};
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// An empty folder in which the command runs.
struct Desk(TempDir);

impl Desk {
    fn new() -> Desk {
        Desk(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn weir(&self, words: &[&str]) -> Command {
        self.command("simulate", words)
    }

    fn command(&self, name: &str, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
        command.arg(name).args(words).current_dir(self.0.path());
        command.timeout(Duration::from_secs(300));
        command
    }

    /// What it prints; it must end well.
    fn says(&self, words: &[&str]) -> String {
        let assert = self.weir(words).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    /// The names of the files in a folder, in order.
    fn files(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.path(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

/// The numbers of a CSV, comments and names left out.
fn rows(path: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}
