use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use weir_testsite::{HostSpec, Spec, Visit, Web};

use crate::lab::{Lab, MACHINES, Machine, SCHEDULER, site};
use crate::support::command::{Weir, weir};
use crate::support::wait_until_within;
use crate::support::warc::pages;

/// A web, and a scheduler with downloaders that crawl it, each on a machine of its own.
pub struct Cluster {
    pub lab: Lab,
    pub web: Web,
    /// The beginning of time for the web's diary.
    pub began: Instant,
    pub scheduler: Option<Weir>,
    pub downloaders: [Option<Weir>; MACHINES],
    slots: usize,
    flags: Vec<String>,
    seeds: Vec<String>,
    folder: tempfile::TempDir,
}

/// No crawl here takes longer unless it hangs.
const BOUND: Duration = Duration::from_secs(120);
const PORT: u16 = 7700;

impl Cluster {
    /// Nothing runs yet. Each downloader has so many slots: few enough that hosts move to whoever joins.
    pub fn new(lab: Lab, hosts: Vec<HostSpec>, slots: usize) -> Cluster {
        let hosts = hosts.into_iter().enumerate();
        let hosts = hosts.map(|(number, host)| host.watched().at(site(number))).collect();
        let began = Instant::now();
        let web = Web::start(Spec::new(hosts)).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let keys = folder.path().join("keys");
        let words = ["cluster", "init", "--name", SCHEDULER, "--keys", keys.to_str().unwrap()];
        weir(&words).expect_code(0);
        Cluster {
            lab,
            seeds: web.seeds(),
            web,
            began,
            scheduler: None,
            downloaders: [const { None }; MACHINES],
            slots,
            flags: Vec::new(),
            folder,
        }
    }

    /// With more words for the scheduler.
    pub fn flags(self, flags: &[&str]) -> Cluster {
        Cluster { flags: flags.iter().map(|flag| flag.to_string()).collect(), ..self }
    }

    /// Other seeds than the first page of each host.
    pub fn seeds(self, seeds: &[&str]) -> Cluster {
        Cluster { seeds: seeds.iter().map(|seed| seed.to_string()).collect(), ..self }
    }

    /// As `start` and `join` do with all of these.
    pub fn run(&mut self, downloaders: impl IntoIterator<Item = usize>) {
        self.start();
        downloaders.into_iter().for_each(|number| self.join(number));
    }

    /// Starts the scheduler, for the first time or once more.
    pub fn start(&mut self) {
        let mut command = Machine::Scheduler.command(env!("CARGO_BIN_EXE_weir"));
        command.args(["scheduler", "--allow-private", "--progress", "none", "--slow-down", "0"]);
        command.args(["--listen", &format!("{SCHEDULER}:{PORT}"), "--keys"]);
        command.arg(self.folder("keys")).arg("--out").arg(self.folder("scheduler"));
        command.args(&self.flags).args(&self.seeds);
        self.scheduler = Some(Weir::of(command));
    }

    /// Starts a downloader, for the first time or once more.
    pub fn join(&mut self, number: usize) {
        let mut command = Machine::Downloader(number).command(env!("CARGO_BIN_EXE_weir"));
        command.args(["downloader", "--scheduler", &format!("https://{SCHEDULER}:{PORT}")]);
        command.args(["--slots", &self.slots.to_string(), "--name", &format!("d{number}")]);
        command.arg("--keys").arg(self.folder("keys")).arg("--out").arg(self.out(number));
        self.downloaders[number - 1] = Some(Weir::of(command));
    }

    /// SIGKILL.
    pub fn kill(&mut self, number: usize) {
        self.downloaders[number - 1].take().unwrap().kill();
    }

    pub fn kill_scheduler(&mut self) {
        self.scheduler.take().unwrap().kill();
    }

    /// Asks a downloader to leave, as Ctrl-C does, and waits until it has.
    pub fn leave(&mut self, number: usize) {
        let downloader = self.downloaders[number - 1].take().unwrap();
        downloader.interrupt();
        downloader.wait_within(BOUND).expect_code(0);
    }

    /// Waits until the web was asked so many times, while the crawl goes on.
    pub fn wait_for(&mut self, requests: u64) {
        wait_until_within(BOUND, &format!("{requests} requests"), || {
            let ended = self.scheduler.as_mut().and_then(Weir::ended);
            assert!(ended.is_none(), "the scheduler has ended: {ended:?}");
            self.requests() >= requests
        });
    }

    pub fn requests(&self) -> u64 {
        self.web.counts().total().requests
    }

    /// Waits for the end of the crawl, at which all processes end well by themselves.
    pub fn finish(&mut self) {
        let ended = self.scheduler.take().unwrap().wait_within(BOUND);
        print!("scheduler: {}", ended.stderr);
        ended.expect_code(0);
        for (number, downloader) in self.downloaders.iter_mut().enumerate() {
            if let Some(downloader) = downloader.take() {
                let ended = downloader.wait_within(BOUND);
                print!("d{}: {}", number + 1, ended.stderr);
                ended.expect_code(0);
            }
        }
    }

    /// What downloaders have kept, joined, is the web: each URL once in the WARC files, and the same in
    /// the rows that `weir export` makes of all folders.
    pub fn expect_each_page_once(&self) {
        let truth: Vec<(String, u16)> =
            self.web.truth().urls().filter(|it| it.allowed).map(|it| (it.url, it.status)).collect();
        let outs: Vec<PathBuf> =
            (1..=MACHINES).map(|number| self.out(number)).filter(|out| out.exists()).collect();
        let mut kept: Vec<_> = outs.iter().flat_map(|out| pages(out)).collect();
        kept.sort();
        let mut times: BTreeMap<&str, usize> = truth.iter().map(|it| (&*it.0, 0)).collect();
        kept.iter().for_each(|(url, ..)| *times.entry(url).or_default() += 1);
        let odd: Vec<_> = times.iter().filter(|(_, times)| **times != 1).collect();
        assert!(odd.is_empty(), "{} not once, as {:?}", odd.len(), &odd[..odd.len().min(5)]);
        let mut stated: Vec<_> = kept.iter().map(|it| (it.0.clone(), it.1)).collect();
        let mut truth = truth;
        stated.sort();
        truth.sort();
        assert_eq!(stated, truth, "URLs with their status");
        assert_eq!(self.exported(&outs), kept, "rows, and records in the WARC files");
    }

    /// The rows of all folders, sorted.
    fn exported(&self, outs: &[PathBuf]) -> Vec<(String, u16, String)> {
        let named = outs.iter().flat_map(|out| ["-o", out.to_str().unwrap()]);
        let words: Vec<&str> =
            ["export", "--to", "jsonl", "--file", "-"].into_iter().chain(named).collect();
        let ended = weir(&words);
        ended.expect_code(0);
        let mut rows: Vec<_> = ended.stdout.lines().map(row).collect();
        rows.sort();
        rows
    }

    /// No host was ever asked for more than one thing at a time.
    pub fn expect_one_at_a_time(&self) {
        for host in 0..self.seeds.len() {
            let most = most_at_once(&self.web.visits(host));
            assert!(most <= 1, "{} was asked for {most} at a time", self.seeds[host]);
        }
    }

    /// Where a downloader keeps its pages.
    pub fn out(&self, number: usize) -> PathBuf {
        self.folder(&format!("d{number}"))
    }

    pub fn folder(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn row(line: &str) -> (String, u16, String) {
    let row: serde_json::Value = serde_json::from_str(line).unwrap();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    (text("url"), row["status"].as_u64().unwrap() as u16, text("digest"))
}

/// The most requests that were under way at a time.
fn most_at_once(visits: &[Visit]) -> usize {
    let mut moments: Vec<(Duration, i32)> = Vec::new();
    for visit in visits {
        moments.push((visit.at, 1));
        moments.extend(visit.ended.map(|ended| (ended, -1)));
    }
    // What ends at the moment another begins was before it.
    moments.sort();
    let (mut now, mut most) = (0, 0);
    for (_, change) in moments {
        now += change;
        most = most.max(now);
    }
    most as usize
}

/// Resident memory of a process at this moment, in bytes.
pub fn memory(weir: &Weir) -> u64 {
    let status =
        std::fs::read_to_string(Path::new("/proc").join(weir.id().to_string()).join("status"));
    let status = status.unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() * 1024
}
