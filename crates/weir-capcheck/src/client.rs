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

const BETWEEN_INTERRUPTS: Duration = Duration::from_millis(100);

/// A process that ends when this does, however that ends.
pub struct Running {
    child: Child,
    errors: PathBuf,
}

/// Starts the client of a scenario, whose files are in `folder`.
pub fn start(scenario: &Scenario, weir: &Path, folder: &Path, urls: &[String]) -> Result<Running> {
    let file = |name: &str| folder.join(name).display().to_string();
    let words: Vec<String> = match scenario.client {
        Client::Weir(_) | Client::Line => {
            let weir = weir.display().to_string();
            let words = "crawl --progress none -c".split(' ').map(str::to_owned);
            [weir].into_iter().chain(words).chain([file("weir.toml")]).collect()
        }
        Client::Curl => {
            fs::write(folder.join("curl.txt"), list_for_curl(urls))?;
            // Its limit is for each transfer, so a user has to divide.
            let transfers = urls.len().min(CURL_TRANSFERS);
            let limit = scenario.limit / transfers as u64;
            let words = format!("curl -s -Z --parallel-max {transfers} --limit-rate {limit} -K");
            words.split(' ').map(str::to_owned).chain([file("curl.txt")]).collect()
        }
        Client::Wget => {
            let words =
                format!("wget -q -r -l inf --delete-after --limit-rate={} -P", scenario.limit);
            let files = [file("out"), "-i".into(), file("seeds.txt")];
            words.split(' ').map(str::to_owned).chain(files).collect()
        }
    };
    Running::start(&words, folder)
}

const CURL_TRANSFERS: usize = 32;

/// Pages of all sites, enough for the longest run.
fn list_for_curl(urls: &[String]) -> String {
    let pages = (0..100).flat_map(|page| urls.iter().map(move |url| format!("{url}{page}")));
    pages.map(|url| format!("url = \"{url}\"\noutput = \"/dev/null\"\n")).collect()
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

    /// Interrupts it as a user would who does not want to wait for what is under way.
    pub fn interrupt(&mut self) -> Result<ExitStatus> {
        for _ in 0..2 {
            kill_process(Pid::from_child(&self.child), Signal::INT)?;
            std::thread::sleep(BETWEEN_INTERRUPTS);
        }
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
