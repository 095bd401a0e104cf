use std::time::{Duration, Instant};

use weir_store::{Extent, Feeder, Followers, SinkError, SinkState, SinkTarget, StoreError, Totals};

use crate::Config;
use crate::report::SinkReport;

/// The sinks of a store, which follow it: they are told what is committed for good, and waited for
/// at the end. A crawl has one, and each downloader of a cluster.
pub struct Delivery {
    followers: Followers,
    /// What sinks were last told of.
    until: Option<Extent>,
    begun: Instant,
    /// Since when nothing more will come.
    closed: Option<Instant>,
    /// How long the end waits for sinks that take nothing.
    patience: Duration,
}

/// A sink that can never work is refused before anything is fetched; one that takes longer than
/// this to answer is left to come later.
const FIRST_TRY: Duration = Duration::from_secs(3);

impl Delivery {
    /// The store is in the folder of `config`, and there already if it has a label.
    pub fn start(config: &Config, feeder: &Feeder) -> Result<Delivery, SinkError> {
        let sinks: Vec<SinkTarget> = match config.is_survey {
            true => Vec::new(),
            false => config.sinks.iter().chain(&config.store_to).cloned().collect(),
        };
        let followers = Followers::start(config.folder(), feeder, &sinks, &config.table)?;
        let (begun, patience) = (Instant::now(), config.sink_wait);
        Ok(Delivery { followers, until: None, begun, closed: None, patience })
    }

    /// Waits until each sink was tried, or for too long. The error is one of a sink that will never
    /// work as it is.
    pub fn try_once(&self) -> Result<(), SinkError> {
        self.followers.try_once(FIRST_TRY)
    }

    /// The same for who cannot wait: whether that is over.
    pub fn is_tried(&self) -> Result<bool, SinkError> {
        Ok(self.followers.are_tried()? || self.begun.elapsed() >= FIRST_TRY)
    }

    pub fn is_empty(&self) -> bool {
        self.followers.is_empty()
    }

    /// Sinks may have everything up to `mark`: no crash takes it back.
    pub fn committed(&mut self, mark: impl AsRef<[u8]>) -> Result<(), StoreError> {
        self.until = Some(self.followers.committed(mark, false)?);
        Ok(())
    }

    /// The same, and nothing more will come.
    pub fn closed(&mut self, mark: impl AsRef<[u8]>) -> Result<(), StoreError> {
        self.until = Some(self.followers.committed(mark, true)?);
        self.closed = Some(Instant::now());
        Ok(())
    }

    /// Everything is committed, and some sink lacks some of it: unless none of those has taken
    /// anything for too long, it is worth waiting.
    pub fn is_awaited(&self) -> bool {
        let (Some(until), Some(closed)) = (self.until, self.closed) else { return false };
        let stuck = self.followers.stuck_since(until).map_or(closed, |since| since.max(closed));
        !self.followers.have(until) && stuck.elapsed() < self.patience
    }

    /// Troubles that were not told yet, in the words of a user.
    pub fn troubles(&self) -> Vec<String> {
        let told = |news| format!("{news} (what it lacks waits on disk, and the crawl goes on)");
        self.followers.news().into_iter().map(told).collect()
    }

    /// `all` is what the store has.
    pub fn reports(&self, all: Totals) -> Vec<SinkReport> {
        self.followers.states().into_iter().map(|state| self.report(state, all)).collect()
    }

    fn report(&self, state: SinkState, all: Totals) -> SinkReport {
        let files = u64::from(all.warc_files + all.parquet_files);
        let in_all = if state.takes_files { files } else { all.pages };
        let behind = in_all.saturating_sub(state.delivered.unwrap_or(0));
        let waiting = match self.until {
            Some(until) if state.has(until) => 0,
            Some(_) => behind.max(1),
            None => behind,
        };
        SinkReport {
            waiting,
            sink: state.sink,
            unit: if state.takes_files { "files" } else { "rows" }.to_owned(),
            delivered: state.delivered,
            trouble: state.trouble,
        }
    }
}
