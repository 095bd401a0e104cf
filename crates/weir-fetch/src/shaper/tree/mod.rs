//! The account of all bytes: the whole crawl, its sites, their connections. No clock, no socket:
//! times and what the kernel says come in.
//!
//! A server can send what we have read plus the window that our kernel gives it. So a byte is paid
//! for when the window opens for it: at the start of an exchange for the first window (or for the
//! whole response, if that is expected to be smaller), and with each read for as much as is read.
//! Nothing starts and nothing is read before it is paid for, and what arrives has been paid for
//! therefore. Where the books differ from what the kernel counted, they are set right, and the
//! difference is paid or given back.
//!
//! Read `starts`, then `books` and `grants`.

mod books;
mod flow;
mod grants;
mod starts;
mod windows;

use std::task::Waker;

use slab::Slab;

use self::flow::Flow;
pub use self::windows::MOST_BUFFER;
use self::windows::Usual;

use super::Part;
use super::throttle::{Micros, Throttle};
use super::turns::{Turn, Turns};

pub struct Tree {
    pub whole: Throttle,
    /// Starts, as long as there is anything else to do: what they bring comes in lumps, at times
    /// that nobody knows, and reads fill the gaps.
    beginnings: Throttle,
    /// Connections that wait for a turn to read.
    waiting_reads: usize,
    pub sites: Vec<Site>,
    pub flows: Slab<Flow>,
    starts: Slab<Start>,
    turns: Turns,
    /// Sites that wait for their own cap.
    capped: Vec<(Micros, u32)>,
    /// Sites whose next start waits for room.
    parked: Vec<u32>,
    /// Exchanges under way.
    active: usize,
    /// Sites that have a cap of their own.
    capped_sites: usize,
    /// The weights of all sites that have something under way or waiting.
    engaged: f64,
    /// Of all sites.
    usual: Usual,
    /// The connection that was looked at last.
    looked_at: usize,
    /// Bytes on the wire so far, packet headers included.
    pub arrived: f64,
    /// All that was paid for and not given back.
    paid: f64,
    /// What may be paid for in all.
    pub quota: f64,
    /// When the quota last forbade something.
    pub refused_us: Option<Micros>,
    stopped: bool,
    /// When something may be granted next that cannot be now.
    pub next: Option<Micros>,
}

/// What may come without a look.
#[derive(Clone, Copy, Default)]
pub struct Room {
    pub bytes: f64,
    /// Of these, how much may be on its way at a time.
    pub under_way: f64,
}

pub struct Site {
    turn: Turn,
    cap: Option<Throttle>,
    reads: std::collections::VecDeque<usize>,
    starts: std::collections::VecDeque<usize>,
    place: Place,
    /// Exchanges under way and waiting.
    engaged: usize,
    usual: Usual,
    /// How fast the server sends, if that is slower than it may.
    rate: Option<f64>,
    /// The window of the connection that was used last.
    window: f64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Away,
    InLine,
    Capped,
    Parked,
}

struct Start {
    site: u32,
    /// For connecting, if it has to be.
    extra: f64,
    granted: Option<f64>,
    /// The connection that carries it.
    flow: Option<usize>,
    waker: Option<Waker>,
}

/// The part of the cap for starts, while there is something to read.
const STARTS: f64 = 0.35;
/// What the quota forbids asks again within this time.
const REFUSED_US: Micros = 300_000;
/// Of a packet: 14 bytes Ethernet, 20 IPv4, 20 TCP, 12 time stamps, as an interface counts them.
pub const PACKET: f64 = 66.0;
/// Payload of a full packet.
pub const SEGMENT: f64 = 1448.0;
pub const ON_WIRE: f64 = 1.0 + PACKET / SEGMENT;
/// A request is acknowledged, an answer begins: packets beyond those that are full.
pub const AROUND: f64 = 2.0 * PACKET;

/// Below this part of the cap it is far, and the books may be rough.
const BUSY: f64 = 0.4;
/// Where the cap is far, as much as it lets through in this time may come before the next look, and
/// as much as in that may be on its way.
const FREE_S: f64 = 0.06;
const UNDER_WAY_S: f64 = 0.02;

impl Tree {
    pub fn new(cap: f64, now: Micros) -> Tree {
        Tree {
            whole: Throttle::new(cap, now),
            beginnings: Throttle::new(cap * STARTS, now),
            waiting_reads: 0,
            sites: Vec::new(),
            flows: Slab::new(),
            starts: Slab::new(),
            turns: Turns::default(),
            capped: Vec::new(),
            parked: Vec::new(),
            active: 0,
            capped_sites: 0,
            engaged: 0.0,
            usual: Usual::default(),
            looked_at: 0,
            arrived: 0.0,
            paid: 0.0,
            quota: f64::INFINITY,
            refused_us: None,
            stopped: false,
            next: None,
        }
    }

    pub fn set_cap(&mut self, cap: f64, now: Micros) {
        self.whole.set_rate(cap, now);
        self.beginnings.set_rate(cap * STARTS, now);
        self.pump(now);
    }

    pub fn add_site(&mut self, weight: f64, cap: Option<f64>, now: Micros) -> u32 {
        self.capped_sites += usize::from(cap.is_some());
        self.sites.push(Site {
            turn: Turn::new(weight),
            cap: cap.map(|cap| Throttle::new(cap, now)),
            reads: Default::default(),
            starts: Default::default(),
            place: Place::Away,
            engaged: 0,
            usual: Usual::default(),
            rate: None,
            window: 0.0,
        });
        (self.sites.len() - 1) as u32
    }

    pub fn parts(&self) -> impl Iterator<Item = Part> {
        self.sites.iter().map(|site| Part {
            weight: site.turn.weight,
            cap: site.cap.as_ref().map(Throttle::rate),
            tier: site.turn.tier,
        })
    }

    /// Many at a time, since what changes for one may let others go.
    pub fn set_sites(&mut self, parts: impl Iterator<Item = (u32, Part)>, now: Micros) {
        parts.for_each(|(id, part)| self.set_site(id, part, now));
        self.pump(now);
    }

    fn set_site(&mut self, id: u32, part: Part, now: Micros) {
        let Part { weight, cap, tier } = part;
        let site = &mut self.sites[id as usize];
        if site.engaged > 0 {
            self.engaged += weight - site.turn.weight;
        }
        // Its place in the line was by the old weight.
        let is_same = (site.turn.weight, site.turn.tier) == (weight, tier);
        let moves = !is_same && site.place == Place::InLine;
        if moves {
            site.place = Place::Away;
            self.turns.leave(id, &site.turn);
        }
        self.turns.change(&mut site.turn, weight, tier);
        self.capped_sites -= usize::from(site.cap.is_some());
        self.capped_sites += usize::from(cap.is_some());
        match (&mut site.cap, cap) {
            (Some(throttle), Some(cap)) => throttle.set_rate(cap, now),
            (place, cap) => *place = cap.map(|cap| Throttle::new(cap, now)),
        }
        if moves {
            self.enlist(id);
        }
    }

    /// Nothing is limited at the moment.
    fn is_open(&self, site: u32) -> bool {
        self.whole.rate().is_infinite()
            && self.quota.is_infinite()
            && self.sites[site as usize].cap.is_none()
    }

    fn engage(&mut self, site: u32) {
        let site = &mut self.sites[site as usize];
        site.engaged += 1;
        if site.engaged == 1 {
            self.engaged += site.turn.weight;
        }
    }

    fn disengage(&mut self, site: u32) {
        let site = &mut self.sites[site as usize];
        site.engaged -= 1;
        if site.engaged == 0 {
            self.engaged -= site.turn.weight;
        }
    }

    /// Something has to wait, or much of the cap was used in the last second.
    pub fn is_busy(&mut self, now: Micros) -> bool {
        let must_be_exact = self.capped_sites > 0 || self.quota.is_finite();
        must_be_exact || self.next.is_some() || self.whole.load(now) > BUSY
    }

    /// There is some where the cap is far only.
    pub fn room(&mut self, now: Micros) -> Room {
        let must_be_exact = self.capped_sites > 0 || self.quota.is_finite() || self.stopped;
        match !must_be_exact && self.next.is_none() && self.whole.is_far(now) {
            true => Room {
                bytes: self.whole.rate() * FREE_S,
                under_way: self.whole.rate() * UNDER_WAY_S,
            },
            false => Room::default(),
        }
    }

    /// Something waits that the quota forbids.
    pub fn is_out_of_quota(&self, now: Micros) -> bool {
        self.refused_us.is_some_and(|at| now.saturating_sub(at) < REFUSED_US)
    }

    #[cfg(test)]
    pub fn active(&self) -> usize {
        self.active
    }

    pub fn waiting(&self) -> usize {
        self.starts.iter().filter(|(_, start)| start.granted.is_none()).count()
    }

    /// What may arrive any moment at a site with a cap of its own.
    pub fn owed_to(&self, site: u32) -> f64 {
        self.sites[site as usize].cap.as_ref().map_or(0.0, Throttle::pending)
    }

    /// Starts and reads that wait for the cap. A read waits for a moment now and then though the cap is not
    /// reached, so that it counts only when nearly all of it is used.
    pub fn held_back(&mut self, now: Micros) -> usize {
        let reads = if self.whole.load(now) < NEARLY { 0 } else { self.waiting_reads };
        self.waiting() + reads
    }
}

/// Of the cap, in the last second.
const NEARLY: f64 = 0.8;

#[derive(Clone, Copy)]
enum Wait {
    Read(usize),
    Start(usize),
}

impl Site {
    fn first(&self) -> Option<Wait> {
        let read = self.reads.front().map(|flow| Wait::Read(*flow));
        read.or_else(|| self.starts.front().map(|start| Wait::Start(*start)))
    }
}
