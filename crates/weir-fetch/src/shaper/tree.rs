//! The account of all bytes: the whole crawl, its sites, their connections. No clock, no socket:
//! times and what the kernel says come in.
//!
//! A server can send what we have read plus the window that our kernel gives it. So a byte is paid
//! for when the window opens for it: at the start of an exchange for the first window (or for the
//! whole response, if that is expected to be smaller), and with each read for as much as is read.
//! Nothing starts and nothing is read before it is paid for, and what arrives has been paid for
//! therefore. Where the books differ from what the kernel counted, they are set right, and the
//! difference is paid or given back.

use std::os::fd::RawFd;
use std::task::Waker;

use slab::Slab;

use super::kernel::{self, Arrived};
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
    /// Something waits that the quota forbids.
    pub out_of_quota: bool,
    stopped: bool,
    /// When something may be granted next that cannot be now.
    pub next: Option<Micros>,
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

/// One connection.
pub struct Flow {
    pub site: u32,
    /// Valid as long as the flow is in the tree: the socket is closed after that.
    pub fd: RawFd,
    /// It has carried no exchange yet.
    is_new: bool,
    /// What is paid for, in all, in bytes on the wire.
    charged: f64,
    /// What came, in all, in bytes on the wire, as far as is known.
    wire: f64,
    /// Payload read.
    read: f64,
    /// Payload that can arrive beyond what is read.
    window: f64,
    pub exchange: Exchange,
    exchanges: usize,
    /// Reserved and not yet seen to arrive.
    pending: f64,
    /// How fast it comes when it may.
    rate: Option<f64>,
    sampled_us: Micros,
    sampled_bytes: f64,
    sampled_open: bool,
    sampled_held_us: u64,
    last_byte_us: Micros,
    round_trip_us: u64,
    pub buffer: usize,
    /// What the kernel was told.
    told_buffer: usize,
    waker: Option<Waker>,
    waits_since: Option<Micros>,
    held_us: u64,
}

/// The response under way; several of HTTP/2 count as one that has no end.
#[derive(Default)]
pub struct Exchange {
    /// Payload read before it began.
    from: f64,
    /// Payload that may arrive in it.
    paid: f64,
    /// Payload that may be read now.
    credit: f64,
    /// All of it, once it is known.
    pub size: Option<f64>,
}

/// What the first window of a response brings, on average.
#[derive(Clone, Copy, Default)]
struct Usual {
    mean: f64,
    responses: f64,
}

impl Usual {
    fn learn(&mut self, bytes: f64, most_responses: f64) {
        self.responses = (self.responses + 1.0).min(most_responses);
        self.mean += (bytes - self.mean) / self.responses;
    }

    /// What is to be expected of the next, if little is known, by what `others` bring.
    fn next(&self, others: f64) -> f64 {
        (self.mean * self.responses + others * FEW) / (self.responses + FEW)
    }
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

/// Of a packet: 14 bytes Ethernet, 20 IPv4, 20 TCP, 12 time stamps, as an interface counts them.
pub const PACKET: f64 = 66.0;
/// The part of the cap that is used, because what arrives is known a moment later.
const MARGIN: f64 = 0.997;
/// The part of the cap for starts, while there is something to read and this many are active: few
/// sites with large windows may have nothing but starts for a moment.
const MANY: usize = 16;
const STARTS: f64 = 0.35;
/// Payload of a full packet.
pub const SEGMENT: f64 = 1448.0;
const ON_WIRE: f64 = 1.0 + PACKET / SEGMENT;
/// A request is acknowledged, an answer begins: packets beyond those that are full.
const AROUND: f64 = 2.0 * PACKET;

/// The least that the kernel is told: it takes in two full packets then. With less, servers send
/// halves of packets.
pub const LEAST_BUFFER: usize = 3_200;
/// At a low rate, two packets of each connection are too much to come at once: with this buffer it
/// is one, in two halves. Its header costs 4 % more, and servers send less of it twice.
const LOWEST_BUFFER: usize = 2_048;
const LOW_RATE: f64 = 2e6;
/// Below this part of the cap it is far, and the books may be rough.
pub const BUSY: f64 = 0.4;
const QUOTA_WINDOWS: f64 = 32.0;
/// Beyond this the kernel's own judgement is as good.
pub const MOST_BUFFER: usize = 256 * 1024;
const WINDOW_OF_LARGE: f64 = 1.85;
/// A window holds what comes in this time beside the round trip.
const WINDOW_S: f64 = 0.03;
/// A connection that gets less is not worth having.
const LEAST_RATE: f64 = 4_000.0;
/// What one turn gives at the most.
const TURN: f64 = 32_768.0;
const TURN_S: f64 = 0.008;
/// Who had nothing to read for a moment catches up on that much.
const GRACE_S: f64 = 0.25;
/// So many responses of a site count for as much as those of all others.
const FEW: f64 = 3.0;
/// A server is slow if it has less than this part of its share.
const SLOW: f64 = 0.7;
/// What a slow server is paid for in advance.
const AT_ONCE_S: f64 = 0.06;
/// A server that is silent so long is not about to send all at once.
const SILENT_US: u64 = 1_000_000;
/// A window into which nothing comes for so long, with something to read in it, is full.
const FULL_US: u64 = 40_000;

impl Tree {
    pub fn new(cap: f64, now: Micros) -> Tree {
        Tree {
            whole: Throttle::new(cap * MARGIN, now),
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
            out_of_quota: false,
            stopped: false,
            next: None,
        }
    }

    pub fn set_cap(&mut self, cap: f64, now: Micros) {
        self.whole.set_rate(cap * MARGIN, now);
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

    pub fn set_site(&mut self, id: u32, weight: f64, cap: Option<f64>, now: Micros) {
        let site = &mut self.sites[id as usize];
        if site.engaged > 0 {
            self.engaged += weight - site.turn.weight;
        }
        site.turn.weight = weight;
        self.capped_sites -= usize::from(site.cap.is_some());
        self.capped_sites += usize::from(cap.is_some());
        match (&mut site.cap, cap) {
            (Some(throttle), Some(cap)) => throttle.set_rate(cap, now),
            (place, cap) => *place = cap.map(|cap| Throttle::new(cap, now)),
        }
        self.pump(now);
    }

    /// Nothing is limited at the moment.
    fn is_open(&self, site: u32) -> bool {
        self.whole.rate().is_infinite()
            && self.quota.is_infinite()
            && self.sites[site as usize].cap.is_none()
    }

    // ---- starts

    /// Asks to start an exchange with a server of `site`; `extra` bytes come besides, to connect.
    /// `speed` is how fast the server is known to be, from earlier runs.
    pub fn ask(&mut self, site: u32, extra: f64, speed: Option<f64>, now: Micros) -> usize {
        let known = &mut self.sites[site as usize];
        if known.usual.responses == 0.0 {
            known.rate = known.rate.or(speed);
        }
        let id = self.starts.insert(Start { site, extra, granted: None, flow: None, waker: None });
        self.engage(site);
        self.sites[site as usize].starts.push_back(id);
        self.enlist(site);
        self.pump(now);
        id
    }

    /// Whether it may start; else `waker` is woken when it may.
    pub fn is_granted(&mut self, start: usize, waker: &Waker) -> bool {
        let start = &mut self.starts[start];
        if start.granted.is_none() {
            start.waker = Some(waker.clone());
        }
        start.granted.is_some()
    }

    /// The exchange ended, or was given up; `arrived` is what the kernel says of its connection.
    pub fn end(&mut self, start: usize, arrived: Option<Arrived>, now: Micros) {
        let Start { site, granted, flow, .. } = self.starts.remove(start);
        match (granted, flow) {
            (None, _) => self.sites[site as usize].starts.retain(|id| *id != start),
            (Some(granted), None) => {
                self.land(site, granted, now);
                self.charge(site, -granted, now);
            }
            (Some(_), Some(flow)) => self.end_exchange(flow, arrived, now),
        }
        self.active -= usize::from(granted.is_some());
        self.disengage(site);
        self.pump(now);
    }

    /// The connection that carries an exchange.
    pub fn flow_of(&self, start: usize) -> Option<&Flow> {
        self.flows.get(self.starts[start].flow?)
    }

    /// The exchange goes over this connection.
    pub fn begin(&mut self, start: usize, id: usize, now: Micros) {
        self.starts[start].flow = Some(id);
        self.count_handshake_once(start, id, now);
        let busy = self.is_busy(now);
        let granted = self.starts[start].granted.unwrap_or(0.0);
        let at_once = self.at_once(self.flows[id].site, self.flows[id].rate);
        let flow = &mut self.flows[id];
        if flow.exchanges == 0 {
            flow.exchange = Exchange { from: flow.read, ..Exchange::default() };
            flow.held_us = 0;
            flow.last_byte_us = now;
            flow.sampled_open = false;
            flow.window = window_of(flow.buffer).min(at_once);
        } else {
            flow.exchange.size = None;
        }
        flow.is_new = false;
        flow.exchanges += 1;
        flow.charged += granted;
        flow.pending += granted;
        let payload = ((granted - AROUND) / ON_WIRE).max(SEGMENT);
        flow.exchange.paid += payload;
        // The first packet tells how long the answer is; reading more than that may open the window
        // for what is not paid for. That is no matter where the cap is far.
        flow.exchange.credit += if busy { SEGMENT } else { payload };
    }

    /// What connecting brought was paid for when it came; what was set aside for it goes back.
    fn count_handshake_once(&mut self, start: usize, flow: usize, now: Micros) {
        let Start { site, extra, granted, .. } = &mut self.starts[start];
        let twice = std::mem::take(extra);
        if let (Some(granted), true) = (granted, self.flows[flow].is_new) {
            *granted -= twice;
            let site = *site;
            self.land(site, twice, now);
            self.charge(site, -twice, now);
        }
    }

    fn end_exchange(&mut self, id: usize, arrived: Option<Arrived>, now: Micros) {
        self.landed(id, now);
        let flow = &mut self.flows[id];
        flow.exchanges -= 1;
        let last = flow.exchanges == 0;
        let (size, known) = (flow.read - flow.exchange.from, flow.exchange.size);
        let site = flow.site;
        if last {
            flow.exchange = Exchange { from: flow.read, ..Exchange::default() };
            if known.is_none() {
                self.learn_size(site, size);
            }
            self.sites[site as usize].window = window_of(self.flows[id].buffer);
        }
        match arrived {
            Some(arrived) => self.true_up(id, arrived, now),
            None if last => {
                let wire = self.flows[id].wire + AROUND;
                self.settle(id, wire, 0.0, now);
            }
            None => {}
        }
    }

    // ---- connections

    pub fn open(&mut self, site: u32, fd: RawFd, buffer: usize, now: Micros) -> usize {
        self.flows.insert(Flow {
            site,
            fd,
            is_new: true,
            charged: 0.0,
            wire: 0.0,
            read: 0.0,
            window: window_of(buffer),
            exchange: Exchange::default(),
            exchanges: 0,
            pending: 0.0,
            rate: None,
            sampled_us: now,
            sampled_bytes: 0.0,
            sampled_open: false,
            sampled_held_us: 0,
            last_byte_us: now,
            round_trip_us: 0,
            buffer,
            told_buffer: buffer,
            waker: None,
            waits_since: None,
            held_us: 0,
        })
    }

    pub fn close(&mut self, id: usize, now: Micros) {
        if self.flows[id].waits_since.is_some() {
            let site = self.flows[id].site;
            self.sites[site as usize].reads.retain(|flow| *flow != id);
            self.waiting_reads -= 1;
        }
        self.landed(id, now);
        self.settle(id, self.flows[id].wire + AROUND, 0.0, now);
        self.flows.remove(id);
        for (_, start) in self.starts.iter_mut().filter(|(_, start)| start.flow == Some(id)) {
            (start.flow, start.granted) = (None, Some(0.0));
        }
        self.pump(now);
    }

    /// The response under way has so many bytes in all.
    pub fn has_size(&mut self, id: usize, bytes: f64) {
        let flow = &mut self.flows[id];
        flow.exchange.size = Some(bytes);
        let site = flow.site;
        // Not at its end: short ones end first.
        self.learn_size(site, bytes);
    }

    fn learn_size(&mut self, site: u32, bytes: f64) {
        let first = bytes.min(window_of(self.buffer_for(site, None)) + SEGMENT);
        self.usual.learn(first, 200.0);
        self.sites[site as usize].usual.learn(first, 10.0);
    }

    /// How much may be read now; `None`, and `waker` is woken when something may. Ask only if
    /// there is something to read, for a turn that is not used is lost to the others.
    pub fn may_read(&mut self, id: usize, waker: &Waker, now: Micros) -> Option<u64> {
        if let Some(most) = self.credit(id, now) {
            return Some(most);
        }
        let flow = &mut self.flows[id];
        flow.waker = Some(waker.clone());
        if flow.waits_since.is_none() {
            flow.waits_since = Some(now);
            let site = flow.site;
            self.sites[site as usize].reads.push_back(id);
            self.waiting_reads += 1;
            self.enlist(site);
            self.pump(now);
        }
        self.credit(id, now)
    }

    /// What may be read without waiting, if anything.
    pub fn credit(&mut self, id: usize, now: Micros) -> Option<u64> {
        let flow = &self.flows[id];
        // No exchange: a handshake, or the end of an unused connection.
        if flow.exchanges == 0 || self.is_open(flow.site) {
            return Some(u64::MAX);
        }
        // A part of a packet is not worth reading, unless it is the last.
        let left = flow.exchange.size.map_or(SEGMENT, |size| size + flow.exchange.from - flow.read);
        if flow.exchange.credit >= left.clamp(1.0, SEGMENT) {
            return Some(flow.exchange.credit as u64);
        }
        self.pay_for_window(id, now);
        let Flow { exchange, .. } = &self.flows[id];
        (exchange.size.is_some_and(|size| exchange.paid >= size)).then_some(u64::MAX)
    }

    /// What was read has opened the window again: the first window was paid for, this is not yet.
    fn pay_for_window(&mut self, id: usize, now: Micros) {
        let flow = &mut self.flows[id];
        let read = flow.read - flow.exchange.from;
        let may_come = (read + flow.window).min(flow.exchange.size.unwrap_or(f64::INFINITY));
        let missing = may_come - flow.exchange.paid;
        if missing > 0.0 {
            flow.exchange.paid = may_come;
            flow.charged += missing * ON_WIRE;
            let site = flow.site;
            self.charge(site, missing * ON_WIRE, now);
        }
    }

    /// Tells whether these are the first bytes of an exchange.
    pub fn was_read(&mut self, id: usize, bytes: usize, now: Micros) -> bool {
        self.landed(id, now);
        let bytes = bytes as f64;
        let flow = &mut self.flows[id];
        let first = flow.exchanges > 0 && flow.read == flow.exchange.from;
        flow.read += bytes;
        flow.exchange.credit = (flow.exchange.credit - bytes).max(0.0);
        flow.last_byte_us = now;
        flow.wire += bytes * ON_WIRE;
        self.arrived += bytes * ON_WIRE;
        let (site, unpaid) = (flow.site, flow.wire - flow.charged);
        if flow.exchanges == 0 && unpaid > 0.0 {
            flow.charged += unpaid;
            self.charge(site, unpaid, now);
        }
        first
    }

    /// Sets the books right by what the kernel counted.
    pub fn true_up(&mut self, id: usize, arrived: Arrived, now: Micros) {
        let flow = &mut self.flows[id];
        let bytes = arrived.bytes as f64;
        let wire = bytes + arrived.segments as f64 * PACKET;
        flow.round_trip_us = arrived.round_trip_us;
        let at_once = self.at_once(self.flows[id].site, self.flows[id].rate);
        let flow = &mut self.flows[id];
        // The last piece of a response says nothing of how fast it could have come.
        let whole = flow.exchange.size.is_some_and(|size| bytes - flow.exchange.from >= size);
        if flow.exchanges > 0 && !whole {
            flow.learn_rate(bytes, arrived.window as f64, now);
            self.sites[flow.site as usize].rate = flow.rate;
        }
        if flow.exchanges == 0 {
            return self.settle(id, wire, 0.0, now);
        }
        let came = bytes - flow.exchange.from;
        let left = flow.exchange.size.map_or(f64::INFINITY, |size| (size - came).max(0.0));
        // The kernel tells the window as it last told the server; what we have read since opens it
        // further in a moment, and is paid for. An answer that has not begun may be short.
        let told = match came > 0.0 {
            // No server sends a part of a packet because there is room for just that.
            true => ((arrived.window as f64 / SEGMENT).floor() * SEGMENT).min(at_once),
            false => 0.0,
        };
        let is_full = told < SEGMENT && flow.is_waiting() && flow.is_silent(now);
        let open = if is_full { 0.0 } else { (flow.exchange.paid - came).max(told).min(left) };
        flow.exchange.paid = came + open;
        if open < left {
            let read = flow.read - flow.exchange.from + flow.exchange.credit;
            flow.window = (flow.exchange.paid - read).max(SEGMENT);
        }
        self.settle(id, wire, open * ON_WIRE, now);
    }

    /// `wire` came and `open` may come: that much is paid for.
    fn settle(&mut self, id: usize, wire: f64, open: f64, now: Micros) {
        let flow = &mut self.flows[id];
        self.arrived += wire - flow.wire;
        flow.wire = wire;
        let missing = wire + open - flow.charged;
        flow.charged += missing;
        let pending = if flow.is_silent(now) { 0.0 } else { open };
        let landed = flow.pending - pending;
        flow.pending = pending;
        let site = flow.site;
        self.charge(site, missing, now);
        self.land(site, landed, now);
    }

    /// The connections worth looking at, at most so many: those with an exchange, in turn.
    pub fn flows_to_look_at(&mut self, most: usize) -> Vec<usize> {
        let busy = |(id, flow): (usize, &Flow)| (flow.exchanges > 0).then_some(id);
        let from = self.looked_at;
        let later = self.flows.iter().filter_map(busy).filter(|id| *id > from);
        let earlier = self.flows.iter().filter_map(busy).filter(|id| *id <= from);
        let chosen: Vec<usize> = later.chain(earlier).take(most).collect();
        self.looked_at = chosen.last().copied().unwrap_or(0);
        chosen
    }

    /// The receive buffer that suits a connection of `site`, by what it may get.
    pub fn buffer_for(&self, site: u32, flow: Option<&Flow>) -> usize {
        let share = self.share(site);
        let own = flow.and_then(|flow| flow.rate).map_or(f64::INFINITY, |rate| rate * 2.0);
        let round_trip = flow.map_or(0, |flow| flow.round_trip_us) as f64 / 1e6;
        let bytes = share.min(own) * (round_trip + WINDOW_S);
        // What is left of a quota has to do for several windows.
        let left = (self.quota - self.paid).max(0.0) / QUOTA_WINDOWS;
        let low = self.whole.rate().min(left) < LOW_RATE;
        let least = if low { LOWEST_BUFFER } else { LEAST_BUFFER };
        (bytes.min(left) as usize).clamp(least, MOST_BUFFER)
    }

    // ---- turns

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

    fn charge(&mut self, site: u32, bytes: f64, now: Micros) {
        self.paid += bytes;
        self.whole.pay(bytes, now);
        let site = &mut self.sites[site as usize];
        if let Some(cap) = &mut site.cap {
            cap.pay(bytes, now);
        }
        site.turn.charge(bytes);
    }

    fn reserve(&mut self, site: u32, bytes: f64, now: Micros) {
        self.paid += bytes;
        self.whole.reserve(bytes, now);
        let site = &mut self.sites[site as usize];
        if let Some(cap) = &mut site.cap {
            cap.reserve(bytes, now);
        }
        site.turn.charge(bytes);
    }

    fn land(&mut self, site: u32, bytes: f64, now: Micros) {
        self.whole.land(bytes, now);
        if let Some(cap) = &mut self.sites[site as usize].cap {
            cap.land(bytes, now);
        }
    }

    /// What was reserved for the start of an exchange has arrived, or is no longer waited for.
    fn landed(&mut self, id: usize, now: Micros) {
        let flow = &mut self.flows[id];
        let (site, pending) = (flow.site, std::mem::take(&mut flow.pending));
        if pending > 0.0 {
            self.land(site, pending, now);
        }
    }

    fn enlist(&mut self, id: u32) {
        let grace = match self.whole.rate() {
            rate if rate.is_finite() => rate * GRACE_S / self.engaged.max(1e-9),
            _ => 0.0,
        };
        let site = &mut self.sites[id as usize];
        match site.place {
            Place::InLine | Place::Capped => return,
            // Reads need no room.
            Place::Parked if site.reads.is_empty() => return,
            Place::Parked => self.parked.retain(|parked| *parked != id),
            Place::Away if site.reads.is_empty() && site.starts.is_empty() => return,
            Place::Away => {}
        }
        site.place = Place::InLine;
        self.turns.wait(id, &mut site.turn, grace);
    }

    /// Grants what can be granted now; `next` is when to look again.
    pub fn pump(&mut self, now: Micros) {
        self.next = None;
        self.out_of_quota = false;
        self.end_waits_for_caps(now);
        self.unpark();
        while let Some(id) = self.turns.next() {
            let wait = self.sites[id as usize].first();
            self.sites[id as usize].place = Place::Away;
            let Some(wait) = wait else { continue };
            let amount = self.amount(id, wait);
            if matches!(wait, Wait::Start(_)) && !self.has_room() {
                self.sites[id as usize].place = Place::Parked;
                self.parked.push(id);
                continue;
            }
            if self.paid + self.worst(id, wait, amount) > self.quota {
                self.out_of_quota = true;
                self.sites[id as usize].place = Place::Capped;
                self.capped.push((now + 50_000, id));
                continue;
            }
            let site = &mut self.sites[id as usize];
            let later = matches!(wait, Wait::Start(_));
            let own = match later && self.waiting_reads > 0 && self.active >= MANY {
                true => self.beginnings.when(amount, false, now),
                false => Some(now),
            };
            let own = own.filter(|at| *at > now).or_else(|| match &mut site.cap {
                Some(cap) => cap.when(amount, later, now),
                None => Some(now),
            });
            match own {
                Some(at) if at <= now => {}
                at => {
                    site.place = Place::Capped;
                    self.capped.push((at.unwrap_or(now + 100_000), id));
                    continue;
                }
            }
            match self.whole.when(amount, later, now) {
                Some(at) if at <= now => self.grant(id, wait, amount, now),
                at => {
                    self.next = Some(at.unwrap_or(now + 100_000));
                    self.enlist(id);
                    break;
                }
            }
        }
        let capped = self.capped.iter().map(|(at, _)| *at).min();
        self.next = self.next.into_iter().chain(capped).min();
    }

    fn grant(&mut self, id: u32, wait: Wait, amount: f64, now: Micros) {
        let site = &mut self.sites[id as usize];
        self.turns.granted(&site.turn);
        match wait {
            Wait::Read(flow) => {
                site.reads.pop_front();
                self.waiting_reads -= 1;
                let payload = amount / ON_WIRE;
                // What is granted is twice the growth, unless less growth is wanted.
                let growth = self.growth(&self.flows[flow], payload / 2.0);
                let flow = &mut self.flows[flow];
                flow.buffer += (growth / WINDOW_OF_LARGE) as usize;
                flow.window += growth;
                flow.exchange.paid += payload;
                flow.exchange.credit += payload - growth;
                flow.charged += amount;
                flow.stop_waiting(now);
            }
            Wait::Start(start) => {
                site.starts.pop_front();
                let start = &mut self.starts[start];
                start.granted = Some(amount);
                if let Some(waker) = start.waker.take() {
                    waker.wake();
                }
                self.active += 1;
                self.reserve(id, amount, now);
                self.beginnings.pay(amount, now);
                self.enlist(id);
                return;
            }
        }
        self.charge(id, amount, now);
        self.enlist(id);
    }

    /// What may come of it beyond what is paid for: an answer longer than expected fills its window.
    fn worst(&self, site: u32, wait: Wait, amount: f64) -> f64 {
        match wait {
            Wait::Read(_) => amount,
            Wait::Start(_) => {
                let window = window_of(self.buffer_for(site, None)) + SEGMENT;
                amount.max(window * ON_WIRE * (self.active + 1) as f64)
            }
        }
    }

    /// Bytes on the wire that are to be paid for.
    fn amount(&self, site: u32, wait: Wait) -> f64 {
        match wait {
            Wait::Read(flow) => {
                let flow = &self.flows[flow];
                let left =
                    flow.exchange.size.map_or(f64::INFINITY, |size| size - flow.exchange.paid);
                // All that is there: the kernel gives the room of a packet back when the whole
                // packet is read, and the server sends no parts of one.
                let most = (self.whole.rate() * TURN_S).clamp(4.0 * SEGMENT, TURN);
                let read = flow.window.clamp(SEGMENT, most).min(left.max(1.0));
                (read + self.growth(flow, read)) * ON_WIRE
            }
            Wait::Start(start) => {
                let window = window_of(self.buffer_for(site, None));
                let id = site;
                let site = &self.sites[id as usize];
                // Of a long answer, the first packet is read before it is known to be long.
                let window = window.max(site.window) + SEGMENT;
                let usual = site.usual.next(self.usual.next(window));
                let at_once = self.at_once(id, site.rate);
                usual.min(window).min(at_once).max(500.0) * ON_WIRE
                    + AROUND
                    + self.starts[start].extra
            }
        }
    }

    /// How much the window of a connection may grow with a read of so many bytes: not faster than
    /// it is read, because what is in the window has to be paid for as well.
    fn growth(&self, flow: &Flow, read: f64) -> f64 {
        let wanted = self.buffer_for(flow.site, Some(flow));
        match wanted * 4 > flow.buffer * 5 {
            true => (window_of(wanted) - window_of(flow.buffer)).min(read),
            false => 0.0,
        }
    }

    /// What a site gets if all that have something to ask for get theirs.
    fn share(&self, site: u32) -> f64 {
        let site = &self.sites[site as usize];
        let cap = site.cap.as_ref().map_or(f64::INFINITY, Throttle::rate);
        let part = site.turn.weight / self.engaged.max(site.turn.weight);
        let part = part.max(1.0 / self.most_active());
        (self.whole.rate() * part).min(cap)
    }

    /// What a server that sends at this rate may send in a moment. One that is faster than its
    /// share fills the window.
    fn at_once(&self, site: u32, rate: Option<f64>) -> f64 {
        let share = self.share(site);
        let slow = rate.filter(|rate| *rate < SLOW * share);
        slow.map_or(f64::INFINITY, |rate| (rate * AT_ONCE_S).max(SEGMENT))
    }

    /// No exchange starts from now on.
    pub fn stop_starting(&mut self) {
        self.stopped = true;
    }

    fn has_room(&self) -> bool {
        if self.stopped {
            return false;
        }
        (self.active as f64) < self.most_active()
    }

    fn most_active(&self) -> f64 {
        (self.whole.rate() / LEAST_RATE).max(8.0)
    }

    fn unpark(&mut self) {
        if self.parked.is_empty() || !self.has_room() {
            return;
        }
        for id in std::mem::take(&mut self.parked) {
            self.sites[id as usize].place = Place::Away;
            self.enlist(id);
        }
    }

    fn end_waits_for_caps(&mut self, now: Micros) {
        if self.capped.iter().all(|(at, _)| *at > now) {
            return;
        }
        let (due, wait) =
            std::mem::take(&mut self.capped).into_iter().partition(|(at, _)| *at <= now);
        self.capped = wait;
        let due: Vec<(Micros, u32)> = due;
        for (_, id) in due {
            self.sites[id as usize].place = Place::Away;
            self.enlist(id);
        }
    }

    /// Something has to wait, or much of the cap was used in the last second.
    pub fn is_busy(&mut self, now: Micros) -> bool {
        let must_be_exact = self.capped_sites > 0 || self.quota.is_finite();
        must_be_exact || self.next.is_some() || self.whole.load(now) > BUSY
    }

    #[cfg(test)]
    pub fn state(&mut self, now: Micros) -> String {
        let open: f64 = self.flows.iter().map(|(_, f)| f.charged - f.wire).sum();
        let waits = self.flows.iter().filter(|(_, f)| f.is_waiting()).count();
        let rated = self.flows.iter().filter(|(_, f)| f.rate.is_some()).count();
        format!(
            "P {:.2} E {:.0} active {} waits {waits} rated {rated} parked {} {}",
            self.whole.load(now),
            open,
            self.active,
            self.parked.len(),
            self.whole.state()
        )
    }

    pub fn waiting(&self) -> usize {
        self.starts.iter().filter(|(_, start)| start.granted.is_none()).count()
    }
}

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

impl Flow {
    fn stop_waiting(&mut self, now: Micros) {
        if let Some(since) = self.waits_since.take() {
            self.held_us += now.saturating_sub(since);
        }
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Nothing more is about to arrive: the server is slow to begin, or waits for us to read.
    fn is_silent(&self, now: Micros) -> bool {
        let long = if self.is_waiting() { FULL_US } else { SILENT_US };
        now.saturating_sub(self.last_byte_us) > long
    }

    /// All that is left of the exchange is paid for.
    pub fn is_paid(&self) -> bool {
        self.exchanges == 1 && self.exchange.size.is_some_and(|size| self.exchange.paid >= size)
    }

    fn is_waiting(&self) -> bool {
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

    /// How long the exchange was made to wait, this moment included.
    pub fn held(&self, now: Micros) -> u64 {
        self.held_us + self.waits_since.map_or(0, |since| now.saturating_sub(since))
    }

    /// Only while nothing but the server slows it down: its window was open all the time.
    fn learn_rate(&mut self, bytes: f64, window: f64, now: Micros) {
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

/// The payload that a receive buffer of this size lets in before it is read, as seen on Linux 6.
fn window_of(buffer: usize) -> f64 {
    let buffer = buffer as f64;
    match buffer {
        ..2_900.0 => SEGMENT + 12.0,
        2_900.0..3_500.0 => 2.0 * SEGMENT,
        3_500.0..10_000.0 => buffer * 1.4,
        _ => buffer * WINDOW_OF_LARGE,
    }
}

fn learn(known: &mut Option<f64>, new: f64, gain: f64) {
    *known = Some(known.map_or(new, |known| known + (new - known) * gain));
}
