use std::path::PathBuf;
use std::time::Duration;

use assert_cmd::Command;
use serde_json::Value;

/// `weir inspect WORD…`, in an empty folder.
pub struct Inspect {
    command: Command,
    folder: tempfile::TempDir,
}

pub fn inspect(words: &[&str]) -> Inspect {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
    command.arg("inspect").args(words).current_dir(folder.path());
    command.timeout(Duration::from_secs(300));
    Inspect { command, folder }
}

impl Inspect {
    /// Puts a file into the folder first.
    pub fn with(self, name: &str, bytes: &[u8]) -> Inspect {
        std::fs::write(self.folder.path().join(name), bytes).unwrap();
        self
    }

    /// What it prints, given `input` on standard input; it must end well.
    pub fn says(mut self, input: impl Into<Vec<u8>>) -> String {
        let assert = self.command.write_stdin(input).assert().success();
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    /// The same where all of it is one JSON value.
    pub fn json(self) -> Value {
        serde_json::from_str(&self.says("")).unwrap()
    }

    /// The same where each line is one.
    pub fn lines(self, requests: &[Value]) -> Vec<Value> {
        let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
        let answers = json_lines(&self.says(input));
        assert_eq!(answers.len(), requests.len(), "an answer for each request");
        answers
    }

    /// It is used in a wrong way, and says so with all of these words.
    pub fn refuses(mut self, words: &[&str]) {
        let assert = self.command.write_stdin("").assert().code(2);
        let output = assert.get_output();
        let message = String::from_utf8(output.stderr.clone()).unwrap().to_lowercase();
        for word in words {
            assert!(message.contains(word), "no {word:?} in:\n{message}");
        }
        assert!(output.stdout.is_empty());
    }
}

pub fn json_lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The shared test material, if it lies beside this checkout.
pub fn material(path: &str) -> Option<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let path = PathBuf::from(folder).join(path);
    if !path.exists() {
        eprintln!("SKIPPED: no shared test data {}", path.display());
        return None;
    }
    Some(path)
}
