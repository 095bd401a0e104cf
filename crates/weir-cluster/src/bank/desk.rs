//! Who holds which bucket, who waits for it, and what came of it. There is no socket here, and times
//! come in.
//!
//! A bucket goes from its holder to the first who waits when the holder has said that it ends, has
//! certainly ended, or was not heard of for so long that it has given up. With a result it goes to nobody
//! any more in this round.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use bytes::Bytes;
use tonic::Status;

use super::party::{Attempt, Link, Party};
use super::servers::Servers;
use super::shares::Shares;
use super::{BankDoing, LARGEST_RESULT};
use crate::GONE;
use crate::convert::{server_words, to_server_grant};
use crate::wire::bank_word::What;
use crate::wire::{BucketClaim, Noted, ServerGrants, ServerWords, TaskPulse};

pub struct Desk {
    round: Option<Round>,
    /// Those that somebody holds or waits for.
    buckets: HashMap<u32, Bucket>,
    results: HashMap<u32, Finished>,
    /// Bytes of all results.
    kept: usize,
    /// What those who have finished in this round have brought.
    brought: BankDoing,
    /// Which bucket a link is about.
    links: HashMap<u64, u32>,
    shares: Shares,
    servers: Servers,
    last_who: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Round {
    number: u32,
    buckets: u32,
}

#[derive(Default)]
struct Bucket {
    /// It may be one of an earlier round that has not ended yet: until then nobody else asks the same
    /// hosts.
    holder: Option<Party>,
    waiting: VecDeque<Party>,
}

struct Finished {
    attempt: Attempt,
    result: Bytes,
}

/// Results are in the driver's memory, which Spark needs for the same ones.
const MOST_KEPT: usize = 1 << 30;

impl Desk {
    pub fn new(limited: bool, now: Instant) -> Desk {
        Desk {
            round: None,
            buckets: HashMap::new(),
            results: HashMap::new(),
            kept: 0,
            brought: BankDoing::default(),
            links: HashMap::new(),
            shares: Shares::new(limited, now),
            servers: Servers::default(),
            last_who: 0,
        }
    }

    pub fn begin_round(&mut self, number: u32, buckets: u32, now: Instant) {
        let round = Some(Round { number, buckets });
        if self.round == round {
            return;
        }
        self.round = round;
        self.results.clear();
        (self.brought, self.kept) = (BankDoing::default(), 0);
        let why = format!("the crawl is in round {number} by now");
        for bucket in self.buckets.values_mut() {
            for mut waiter in bucket.waiting.drain(..) {
                waiter.make_void(&why, now);
                unlink(&mut self.links, &mut waiter);
            }
            if let Some(holder) = bucket.holder.as_mut().filter(|holder| holder.is_at_work()) {
                holder.make_void(&why, now);
                self.shares.lost(holder.who, now);
                self.servers.lost(holder.who);
            }
        }
        self.buckets.retain(|_, bucket| bucket.holder.is_some());
    }

    /// It begins, waits, or is told what came of the bucket; or it is refused.
    pub fn claimed(
        &mut self,
        claim: &BucketClaim,
        attempt: Attempt,
        link: Link,
        now: Instant,
    ) -> Result<(), Status> {
        let number = claim.bucket;
        self.check(claim)?;
        if let Some(finished) = self.results.get(&number) {
            return finished.tell(claim, attempt, link, now);
        }
        let bucket = self.buckets.entry(number).or_default();
        let own = bucket.holder.as_mut().filter(|holder| holder.is_still(attempt));
        if let Some(holder) = own {
            unlink(&mut self.links, holder);
            self.links.insert(link.id, number);
            holder.rejoined(link, claim.stamp_ms, now);
            self.shares.joined(holder.who);
            self.servers.joined(holder.who, number);
            // If it cannot be told, its link is broken again.
            holder.begin(self.shares.is_limited());
            return Ok(());
        }
        if claim.holds {
            return Err(Status::failed_precondition(format!(
                "bucket {number} is not held by this attempt any more"
            )));
        }
        if let Some(at) = bucket.waiting.iter().position(|waiter| waiter.attempt == attempt) {
            bucket.waiting.remove(at).iter_mut().for_each(|old| unlink(&mut self.links, old));
        }
        self.links.insert(link.id, number);
        self.last_who += 1;
        bucket.waiting.push_back(Party::new(attempt, self.last_who, link, claim.stamp_ms, now));
        self.hand_out(number, now);
        Ok(())
    }

    fn check(&self, claim: &BucketClaim) -> Result<(), Status> {
        let refuse = |why: String| Err(Status::failed_precondition(why));
        let Some(round) = self.round else {
            return refuse(format!("no round has begun, but the task is of round {}", claim.round));
        };
        if claim.round != round.number {
            return refuse(format!(
                "the task is of round {}, but the crawl is in round {}",
                claim.round, round.number
            ));
        }
        if claim.bucket >= round.buckets {
            return refuse(format!(
                "there is no bucket {}: the crawl has {} of them, counted from 0",
                claim.bucket, round.buckets
            ));
        }
        Ok(())
    }

    /// Gives a bucket that nobody holds to the first who waits for it and is there.
    fn hand_out(&mut self, number: u32, now: Instant) {
        let Some(bucket) = self.buckets.get_mut(&number) else { return };
        if bucket.holder.as_ref().is_some_and(|holder| !holder.has_ended) {
            return;
        }
        while let Some(at) = bucket.waiting.iter().position(|waiter| waiter.is_there(now)) {
            let Some(mut next) = bucket.waiting.remove(at) else { break };
            if next.begin(self.shares.is_limited()) {
                next.seen = now;
                self.shares.joined(next.who);
                self.servers.joined(next.who, number);
                bucket.holder = Some(next);
                break;
            }
            unlink(&mut self.links, &mut next);
        }
        if bucket.holder.is_none() && bucket.waiting.is_empty() {
            self.buckets.remove(&number);
        }
    }

    pub fn pulsed(&mut self, link: u64, pulse: &TaskPulse, now: Instant) {
        let Some((party, holds)) = self.party(link) else { return };
        party.heard(pulse, now);
        let (who, rate) = (party.who, party.rate());
        if holds && party.is_at_work() {
            self.shares.heard(who, pulse, rate);
        }
    }

    /// It wants servers, or gives them back. Who waits for them is told at once.
    pub fn spoke_of_servers(
        &mut self,
        link: u64,
        words: &ServerWords,
        now: Instant,
    ) -> Result<(), Status> {
        let Some((party, holds)) = self.party(link) else { return Ok(()) };
        if !holds {
            return Err(Status::invalid_argument("a word of servers from who holds no bucket"));
        }
        if party.is_at_work() {
            let who = party.who;
            let said = server_words(words);
            let said = said.map_err(|odd| Status::invalid_argument(odd.to_string()))?;
            self.servers.said(who, &said, words.all, now)?;
            self.tell_of_servers(now);
        }
        Ok(())
    }

    /// What finds no room goes with the next tick.
    fn tell_of_servers(&mut self, now: Instant) {
        for (who, bucket) in self.servers.due() {
            let holder = self.buckets.get(&bucket).and_then(|bucket| bucket.holder.as_ref());
            let Some(holder) = holder.filter(|holder| holder.who == who) else { continue };
            if holder.has_room() {
                let grants = self.servers.take(who, now);
                let grants = grants.iter().map(to_server_grant).collect();
                holder.send(What::Servers(ServerGrants { grants }));
            }
        }
    }

    /// Who said this link, and whether it holds its bucket.
    fn party(&mut self, link: u64) -> Option<(&mut Party, bool)> {
        let bucket = self.buckets.get_mut(self.links.get(&link)?)?;
        let holder = bucket.holder.as_mut().map(|holder| (holder, true));
        let waiting = bucket.waiting.iter_mut().map(|waiter| (waiter, false));
        holder.into_iter().chain(waiting).find(|(party, _)| party.is_linked_by(link))
    }

    /// From then on it is the result of the bucket, whoever asks.
    pub fn finished(&mut self, link: u64, result: Bytes, now: Instant) -> Result<(), Status> {
        let Some((party, holds)) = self.party(link) else { return Ok(()) };
        if party.void.is_some() {
            return Ok(());
        }
        if !holds {
            return Err(Status::invalid_argument("a result for a bucket that it does not hold"));
        }
        if result.len() > LARGEST_RESULT || self.kept + result.len() > MOST_KEPT {
            return Err(Status::invalid_argument(format!(
                "a result of {} bytes is too large, beside {} of others: divide the crawl otherwise",
                result.len(),
                self.kept
            )));
        }
        let Some(number) = self.links.get(&link).copied() else { return Ok(()) };
        let Some(bucket) = self.buckets.remove(&number) else { return Ok(()) };
        self.kept += result.len();
        for mut waiter in bucket.waiting {
            // Who cannot be told asks again.
            waiter.send(What::Done(result.clone()));
            unlink(&mut self.links, &mut waiter);
        }
        if let Some(mut holder) = bucket.holder {
            self.shares.left(holder.who);
            self.servers.left(holder.who, now);
            self.brought.pages += holder.pages;
            self.brought.bytes += holder.intake.bytes();
            holder.send(What::Noted(Noted {}));
            unlink(&mut self.links, &mut holder);
            self.results.insert(number, Finished { attempt: holder.attempt, result });
        }
        self.tell_of_servers(now);
        Ok(())
    }

    /// It ends without a result, and fetches nothing more.
    pub fn left(&mut self, link: u64, now: Instant) {
        self.let_go(link, now, |_| true);
    }

    /// The connection is gone. Within one machine nobody but the task can end it, and it does so only when
    /// it has stopped; from elsewhere it may only look as if it had.
    pub fn gone(&mut self, link: u64, hung_up: bool, now: Instant) {
        self.let_go(link, now, |link| hung_up && link.is_here);
    }

    /// It has said what cannot be.
    pub fn refused(&mut self, link: u64, why: Status, now: Instant) {
        if let Some(own) = self.party(link).and_then(|(party, _)| party.link.as_ref()) {
            // If it cannot be told, it finds the stream closed.
            let _ = own.words.try_send(Err(why));
        }
        self.gone(link, false, now);
    }

    fn let_go(&mut self, link: u64, now: Instant, has_ended: impl Fn(&Link) -> bool) {
        let Some(number) = self.links.remove(&link) else { return };
        let Some(bucket) = self.buckets.get_mut(&number) else { return };
        bucket.waiting.retain(|waiter| !waiter.is_linked_by(link));
        if let Some(holder) = bucket.holder.as_mut().filter(|holder| holder.is_linked_by(link)) {
            holder.has_ended = holder.link.take().is_some_and(|link| has_ended(&link));
            match holder.has_ended {
                true => {
                    self.shares.left(holder.who);
                    self.servers.left(holder.who, now);
                }
                false => {
                    self.shares.lost(holder.who, now);
                    self.servers.lost(holder.who);
                }
            }
        }
        self.tell_of_servers(now);
        self.hand_out(number, now);
    }

    /// A few times a second.
    pub fn tick(&mut self, cap: Option<f64>, now: Instant) {
        let numbers: Vec<u32> = self.buckets.keys().copied().collect();
        for number in numbers {
            self.look_for_the_gone(number, now);
            self.hand_out(number, now);
        }
        let mut grants = self.shares.share_out(cap, now);
        for bucket in self.buckets.values_mut() {
            if let Some(holder) = &mut bucket.holder {
                holder.tell(grants.remove(&holder.who), now);
            }
            bucket.waiting.iter_mut().for_each(|waiter| waiter.tell(None, now));
        }
        self.servers.tick(now);
        self.tell_of_servers(now);
    }

    fn look_for_the_gone(&mut self, number: u32, now: Instant) {
        let Some(bucket) = self.buckets.get_mut(&number) else { return };
        let Some(mut gone) = bucket.holder.take_if(|holder| holder.is_gone(now)) else { return };
        if gone.is_at_work() {
            gone.make_void(&format!("it was not heard of for {} s", GONE.as_secs()), now);
            self.shares.lost(gone.who, now);
        }
        self.servers.left(gone.who, now);
        unlink(&mut self.links, &mut gone);
    }

    pub fn doing(&self) -> BankDoing {
        let holders = self.buckets.values().filter_map(|bucket| bucket.holder.as_ref());
        holders.filter(|holder| holder.is_at_work()).fold(self.brought, |sum, holder| BankDoing {
            tasks: sum.tasks + 1,
            pages: sum.pages + holder.pages,
            bytes: sum.bytes + holder.intake.bytes(),
            rate: sum.rate + holder.rate(),
        })
    }
}

impl Finished {
    fn tell(
        &self,
        claim: &BucketClaim,
        attempt: Attempt,
        link: Link,
        now: Instant,
    ) -> Result<(), Status> {
        let what = match attempt == self.attempt && claim.holds {
            true => What::Noted(Noted {}),
            false if claim.holds => {
                let why = "another attempt has finished the bucket";
                return Err(Status::failed_precondition(why));
            }
            false => What::Done(self.result.clone()),
        };
        // There is room: nothing was sent yet. The stream ends after this.
        Party::new(attempt, 0, link, claim.stamp_ms, now).send(what);
        Ok(())
    }
}

/// What comes by its link from now on is nobody's.
fn unlink(links: &mut HashMap<u64, u32>, party: &mut Party) {
    if let Some(link) = party.link.take() {
        links.remove(&link.id);
    }
}

#[cfg(test)]
impl Desk {
    /// Ends all connections from our side, as a network does.
    pub fn cut(&mut self) {
        let links: Vec<u64> = self.links.keys().copied().collect();
        links.into_iter().for_each(|link| self.gone(link, false, Instant::now()));
    }

    pub fn is_linked(&self, bucket: u32) -> bool {
        let holder = self.buckets.get(&bucket).and_then(|bucket| bucket.holder.as_ref());
        holder.is_some_and(|holder| holder.link.is_some())
    }
}
