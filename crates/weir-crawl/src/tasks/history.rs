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
use crate::replace::{replace, terminated};

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
    /// It came back to pages that were known: those that had not changed cost next to nothing.
    #[serde(default)]
    again: bool,
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
    #[serde(default)]
    again: bool,
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
        replace(path, &terminated(serde_json::to_vec(self)?))
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
        task.again |= site.now.is_some_and(|now| now.again);
        if let Some(like) = site.like(task.again || task.round.is_some()) {
            task.earlier = Some(Earlier::crawled(like.pages, like.bytes));
            task.earlier_again = like.again;
            let of_its_kind = site.crawls.iter().rev().filter(|crawl| crawl.again == like.again);
            task.earlier_rate = of_its_kind.filter_map(|crawl| crawl.max_rate).next();
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
                site.forget();
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

impl Site {
    /// The crawl that the next one will be most like. One that comes back is like the last one, whatever that was; a
    /// new one has all the bytes to fetch that coming back saves.
    fn like(&self, again: bool) -> Option<&Crawled> {
        let new = || self.crawls.iter().rev().find(|crawl| !crawl.again);
        let last = self.crawls.last();
        if again { last } else { new().or(last) }
    }

    /// All but the last ones, and the last one that fetched everything.
    fn forget(&mut self) {
        while self.crawls.len() > REMEMBERED {
            let new = self.crawls.iter().rposition(|crawl| !crawl.again);
            self.crawls.remove(usize::from(new == Some(0)));
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
            again: task.again,
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
            again: task.again,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn site(crawls: &[(f64, bool)]) -> Site {
        let crawled = |(bytes, again): &(f64, bool)| Crawled {
            begun: Timestamp::UNIX_EPOCH,
            finished: Timestamp::UNIX_EPOCH,
            pages: 10.0,
            bytes: *bytes,
            max_rate: None,
            granted: Granted::default(),
            again: *again,
        };
        Site { crawls: crawls.iter().map(crawled).collect(), ..Site::default() }
    }

    #[test]
    fn a_new_crawl_is_expected_to_be_like_a_new_one_and_coming_back_like_the_last() {
        let like = |crawls: &[(f64, bool)], again| site(crawls).like(again).map(|it| it.bytes);
        let crawls = [(500.0, false), (400.0, false), (3.0, true), (2.0, true)];
        assert_eq!((like(&crawls, false), like(&crawls, true)), (Some(400.0), Some(2.0)));
        let only_back = [(3.0, true)];
        assert_eq!(like(&only_back, false), Some(3.0), "better than nothing");
        assert_eq!((like(&[], false), like(&[], true)), (None, None));
    }

    #[test]
    fn what_all_of_it_costs_is_remembered_however_often_somebody_came_back() {
        let mut crawls = vec![(500.0, false), (400.0, false)];
        crawls.extend((0..20).map(|nth| (f64::from(nth), true)));
        let mut site = site(&crawls);
        site.forget();
        let bytes: Vec<f64> = site.crawls.iter().map(|crawl| crawl.bytes).collect();
        assert_eq!(bytes, [400.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.0]);
    }
}
