//! What is paid for and what came, connection by connection.

use std::os::fd::RawFd;
use std::task::Waker;

use super::super::kernel::Arrived;
use super::super::throttle::Micros;
use super::flow::{Exchange, Flow};
use super::windows::window_of;
use super::{AROUND, ON_WIRE, PACKET, SEGMENT, Tree};

/// A turn to read is used within this time, or lost.
const LATE_US: Micros = 10_000;

impl Tree {
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
            granted_us: now,
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

    pub(super) fn learn_size(&mut self, site: u32, bytes: f64) {
        let first = bytes.min(self.first_window(site));
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
            if now.saturating_sub(flow.granted_us) <= LATE_US {
                return Some(flow.exchange.credit as u64);
            }
            self.give_back(id, now);
        }
        self.pay_for_window(id, now);
        let Flow { exchange, .. } = &self.flows[id];
        (exchange.size.is_some_and(|size| exchange.paid >= size)).then_some(u64::MAX)
    }

    /// The turn to read came and was not used, because whoever reads had other things to do. All
    /// turns that were missed would be used at once now: it has to ask for a new one.
    fn give_back(&mut self, id: usize, now: Micros) {
        let flow = &mut self.flows[id];
        let payload = std::mem::take(&mut flow.exchange.credit);
        flow.exchange.paid -= payload;
        let (site, amount, at) = (flow.site, payload * ON_WIRE, flow.granted_us);
        flow.charged -= amount;
        self.paid -= amount;
        self.whole.take_back(amount, at, now);
        let site = &mut self.sites[site as usize];
        if let Some(cap) = &mut site.cap {
            cap.take_back(amount, at, now);
        }
        site.turn.charge(-amount);
    }

    /// What was read has opened the window again: the first window was paid for, this is not yet.
    pub(super) fn pay_for_window(&mut self, id: usize, now: Micros) {
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
        flow.granted_us = Micros::MAX;
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

    /// In exchanges that the tree did not know of; `came_freely` has paid for them.
    pub fn was_read_freely(&mut self, id: usize, exchanges: usize, bytes: usize) {
        let wire = bytes as f64 * ON_WIRE + exchanges as f64 * AROUND;
        let flow = &mut self.flows[id];
        flow.read += bytes as f64;
        flow.wire += wire;
        flow.charged += wire;
    }

    /// Bytes on the wire, of any connections.
    pub fn came_freely(&mut self, bytes: f64, now: Micros) {
        self.arrived += bytes;
        self.paid += bytes;
        self.whole.pay(bytes, now);
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
        let is_full = told < SEGMENT && flow.is_full(now);
        let open = if is_full { 0.0 } else { (flow.exchange.paid - came).max(told).min(left) };
        flow.exchange.paid = came + open;
        if open < left {
            let read = flow.read - flow.exchange.from + flow.exchange.credit;
            flow.window = (flow.exchange.paid - read).max(SEGMENT);
        }
        self.settle(id, wire, open * ON_WIRE, now);
    }

    /// `wire` came and `open` may come: that much is paid for.
    pub(super) fn settle(&mut self, id: usize, wire: f64, open: f64, now: Micros) {
        let flow = &mut self.flows[id];
        self.arrived += wire - flow.wire;
        flow.wire = wire;
        let missing = wire + open - flow.charged;
        flow.charged += missing;
        let pending = if flow.is_full(now) { 0.0 } else { open };
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

    pub(super) fn charge(&mut self, site: u32, bytes: f64, now: Micros) {
        self.paid += bytes;
        self.whole.pay(bytes, now);
        let site = &mut self.sites[site as usize];
        if let Some(cap) = &mut site.cap {
            cap.pay(bytes, now);
        }
        site.turn.charge(bytes);
    }

    pub(super) fn reserve(&mut self, site: u32, bytes: f64, now: Micros) {
        self.paid += bytes;
        self.whole.reserve(bytes, now);
        let site = &mut self.sites[site as usize];
        if let Some(cap) = &mut site.cap {
            cap.reserve(bytes, now);
        }
        site.turn.charge(bytes);
    }

    pub(super) fn land(&mut self, site: u32, bytes: f64, now: Micros) {
        self.whole.land(bytes, now);
        if let Some(cap) = &mut self.sites[site as usize].cap {
            cap.land(bytes, now);
        }
    }

    /// What was reserved for the start of an exchange has arrived, or is no longer waited for.
    pub(super) fn landed(&mut self, id: usize, now: Micros) {
        let flow = &mut self.flows[id];
        let (site, pending) = (flow.site, std::mem::take(&mut flow.pending));
        if pending > 0.0 {
            self.land(site, pending, now);
        }
    }
}
