//! The working half as the loop sees it, wherever it is: on this machine (`downloader.rs`), or on
//! others, with a network between.

use serde::{Deserialize, Serialize};
use tokio::sync::mpsc;
use weir_fetch::Shaper;
use weir_frontier::{Frontier, HostId};
use weir_store::StoreConfig;

use crate::Config;
use crate::crawl::CrawlError;
use crate::lost::Lost;
use crate::work::{Job, Worked};

/// Carries out jobs. What came of them goes to the channel that it was made with.
///
/// Everything but `start_job` has a default that suits hands which share the fate of this process:
/// what they had not handed in when it was killed is simply asked for again.
pub trait Hands {
    /// False if nobody is left who could do it.
    fn start_job(&mut self, host: HostId, job: Job) -> bool;

    /// How many jobs may be under way at a time; the config says it where this does not.
    fn room(&self) -> Option<usize> {
        None
    }

    /// What `from` brought was the first for its URL and counts, or it came too late and does not.
    fn settled(&mut self, _from: Origin, _counts: bool) {}

    /// Puts what has to be committed with the outcomes of this turn into the frontier's notes.
    fn note(&mut self, _frontier: &mut Frontier) {}

    /// All that was noted until now is about to be made durable...
    fn syncing(&mut self) {}

    /// ...and now it is.
    fn synced(&mut self) {}

    /// All that was noted is safe, whatever happens to the machine.
    fn sealed(&mut self) {}

    /// A few times a second. `book` has the shares of sites if there is a limit of any kind, and
    /// `cap` is the limit of this moment in bytes a second.
    fn tick(&mut self, _book: Option<&Shaper>, _cap: Option<f64>) {}

    /// Something the user should hear of, each told once.
    fn trouble(&mut self) -> Option<String> {
        None
    }

    /// Nothing more is to be asked for; what is under way may end.
    fn stop_starting(&mut self) {}

    /// Jobs that were really begun, if that is known better than by counting those handed out.
    fn under_way(&self) -> Option<usize> {
        None
    }

    /// They are what they will be: nothing that was handed in still waits to be stored.
    fn is_settled(&self) -> bool {
        true
    }

    /// The crawl ends, or this run of it. To be followed by ticks until it is settled.
    fn end(&mut self, _is_complete: bool) {}

    /// Whom the end of a crawl waits for, in words.
    fn waits_for(&self) -> Option<String> {
        None
    }

    /// Nobody is there who could do what waits.
    fn has_nobody(&self) -> bool {
        false
    }

    /// Those who never come back, and with them what they kept.
    fn lost(&self) -> Lost {
        Lost::default()
    }

    /// One for each machine that works for us.
    fn reports(&self) -> Vec<DownloaderReport> {
        Vec::new()
    }
}

/// Where an outcome comes from, if not from this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Which of the downloaders.
    pub member: u32,
    /// Its number there, counted from 1.
    pub number: u64,
}

/// A downloader, in `report.json` and for whoever watches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DownloaderReport {
    pub name: String,
    /// By which it is known if there are several of its name.
    #[serde(default)]
    pub id: String,
    pub connected: bool,
    pub slots: u32,
    /// Jobs that it has, those included that wait for a free slot.
    pub under_way: u32,
    /// Bytes a second that it receives, and that it may; null for no limit.
    pub rate: f64,
    pub share: Option<f64>,
    /// What it has brought, in this run of the scheduler.
    pub pages: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    /// Seconds since it was last heard of.
    pub last_seen_s: Option<f64>,
    /// Pages that are done and that it has not said to have stored.
    pub unconfirmed: u64,
    /// Where its files are, as it says.
    pub out: String,
    /// It will not come back: what it kept is fetched again by others.
    #[serde(default)]
    pub written_off: bool,
}

/// What hands are made of.
pub struct Start<'a> {
    pub config: &'a Config,
    pub store: &'a StoreConfig,
    pub results: mpsc::Sender<Worked>,
    pub frontier: &'a mut Frontier,
    /// An earlier run has left something here.
    pub resumed: bool,
}

pub type Starter<'a> = dyn FnOnce(Start<'_>) -> Result<Box<dyn Hands>, CrawlError> + 'a;
