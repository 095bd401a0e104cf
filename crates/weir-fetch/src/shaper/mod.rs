//! Holds the cap: a tree of rates, whole crawl, site, connection, through which every byte passes
//! that a site sends us. Read `tree` for how; here is what the rest of the crate sees of it.
//!
//! A [`Shaper`] may be shared by the fetchers of several threads. Its lock is held for moments,
//! never across an await.

mod kernel;
mod meter;
#[cfg(test)]
mod played;
mod throttle;
mod tree;
mod turns;

use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::os::fd::RawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpSocket;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use self::kernel::Arrived;
use self::throttle::Micros;
use self::tree::Tree;

pub use self::meter::{Meter, Rates};
pub use self::tree::{PACKET, SEGMENT};

/// Decides when an exchange may start and how much may be read.
#[derive(Clone)]
pub struct Shaper {
    inner: Arc<Inner>,
}

struct Inner {
    tree: Mutex<Tree>,
    meter: Mutex<Meter>,
    begun: Instant,
    /// Something waits that `run` does not know of.
    changed: Notify,
}

/// A site's part of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u32);

/// What an exchange takes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claim {
    pub share: Share,
    /// How fast its server is known to be, in bytes a second.
    pub speed: Option<f64>,
}

/// What a site gets: its weight beside the others, and a cap of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    pub weight: f64,
    /// Bytes a second.
    pub cap: Option<f64>,
}

impl Default for Part {
    fn default() -> Part {
        Part { weight: 1.0, cap: None }
    }
}

/// How often the books are compared with what the kernel counted...
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// ...for so many connections at a time.
const LOOKS: usize = 128;
/// What a TLS handshake brings, certificates included.
const HANDSHAKE: f64 = 5_000.0;
/// What connecting brings.
const CONNECT: f64 = 74.0;

impl Shaper {
    /// `cap` in bytes a second; infinite for none, zero for nothing at all.
    pub fn new(cap: f64) -> Shaper {
        let inner = Inner {
            tree: Mutex::new(Tree::new(cap, 0)),
            meter: Mutex::default(),
            begun: Instant::now(),
            changed: Notify::new(),
        };
        Shaper { inner: Arc::new(inner) }
    }

    /// From now on, for what is under way too.
    pub fn set_cap(&self, cap: f64) {
        self.with(|tree, now| tree.set_cap(cap, now));
    }

    pub fn add_share(&self, part: Part) -> Share {
        Share(self.with(|tree, now| tree.add_site(part.weight, part.cap, now)))
    }

    pub fn set_share(&self, share: Share, part: Part) {
        self.with(|tree, now| tree.set_site(share.0, part.weight, part.cap, now));
    }

    /// Waits until an exchange may start; it counts as under way until the permit is dropped.
    /// `connects` tells what has to be done first.
    pub async fn start(&self, claim: Claim, connects: Connects) -> Permit {
        let extra = match connects {
            Connects::No => 0.0,
            Connects::Plain => CONNECT,
            Connects::Tls => CONNECT + HANDSHAKE,
        };
        let start = self.with(|tree, now| tree.ask(claim.share.0, extra, claim.speed, now));
        let permit = Permit { shaper: self.clone(), start };
        poll_fn(|cx| match self.with(|tree, _| tree.is_granted(start, cx.waker())) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
        permit
    }

    /// Bounds what may arrive on a socket before we read it; to be called before it connects.
    pub fn prepare(&self, share: Share, socket: &TcpSocket) -> std::io::Result<()> {
        let buffer = self.with(|tree, _| tree.buffer_for(share.0, None));
        match buffer < tree::MOST_BUFFER {
            true => socket.set_recv_buffer_size(buffer as u32),
            false => Ok(()),
        }
    }

    /// A new connection. It has to be closed before its socket is.
    pub fn open(&self, share: Share, socket: RawFd) -> Flow {
        let id = self.with(|tree, now| {
            let buffer = tree.buffer_for(share.0, None);
            tree.open(share.0, socket, buffer, now)
        });
        Flow::new(self.clone(), id)
    }

    /// What may be received in all, since the shaper was made.
    pub fn set_quota(&self, bytes: f64) {
        self.with(|tree, now| {
            tree.quota = bytes;
            tree.pump(now);
        });
    }

    /// Something waits that the quota forbids.
    pub fn is_out_of_quota(&self) -> bool {
        self.with(|tree, now| tree.is_out_of_quota(now))
    }

    /// What waits to start does not start any more.
    pub fn stop_starting(&self) {
        self.with(|tree, _| tree.stop_starting());
    }

    /// The crawl ends: all connections are let go in a way that brings nothing more, for hundreds
    /// of farewells at once would pass a low cap.
    pub fn abandon(&self) {
        self.with(|tree, _| tree.flows.iter().for_each(|(_, flow)| kernel::abandon(flow.fd)));
    }

    /// Exchanges that were asked for and may not start yet.
    pub fn waiting(&self) -> usize {
        self.with(|tree, _| tree.waiting())
    }

    /// Measured so far.
    pub fn rates(&self) -> Rates {
        let arrived = self.with(|tree, _| tree.arrived);
        lock(&self.inner.meter).rates(arrived)
    }

    /// Wakes whoever may go on, and keeps the books true. Everything stands still without it.
    pub async fn run(&self) {
        let mut look_at = Instant::now() + LOOK_EVERY;
        loop {
            let next = {
                let mut tree = lock(&self.inner.tree);
                let now = self.now();
                tree.pump(now);
                tree.next
            };
            // The clock of the runtime has steps of a millisecond.
            let next = next.map(|at| self.inner.begun + Duration::from_micros(at));
            let until = next.map_or(look_at, |at| at.min(look_at));
            match next {
                // What is asked for meanwhile is granted by whoever asks, in its turn.
                Some(_) => sleep_until(until).await,
                None => {
                    // A wait that is over in time or not is the same to us.
                    let _ = timeout_at(until, self.inner.changed.notified()).await;
                }
            }
            if Instant::now() >= look_at {
                self.look();
                look_at = Instant::now() + LOOK_EVERY;
            }
        }
    }

    /// Compares the books with the kernel's.
    fn look(&self) {
        let mut tree = lock(&self.inner.tree);
        let now = self.now();
        if tree.is_busy(now) {
            let busy = tree.flows_to_look_at(LOOKS);
            for id in busy {
                let Some(arrived) = kernel::arrived(tree.flows[id].fd) else { continue };
                tree.true_up(id, arrived, now);
                let flow = &tree.flows[id];
                let buffer = tree.buffer_for(flow.site, Some(flow));
                if buffer * 2 < flow.buffer {
                    tree.flows[id].buffer = buffer;
                    tree.flows[id].fit_buffer();
                }
            }
            tree.pump(now);
        }
        let arrived = tree.arrived;
        drop(tree);
        lock(&self.inner.meter).note(now, arrived);
    }

    fn with<T>(&self, act: impl FnOnce(&mut Tree, Micros) -> T) -> T {
        let mut tree = lock(&self.inner.tree);
        let before = tree.next;
        let result = act(&mut tree, self.now());
        if before.is_none() && tree.next.is_some() {
            self.inner.changed.notify_one();
        }
        result
    }

    fn now(&self) -> Micros {
        self.inner.begun.elapsed().as_micros() as Micros
    }
}

impl fmt::Debug for Shaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shaper").finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connects {
    No,
    Plain,
    Tls,
}

/// An exchange that may go on.
pub struct Permit {
    shaper: Shaper,
    start: usize,
}

impl Permit {
    /// The exchange goes over this connection.
    pub fn carried_by(&self, flow: &Flow) {
        flow.ended();
        flow.waited.set(false);
        flow.with(|tree, now| tree.begin(self.start, flow.id, now));
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.shaper.with(|tree, now| {
            let fd = tree.flow_of(self.start).map(|flow| flow.fd);
            let fd = fd.filter(|_| tree.is_busy(now));
            let arrived: Option<Arrived> = fd.and_then(kernel::arrived);
            tree.end(self.start, arrived, now);
        });
    }
}

/// One connection's part of the tree. What it can tell without the tree it does.
pub struct Flow {
    shaper: Shaper,
    id: usize,
    /// Its socket may be gone while an exchange still asks.
    closed: Cell<bool>,
    /// All that is left of the exchange is paid for.
    paid: Cell<bool>,
    /// Read since the tree was told.
    untold: Cell<usize>,
    /// The exchange had to wait.
    waited: Cell<bool>,
}

impl Flow {
    fn new(shaper: Shaper, id: usize) -> Flow {
        Flow {
            shaper,
            id,
            closed: Cell::new(false),
            paid: Cell::new(false),
            untold: Cell::new(0),
            waited: Cell::new(false),
        }
    }

    /// What may be read without waiting.
    pub fn credit(&self) -> Option<u64> {
        if self.paid.get() {
            return Some(u64::MAX);
        }
        let credit = self.with(|tree, now| {
            let credit = tree.credit(self.id, now);
            tree.flows[self.id].fit_buffer();
            self.paid.set(tree.flows[self.id].is_paid());
            credit
        });
        credit.unwrap_or(Some(u64::MAX))
    }

    /// How much may be read, of what is there to be read.
    pub fn poll_credit(&self, cx: &mut Context<'_>) -> Poll<u64> {
        let may_read = self.with(|tree, now| {
            let may_read = tree.may_read(self.id, cx.waker(), now);
            tree.flows[self.id].fit_buffer();
            may_read
        });
        match may_read {
            Some(None) => {
                self.waited.set(true);
                Poll::Pending
            }
            Some(Some(most)) => Poll::Ready(most),
            None => Poll::Ready(u64::MAX),
        }
    }

    pub fn was_read(&self, bytes: usize) {
        self.untold.set(self.untold.get() + bytes);
        if !self.paid.get() {
            self.tell();
        }
    }

    /// Tells the tree what was read.
    fn tell(&self) {
        let bytes = self.untold.replace(0);
        if bytes == 0 {
            return;
        }
        self.with(|tree, now| {
            // How much of the first window came is worth knowing at once.
            if tree.was_read(self.id, bytes, now)
                && tree.is_busy(now)
                && let Some(arrived) = kernel::arrived(tree.flows[self.id].fd)
            {
                tree.true_up(self.id, arrived, now);
            }
        });
    }

    /// The response has so many bytes in all, from its head to its end.
    pub fn has_size(&self, bytes: u64) {
        self.with(|tree, _| tree.has_size(self.id, bytes as f64));
    }

    /// How long the exchange was held back by us so far.
    pub fn held(&self) -> Duration {
        if !self.waited.get() {
            return Duration::ZERO;
        }
        let held = self.with(|tree, now| Duration::from_micros(tree.flows[self.id].held(now)));
        held.unwrap_or_default()
    }

    /// The response has come, or will not come.
    pub fn ended(&self) {
        self.tell();
        self.paid.set(false);
    }

    /// Before the socket is closed.
    pub fn close(&self) {
        self.tell();
        self.with(|tree, now| {
            // What has arrived unread was received all the same.
            if tree.is_busy(now)
                && let Some(arrived) = kernel::arrived(tree.flows[self.id].fd)
            {
                tree.true_up(self.id, arrived, now);
            }
            tree.close(self.id, now);
        });
        self.closed.set(true);
    }

    /// `None` once it is closed.
    fn with<T>(&self, act: impl FnOnce(&mut Tree, Micros) -> T) -> Option<T> {
        (!self.closed.get()).then(|| self.shaper.with(act))
    }
}
