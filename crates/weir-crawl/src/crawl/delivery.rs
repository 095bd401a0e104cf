//! Sinks follow the crawl: they are told what is committed for good, and waited for at the end.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::sleep;
use weir_frontier::Frontier;
use weir_store::{Extent, Followers, Mark, SinkTarget, StoreError, Totals};

use super::{Crawl, CrawlError, Stop, TICK};
use crate::Config;
use crate::progress::Progress;
use crate::report::SinkReport;

/// The note that has the name by which sinks know this crawl.
const CRAWL: &str = "crawl";
/// A sink that can never work is refused before anything is fetched; one that takes longer than
/// this to answer is left to come later.
const FIRST_TRY: Duration = Duration::from_secs(3);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The sinks, and the marks on their way to being safe.
pub(super) struct Delivery {
    followers: Followers,
    /// One for each of the last syncs, the oldest first.
    marks: VecDeque<Mark>,
    /// What sinks were last told of.
    until: Option<Extent>,
}

/// After a loss of power the log counts as far as a frame in it says that all before was synced. The
/// frame that says so of one sync is made after it, and is itself safe only after the sync after next.
const SYNCS: usize = 3;

impl Delivery {
    pub fn start(config: &Config, frontier: &mut Frontier) -> Result<Delivery, CrawlError> {
        let crawl = name_of(frontier);
        let sinks: Vec<SinkTarget> = match config.is_survey {
            true => Vec::new(),
            false => config.sinks.iter().chain(&config.store_to).cloned().collect(),
        };
        let followers = Followers::start(config.folder(), &crawl, &sinks, &config.table)?;
        followers.try_once(FIRST_TRY)?;
        Ok(Delivery { followers, marks: VecDeque::new(), until: None })
    }

    /// A sync of everything up to `mark` begins.
    pub fn syncing(&mut self, mark: Option<Mark>) {
        // Without a sink nobody would take them out again.
        if !self.followers.is_empty() {
            self.marks.extend(mark);
        }
    }

    /// The last sync that was begun has ended well.
    pub fn synced(&mut self) -> Result<(), StoreError> {
        while self.marks.len() >= SYNCS {
            if let Some(mark) = self.marks.pop_front() {
                self.until = Some(self.followers.committed(&mark, false)?);
            }
        }
        Ok(())
    }

    /// The log is closed: all of it is safe.
    fn closed(&mut self, mark: &Mark) -> Result<(), StoreError> {
        self.until = Some(self.followers.committed(mark, true)?);
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.followers.is_empty() || self.until.is_some_and(|until| self.followers.have(until))
    }

    /// `all` is what the crawl has.
    pub fn reports(&self, all: Totals) -> Vec<SinkReport> {
        let states = self.followers.states().into_iter();
        let report = |state: weir_store::SinkState| {
            let files = u64::from(all.warc_files + all.parquet_files);
            let in_all = if state.takes_files { files } else { all.pages };
            let behind = in_all.saturating_sub(state.delivered.unwrap_or(0));
            let has_all = self.until.is_some_and(|until| state.has(until));
            SinkReport {
                waiting: if has_all { 0 } else { behind.max(1) },
                sink: state.sink,
                unit: if state.takes_files { "files" } else { "rows" }.to_owned(),
                delivered: state.delivered,
                trouble: state.trouble,
            }
        };
        states.map(report).collect()
    }
}

/// Made up once, when the crawl begins: two crawls may go to the same table.
fn name_of(frontier: &mut Frontier) -> String {
    if let Some(name) = frontier.note(CRAWL) {
        return String::from_utf8_lossy(name).into_owned();
    }
    let name = format!("{:032x}", fastrand::u128(..));
    frontier.set_note(CRAWL, name.as_bytes());
    name
}

impl Crawl {
    pub(super) fn tell_sink_troubles(&mut self) {
        for news in self.delivery.followers.news() {
            self.dispatch
                .trouble(format!("{news} (what it lacks waits on disk, and the crawl goes on)"));
        }
    }

    /// Everything is committed: waits until sinks have it, unless none of those that lack something
    /// takes anything for too long, or nobody wants to wait.
    pub(super) async fn deliver_rest(
        &mut self,
        mark: &Mark,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), CrawlError> {
        self.delivery.closed(mark)?;
        let begun = Instant::now();
        let mut shown = begun;
        while !self.delivery.is_done() && *stop.borrow() != Stop::Now {
            let until = self.delivery.until.expect("it was set when the log was closed");
            let stuck = self.delivery.followers.stuck_since(until);
            if stuck.map_or(begun, |since| since.max(begun)).elapsed() >= self.config.sink_wait {
                break;
            }
            if shown.elapsed() >= TICK {
                shown = Instant::now();
                self.tell_sink_troubles();
                watch(&self.progress(true));
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}
