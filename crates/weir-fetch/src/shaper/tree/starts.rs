//! Exchanges: asked for, granted, carried by a connection, ended.

use std::task::Waker;

use super::super::kernel::Arrived;
use super::super::throttle::Micros;
use super::flow::{Exchange, Flow};
use super::windows::window_of;
use super::{AROUND, ON_WIRE, SEGMENT, Start, Tree};

impl Tree {
    /// Asks to start an exchange with a server of `site`; `extra` bytes come besides, to connect.
    /// `speed` is how fast the server is known to be, from earlier runs.
    pub fn ask(&mut self, site: u32, extra: f64, speed: Option<f64>, now: Micros) -> usize {
        self.hear_of(site, speed);
        let id = self.starts.insert(Start { site, extra, granted: None, flow: None, waker: None });
        self.engage(site);
        self.sites[site as usize].starts.push_back(id);
        self.enlist(site);
        self.pump(now);
        id
    }

    /// The same for what is under way on a connection already.
    pub fn start_at_once(&mut self, flow: usize, now: Micros) -> usize {
        let site = self.flows[flow].site;
        let usual = self.sites[site as usize].usual.next(self.usual.mean.max(SEGMENT));
        let amount = usual * ON_WIRE + AROUND;
        let granted = Some(amount);
        let id = self.starts.insert(Start { site, extra: 0.0, granted, flow: None, waker: None });
        self.engage(site);
        self.active += 1;
        self.reserve(site, amount, now);
        id
    }

    /// What is known of a server counts until it has answered.
    fn hear_of(&mut self, site: u32, speed: Option<f64>) {
        let known = &mut self.sites[site as usize];
        if known.usual.responses == 0.0 {
            known.rate = known.rate.or(speed);
        }
    }

    /// Whether it may start; else `waker` is woken when it may.
    pub fn is_granted(&mut self, start: usize, waker: &Waker) -> bool {
        let start = &mut self.starts[start];
        if start.granted.is_none() {
            start.waker = Some(waker.clone());
        }
        start.granted.is_some()
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
        flow.granted_us = Micros::MAX;
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
    pub(super) fn count_handshake_once(&mut self, start: usize, flow: usize, now: Micros) {
        let Start { site, extra, granted, .. } = &mut self.starts[start];
        let twice = std::mem::take(extra);
        if let (Some(granted), true) = (granted, self.flows[flow].is_new) {
            *granted -= twice;
            let site = *site;
            self.land(site, twice, now);
            self.charge(site, -twice, now);
        }
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

    pub(super) fn end_exchange(&mut self, id: usize, arrived: Option<Arrived>, now: Micros) {
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

    /// The connection that carries an exchange.
    pub fn flow_of(&self, start: usize) -> Option<&Flow> {
        self.flows.get(self.starts[start].flow?)
    }

    /// No exchange starts from now on.
    pub fn stop_starting(&mut self) {
        self.stopped = true;
    }
}
