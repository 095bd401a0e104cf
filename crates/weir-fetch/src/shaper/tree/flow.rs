//! One connection: what was paid for, what came, and how fast its server is.

use std::os::fd::RawFd;
use std::task::Waker;

use super::super::kernel;
use super::super::throttle::Micros;
use super::SEGMENT;
use super::windows::learn;

/// One connection.
pub struct Flow {
    pub site: u32,
    /// Valid as long as the flow is in the tree: the socket is closed after that.
    pub fd: RawFd,
    /// It has carried no exchange yet.
    pub(super) is_new: bool,
    /// What is paid for, in all, in bytes on the wire.
    pub(super) charged: f64,
    /// What came, in all, in bytes on the wire, as far as is known.
    pub(super) wire: f64,
    /// Payload read.
    pub(super) read: f64,
    /// Payload that can arrive beyond what is read.
    pub(super) window: f64,
    pub exchange: Exchange,
    pub(super) exchanges: usize,
    /// Reserved and not yet seen to arrive.
    pub(super) pending: f64,
    /// How fast it comes when it may.
    pub(super) rate: Option<f64>,
    /// When it last got a turn, as long as nothing was read since.
    pub(super) granted_us: Micros,
    pub(super) sampled_us: Micros,
    pub(super) sampled_bytes: f64,
    pub(super) sampled_open: bool,
    pub(super) sampled_held_us: u64,
    pub(super) last_byte_us: Micros,
    pub(super) round_trip_us: u64,
    pub buffer: usize,
    /// What the kernel was told.
    pub(super) told_buffer: usize,
    pub(super) waker: Option<Waker>,
    pub(super) waits_since: Option<Micros>,
    pub(super) held_us: u64,
}

/// The response under way; several of HTTP/2 count as one that has no end.
#[derive(Default)]
pub struct Exchange {
    /// Payload read before it began.
    pub(super) from: f64,
    /// Payload that may arrive in it.
    pub(super) paid: f64,
    /// Payload that may be read now.
    pub(super) credit: f64,
    /// All of it, once it is known.
    pub size: Option<f64>,
}

/// A window into which nothing comes for so long, with something to read in it, is full.
const FULL_US: u64 = 40_000;
/// Holds a few packets.
const SMALL_BUFFER: usize = 8_192;

impl Flow {
    pub(super) fn stop_waiting(&mut self, now: Micros) {
        if let Some(since) = self.waits_since.take() {
            self.held_us += now.saturating_sub(since);
        }
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Nothing more is about to arrive: the server waits for us to read. One that is slow to answer, for
    /// however long, may send all that it owes at any moment.
    pub(super) fn is_full(&self, now: Micros) -> bool {
        self.is_waiting() && now.saturating_sub(self.last_byte_us) > FULL_US
    }

    /// All that is left of the exchange is paid for.
    pub fn is_paid(&self) -> bool {
        self.exchanges == 1 && self.exchange.size.is_some_and(|size| self.exchange.paid >= size)
    }

    pub fn is_waiting(&self) -> bool {
        self.waits_since.is_some()
    }

    /// Tells the kernel if the buffer has changed by much.
    pub fn fit_buffer(&mut self) {
        let (buffer, told) = (self.buffer, self.told_buffer);
        if buffer > told + told / 4 || buffer < told - told / 4 {
            kernel::set_receive_buffer(self.fd, buffer);
            self.told_buffer = buffer;
        }
    }

    /// Lets the server know that what waits here has arrived. Where windows are large, reading does.
    pub fn acknowledge(&self) {
        if self.buffer < SMALL_BUFFER {
            kernel::acknowledge(self.fd);
        }
    }

    /// How long the exchange was made to wait, this moment included.
    pub fn held(&self, now: Micros) -> u64 {
        self.held_us + self.waits_since.map_or(0, |since| now.saturating_sub(since))
    }

    /// Only while nothing but the server slows it down: its window was open all the time.
    pub(super) fn learn_rate(&mut self, bytes: f64, window: f64, now: Micros) {
        let passed = now.saturating_sub(self.sampled_us) as f64 / 1e6;
        if passed < 0.02 {
            return;
        }
        let came = bytes - self.sampled_bytes;
        if came > 0.0 {
            self.last_byte_us = now;
        }
        let open = window >= SEGMENT;
        let steady = self.sampled_open && self.held(now) == self.sampled_held_us;
        match (open, steady) {
            // It sends as much as it may: how fast it could be is not known.
            (false, _) => self.rate = None,
            (true, true) if came > 0.0 => learn(&mut self.rate, came / passed, 0.3),
            _ => {}
        }
        self.sampled_open = open && bytes > self.exchange.from && self.exchanges > 0;
        self.sampled_held_us = self.held(now);
        (self.sampled_us, self.sampled_bytes) = (now, bytes);
    }
}
