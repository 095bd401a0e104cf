//! One attempt at a bucket, as the bank sees it.

use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tonic::Status;

use crate::scheduler::intake::Intake;
use crate::wire::bank_word::What;
use crate::wire::{BankWord, Rates, TaskPulse, Void};
use crate::{GONE, QUIET};

pub type Attempt = [u8; 16];

/// The way back to a task. Bounded: who does not read is not written to.
pub type Words = mpsc::Sender<Result<BankWord, Status>>;

/// One connection.
pub struct Link {
    /// Counted from 1.
    pub id: u64,
    pub words: Words,
    /// It runs on this machine, and nobody stands between us.
    pub is_here: bool,
}

pub struct Party {
    pub attempt: Attempt,
    /// For the purse.
    pub who: u64,
    pub link: Option<Link>,
    pub seen: Instant,
    /// It was told that what it does is void.
    pub void: Option<Instant>,
    /// It certainly fetches nothing, though it may come back.
    pub has_ended: bool,
    pub pages: u64,
    pub intake: Intake,
    stamp_ms: u64,
    told: Instant,
}

/// Something is told at least this often: whoever hears nothing stops.
const WORD_EVERY: Duration = Duration::from_millis(600);

impl Party {
    pub fn new(attempt: Attempt, who: u64, link: Link, stamp_ms: u64, now: Instant) -> Party {
        Party {
            attempt,
            who,
            link: Some(link),
            seen: now,
            void: None,
            has_ended: false,
            pages: 0,
            intake: Intake::new(now),
            stamp_ms,
            told: now,
        }
    }

    /// It is connected again.
    pub fn rejoined(&mut self, link: Link, stamp_ms: u64, now: Instant) {
        self.link = Some(link);
        self.has_ended = false;
        self.seen = now;
        self.stamp_ms = self.stamp_ms.max(stamp_ms);
    }

    pub fn heard(&mut self, pulse: &TaskPulse, now: Instant) {
        self.seen = now;
        self.stamp_ms = self.stamp_ms.max(pulse.stamp_ms);
        self.pages = self.pages.max(pulse.pages);
        self.intake.heard(pulse.received, pulse.stamp_ms, now);
    }

    pub fn is_linked_by(&self, link: u64) -> bool {
        self.link.as_ref().is_some_and(|own| own.id == link)
    }

    /// The same attempt, which may go on.
    pub fn is_still(&self, attempt: Attempt) -> bool {
        self.attempt == attempt && self.void.is_none()
    }

    /// It has given up by now, or was told to long ago.
    pub fn is_gone(&self, now: Instant) -> bool {
        let since = self.void.map_or(self.seen, |void| void.min(self.seen));
        now.duration_since(since) >= GONE
    }

    /// Somebody who waits and was not heard of lately may be gone.
    pub fn is_there(&self, now: Instant) -> bool {
        self.link.is_some() && now.duration_since(self.seen) <= QUIET
    }

    /// It crawls.
    pub fn is_at_work(&self) -> bool {
        self.void.is_none() && !self.has_ended
    }

    pub fn rate(&self) -> f64 {
        if self.link.is_some() { self.intake.rate() } else { 0.0 }
    }

    /// False if nothing can be sent at the moment.
    pub fn send(&self, what: What) -> bool {
        let word = Ok(BankWord { what: Some(what) });
        self.link.as_ref().is_some_and(|link| link.words.try_send(word).is_ok())
    }

    /// One word could be sent.
    pub fn has_room(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.words.capacity() > 0)
    }

    pub fn begin(&self, limited: bool) -> bool {
        self.send(What::Begin(crate::wire::Begin { limited, heard_ms: self.stamp_ms }))
    }

    /// A grant that cannot be sent is lost, and repeated by its purse. Who is void is told nothing that
    /// would keep its grants alive.
    pub fn tell(&mut self, total: Option<crate::wire::Grant>, now: Instant) {
        let is_due = total.is_some() || now.duration_since(self.told) >= WORD_EVERY;
        let rates = Rates { heard_ms: self.stamp_ms, total, ..Rates::default() };
        if is_due && self.void.is_none() && self.send(What::Rates(rates)) {
            self.told = now;
        }
    }

    /// If it cannot be told, it is told nothing else either, and ends by itself.
    pub fn make_void(&mut self, why: &str, now: Instant) {
        self.void = Some(now);
        self.send(What::Void(Void { why: why.to_owned() }));
    }
}
