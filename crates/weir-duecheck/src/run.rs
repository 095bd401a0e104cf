//! One crawl by the real command.

use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use jiff::Timestamp;
use serde::Deserialize;

use crate::task::{REQUESTS, Task, Truth};
use crate::web::Sites;

pub struct Runner {
    pub weir: PathBuf,
    pub folder: PathBuf,
    pub seed: u64,
}

/// What came of a crawl; times in seconds from its start.
pub struct Run {
    pub policy: String,
    /// It knew the sites from another crawl.
    pub with_history: bool,
    pub finish: Vec<f64>,
    pub at_start: Vec<Option<Told>>,
    pub at_half: Vec<Option<Told>>,
    pub cpu: f64,
    pub use_of_cap: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
pub struct Told {
    pub finish: f64,
    pub low: f64,
    pub high: f64,
}

#[derive(Deserialize)]
struct Report {
    outcome: String,
    started: Timestamp,
    elapsed_s: f64,
    mean_rate: f64,
    bytes_wire: f64,
    utilisation: Option<f64>,
    failed: u64,
    planning_s: f64,
    sites: Vec<SiteReport>,
}

#[derive(Deserialize)]
struct SiteReport {
    site: String,
    bytes_wire: f64,
    finished: Option<Timestamp>,
    at_start: Option<ToldAt>,
    at_half: Option<ToldAt>,
}

#[derive(Deserialize)]
struct ToldAt {
    finish: Timestamp,
    finish_low: Timestamp,
    finish_high: Timestamp,
}

impl Runner {
    /// What the sites have and how fast they are: a crawl without a cap.
    pub fn measure(&self, web: &Sites) -> Result<Truth> {
        self.clear("measure")?;
        let (report, _) = self.crawl(web, KEEP_NOTHING, "measure")?;
        let overhead = report.mean_rate * report.elapsed_s / report.bytes_wire;
        let mut truth = Truth { bytes: Vec::new(), rates: Vec::new(), listed: web.listed.clone() };
        for name in &web.names {
            let site = report.site(name)?;
            let took = seconds(&report, site.finished.context("a site has no end")?);
            truth.bytes.push(site.bytes_wire * overhead);
            truth.rates.push(site.bytes_wire * overhead / took);
        }
        Ok(truth)
    }

    pub fn run(&self, web: &Sites, task: &Task, policy: &str, again: bool) -> Result<Run> {
        let named = (policy != "none").then_some(policy);
        let settings = KEEP_NOTHING.to_owned() + &settings_of(web, task.cap, named, &task.due);
        let first = format!("{}-{policy}", task.load.name().replace([' ', '%'], ""));
        let folder = if again { first.clone() + "-again" } else { first.clone() };
        self.clear(&folder)?;
        if again {
            let (from, to) = (self.path(&first), self.path(&folder));
            fs::copy(from.join(HISTORY), to.join(HISTORY))
                .with_context(|| format!("{} has no history", from.display()))?;
        }
        let (report, cpu) = self.crawl(web, &settings, &folder)?;
        self.keep(web, task, &folder)?;
        let mut run = Run {
            policy: policy.to_owned(),
            with_history: again,
            finish: Vec::new(),
            at_start: Vec::new(),
            at_half: Vec::new(),
            cpu,
            use_of_cap: report.utilisation,
        };
        for name in &web.names {
            let site = report.site(name)?;
            let finished = site.finished.context("a site was not finished")?;
            run.finish.push(seconds(&report, finished));
            run.at_start.push(site.at_start.as_ref().map(|told| told.told(&report)));
            run.at_half.push(site.at_half.as_ref().map(|told| told.told(&report)));
        }
        Ok(run)
    }

    /// What plans cost a crawl of many sites as anybody makes it, with its pages kept: seconds of
    /// processor time that went into them, and in all.
    pub fn overhead(&self, web: &Sites, cap: f64, due: &[f64]) -> Result<(f64, f64)> {
        let settings = settings_of(web, cap, Some("deadline"), due);
        self.clear("overhead")?;
        let (report, cpu) = self.crawl(web, &settings, "overhead")?;
        Ok((report.planning_s, cpu))
    }

    /// What is true of each site, and when the best plan has it done, for who wants to compare.
    fn keep(&self, web: &Sites, task: &Task, folder: &str) -> Result<()> {
        let sites: Vec<serde_json::Value> = (0..web.names.len())
            .map(|at| {
                serde_json::json!({
                    "site": web.names[at],
                    "bytes": task.truth.bytes[at],
                    "rate": task.truth.rates[at],
                    "due": task.due[at],
                    "best": task.best_end[at],
                })
            })
            .collect();
        let path = self.path(folder).join("best.json");
        fs::write(&path, serde_json::to_vec_pretty(&sites)?)
            .with_context(|| format!("cannot write {}", path.display()))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{}-{name}", self.seed))
    }

    /// An empty folder for a crawl.
    fn clear(&self, name: &str) -> Result<()> {
        let out = self.path(name);
        if out.exists() {
            fs::remove_dir_all(&out).with_context(|| format!("cannot clear {}", out.display()))?;
        }
        fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))
    }

    /// The report, and the seconds of processor time.
    fn crawl(&self, web: &Sites, settings: &str, name: &str) -> Result<(Report, f64)> {
        let out = self.path(name);
        let config = out.join("weir.toml");
        let seeds: Vec<String> = web.web.seeds();
        let text =
            format!("urls = {seeds:?}\nallow-private = true\nper-host = {REQUESTS}\n{settings}");
        fs::write(&config, text).with_context(|| format!("cannot write {}", config.display()))?;
        let progress = out.join("progress.jsonl");
        let progress = File::create(&progress)
            .with_context(|| format!("cannot write {}", progress.display()))?;
        let before = children_cpu();
        let status = Command::new(&self.weir)
            .args(["crawl", "--fresh", "--progress", "json", "-c"])
            .arg(&config)
            .arg("-o")
            .arg(&out)
            .stdin(Stdio::null())
            .stdout(progress)
            .stderr(Stdio::null())
            .status()
            .with_context(|| format!("cannot run {}", self.weir.display()))?;
        let cpu = children_cpu() - before;
        match status.code() {
            Some(0 | 3) => {}
            code => bail!("weir ended with {code:?} for {}", config.display()),
        }
        let report = Report::read(&out.join("report.json"))?;
        ensure!(
            report.outcome == "complete" && report.failed == 0,
            "the crawl in {} is {} with {} failures",
            out.display(),
            report.outcome,
            report.failed
        );
        Ok((report, cpu))
    }
}

/// What a crawl has learnt, in its folder.
const HISTORY: &str = "history.json";
/// The disk is shared with others, and who is late shall not be late for it.
const KEEP_NOTHING: &str = "store = \"none\"\n";

/// Without a policy there are no deadlines.
fn settings_of(web: &Sites, cap: f64, policy: Option<&str>, due: &[f64]) -> String {
    let mut settings = format!("limit = \"{cap}B/s\"\n");
    if let Some(policy) = policy {
        let _ = writeln!(settings, "policy = \"{policy}\"");
    }
    for (name, due) in web.names.iter().zip(due) {
        let _ = writeln!(settings, "[[site]]\nname = \"{name}\"");
        if policy.is_some() {
            let _ = writeln!(settings, "within = \"{}ms\"", (due * 1000.0).round());
        }
    }
    settings
}

impl Report {
    fn read(path: &Path) -> Result<Report> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        serde_json::from_slice(&bytes).with_context(|| format!("{} is no report", path.display()))
    }

    fn site(&self, name: &str) -> Result<&SiteReport> {
        let found = self
            .sites
            .iter()
            .find(|site| site.site == name || name.starts_with(&format!("{}:", site.site)));
        found.with_context(|| format!("the report does not have {name}"))
    }
}

impl ToldAt {
    fn told(&self, report: &Report) -> Told {
        Told {
            finish: seconds(report, self.finish),
            low: seconds(report, self.finish_low),
            high: seconds(report, self.finish_high),
        }
    }
}

/// From the start of the crawl.
fn seconds(report: &Report, at: Timestamp) -> f64 {
    at.duration_since(report.started).as_secs_f64()
}

/// Processor time of all children that have ended.
fn children_cpu() -> f64 {
    // SAFETY: the struct is plain numbers, for which zero is a value, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
