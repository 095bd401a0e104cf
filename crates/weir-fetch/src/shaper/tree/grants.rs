//! Who gets what is free: sites in turn, reads before starts, nothing beyond a cap.

use super::super::throttle::Micros;
use super::windows::{WINDOW_OF_LARGE, window_of};
use super::{AROUND, ON_WIRE, Place, SEGMENT, Tree, Wait};

/// Starts are held back from so many exchanges on: few sites with large windows may have nothing but
/// starts for a moment.
const MANY: usize = 16;
/// Starts that are held back are looked at again after this time.
const SOON_US: Micros = 20_000;
/// A connection that gets less is not worth having.
const LEAST_RATE: f64 = 4_000.0;
/// What one turn gives at the most.
const TURN: f64 = 32_768.0;
const TURN_S: f64 = 0.006;
/// Who had nothing to read for a moment catches up on that much.
const GRACE_S: f64 = 0.25;

impl Tree {
    /// Grants what can be granted now; `next` is when to look again.
    pub fn pump(&mut self, now: Micros) {
        self.next = None;
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
                self.refused_us = Some(now);
                self.sites[id as usize].place = Place::Capped;
                self.capped.push((now + 50_000, id));
                continue;
            }
            let later = matches!(wait, Wait::Start(_));
            let held = later && self.are_starts_held();
            let site = &mut self.sites[id as usize];
            let own = match held {
                // What holds them may end sooner.
                true => self.beginnings.when(amount, false, now).map(|at| at.min(now + SOON_US)),
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

    /// Reads wait, and so much is under way that starts have to leave them something.
    fn are_starts_held(&self) -> bool {
        self.waiting_reads > 0 && self.active >= MANY
    }

    pub(super) fn enlist(&mut self, id: u32) {
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

    pub(super) fn grant(&mut self, id: u32, wait: Wait, amount: f64, now: Micros) {
        let held = self.are_starts_held();
        let site = &mut self.sites[id as usize];
        self.turns.granted(&site.turn, amount);
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
                flow.granted_us = now;
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
                if held {
                    self.beginnings.pay(amount, now);
                }
                self.enlist(id);
                return;
            }
        }
        self.charge(id, amount, now);
        self.enlist(id);
    }

    /// What may come of it beyond what is paid for: an answer longer than expected fills its window.
    pub(super) fn worst(&self, site: u32, wait: Wait, amount: f64) -> f64 {
        match wait {
            Wait::Read(_) => amount,
            Wait::Start(_) => {
                let window = window_of(self.buffer_for(site, None)) + SEGMENT;
                amount.max(window * ON_WIRE * (self.active + 1) as f64)
            }
        }
    }

    /// Bytes on the wire that are to be paid for.
    pub(super) fn amount(&self, site: u32, wait: Wait) -> f64 {
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
                let window = self.first_window(site);
                let at_once = self.at_once(site, self.sites[site as usize].rate);
                let usual = self.sites[site as usize].usual.next(self.usual.next(window));
                usual.min(window).min(at_once).max(500.0) * ON_WIRE
                    + AROUND
                    + self.starts[start].extra
            }
        }
    }

    pub(super) fn has_room(&self) -> bool {
        if self.stopped {
            return false;
        }
        (self.active as f64) < self.most_active()
    }

    pub(super) fn most_active(&self) -> f64 {
        (self.whole.rate() / LEAST_RATE).max(8.0)
    }

    pub(super) fn unpark(&mut self) {
        if self.parked.is_empty() || !self.has_room() {
            return;
        }
        for id in std::mem::take(&mut self.parked) {
            self.sites[id as usize].place = Place::Away;
            self.enlist(id);
        }
    }

    pub(super) fn end_waits_for_caps(&mut self, now: Micros) {
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
}
