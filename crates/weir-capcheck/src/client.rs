//! Whoever fetches: weir, or a peer with a limit of its own.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, set_parent_process_death_signal};

use crate::scenario::{Client, Scenario};

/// Time to say goodbye after an interrupt.
const PATIENCE: Duration = Duration::from_secs(20);

/// A process that ends when this does, however that ends.
pub struct Running {
    child: Child,
    errors: PathBuf,
}

/// Starts the client of a scenario, whose files are in `folder`.
pub fn start(scenario: &Scenario, weir: &Path, folder: &Path, urls: &[String]) -> Result<Running> {
    let limit = scenario.limit.to_string();
    let words: Vec<String> = match scenario.client {
        Client::Weir(_) => {
            let config = folder.join("weir.toml");
            let words = ["crawl", "--progress", "none", "-c"].map(str::to_owned);
            [weir.display().to_string()].into_iter().chain(words).chain([show(&config)]).collect()
        }
        Client::Curl => {
            let first = urls.first().context("no site to fetch from")?;
            let each = (0..100)
                .flat_map(|page| ["-o".into(), "/dev/null".into(), format!("{first}{page}")]);
            ["curl", "-s", "--limit-rate", &limit]
                .map(str::to_owned)
                .into_iter()
                .chain(each)
                .collect()
        }
        Client::Wget2 => {
            let seeds = show(&folder.join("seeds.txt"));
            let into = show(&folder.join("out"));
            let limit = format!("--limit-rate={limit}");
            ["wget2", "-q", "-r", "-l", "inf", "--no-robots", "--delete-after", "--max-threads=32"]
                .into_iter()
                .chain([limit.as_str(), "-P", &into, "-i", &seeds])
                .map(str::to_owned)
                .collect()
        }
    };
    Running::start(&words, folder)
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

impl Running {
    fn start(words: &[String], folder: &Path) -> Result<Running> {
        let errors = folder.join("stderr.txt");
        let child = Command::new(std::env::current_exe()?)
            .arg("exec")
            .args(words)
            .stdin(Stdio::null())
            .stdout(File::create(folder.join("stdout.txt"))?)
            .stderr(File::create(&errors)?)
            .spawn()
            .with_context(|| format!("cannot start {words:?}"))?;
        Ok(Running { child, errors })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Lets it run until then; an error if it ends before.
    pub fn run_until(&mut self, end: Instant) -> Result<()> {
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                bail!("ended too early ({status}): {}", self.last_words());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Interrupts it as a user would, and waits.
    pub fn interrupt(&mut self) -> Result<ExitStatus> {
        kill_process(Pid::from_child(&self.child), Signal::INT)?;
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("still there {} s after an interrupt", PATIENCE.as_secs());
    }

    fn last_words(&self) -> String {
        let text = fs::read_to_string(&self.errors).unwrap_or_default();
        text.lines().rev().find(|line| !line.is_empty()).unwrap_or("silent").to_owned()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let gone = self.child.kill().and_then(|()| self.child.wait());
            if let Err(why) = gone {
                eprintln!("cannot end process {}: {why}", self.child.id());
            }
        }
    }
}

/// Becomes another program, which is killed when the process that started this one ends.
pub fn become_program(words: &[String]) -> Result<()> {
    die_with_parent()?;
    let (program, arguments) = words.split_first().context("no program to start")?;
    Err(Command::new(program).args(arguments).exec())
        .with_context(|| format!("cannot start {program}"))
}

pub fn die_with_parent() -> Result<()> {
    Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
}
