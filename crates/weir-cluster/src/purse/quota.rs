use std::collections::BTreeMap;

/// Divides a budget of bytes among downloaders.
///
/// Each downloader has a quota: a running total it must not pass, which only ever grows, so that of
/// two messages the higher one holds, in whatever order they come. It reports the running total it
/// has received. What was given out and not reported may have been received, for ever; the sum of
/// that never passes what the budget allows.
#[derive(Debug)]
pub struct Quota {
    /// Bytes that may still come beyond all that was reported.
    allowed: u64,
    members: BTreeMap<u64, Member>,
}

/// What a downloader is to be told now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaGrant {
    pub who: u64,
    /// The running total that the downloader must not pass.
    pub quota: u64,
}

#[derive(Debug, Default)]
struct Member {
    quota: u64,
    received: u64,
    /// Bytes a second, lately.
    used: f64,
    connected: bool,
    /// What it has is too little for what it wants to begin.
    starves: bool,
    /// It was told since it joined last; what was told before may have been lost.
    told_anew: bool,
}

/// Each is given as much as it uses in this time. A downloader that is lost takes that with it, and
/// one that is slow keeps it from the others, so it is not long; messages take far less.
const LEAD_S: f64 = 10.0;
/// And so many bytes, to begin with.
const LEAST_LEAD: u64 = 64 * 1024;

impl Quota {
    pub fn new(allowed: u64) -> Quota {
        Quota { allowed, members: BTreeMap::new() }
    }

    /// What the budget allows from now on, beyond all that was reported. What is outstanding cannot
    /// be taken back: where that is more, nothing is given out until it has been reported.
    pub fn set_allowed(&mut self, allowed: u64) {
        self.allowed = allowed;
    }

    pub fn allowed(&self) -> u64 {
        self.allowed
    }

    /// A downloader has connected, for the first time or again, and has received `total` so far.
    /// Where it is new here, what it received before is not of this budget.
    pub fn join(&mut self, who: u64, total: u64) {
        let new = || Member { quota: total, received: total, ..Member::default() };
        let member = self.members.entry(who).or_insert_with(new);
        member.connected = true;
        member.told_anew = false;
        self.count(who, total);
    }

    /// The connection is gone. What is outstanding stays booked, since it may have been received.
    pub fn lost(&mut self, who: u64) {
        if let Some(member) = self.members.get_mut(&who) {
            member.connected = false;
        }
    }

    /// The downloader has stopped for good after `total` in all: the rest of its quota is free.
    pub fn left(&mut self, who: u64, total: u64) {
        self.count(who, total);
        self.members.remove(&who);
    }

    /// From its pulse: all it has received, and what it received a second lately.
    pub fn received(&mut self, who: u64, total: u64, used: f64) {
        self.count(who, total);
        if let Some(member) = self.members.get_mut(&who) {
            member.used = used;
        }
    }

    /// It has said that it can begin nothing with what it has, however much that is.
    pub fn starves(&mut self, who: u64) {
        if let Some(member) = self.members.get_mut(&who) {
            member.starves = true;
        }
    }

    /// Nothing is left to be given to anybody.
    pub fn is_given_out(&self) -> bool {
        // Parts are rounded down.
        self.free() <= self.members.len() as u64
    }

    fn free(&self) -> u64 {
        self.allowed.saturating_sub(self.outstanding())
    }

    /// Who is to be told what now; nothing where each has enough or nothing is free.
    pub fn share_out(&mut self) -> Vec<QuotaGrant> {
        let free = self.free();
        let lacks = self.members.values().map(|member| u128::from(member.lack())).sum();
        let mut grants = Vec::new();
        for (who, member) in self.members.iter_mut().filter(|(_, member)| member.connected) {
            let lack = member.lack();
            member.starves = false;
            let more = if lacks <= free.into() { lack } else { part(lack, free, lacks) };
            if more > 0 || !member.told_anew {
                member.quota += more;
                member.told_anew = true;
                grants.push(QuotaGrant { who: *who, quota: member.quota });
            }
        }
        grants
    }

    /// What may have been received and was not reported.
    pub fn outstanding(&self) -> u64 {
        self.members.values().fold(0, |sum, member| sum.saturating_add(member.outstanding()))
    }

    /// Totals only grow: a lower one was overtaken on its way.
    fn count(&mut self, who: u64, total: u64) {
        if let Some(member) = self.members.get_mut(&who) {
            let more = total.saturating_sub(member.received);
            member.received += more;
            // More than it was given makes others have less.
            member.quota = member.quota.max(member.received);
            self.allowed = self.allowed.saturating_sub(more);
        }
    }
}

impl Member {
    fn outstanding(&self) -> u64 {
        self.quota - self.received
    }

    /// What it is short of. Half a lead suffices, so that not each pulse is answered with a quota.
    fn lack(&self) -> u64 {
        let lead = LEAST_LEAD.saturating_add((self.used * LEAD_S) as u64);
        let lack = match self.connected {
            true if self.starves => lead,
            true if self.outstanding() < lead / 2 => lead - self.outstanding(),
            _ => 0,
        };
        // A peer may report any total, near the end of all numbers too.
        lack.min(u64::MAX - self.quota)
    }
}

/// `free` × `lack` / `lacks`, rounded down.
fn part(lack: u64, free: u64, lacks: u128) -> u64 {
    let part = u128::from(free) * u128::from(lack) / lacks.max(1);
    u64::try_from(part).unwrap_or(0)
}
