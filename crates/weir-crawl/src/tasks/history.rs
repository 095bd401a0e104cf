//! `history.json` (docs/formats/history.md): what earlier crawls of each site brought, and what the
//! present one has learnt so far. Losing it costs good predictions and nothing else, so it is not
//! synced, and a damaged one is not an error.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use weir_plan::calibrate::{Fit, Run};
use weir_plan::size::{Basis, Earlier, Forecast, Seen, Sum};

use super::{Granted, Pace, Task, Told};
use crate::report::replace;

/// The name of the file in the output folder.
pub const FILE: &str = "history.json";

const VERSION: u32 = 1;
/// Crawls of a site that are remembered.
const REMEMBERED: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct History {
    version: u32,
    sites: BTreeMap<String, Site>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Site {
    /// Whole crawls, the last one last.
    #[serde(default)]
    crawls: Vec<Crawled>,
    /// What a sample said, if there is nothing better.
    #[serde(default)]
    sample: Option<Sampled>,
    /// The crawl that is not at its end.
    #[serde(default)]
    now: Option<Now>,
}

/// A site that was crawled to its end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Crawled {
    begun: Timestamp,
    finished: Timestamp,
    pages: f64,
    bytes: f64,
    /// Bytes a second that it can give at the most, if that was measured.
    max_rate: Option<f64>,
    granted: Granted,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Sampled {
    made: Timestamp,
    pages: f64,
    bytes: f64,
    bytes_low: f64,
    bytes_high: f64,
    max_rate: Option<f64>,
}

/// What was learnt so far.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Now {
    begun: Option<Timestamp>,
    last: Option<Timestamp>,
    pages: f64,
    bytes: f64,
    squares: f64,
    listed: f64,
    links: f64,
    new: f64,
    #[serde(default)]
    among: f64,
    pace: Pace,
    granted: Granted,
    at_start: Option<Told>,
    at_half: Option<Told>,
    /// It is among `crawls` already.
    ended: bool,
}

impl History {
    /// An empty one if there is no file, or what it says cannot be understood; then also why.
    pub fn read(path: &Path) -> (History, Option<String>) {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == ErrorKind::NotFound => return (History::default(), None),
            Err(why) => return (History::default(), Some(why.to_string())),
        };
        match serde_json::from_slice::<History>(&bytes) {
            Ok(history) if history.version == VERSION => (history, None),
            Ok(_) => (History::default(), Some("it is of another version".to_owned())),
            Err(why) => (History::default(), Some(why.to_string())),
        }
    }

    /// Written beside and renamed, so that a kill leaves the old one.
    pub fn write(&mut self, path: &Path) -> io::Result<()> {
        self.version = VERSION;
        replace(path, serde_json::to_vec(self)?)
    }

    /// A crawl is begun anew: what the last one had learnt by its end is past.
    pub fn begin_anew(&mut self) {
        self.sites.values_mut().for_each(|site| site.now = None);
    }

    /// A site is done with for this time: what was learnt of it is of an earlier crawl from now on.
    pub fn end(&mut self, task: &Task) {
        self.learn(std::slice::from_ref(task));
        if let Some(site) = self.sites.get_mut(&task.name) {
            site.now = None;
        }
    }

    /// Gives a task what is known of its site.
    pub fn recall(&self, task: &mut Task) {
        let Some(site) = self.sites.get(&task.name) else { return };
        if let Some(last) = site.crawls.last() {
            task.earlier = Some(Earlier::crawled(last.pages, last.bytes));
            task.earlier_rate = site.crawls.iter().rev().find_map(|crawl| crawl.max_rate);
            task.xi = xi(&site.crawls);
        } else if let Some(sample) = &site.sample {
            task.earlier = Some(Earlier::sampled(&sample.forecast()));
            task.earlier_rate = sample.max_rate;
        }
        if let Some(now) = &site.now {
            let fetched = Sum { pages: now.pages, bytes: now.bytes, squares: now.squares };
            let Now { listed, links, new, among, .. } = *now;
            task.came = now.bytes;
            task.seen = Seen { fetched, known: now.pages, listed, links, new, among };
            (task.pace, task.granted) = (now.pace, now.granted);
            (task.begun, task.last) = (now.begun, now.last);
            (task.at_start, task.at_half) = (now.at_start, now.at_half);
        }
    }

    /// Takes over what was learnt.
    pub fn learn(&mut self, tasks: &[Task]) {
        for task in tasks.iter().filter(|task| task.seen.fetched.pages > 0.0) {
            let site = self.sites.entry(task.name.clone()).or_default();
            let mut now = Now::of(task);
            now.ended = site.now.is_some_and(|now| now.ended);
            // One that was cut short says nothing of the whole.
            if task.is_done() && !task.is_full && !std::mem::replace(&mut now.ended, true) {
                site.crawls.extend(Crawled::of(task));
                let more = site.crawls.len().saturating_sub(REMEMBERED);
                site.crawls.drain(..more);
            }
            site.now = Some(now);
        }
    }

    /// Takes over what a sample said.
    pub fn learn_samples(&mut self, tasks: &[Task], made: Timestamp) {
        for task in tasks.iter().filter(|task| task.seen.fetched.pages > 0.0) {
            let site = self.sites.entry(task.name.clone()).or_default();
            let Forecast { pages, bytes, low, high, .. } = task.forecast();
            let max_rate = task.pace.rate(&task.manners(), task.pause);
            site.sample =
                Some(Sampled { made, pages, bytes, bytes_low: low, bytes_high: high, max_rate });
        }
    }
}

impl Now {
    fn of(task: &Task) -> Now {
        let Seen { fetched, listed, links, new, among, .. } = task.seen;
        Now {
            begun: task.begun,
            last: task.last,
            pages: fetched.pages,
            bytes: fetched.bytes,
            squares: fetched.squares,
            listed,
            links,
            new,
            among,
            pace: task.pace,
            granted: task.granted,
            at_start: task.at_start,
            at_half: task.at_half,
            ended: false,
        }
    }
}

impl Crawled {
    fn of(task: &Task) -> Option<Crawled> {
        Some(Crawled {
            begun: task.begun?,
            finished: task.finished?,
            pages: task.seen.fetched.pages,
            bytes: task.seen.fetched.bytes,
            max_rate: task.pace.rate(&task.manners(), task.pause),
            granted: task.granted,
        })
    }
}

impl Sampled {
    fn forecast(&self) -> Forecast {
        let Sampled { pages, bytes, bytes_low: low, bytes_high: high, .. } = *self;
        Forecast { bytes, low, high, pages, basis: Basis::Sample }
    }
}

/// The paper's calibration factor, from what plans gave and what came of it.
fn xi(crawls: &[Crawled]) -> Option<f64> {
    let mut fit = Fit::default();
    for crawl in crawls {
        let Granted { bytes, seconds } = crawl.granted;
        // One without sense is left out.
        let _ = fit.add(Run { bytes: crawl.bytes, rate: bytes / seconds, elapsed: seconds });
    }
    fit.xi()
}
