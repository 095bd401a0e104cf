//! For a crawl on Spark: who crawls which bucket of hosts, and at what rate. Spark may run a task
//! twice, on any machine, at any time; the bank, in the driver, sees to it that
//!
//! - one attempt at a time crawls a bucket, and what came of it is handed to every other attempt;
//! - the limit of the crawl is divided among those that run, whatever Spark schedules;
//! - one server (IP address) is asked by all of them together as by one crawl.
//!
//! Why one at a time holds: an attempt says five times a second that it is there, with the time on its
//! own clock, and is told the last of these times that came. When that is 8 s ago it ends by itself
//! ([`Held::is_lost`]); the bank gives the bucket to another when it has heard nothing for 10 s. Within
//! one machine a closed connection proves that nobody is left, for a [`Held`] keeps its own open: then
//! the bucket is free at once. For rates, see [`purse`](crate::purse); for servers, `servers`.
//!
//! `desk` decides, `counter` is the gRPC service in front of it, `teller` the task's half.

mod counter;
mod desk;
mod party;
mod servers;
mod shares;
mod teller;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::time::{MissedTickBehavior, interval};

use self::counter::Counter;
use self::desk::Desk;
use crate::security::ServerSecurity;
use crate::serve::{Background, serve};
use crate::{ClusterError, PULSE};

pub use self::teller::{Answer, Claim, Held, Teller};

/// The limit at the moment, in bytes a second.
pub type Cap = Box<dyn Fn() -> f64 + Send>;

/// The names of files and some counts; nothing else comes near.
pub const LARGEST_RESULT: usize = 4 << 20;
/// More than this is no way to divide a crawl.
pub const MOST_BUCKETS: u32 = 1 << 20;

/// Ends when it is dropped; tasks that still run are void some seconds later.
pub struct Bank {
    address: SocketAddr,
    desk: Arc<Mutex<Desk>>,
    _runtime: Background,
}

/// Sums over tasks that run and those that have finished in this round.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BankDoing {
    /// Those that run.
    pub tasks: usize,
    pub pages: u64,
    pub bytes: f64,
    /// Bytes a second.
    pub rate: f64,
}

impl Bank {
    /// Beyond loopback only with keys. `cap` is asked five times a second, on a thread of the bank's.
    pub fn open(
        listen: SocketAddr,
        keys: Option<&Path>,
        cap: Option<Cap>,
    ) -> Result<Bank, ClusterError> {
        let security = ServerSecurity::choose(listen, keys, false)?;
        let desk = Arc::new(Mutex::new(Desk::new(cap.is_some(), Instant::now())));
        // Whoever is not let in is told why, and fails with it where Spark shows it.
        let routes = Counter::new(desk.clone()).routes(&security, Arc::new(|_, _| {}));
        let served = serve(listen, &security, Arc::new(|_, _| {}), routes, "weir-bank")?;
        served.runtime.spawn(keep_going(desk.clone(), cap));
        Ok(Bank { address: served.address, desk, _runtime: served.runtime })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// From now on only claims of this round count. Results of the one before are forgotten, and whoever
    /// still works for it is told to end. The same round once more changes nothing.
    pub fn begin_round(&self, round: u32, buckets: u32) {
        lock(&self.desk).begin_round(round, buckets.min(MOST_BUCKETS), Instant::now());
    }

    pub fn doing(&self) -> BankDoing {
        lock(&self.desk).doing()
    }
}

async fn keep_going(desk: Arc<Mutex<Desk>>, cap: Option<Cap>) {
    let mut ticks = interval(PULSE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        // Asked before the desk is locked, since it may take its time.
        let cap = cap.as_ref().map(|cap| cap());
        lock(&desk).tick(cap, Instant::now());
    }
}

/// What a thread that panicked has left is as good as before: nothing is half done for long.
fn lock(desk: &Mutex<Desk>) -> MutexGuard<'_, Desk> {
    desk.lock().unwrap_or_else(PoisonError::into_inner)
}
