//! How much may arrive before it is read, and what to expect of a response.

use super::super::throttle::Throttle;
use super::flow::Flow;
use super::{SEGMENT, Tree};

/// The least that the kernel is told: it takes in two full packets then. With less, servers send
/// halves of packets.
const LEAST_BUFFER: usize = 3_200;
/// At a low rate, two packets of each connection are too much to come at once: with this buffer it
/// is one, in two halves. Its header costs 4 % more, and servers send less of it twice.
const LOWEST_BUFFER: usize = 2_048;
const LOW_RATE: f64 = 2e6;
/// Beyond this the kernel's own judgement is as good.
pub const MOST_BUFFER: usize = 256 * 1024;
/// What is left of a quota is enough for so many windows.
const QUOTA_WINDOWS: f64 = 32.0;
pub const WINDOW_OF_LARGE: f64 = 1.85;
/// A window holds what comes in this time beside the round trip.
const WINDOW_S: f64 = 0.03;
/// ...less from this size on: what servers owe together after a stall comes at once.
const LARGE: f64 = 16_384.0;
const LARGE_WINDOW_S: f64 = 0.01;
/// ...but beside the round trip no more than a turn reads: a window of which a part is read opens
/// again in lumps.
const MOST_WINDOW_S: f64 = 0.004;
/// A server is slow if it has less than this part of its share.
const SLOW: f64 = 0.7;
/// What a slow server is paid for in advance.
const AT_ONCE_S: f64 = 0.06;
/// So many responses of a site count for as much as those of all others.
const FEW: f64 = 3.0;

impl Tree {
    /// The receive buffer that suits a connection of `site`, by what it may get.
    pub fn buffer_for(&self, site: u32, flow: Option<&Flow>) -> usize {
        let share = self.share(site);
        let own = flow.and_then(|flow| flow.rate).map_or(f64::INFINITY, |rate| rate * 2.0);
        let round_trip = flow.map_or(0, |flow| flow.round_trip_us) as f64 / 1e6;
        let share = share.min(own);
        let window = (share * LARGE_WINDOW_S).max(LARGE).min(share * WINDOW_S);
        let bytes = share * round_trip + window.min(self.whole.rate() * MOST_WINDOW_S);
        // What is left of a quota has to do for several windows.
        let left = (self.quota - self.paid).max(0.0) / QUOTA_WINDOWS;
        let low = self.whole.rate().min(left) < LOW_RATE;
        let least = if low { LOWEST_BUFFER } else { LEAST_BUFFER };
        (bytes.min(left) as usize).clamp(least, MOST_BUFFER)
    }

    /// What an answer may bring before it is known to be long: the window of the connection that is there, which
    /// may be larger than that of a new one, and the first packet, which is read.
    pub(super) fn first_window(&self, site: u32) -> f64 {
        let new = window_of(self.buffer_for(site, None));
        new.max(self.sites[site as usize].window) + SEGMENT
    }

    /// How much the window of a connection may grow with a read of so many bytes: not faster than
    /// it is read, because what is in the window has to be paid for as well.
    pub(super) fn growth(&self, flow: &Flow, read: f64) -> f64 {
        let wanted = self.buffer_for(flow.site, Some(flow));
        match wanted * 4 > flow.buffer * 5 {
            true => (window_of(wanted) - window_of(flow.buffer)).min(read),
            false => 0.0,
        }
    }

    /// What a site gets if all that have something to ask for get theirs.
    pub(super) fn share(&self, site: u32) -> f64 {
        let site = &self.sites[site as usize];
        let cap = site.cap.as_ref().map_or(f64::INFINITY, Throttle::rate);
        let part = site.turn.weight / self.engaged.max(site.turn.weight);
        let part = part.max(1.0 / self.most_active());
        (self.whole.rate() * part).min(cap)
    }

    /// What a server that sends at this rate may send in a moment. One that is faster than its
    /// share fills the window.
    pub(super) fn at_once(&self, site: u32, rate: Option<f64>) -> f64 {
        let share = self.share(site);
        let slow = rate.filter(|rate| *rate < SLOW * share);
        slow.map_or(f64::INFINITY, |rate| (rate * AT_ONCE_S).max(SEGMENT))
    }
}

/// The payload that a receive buffer of this size lets in before it is read, as seen on Linux 6.
pub fn window_of(buffer: usize) -> f64 {
    let buffer = buffer as f64;
    match buffer {
        ..2_900.0 => SEGMENT + 12.0,
        2_900.0..3_500.0 => 2.0 * SEGMENT,
        3_500.0..10_000.0 => buffer * 1.4,
        _ => buffer * WINDOW_OF_LARGE,
    }
}

/// What the first window of a response brings, on average.
#[derive(Clone, Copy, Default)]
pub struct Usual {
    pub mean: f64,
    pub responses: f64,
}

impl Usual {
    pub fn learn(&mut self, bytes: f64, most_responses: f64) {
        self.responses = (self.responses + 1.0).min(most_responses);
        self.mean += (bytes - self.mean) / self.responses;
    }

    /// What is to be expected of the next, if little is known, by what `others` bring.
    pub fn next(&self, others: f64) -> f64 {
        (self.mean * self.responses + others * FEW) / (self.responses + FEW)
    }
}

pub fn learn(known: &mut Option<f64>, new: f64, gain: f64) {
    *known = Some(known.map_or(new, |known| known + (new - known) * gain));
}
