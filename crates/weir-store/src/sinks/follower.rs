//! One sink and the thread that feeds it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::{Extent, Feeder, Progress, SinkError, SinkTarget, Step, objects};
use crate::names::Names;
use crate::pages::PagesReader;

/// Pauses between attempts grow from the first to the last of these.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What the crawl and the thread tell each other.
#[derive(Default)]
pub(super) struct Shared {
    told: Mutex<Told>,
    changed: Condvar,
}

#[derive(Default)]
pub(super) struct Told {
    /// What the sink may have by now.
    pub until: Option<Extent>,
    /// All of this it has.
    pub reached: Option<Extent>,
    /// The crawl waits for nothing more.
    pub ended: bool,
    /// Rows or files that it has, as far as it has said.
    pub delivered: Option<u64>,
    /// Why the last attempt failed, until one succeeds.
    pub trouble: Option<String>,
    /// The first attempt has failed for good.
    pub refused: Option<SinkError>,
    /// A trouble that nobody was told of yet.
    pub news: Option<String>,
    /// Attempts so far.
    pub attempts: u64,
    /// When something was last taken, or the sink last opened.
    pub last_step: Option<Instant>,
}

pub(super) struct Follower {
    pub target: SinkTarget,
    pub table: String,
    pub dir: PathBuf,
    pub feeder: Feeder,
}

impl Follower {
    /// Delivers until the crawl has ended, through whatever happens to the sink.
    pub fn run(&self, shared: &Shared) {
        let mut pause = FIRST_PAUSE;
        loop {
            let before = shared.look(|told| told.delivered);
            // A mistake of ours must not look like a sink that takes its time.
            let delivered = catch_unwind(AssertUnwindSafe(|| self.deliver(shared)));
            match delivered.unwrap_or_else(|_| Err(self.mistaken())) {
                Ok(()) => return,
                Err(why) => shared.tell(|told| told.failed(why)),
            }
            if shared.look(|told| told.delivered) != before {
                pause = FIRST_PAUSE;
            }
            if !shared.pause(pause) {
                return;
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn deliver(&self, shared: &Shared) -> Result<(), SinkError> {
        match self.target.as_objects() {
            Some(url) => objects::upload(url, self, shared),
            None => self.deliver_rows(shared),
        }
    }

    /// Opens the sink, asks it how far it is, and goes on from there.
    fn deliver_rows(&self, shared: &Shared) -> Result<(), SinkError> {
        let mut sink = self.target.open(&self.table)?;
        let place = self.feeder.place();
        let mut from = sink.begin(&place)?;
        shared.tell(|told| told.moved(from.rows));
        let mut reader = PagesReader::new(Names::kept_in(&self.dir)?, from.at);
        let mut reached = None;
        while let Some(until) = shared.wait_beyond(reached) {
            if until.rows < from.at {
                return Err(self.ahead());
            }
            while let Some(rows) = reader.next(until.rows)? {
                if shared.look(|told| told.ended) {
                    return Ok(());
                }
                let to = Progress { at: reader.at(), rows: from.rows + rows.num_rows() as u64 };
                let step = Step { crawl: &place, from, to };
                sink.put(&rows, Some(&step))?;
                from = to;
                shared.tell(|told| told.moved(from.rows));
            }
            reached = Some(until);
            shared.tell(|told| told.reached = reached);
        }
        Ok(())
    }

    fn mistaken(&self) -> SinkError {
        SinkError::away(&self.target.to_string(), "weir itself has failed here; please report it")
    }

    /// It has more of the crawl than there is: the folder is an older copy of itself.
    fn ahead(&self) -> SinkError {
        let why = "it has rows of this crawl that the folder does not have (was an older copy put \
                   back?); delete the crawl's line in weir_sink to have all rows delivered anew";
        SinkError::refused(&self.target.to_string(), why)
    }
}

impl Shared {
    pub fn tell<T>(&self, change: impl FnOnce(&mut Told) -> T) -> T {
        let mut told = self.lock();
        let answer = change(&mut told);
        self.changed.notify_all();
        answer
    }

    pub fn look<T>(&self, read: impl FnOnce(&Told) -> T) -> T {
        read(&self.lock())
    }

    /// Waits until `ready`, but no longer than `limit`.
    pub fn wait(&self, limit: Duration, mut ready: impl FnMut(&Told) -> bool) {
        let told = self.lock();
        drop(self.changed.wait_timeout_while(told, limit, |told| !ready(told)));
    }

    /// What the sink may have, as soon as that is not what it has; `None` once the crawl has ended.
    pub fn wait_beyond(&self, reached: Option<Extent>) -> Option<Extent> {
        let told = self.lock();
        let idle = |told: &mut Told| !told.ended && told.until == reached;
        let told = self.changed.wait_while(told, idle).expect(UNPOISONED);
        told.until.filter(|_| !told.ended)
    }

    /// False if the crawl ends before the pause does.
    fn pause(&self, pause: Duration) -> bool {
        self.wait(pause, |told| told.ended);
        !self.lock().ended
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.told.lock().expect(UNPOISONED)
    }
}

const UNPOISONED: &str = "nobody panics while holding this";

impl Told {
    pub fn moved(&mut self, delivered: u64) {
        self.delivered = Some(delivered);
        self.trouble = None;
        self.attempts = self.attempts.max(1);
        self.alive();
    }

    /// It is taking something, though it has not all of it yet.
    pub fn alive(&mut self) {
        self.last_step = Some(Instant::now());
    }

    fn failed(&mut self, why: SinkError) {
        let said = why.to_string();
        // The same again and again is told once.
        if self.trouble.as_ref() != Some(&said) {
            self.news = Some(said.clone());
        }
        self.trouble = Some(said);
        if self.attempts == 0 && why.is_lasting() {
            self.refused = Some(why);
        }
        self.attempts += 1;
    }
}
