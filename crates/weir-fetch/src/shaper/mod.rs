//! Holds the cap: a tree of rates, whole crawl, site, connection, through which every byte passes
//! that a site sends us. Read `tree` for how; here is what the rest of the crate sees of it.
//!
//! A [`Shaper`] may be shared by the fetchers of several threads. Its lock is held for moments,
//! never across an await.

#[cfg(test)]
mod farewell;
mod free;
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
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::net::TcpSocket;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout_at};

use self::free::Free;
use self::kernel::Arrived;
use self::throttle::Micros;
use self::tree::{AROUND, ON_WIRE, Tree};

pub use self::meter::{Meter, Rates};
pub use self::tree::{PACKET, SEGMENT};
pub use self::turns::Tier;

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
    free: Free,
    /// What comes is told by others.
    elsewhere: AtomicBool,
    /// Connections end abruptly from now on.
    abandons: AtomicBool,
}

/// A site's part of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(u32);

impl Share {
    /// Counted from 0 in the order in which shares were added.
    pub fn number(self) -> u32 {
        self.0
    }
}

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
    pub tier: Tier,
}

impl Default for Part {
    fn default() -> Part {
        Part { weight: 1.0, cap: None, tier: Tier::default() }
    }
}

/// Where packets are larger, as on the loopback interface, a window that has become smaller is not
/// used: a server waits for half of the largest it ever saw, and asks only after 200 ms. There windows
/// become smaller for a quota only, which is to be exact rather than quickly used.
const USUAL_PACKET: u64 = 4096;
/// How often the books are compared with what the kernel counted...
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// ...or as often, where the cap is far...
const LOOK_FROM_FAR: Duration = Duration::from_millis(50);
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
            free: Free::default(),
            elsewhere: AtomicBool::new(false),
            abandons: AtomicBool::new(false),
        };
        Shaper { inner: Arc::new(inner) }
    }

    /// From now on, for what is under way too.
    pub fn set_cap(&self, cap: f64) {
        self.inner.free.close();
        self.with(|tree, now| tree.set_cap(cap, now));
    }

    pub fn add_share(&self, part: Part) -> Share {
        self.inner.free.close();
        Share(self.with(|tree, now| tree.add_site(part.weight, part.cap, now)))
    }

    pub fn set_shares(&self, parts: impl Iterator<Item = (Share, Part)>) {
        self.inner.free.close();
        self.with(|tree, now| tree.set_sites(parts.map(|(share, part)| (share.0, part)), now));
    }

    /// What each share was last set to, by its number.
    pub fn parts(&self) -> Vec<Part> {
        self.with(|tree, _| tree.parts().collect())
    }

    /// Something came to other processes, which take from the same cap; `starved` tells that one of them
    /// has something that the quota forbids. Whoever calls this at all calls it all the time: between
    /// two calls nothing is noted, since bytes come evenly and the word of it comes by fits and starts.
    pub fn came_elsewhere(&self, bytes: f64, starved: bool) {
        let (now, arrived) = self.with(|tree, now| {
            tree.arrived += bytes;
            if starved {
                tree.refused_us = Some(now);
            }
            (now, tree.arrived)
        });
        self.inner.elsewhere.store(true, Ordering::Relaxed);
        lock(&self.inner.meter).note(now, arrived);
    }

    /// What may be received in all; infinite for any amount.
    pub fn quota(&self) -> f64 {
        self.with(|tree, _| tree.quota)
    }

    /// Waits until an exchange may start; it counts as under way until the permit is dropped.
    /// `connects` tells what has to be done first.
    pub async fn start(&self, claim: Claim, connects: impl FnOnce() -> Connects) -> Permit {
        // What is known of a server is told once, so it must not be missed.
        if claim.speed.is_none() && self.inner.free.start() {
            return Permit { shaper: self.clone(), start: Cell::new(None) };
        }
        let extra = match connects() {
            Connects::No => 0.0,
            Connects::Plain => CONNECT,
            Connects::Tls => CONNECT + HANDSHAKE,
        };
        let start = self.with(|tree, now| tree.ask(claim.share.0, extra, claim.speed, now));
        let permit = Permit { shaper: self.clone(), start: Cell::new(Some(start)) };
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
        // If we are killed, hundreds of servers would take their leave at once.
        kernel::set_abrupt(socket, true);
        let id = self.with(|tree, now| {
            let buffer = tree.buffer_for(share.0, None);
            tree.open(share.0, socket, buffer, now)
        });
        Flow::new(self.clone(), id)
    }

    /// What may be received in all, since the shaper was made.
    pub fn set_quota(&self, bytes: f64) {
        self.inner.free.close();
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
        self.inner.free.close();
        self.with(|tree, _| tree.stop_starting());
    }

    /// The crawl ends: all connections are let go in a way that brings nothing more, for hundreds
    /// of farewells at once would pass a low cap.
    pub fn abandon(&self) {
        self.inner.abandons.store(true, Ordering::Relaxed);
    }

    /// Exchanges that were asked for and may not start yet.
    pub fn waiting(&self) -> usize {
        self.with(|tree, _| tree.waiting())
    }

    /// Bytes that servers may send at any moment, whatever the cap is from now on: they are paid for.
    pub fn owed(&self) -> f64 {
        self.with(|tree, _| tree.whole.pending())
    }

    /// The same of a site with a cap of its own; nothing of others.
    pub fn owed_to(&self, share: Share) -> f64 {
        self.with(|tree, _| tree.owed_to(share.0))
    }

    /// What would go on if more might be received: exchanges that may not start, and answers that may not
    /// be read.
    pub fn held_back(&self) -> usize {
        self.with(|tree, now| tree.held_back(now))
    }

    /// Measured so far.
    pub fn rates(&self) -> Rates {
        let arrived = self.with(|tree, _| tree.arrived) + self.inner.free.untold();
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
                let is_far = self.look();
                look_at = Instant::now() + if is_far { LOOK_FROM_FAR } else { LOOK_EVERY };
            }
        }
    }

    /// Compares the books with the kernel's. Tells whether the cap is far.
    fn look(&self) -> bool {
        let mut tree = lock(&self.inner.tree);
        let now = self.now();
        tree.came_freely(self.inner.free.tell(), now);
        let room = tree.room(now);
        self.inner.free.open(room);
        if tree.is_busy(now) {
            let busy = tree.flows_to_look_at(LOOKS);
            for id in busy {
                if tree.flows[id].is_waiting() {
                    tree.flows[id].acknowledge();
                }
                let Some(arrived) = kernel::arrived(tree.flows[id].fd) else { continue };
                tree.true_up(id, arrived, now);
                let flow = &tree.flows[id];
                let buffer = tree.buffer_for(flow.site, Some(flow));
                let suits = arrived.packet <= USUAL_PACKET || tree.quota.is_finite();
                if buffer * 2 < flow.buffer && suits {
                    tree.flows[id].buffer = buffer;
                    tree.flows[id].fit_buffer();
                }
            }
            tree.pump(now);
        }
        let arrived = tree.arrived;
        drop(tree);
        if !self.inner.elsewhere.load(Ordering::Relaxed) {
            lock(&self.inner.meter).note(now, arrived);
        }
        room.bytes > 0.0
    }

    fn end(&self, start: usize) {
        self.with(|tree, now| {
            let fd = tree.flow_of(start).map(|flow| flow.fd);
            let fd = fd.filter(|_| tree.is_busy(now));
            let arrived: Option<Arrived> = fd.and_then(kernel::arrived);
            tree.end(start, arrived, now);
        });
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
        let passed = self.inner.begun.elapsed();
        passed.as_secs() * 1_000_000 + u64::from(passed.subsec_micros())
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
    /// `None` if it is free.
    start: Cell<Option<usize>>,
}

impl Permit {
    /// The exchange goes over this connection; others may at the same time, if it is `shared`.
    pub fn carried_by(&self, flow: &Flow, shared: bool) {
        flow.ended();
        flow.waited.set(false);
        flow.idle.set(false);
        flow.shared.set(shared);
        match self.start.get() {
            Some(start) => flow.begin(start),
            // Who shares a connection must not end the exchange of another.
            None if shared => {
                if let Some(start) = flow.enter() {
                    self.shaper.inner.free.end();
                    self.start.set(Some(start));
                }
            }
            None => {
                flow.free.set(true);
                let (before, bytes) = flow.freely.get();
                flow.freely.set((before + 1, bytes));
                self.shaper.inner.free.came(AROUND as usize);
            }
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        match self.start.get() {
            Some(start) => self.shaper.end(start),
            None => self.shaper.inner.free.end(),
        }
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
    /// No exchange is under way: what comes is part of a handshake, or a farewell.
    idle: Cell<bool>,
    /// Several exchanges may be under way.
    shared: Cell<bool>,
    /// The tree does not know of the exchange.
    free: Cell<bool>,
    /// Such exchanges since the tree was told, and what was read in them.
    freely: Cell<(usize, usize)>,
    /// An exchange that was free at first.
    entered: Cell<Option<usize>>,
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
            idle: Cell::new(true),
            shared: Cell::new(false),
            free: Cell::new(false),
            freely: Cell::new((0, 0)),
            entered: Cell::new(None),
            untold: Cell::new(0),
            waited: Cell::new(false),
        }
    }

    /// What may be read without waiting.
    pub fn credit(&self) -> Option<u64> {
        if self.paid.get() || self.idle.get() {
            return Some(u64::MAX);
        }
        if self.free.get() {
            match self.shaper.inner.free.left() {
                0 => self.entered.set(self.enter()),
                left => return Some(left),
            }
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
            if may_read.is_none() {
                tree.flows[self.id].acknowledge();
            }
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
        if self.free.get() {
            let (exchanges, before) = self.freely.get();
            self.freely.set((exchanges, before + bytes));
            self.shaper.inner.free.came((bytes as f64 * ON_WIRE) as usize);
            return;
        }
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
        // Nobody asks as long as it is free; if it enters later, it counts as one without an end.
        if self.free.get() {
            return;
        }
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
        self.free.set(false);
        self.idle.set(!self.shared.get());
        if let Some(start) = self.entered.take() {
            self.shaper.end(start);
        }
    }

    fn begin(&self, start: usize) {
        let (exchanges, freely) = self.freely.take();
        self.with(|tree, now| {
            tree.was_read_freely(self.id, exchanges, freely);
            tree.begin(start, self.id, now);
        });
    }

    /// The exchange is free no longer. Whoever calls has to end it.
    fn enter(&self) -> Option<usize> {
        self.free.set(false);
        let start = self.with(|tree, now| tree.start_at_once(self.id, now))?;
        self.begin(start);
        Some(start)
    }

    /// Before the socket is closed.
    pub fn close(&self) {
        self.ended();
        let (exchanges, freely) = self.freely.take();
        self.with(|tree, now| {
            tree.was_read_freely(self.id, exchanges, freely);
            // What has arrived unread was received all the same.
            if tree.is_busy(now)
                && let Some(arrived) = kernel::arrived(tree.flows[self.id].fd)
            {
                tree.true_up(self.id, arrived, now);
            }
            if !self.shaper.inner.abandons.load(Ordering::Relaxed) {
                kernel::set_abrupt(tree.flows[self.id].fd, false);
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
