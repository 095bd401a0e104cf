//! The task's half: asks for a bucket, and while it has it, keeps it.

mod line;
mod session;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc as plain;
use std::time::Duration;

use tokio::sync::mpsc;
use weir_crawl::Servers;
use weir_fetch::Shaper;

use self::session::{Order, Session};
use super::LARGEST_RESULT;
use crate::downloader::holdings::now_ms;
use crate::security::ClientSecurity;
use crate::{ClusterError, GIVE_UP};

/// Asks the bank.
pub struct Teller;

/// What an attempt asks for.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    pub round: u32,
    pub bucket: u32,
    /// Random, and of no other attempt.
    pub attempt: [u8; 16],
}

pub enum Answer {
    /// Another attempt was first, and this came of it.
    Done(Vec<u8>),
    /// The bucket is ours.
    Begin(Held),
}

/// A bucket that is this attempt's. Dropped, it is given back; so whoever has it fetches nothing after
/// that.
pub struct Held {
    state: Arc<State>,
    shaper: Option<Shaper>,
    servers: Servers,
    orders: mpsc::Sender<Order>,
    url: String,
}

/// What a task and the thread that speaks for it tell each other.
#[derive(Default)]
struct State {
    pages: AtomicU64,
    bytes: AtomicU64,
    waiting: AtomicU32,
    /// The last time on our clock that the bank has said to have heard of.
    heard_ms: AtomicU64,
    lost: AtomicBool,
    /// What we hold of the limit.
    rate: AtomicU64,
}

impl Teller {
    /// Waits as long as another attempt holds the bucket. `patience` is for a bank that is not heard of.
    pub fn claim(
        url: &str,
        keys: Option<&Path>,
        claim: Claim,
        patience: Duration,
    ) -> Result<Answer, ClusterError> {
        let security = ClientSecurity::choose(url, keys)?;
        let (answer, answered) = plain::sync_channel(1);
        let session = Session::new(url, security, claim, patience);
        let no_thread = |why| ClusterError::Io {
            what: "start a thread for the bank at",
            path: url.into(),
            why,
        };
        let thread = std::thread::Builder::new().name("weir-teller".to_owned());
        thread.spawn(move || session.run(&answer)).map_err(no_thread)?;
        let ended = || Err(no_bank(url, "the thread that speaks with it has ended"));
        answered.recv().unwrap_or_else(|_| ended())
    }
}

impl Held {
    /// `None` without a limit. It lets nothing through at first.
    pub fn shaper(&self) -> Option<Shaper> {
        self.shaper.clone()
    }

    /// What is leased of servers to a crawl of the bucket, which asks no other ones.
    pub fn servers(&self) -> Servers {
        self.servers.clone()
    }

    /// What we hold of the limit at the moment, in bytes a second; infinite for none.
    pub fn rate(&self) -> f64 {
        match self.shaper {
            Some(_) => f64::from_bits(self.state.rate.load(Ordering::Relaxed)),
            None => f64::INFINITY,
        }
    }

    /// How far the task is: all that it has kept and received, and what waits for bandwidth. With a limit,
    /// bytes are counted by the shaper, which knows what waits for it, too.
    pub fn tell(&self, pages: u64, bytes: u64, waiting: u32) {
        self.state.pages.store(pages, Ordering::Relaxed);
        self.state.bytes.store(bytes, Ordering::Relaxed);
        self.state.waiting.store(waiting, Ordering::Relaxed);
    }

    /// The bucket is somebody else's, or may be so soon: the task must end at once, and what it did is
    /// void. Once lost, it stays so.
    pub fn is_lost(&self) -> bool {
        self.state.is_lost()
    }

    /// Blocks until the bank has noted it: from then on it is the result of the bucket. Nothing may be
    /// received any more. If this fails after the result went out, the bank may have it nonetheless, so
    /// what it names must be left alone.
    pub fn finish(self, result: &[u8]) -> Result<(), ClusterError> {
        if result.len() > LARGEST_RESULT {
            return Err(ClusterError::TaskRefused(format!(
                "its result has {} bytes, more than {LARGEST_RESULT}: divide the crawl into more buckets",
                result.len()
            )));
        }
        let (reply, replied) = plain::sync_channel(1);
        let order = Order { result: result.to_vec().into(), reply };
        let ended = || Err(no_bank(&self.url, "the thread that speaks with it has ended"));
        if self.orders.try_send(order).is_err() {
            return ended();
        }
        replied.recv().unwrap_or_else(|_| ended())
    }
}

impl State {
    fn heard(&self, stamp_ms: u64) {
        // A time beyond ours is none that we have said.
        self.heard_ms.fetch_max(stamp_ms.min(now_ms()), Ordering::Relaxed);
    }

    /// By a clock that goes on while the machine sleeps, and by whoever asks: a thread that hangs must
    /// not keep us from knowing it.
    fn is_lost(&self) -> bool {
        let silence = now_ms().saturating_sub(self.heard_ms.load(Ordering::Relaxed));
        if u128::from(silence) > GIVE_UP.as_millis() {
            self.lost.store(true, Ordering::Relaxed);
        }
        self.lost.load(Ordering::Relaxed)
    }
}

fn no_bank(url: &str, why: impl Into<String>) -> ClusterError {
    ClusterError::NoBank { url: url.to_owned(), why: why.into() }
}
