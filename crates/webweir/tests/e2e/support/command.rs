use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::usage::Usage;
use super::{BOUND, wait_until_within};

/// One call of `weir`, with what it printed kept in files so that it can never block on a pipe.
pub struct Weir {
    child: Child,
    said: tempfile::TempDir,
    usage: Usage,
}

/// What a call of `weir` came to.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    pub usage: Usage,
}

/// `weir crawl SEED…` into `out`, quiet, on loopback.
pub fn crawl(seeds: &[String], out: &Path, more: &[&str]) -> Weir {
    crawl_with(seeds, out, more, &[])
}

/// The same, with more in its environment.
pub fn crawl_with(
    seeds: &[String],
    out: &Path,
    more: &[&str],
    environment: &[(&str, String)],
) -> Weir {
    let mut arguments: Vec<String> = vec!["crawl".into()];
    arguments.extend_from_slice(seeds);
    arguments.extend(["--allow-private", "--progress", "none", "--out"].map(String::from));
    arguments.push(out.to_str().expect("the test chose a plain path").into());
    arguments.extend(more.iter().map(|word| word.to_string()));
    Weir::start_with(arguments, None, environment)
}

/// Runs `weir` with these arguments to its end, in an empty folder.
pub fn weir(arguments: &[&str]) -> Ended {
    let empty = tempfile::tempdir().unwrap();
    Weir::start(arguments, Some(empty.path())).wait()
}

impl Weir {
    pub fn start(
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        folder: Option<&Path>,
    ) -> Weir {
        Weir::start_with(arguments, folder, &[])
    }

    /// The same, with more in its environment.
    pub fn start_with(
        arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
        folder: Option<&Path>,
        environment: &[(&str, String)],
    ) -> Weir {
        let mut command = Command::new(env!("CARGO_BIN_EXE_weir"));
        command.args(arguments);
        command.envs(environment.iter().map(|(key, value)| (key, value)));
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        Weir::of(command)
    }

    /// A command that becomes `weir`, whatever it does before.
    pub fn of(mut command: Command) -> Weir {
        let said = tempfile::tempdir().unwrap();
        let file = |name| Stdio::from(File::create(said.path().join(name)).unwrap());
        command.stdin(Stdio::null()).stdout(file(STDOUT)).stderr(file(STDERR));
        let child = command.spawn().expect("weir was built for this test");
        Weir { child, said, usage: Usage::default() }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.usage.look(self.child.id());
        self.child.try_wait().unwrap()
    }

    /// SIGKILL: no chance to finish anything.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// SIGINT, as Ctrl-C sends it.
    pub fn interrupt(&self) {
        self.signal("INT");
    }

    /// `TERM`, `STOP`, `CONT` and the like.
    pub fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &process]).status();
        assert!(sent.unwrap().success(), "no process {process} to send {name} to");
    }

    /// What it has said on standard error so far.
    pub fn said(&self) -> String {
        self.read(STDERR)
    }

    pub fn wait(self) -> Ended {
        self.wait_within(BOUND)
    }

    /// Fails if it takes longer.
    pub fn wait_within(mut self, bound: Duration) -> Ended {
        let mut code = None;
        wait_until_within(bound, "weir to end", || {
            code = self.ended().map(|status| status.code());
            code.is_some()
        });
        let (stdout, stderr) = (self.read(STDOUT), self.read(STDERR));
        Ended { code: code.flatten(), stdout, stderr, usage: self.usage }
    }

    fn read(&self, name: &str) -> String {
        let path: PathBuf = self.said.path().join(name);
        String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
    }
}

const STDOUT: &str = "stdout";
const STDERR: &str = "stderr";

impl Drop for Weir {
    fn drop(&mut self) {
        // A test that failed must not leave a crawl behind; one that has ended is no error.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    pub fn expect_code(&self, code: i32) -> &Ended {
        assert_eq!(self.code, Some(code), "{}{}", self.stdout, self.stderr);
        self
    }

    /// The message has all of these words, whatever stands between them.
    pub fn says(&self, words: &[&str]) -> &Ended {
        let message = self.stderr.to_lowercase();
        for word in words {
            let found = word.split('|').any(|word| message.contains(&word.to_lowercase()));
            assert!(found, "no word of {word:?} in:\n{}", self.stderr);
        }
        self
    }
}
