use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::follower::{Follower, Shared};
use super::{Extent, Feeder, SinkError, SinkTarget};
use crate::StoreError;
use crate::mark::State;

/// The sinks of a running crawl. Each has a thread of its own that reads what is committed from the
/// disk: so the crawl never waits for a sink, and a sink that is away costs no memory.
pub struct Followers {
    all: Vec<(SinkTarget, Arc<Shared>)>,
}

/// How a sink is doing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinkState {
    /// What it is, without passwords.
    pub sink: String,
    /// It takes whole files and not rows.
    pub takes_files: bool,
    /// Rows (or files) of the crawl that it has; `None` if it has not said yet.
    pub delivered: Option<u64>,
    /// Why it is not taking rows at the moment.
    pub trouble: Option<String>,
    reached: Option<Extent>,
    last_step: Option<Instant>,
}

impl SinkState {
    /// It has all of this, if only because there is nothing.
    pub fn has(&self, until: Extent) -> bool {
        until.is_empty() || self.reached == Some(until)
    }
}

impl Followers {
    /// `dir` is the folder of the store, `feeder` what it is known by in sinks.
    pub fn start(
        dir: &Path,
        feeder: &Feeder,
        targets: &[SinkTarget],
        table: &str,
    ) -> Result<Followers, SinkError> {
        let mut all = Vec::new();
        for target in targets {
            let follower = Follower {
                target: target.clone(),
                table: table.to_owned(),
                dir: dir.to_owned(),
                feeder: feeder.clone(),
            };
            let name = target.to_string();
            let shared = Arc::new(Shared::default());
            let its = shared.clone();
            std::thread::Builder::new()
                .name("weir-sink".to_owned())
                .spawn(move || follower.run(&its))
                .map_err(SinkError::io(&name, "start a thread for"))?;
            all.push((target.clone(), shared));
        }
        Ok(Followers { all })
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Waits until each sink has been tried once, or for so long. The error is one of a sink that
    /// will never work as it is.
    pub fn try_once(&self, limit: Duration) -> Result<(), SinkError> {
        let end = Instant::now() + limit;
        for (_, shared) in &self.all {
            let left = end.saturating_duration_since(Instant::now());
            shared.wait(left, |told| told.attempts > 0);
        }
        self.are_tried().map(drop)
    }

    /// The same for who cannot wait: whether each sink has been tried by now.
    pub fn are_tried(&self) -> Result<bool, SinkError> {
        for (_, shared) in &self.all {
            if let Some(why) = shared.tell(|told| told.refused.take()) {
                return Err(why);
            }
        }
        Ok(self.all.iter().all(|(_, shared)| shared.look(|told| told.attempts > 0)))
    }

    /// Says that everything up to `mark` is in the journal and stays there whatever happens, so that
    /// sinks may have it. `closed` if nothing will be appended any more.
    pub fn committed(&self, mark: impl AsRef<[u8]>, closed: bool) -> Result<Extent, StoreError> {
        let until = Extent::of(&State::decode(mark.as_ref(), Path::new(""))?, closed);
        for (_, shared) in &self.all {
            shared.tell(|told| told.until = Some(until));
        }
        Ok(until)
    }

    pub fn states(&self) -> Vec<SinkState> {
        let state = |(target, shared): &(SinkTarget, Arc<Shared>)| {
            shared.look(|told| SinkState {
                sink: target.to_string(),
                takes_files: target.as_objects().is_some(),
                delivered: told.delivered,
                trouble: told.trouble.clone(),
                reached: told.reached,
                last_step: told.last_step,
            })
        };
        self.all.iter().map(state).collect()
    }

    /// Troubles that were not told yet.
    pub fn news(&self) -> Vec<String> {
        self.all.iter().filter_map(|(_, shared)| shared.tell(|told| told.news.take())).collect()
    }

    /// Every sink has all of this.
    pub fn have(&self, until: Extent) -> bool {
        self.states().iter().all(|state| state.has(until))
    }

    /// Since when no sink that still lacks some of this has taken anything.
    pub fn stuck_since(&self, until: Extent) -> Option<Instant> {
        let states = self.states();
        let behind = states.iter().filter(|state| !state.has(until));
        behind.filter_map(|state| state.last_step).max()
    }
}

/// The threads end by themselves; one that waits for an answer is not waited for.
impl Drop for Followers {
    fn drop(&mut self) {
        for (_, shared) in &self.all {
            shared.tell(|told| told.ended = true);
        }
    }
}
