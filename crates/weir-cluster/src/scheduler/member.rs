//! One downloader, as the scheduler sees it.

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::time::Instant;

use weir_crawl::DownloaderReport;
use weir_frontier::Frontier;

use super::intake::Intake;
use super::note::{Account, MemberNote, Who};
use crate::gate::{LinkId, Orders, order};
use crate::wire::order::What;
use crate::wire::{Hello, Pulse};

pub struct Member {
    pub id: [u8; 16],
    pub name: String,
    out: String,
    pub slots: u32,
    /// Of its process.
    pub start: u64,
    pub link: Option<Link>,
    /// Jobs that are to be sent, and those that were.
    pub queue: VecDeque<u64>,
    pub has: HashSet<u64>,
    pub seen: Instant,
    /// Its outcomes up to this one have come.
    pub known: u64,
    /// Of these, those that the crawl has not settled yet, and whether they have a page to store...
    open: BTreeMap<u64, bool>,
    /// ...those whose pages are to be stored...
    unstored: BTreeSet<u64>,
    /// ...and those that came too late, as long as it has not heard of it.
    rejected: BTreeSet<u64>,
    /// Settled when each of the last syncs began, the oldest first; safe whatever happens; and as it was
    /// told.
    syncs: VecDeque<u64>,
    durable: u64,
    told: u64,
    /// It says that it has stored them.
    pub stored: u64,
    /// Up to this one they were settled by an earlier run of the scheduler, and which of them have a page is
    /// not known any more.
    remembered: u64,
    noted: MemberNote,
    pub pulse: Pulse,
    pub pulses: u64,
    pub intake: Intake,
    pages: u64,
    failed: u64,
    bytes_wire: u64,
    /// Jobs of an earlier epoch that it still fetches are waited for.
    pub is_awaited: bool,
    pub said_goodbye: bool,
    /// What it may receive, for whoever watches.
    pub share: Option<f64>,
    /// It is lost for good: nobody waits for it, and it is not let in again.
    pub written_off: bool,
}

/// After a loss of power the frontier's log counts as far as a frame in it says that all before was
/// synced, and that frame is itself safe only after the sync after next. What was told to a
/// downloader cannot be taken back, so it is told then.
const SYNCS: usize = 3;

pub struct Link {
    pub id: LinkId,
    pub orders: Orders,
    /// It runs on this machine, and nobody stands between us.
    pub is_here: bool,
}

impl Member {
    pub fn new(hello: &Hello, id: [u8; 16], now: Instant) -> Member {
        Member {
            id,
            name: hello.name.clone(),
            out: hello.out.clone(),
            slots: hello.slots,
            start: hello.start,
            link: None,
            queue: VecDeque::new(),
            has: HashSet::new(),
            seen: now,
            known: hello.stored,
            open: BTreeMap::new(),
            unstored: BTreeSet::new(),
            remembered: 0,
            rejected: BTreeSet::new(),
            syncs: VecDeque::new(),
            durable: hello.stored,
            told: 0,
            stored: hello.stored,
            noted: MemberNote::default(),
            pulse: Pulse::default(),
            pulses: 0,
            intake: Intake::new(now),
            pages: 0,
            failed: 0,
            bytes_wire: 0,
            is_awaited: false,
            said_goodbye: false,
            share: None,
            written_off: false,
        }
    }

    /// As an earlier run of the scheduler has known it.
    pub fn remembered(note: MemberNote, now: Instant) -> Member {
        let MemberNote { who, account } = note;
        let hello =
            Hello { name: who.name, out: who.out, stored: account.applied, ..Hello::default() };
        Member {
            stored: account.stored,
            remembered: account.applied,
            rejected: account.rejected.iter().copied().collect(),
            is_awaited: account.busy,
            said_goodbye: true,
            written_off: who.written_off,
            ..Member::new(&hello, who.id, now)
        }
    }

    /// It is here (again).
    pub fn joined(&mut self, hello: &Hello, link: Link, now: Instant) {
        self.name.clone_from(&hello.name);
        self.out.clone_from(&hello.out);
        self.slots = hello.slots;
        if self.start != hello.start {
            self.intake.begin_anew();
        }
        self.start = hello.start;
        self.link = Some(link);
        self.seen = now;
        self.told = 0;
        self.said_goodbye = false;
        self.pulse = Pulse::default();
        self.heard_stored(hello.stored);
    }

    /// Jobs that may be with it at a time: as many as it fetches, and as many again, so that it never
    /// waits for us.
    pub fn window(&self) -> usize {
        self.slots as usize * 2
    }

    pub fn load(&self) -> usize {
        self.queue.len() + self.has.len()
    }

    /// It is there, and stays.
    pub fn takes_jobs(&self) -> bool {
        self.is_connected() && !self.pulse.leaving
    }

    pub fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// False if nothing more can be sent at the moment.
    pub fn send(&self, what: What) -> bool {
        self.link.as_ref().is_some_and(|link| link.orders.try_send(order(what)).is_ok())
    }

    pub fn has_room_for_orders(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.orders.capacity() > 0)
    }

    /// The next outcome is on its way to the crawl.
    pub fn opened(&mut self, number: u64, has_page: bool) {
        self.open.insert(number, has_page);
    }

    pub fn settled(&mut self, number: u64, counts: bool) {
        let has_page = self.open.remove(&number) == Some(true);
        if !counts {
            self.rejected.insert(number);
        } else if has_page {
            self.unstored.insert(number);
        }
    }

    /// All outcomes up to this one are settled.
    fn applied(&self) -> u64 {
        self.open.first_key_value().map_or(self.known, |(first, _)| first - 1)
    }

    /// Writes what has changed since it was last written: it happens many times a second.
    pub fn note(&mut self, number: usize, frontier: &mut Frontier) {
        let Who { id, name, out, written_off } = &self.noted.who;
        let is_known = *id == self.id && *name == self.name && *out == self.out;
        if !is_known || *written_off != self.written_off {
            self.noted.who = Who {
                id: self.id,
                name: self.name.clone(),
                out: self.out.clone(),
                written_off: self.written_off,
            };
            self.noted.who.write(number, frontier);
        }
        let account = Account {
            busy: self.load() > 0,
            applied: self.applied(),
            rejected: self.rejected.iter().copied().collect(),
            stored: self.stored,
        };
        if account != self.noted.account || !is_known {
            self.noted.account = account;
            self.noted.account.write(number, frontier);
        }
    }

    pub fn syncing(&mut self) {
        self.syncs.push_back(self.applied());
    }

    pub fn synced(&mut self) {
        while self.syncs.len() >= SYNCS {
            self.durable = self.syncs.pop_front().unwrap_or(self.durable);
        }
    }

    /// The log is safe as it is.
    pub fn sealed(&mut self) {
        self.syncs.clear();
        self.durable = self.applied();
    }

    /// What it has to hear of: up to which outcome all are settled for good, and which of them in vain.
    pub fn untold(&mut self) -> Option<(u64, Vec<u64>)> {
        let upto = self.durable;
        if upto <= self.told.max(self.stored) {
            return None;
        }
        let rejected = self.rejected.range(..=upto).copied().collect();
        Some((upto, rejected))
    }

    pub fn was_told(&mut self, upto: u64) {
        self.told = upto;
    }

    pub fn heard_stored(&mut self, stored: u64) {
        self.stored = self.stored.max(stored);
        self.rejected = self.rejected.split_off(&(self.stored + 1));
        self.unstored = self.unstored.split_off(&(self.stored + 1));
    }

    /// What it has done of the crawl's pages is in its files.
    pub fn has_stored_all(&self) -> bool {
        self.unconfirmed() == 0
    }

    /// Pages that count, and that it has not said to have stored.
    fn unconfirmed(&self) -> u64 {
        if self.written_off {
            return 0;
        }
        let old = self.remembered.saturating_sub(self.stored);
        let in_vain = self.rejected.range(..=self.remembered).count() as u64;
        let new = self.unstored.range(self.remembered + 1..).count() as u64;
        old.saturating_sub(in_vain) + new
    }

    pub fn count(&mut self, bytes_wire: u64, is_kept: bool) {
        self.pages += u64::from(is_kept);
        self.failed += u64::from(!is_kept);
        self.bytes_wire += bytes_wire;
    }

    pub fn heard(&mut self, pulse: Pulse, now: Instant) {
        self.intake.heard(pulse.received, pulse.stamp_ms, now);
        self.seen = now;
        self.pulses += 1;
        self.heard_stored(pulse.stored.min(self.durable));
        self.pulse = pulse;
    }

    pub fn rate(&self) -> f64 {
        if self.is_connected() { self.intake.rate() } else { 0.0 }
    }

    pub fn report(&self, now: Instant) -> DownloaderReport {
        DownloaderReport {
            name: self.name.clone(),
            id: self.shown_id(),
            connected: self.is_connected(),
            slots: self.slots,
            under_way: self.load() as u32,
            rate: self.rate(),
            share: self.share,
            pages: self.pages,
            failed: self.failed,
            bytes_wire: self.bytes_wire,
            last_seen_s: (self.pulses > 0).then(|| now.duration_since(self.seen).as_secs_f64()),
            unconfirmed: self.unconfirmed(),
            out: self.out.clone(),
            written_off: self.written_off,
        }
    }

    pub fn shown_id(&self) -> String {
        self.id.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
