//! One cap, several downloaders: the sum of what all of them may receive never passes the cap,
//! whatever messages are lost, delayed or reordered.
//!
//! There is no clock and no socket here; times come in as milliseconds. The scheduler has a
//! [`Purse`] for the cap of the whole crawl and one for each site with a hard cap, and a [`Quota`]
//! for a budget of bytes. A downloader has a [`Held`] for each of those purses. Why the sum holds:
//!
//! - A grant counts from the moment it is given out until the downloader says that it holds a later
//!   one. What was lowered is not given to another before that.
//! - What servers owe to a downloader may come at any moment: it was let in under an earlier grant, and a
//!   network that was cut brings it all at once when it is there again. Nobody else is given room for it.
//! - A downloader puts a grant into force only if its version is higher than all before it. So
//!   whatever was lost or overtaken on the way, it holds the version it named or a later one.
//! - A downloader that is not heard of stops by itself, at a time *on its own clock* that every
//!   message to it carries: the stamp of the last pulse the scheduler had from it, and [`LIFETIME_MS`].
//!   The pulse was before the message, so that it stops within that time of the sending of the last
//!   message, however long the message was on its way, and whatever the two clocks show.
//!
//! Read `member` for what one downloader may hold, `fair` for who should have how much, `held` for
//! the downloader's half.

mod fair;
mod held;
mod member;
mod quota;
#[cfg(test)]
mod tests;
mod wish;

use std::collections::BTreeMap;

pub use held::Held;
pub use quota::{Quota, QuotaGrant};
pub use wish::Wish;

use fair::fair;
use member::Member;

/// A downloader that hears nothing from the scheduler for so long sets its rates to zero.
pub const LIFETIME_MS: u64 = 3000;
/// What the scheduler waits beyond that, since two clocks do not run at quite the same speed.
pub const MARGIN_MS: u64 = 1000;
/// A rate that would change by less than this part of it is left as it is.
const SMALL: f64 = 0.02;
/// The part of a cap that is divided evenly among all, whatever they do: something to begin with.
const FLOORS: f64 = 0.02;

/// Divides one cap, of the whole crawl or of one site, among downloaders.
///
/// Rates are whole bytes a second, so that sums are exact. `who` names one run of one downloader:
/// it stays the same when the downloader connects again, and another process has another.
#[derive(Debug)]
pub struct Purse {
    cap: f64,
    members: BTreeMap<u64, Member>,
    /// The last version given out. Never used twice, whoever leaves or comes back.
    version: u64,
    /// Until then downloaders may hold anything from a scheduler that was here before.
    settled_ms: Option<u64>,
}

/// What a downloader is to be told now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grant {
    pub who: u64,
    /// Bytes a second; may be infinite.
    pub rate: f64,
    pub version: u64,
}

impl Purse {
    /// A cap in bytes a second; infinite for none, 0 for a pause. No downloader holds anything yet.
    ///
    /// Where a cap is put on a site that downloaders already read without one, begin with an
    /// infinite cap, let them join, and set the cap then: what they hold is counted from the start.
    pub fn new(cap: f64) -> Purse {
        Purse { cap: amount(cap), members: BTreeMap::new(), version: 0, settled_ms: None }
    }

    /// For a scheduler that was started again at `now_ms`. Downloaders may still hold what was
    /// granted before, so that nothing is granted until that has run out. `version` must not be
    /// lower than any given out before, or downloaders would take new grants for old ones: the
    /// number of the run in the upper bits will do.
    pub fn restarted(cap: f64, version: u64, now_ms: u64) -> Purse {
        let settled_ms = Some(run_out_ms(now_ms));
        Purse { version, settled_ms, ..Purse::new(cap) }
    }

    /// Lower grants go out with the next `share_out`; `booked` tells what may still be in force.
    pub fn set_cap(&mut self, cap: f64) {
        self.cap = amount(cap);
    }

    /// A downloader has connected, for the first time or again, or it says that its grants have run
    /// out. It is told anew; what it was told before stays booked until it names a later version.
    pub fn join(&mut self, who: u64) {
        let inherits = self.settled_ms.is_some();
        let new =
            || if inherits { Member::holding_anything(self.version) } else { Member::default() };
        let member = self.members.entry(who).or_insert_with(new);
        member.told_anew = false;
        member.lost = false;
    }

    /// The connection is gone. What the downloader may hold stays booked until it has run out for
    /// certain, counted from the last message of any kind that was sent to it, on whatever connection.
    pub fn lost(&mut self, who: u64, last_sent_ms: u64) {
        if let Some(member) = self.members.get_mut(&who) {
            member.lose(last_sent_ms);
        }
    }

    /// The downloader has stopped everything and said so: what it held is free at once.
    pub fn left(&mut self, who: u64) {
        self.members.remove(&who);
    }

    pub fn wants(&mut self, who: u64, wish: Wish) {
        if let Some(member) = self.members.get_mut(&who) {
            member.wish = wish;
        }
    }

    /// The downloader says that it holds this version. Late and unknown ones change nothing.
    pub fn in_force(&mut self, who: u64, version: u64) {
        if let Some(member) = self.members.get_mut(&who) {
            member.in_force(version);
        }
    }

    /// The downloader says how many bytes may come to it at any moment, whatever it is granted from now on.
    pub fn owes(&mut self, who: u64, bytes: f64) {
        let bytes = if bytes.is_finite() { bytes.clamp(0.0, self.cap).ceil() } else { 0.0 };
        if let Some(member) = self.members.get_mut(&who) {
            member.owed = bytes;
        }
    }

    /// Who is to be told what now; nothing where nothing changes. What is given out counts as sent.
    pub fn share_out(&mut self, now_ms: u64) -> Vec<Grant> {
        self.members.retain(|_, member| !member.is_gone(now_ms));
        self.settled_ms = self.settled_ms.filter(|at_ms| now_ms < *at_ms);
        let targets = self.targets();
        let mut grants = self.lower(&targets, now_ms);
        grants.extend(self.raise(&targets, now_ms));
        grants.extend(self.repeat(now_ms));
        grants
    }

    /// What the downloader was told last.
    pub fn granted(&self, who: u64) -> f64 {
        self.members.get(&who).map_or(0.0, Member::told)
    }

    /// The sum of the highest rates that may be in force. It passes the cap only where the cap was
    /// lowered, until the downloaders say that they hold less.
    pub fn booked(&self) -> f64 {
        match self.settled_ms {
            Some(_) => f64::INFINITY,
            None => self.members.values().map(Member::booked).sum(),
        }
    }

    /// The last version given out, for whoever goes on after a restart.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// What those who are connected may have together.
    fn pot(&self) -> f64 {
        let lost = self.members.values().filter(|member| member.lost);
        match self.cap.is_infinite() {
            true => f64::INFINITY,
            false if self.settled_ms.is_some() => 0.0,
            false => (self.cap - lost.map(Member::booked).sum::<f64>()).max(0.0),
        }
    }

    /// What each of those who are connected should have in the end.
    fn targets(&self) -> Vec<(u64, f64)> {
        let pot = self.pot();
        let connected = || self.members.iter().filter(|(_, member)| !member.lost);
        let floor = pot * FLOORS / connected().count().max(1) as f64;
        let owed: f64 = connected().map(|(_, member)| member.owed).sum();
        // More may be owed than there is room for: then each has its part of the room.
        let room = pot * (1.0 - FLOORS);
        let scale = if owed > room { room / owed } else { 1.0 };
        let claim = |member: &Member| member.wish.claim(pot, floor, member.owed * scale);
        let claims: Vec<_> = connected().map(|(_, member)| claim(member)).collect();
        // Room that nobody waits for stays where it is, so that crawls at ease send no messages.
        let kept =
            || connected().zip(&claims).map(|((_, member), claim)| claim.most.max(member.told()));
        let at_ease =
            !connected().any(|(_, member)| member.wish.hungry) && kept().sum::<f64>() <= pot;
        let rates = if at_ease { kept().collect() } else { fair(&claims, pot) };
        connected().zip(rates).map(|((who, _), rate)| (*who, rate.floor())).collect()
    }

    /// Lowering needs no room, so that it is done at once. Small differences are lowered only where
    /// what others should have would not fit otherwise.
    fn lower(&mut self, targets: &[(u64, f64)], now_ms: u64) -> Vec<Grant> {
        let after = targets.iter().map(|(who, target)| match self.granted(*who) {
            told if differ(told, *target) => *target,
            told => told,
        });
        let tight = after.sum::<f64>() > self.pot();
        let mut grants = Vec::new();
        for (who, target) in targets {
            let told = self.granted(*who);
            if *target < told && (tight || differ(told, *target)) {
                grants.extend(self.tell(*who, *target, now_ms));
            } else if !differ(told, *target) && self.must_be_told(*who) {
                grants.extend(self.tell(*who, told, now_ms));
            }
        }
        grants
    }

    /// Raising takes what is free for certain. Where that does not suffice each gets its part of it,
    /// and the rest when others have said that they hold less.
    fn raise(&mut self, targets: &[(u64, f64)], now_ms: u64) -> Vec<Grant> {
        let mut raised: Vec<_> =
            targets.iter().map(|(who, to)| (*who, *to, self.granted(*who))).collect();
        raised.retain(|(_, to, told)| to > told && differ(*told, *to));
        let lack: f64 = raised.iter().map(|(who, to, _)| self.lack(*who, *to)).sum();
        let free = self.free();
        let mut grants = Vec::new();
        for (who, to, told) in raised {
            let short = self.lack(who, to);
            let rate = match free {
                None => told,
                Some(free) if lack <= free => to,
                // Up to what it may hold anyway a rate takes no room.
                Some(free) => (to - short + short * free / lack).floor(),
            };
            if differ(told, rate) || self.must_be_told(who) {
                grants.extend(self.tell(who, rate, now_ms));
            }
        }
        grants
    }

    /// What was told and not answered for long.
    fn repeat(&mut self, now_ms: u64) -> Vec<Grant> {
        let overdue = self.members.iter_mut().filter_map(|(who, member)| {
            let (version, rate) = member.tell_again(now_ms)?;
            Some(Grant { who: *who, rate, version })
        });
        overdue.collect()
    }

    /// What is booked for nobody. `None` while more is booked than the cap allows: then who may hold
    /// much must not be raised even within that, since the others hold too much as well.
    fn free(&self) -> Option<f64> {
        match self.cap.is_infinite() {
            true => Some(f64::INFINITY),
            false => Some(self.cap - self.booked()).filter(|free| *free >= 0.0),
        }
    }

    /// The room that a rate takes beyond what is booked for this downloader.
    fn lack(&self, who: u64, rate: f64) -> f64 {
        let booked = self.members.get(&who).map_or(0.0, Member::booked);
        if booked < rate { rate - booked } else { 0.0 }
    }

    fn must_be_told(&self, who: u64) -> bool {
        self.members.get(&who).is_some_and(|member| !member.told_anew)
    }

    fn tell(&mut self, who: u64, rate: f64, now_ms: u64) -> Option<Grant> {
        let member = self.members.get_mut(&who)?;
        self.version += 1;
        member.tell(self.version, rate, now_ms);
        Some(Grant { who, rate, version: self.version })
    }
}

/// Whole bytes, and nothing where a figure makes no sense.
fn amount(cap: f64) -> f64 {
    cap.max(0.0).floor()
}

/// When a downloader has certainly stopped by itself, if nothing more is sent to it.
fn run_out_ms(last_sent_ms: u64) -> u64 {
    last_sent_ms.saturating_add(LIFETIME_MS + MARGIN_MS)
}

/// By so much that it is worth a message.
fn differ(one: f64, other: f64) -> bool {
    one.min(other) < one.max(other) * (1.0 - SMALL)
}
