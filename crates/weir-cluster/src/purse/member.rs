use super::{Wish, run_out_ms};

/// What one downloader was told and may hold.
#[derive(Debug, Default)]
pub(super) struct Member {
    pub wish: Wish,
    /// Bytes that may come to it at any moment, whatever it holds.
    pub owed: f64,
    /// The grants that may be in force, the oldest first. One that is not higher than a later one is
    /// left out: as long as it counts the later one counts too. So the first is the highest, the
    /// last is what was told last, and a downloader that never answers makes no long list.
    sent: Vec<Sent>,
    /// It was told since it joined last; what was told before may have been lost.
    pub told_anew: bool,
    /// When it was told last, until it says that this is in force.
    unanswered_ms: Option<u64>,
    pub lost: bool,
    /// The last message that is known to have been sent to it, on whatever connection.
    sent_ms: u64,
}

/// A stream loses nothing without breaking, but whoever writes to it may have had to drop something.
const AGAIN_MS: u64 = 1000;

#[derive(Debug)]
struct Sent {
    version: u64,
    rate: f64,
}

impl Member {
    /// One that may hold any grant of a scheduler that was here before, or none, with any version up
    /// to this. Messages without a grant would keep it alive, so that it counts until an answer comes.
    pub fn holding_anything(version: u64) -> Member {
        let sent = [f64::INFINITY, 0.0].map(|rate| Sent { version, rate }).into();
        Member { sent, ..Member::default() }
    }

    pub fn lose(&mut self, sent_ms: u64) {
        self.lost = true;
        self.sent_ms = self.sent_ms.max(sent_ms);
    }

    /// It is not here, and whatever it held has run out.
    pub fn is_gone(&self, now_ms: u64) -> bool {
        self.lost && now_ms >= run_out_ms(self.sent_ms)
    }

    /// What may come to it in a second: by the highest rate that may be in force, or all that it is owed.
    pub fn booked(&self) -> f64 {
        self.sent.first().map_or(0.0, |sent| sent.rate).max(self.owed)
    }

    pub fn told(&self) -> f64 {
        self.sent.last().map_or(0.0, |sent| sent.rate)
    }

    pub fn tell(&mut self, version: u64, rate: f64, now_ms: u64) {
        while self.sent.pop_if(|sent| sent.rate <= rate).is_some() {}
        self.sent.push(Sent { version, rate });
        self.told_anew = true;
        self.unanswered_ms = Some(now_ms);
        self.sent_ms = self.sent_ms.max(now_ms);
    }

    /// The version and rate to send once more, where an answer is overdue.
    pub fn tell_again(&mut self, now_ms: u64) -> Option<(u64, f64)> {
        let told_ms = self.unanswered_ms.filter(|_| !self.lost)?;
        if now_ms.saturating_sub(told_ms) < AGAIN_MS {
            return None;
        }
        self.unanswered_ms = Some(now_ms);
        self.sent_ms = self.sent_ms.max(now_ms);
        self.sent.last().map(|sent| (sent.version, sent.rate))
    }

    /// It holds this version or a later one. A version that it was never told is no reason to
    /// believe anything.
    pub fn in_force(&mut self, version: u64) {
        let Some(last) = self.sent.last().filter(|last| version <= last.version) else {
            return;
        };
        if version == last.version {
            self.unanswered_ms = None;
        }
        self.sent.retain(|sent| sent.version >= version);
    }
}
