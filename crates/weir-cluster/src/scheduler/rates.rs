//! Who may receive how much: the limit and the limits of sites, divided among downloaders, and the
//! weights of sites as the plan has them.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use weir_crawl::Job;
use weir_fetch::{Part, Shaper, Tier};

use super::member::Member;
use crate::convert::{note_in_force, to_grant};
use crate::purse::{Purse, Quota, Wish};
use crate::wire::order::What;
use crate::wire::{self, Pulse, Rates};

pub struct Book {
    /// Shares as the plan has them. Without any limit there are none, and nothing is told but that we are
    /// there.
    shares: Option<Shaper>,
    begun: Instant,
    /// There was a scheduler before, and downloaders may hold what it gave them: the lowest version of this
    /// one's.
    restarted: Option<u64>,
    /// Bytes, if there is a budget of them.
    quota: Option<Quota>,
    total: Purse,
    sites: HashMap<u32, Purse>,
    told: HashMap<u32, Told>,
    parts: Vec<Part>,
}

/// What one downloader was told.
#[derive(Default)]
struct Told {
    /// Its process, for purses.
    who: u64,
    /// Of the last pulse that came.
    stamp_ms: u64,
    sent_ms: u64,
    parts: HashMap<u32, Part>,
    /// To go out with the next message.
    rates: Rates,
    /// How many of its jobs are of which share.
    uses: HashMap<u32, u32>,
    /// The weights of these, as they usually are.
    weight: f64,
}

/// Something is told at least this often: whoever hears nothing stops.
const WORD_EVERY: Duration = Duration::from_millis(600);
/// Weights are told over about so many ticks: the sites that a downloader has jobs of come and go all the
/// time, and a share that moves is nobody's until the one who had it has said so.
const SMOOTH_TICKS: f64 = 20.0;
/// A weight that is higher or lower by this factor is taken as it is: somebody came or went.
const FAR_OFF: f64 = 1.5;

impl Book {
    /// `restarted` is the epoch of a scheduler that was not the first.
    pub fn new(
        shares: Option<Shaper>,
        has_budget: bool,
        restarted: Option<u32>,
        now: Instant,
    ) -> Book {
        // Versions of this run are above all of those before it.
        let restarted = restarted.map(|epoch| u64::from(epoch) << 40);
        let mut book = Book {
            quota: has_budget.then(|| Quota::new(0)),
            shares,
            begun: now,
            restarted,
            total: Purse::new(0.0),
            sites: HashMap::new(),
            told: HashMap::new(),
            parts: Vec::new(),
        };
        book.total = new_purse(f64::INFINITY, book.restarted, 0);
        book
    }

    pub fn is_limited(&self) -> bool {
        self.shares.is_some()
    }

    pub fn has_budget(&self) -> bool {
        self.quota.is_some()
    }

    /// `start` tells its processes apart.
    pub fn joined(&mut self, member: u32, start: u64, now: Instant) {
        let who = u64::from(member) << 32 | start & 0xffff_ffff;
        if self.told.get(&member).is_some_and(|told| told.who != who) {
            self.lost(member, now);
        }
        let uses = self.told.remove(&member).map(|told| told.uses).unwrap_or_default();
        self.told.insert(member, Told { who, uses, ..Told::default() });
        self.purses(|purse| purse.join(who));
    }

    pub fn lost(&mut self, member: u32, now: Instant) {
        let Some(told) = self.told.get(&member) else { return };
        let (who, sent_ms) = (told.who, told.sent_ms.max(self.ms(now).saturating_sub(1)));
        self.purses(|purse| purse.lost(who, sent_ms));
        if let Some(quota) = &mut self.quota {
            quota.lost(who);
        }
    }

    /// It has certainly ended, or certainly reads nothing more: its share is free at once. What it was given of a
    /// budget may have come before that.
    pub fn stopped(&mut self, member: u32) {
        let Some(who) = self.told.get(&member).map(|told| told.who) else { return };
        self.purses(|purse| purse.left(who));
        if let Some(quota) = &mut self.quota {
            quota.lost(who);
        }
    }

    pub fn left(&mut self, member: u32, received: f64) {
        let Some(told) = self.told.remove(&member) else { return };
        self.purses(|purse| purse.left(told.who));
        if let Some(quota) = &mut self.quota {
            quota.left(told.who, received as u64);
        }
    }

    /// Nothing is left of the budget that could be given to anybody.
    pub fn is_budget_given_out(&self) -> bool {
        self.quota.as_ref().is_some_and(Quota::is_given_out)
    }

    fn purses(&mut self, act: impl Fn(&mut Purse)) {
        std::iter::once(&mut self.total).chain(self.sites.values_mut()).for_each(act);
    }

    /// True if something of the limit has become free by it.
    pub fn heard(&mut self, member: u32, pulse: &Pulse) -> bool {
        let booked = self.total.booked();
        let Some(told) = self.told.get_mut(&member) else { return false };
        let who = told.who;
        if let Some(quota) = &mut self.quota {
            let received = pulse.received as u64;
            if told.stamp_ms == 0 {
                // What it received before it was known is nobody's.
                quota.join(who, received);
            }
            quota.received(who, received, 0.0);
            if pulse.out_of_quota {
                quota.starves(who);
            }
        }
        told.stamp_ms = told.stamp_ms.max(pulse.stamp_ms);
        if let Some(total) = &pulse.total {
            note_in_force(&mut self.total, who, total);
        }
        for site in &pulse.sites {
            if let Some(purse) = self.sites.get_mut(&site.share) {
                note_in_force(purse, who, site);
            }
        }
        self.total.booked() < booked
    }

    /// What has become free goes on at once: until then nobody has it.
    pub fn hand_on(&mut self, members: &[Member], now: Instant) {
        self.share_out(now);
        for (member, who) in members.iter().zip(0_u32..) {
            let Some(told) = self.told.get_mut(&who) else { continue };
            let rates = std::mem::take(&mut told.rates);
            if rates != Rates::default() {
                self.send(member, who, rates, now);
            }
        }
    }

    /// What a downloader has to know before it gets these jobs. False if it could not be told.
    pub fn before<'a>(
        &mut self,
        member: &Member,
        who: u32,
        jobs: impl Iterator<Item = &'a Job>,
        now: Instant,
    ) -> bool {
        let Some(shares) = &self.shares else { return true };
        let Some(told) = self.told.get(&who) else { return false };
        let new = jobs.filter_map(share_of).filter(|share| !told.parts.contains_key(share));
        let new: BTreeSet<u32> = new.collect();
        if new.last().is_some_and(|last| *last as usize >= self.parts.len()) {
            self.parts = shares.parts();
        }
        // Fetched without its share, a page and whatever else comes over its connection would be outside
        // of every limit.
        let part = |share: u32| Some((share, *self.parts.get(share as usize)?));
        let Some(new) = new.into_iter().map(part).collect::<Option<Vec<_>>>() else { return false };
        if new.is_empty() {
            return true;
        }
        let parts = new.iter().map(|(share, part)| to_part(*share, *part)).collect();
        let is_sent = self.send(member, who, Rates { parts, ..Rates::default() }, now);
        if let Some(told) = self.told.get_mut(&who).filter(|_| is_sent) {
            told.parts.extend(new);
        }
        is_sent
    }

    /// A job of this share is with it, or no longer.
    pub fn uses(&mut self, who: u32, job: &Job, more: bool) {
        let (Some(told), Some(share)) = (self.told.get_mut(&who), share_of(job)) else { return };
        let count = told.uses.entry(share).or_default();
        *count = if more { *count + 1 } else { count.saturating_sub(1) };
        if *count == 0 {
            told.uses.remove(&share);
        }
    }

    pub fn tick(&mut self, members: &mut [Member], cap: Option<f64>, now: Instant) {
        let limited = self.shares.is_some();
        if let Some(shares) = &self.shares {
            self.parts = shares.parts();
            self.total.set_cap(cap.unwrap_or(f64::INFINITY));
            self.look_at_site_caps(now);
            self.wish(members);
            self.share_out(now);
            self.share_out_quota(members);
            self.change_parts();
        }
        for (member, who) in members.iter_mut().zip(0_u32..) {
            let Some(told) = self.told.get_mut(&who) else { continue };
            let granted = self.total.granted(told.who);
            member.share = (limited && granted.is_finite()).then_some(granted);
            let is_due = self.begun.elapsed() >= Duration::from_millis(told.sent_ms) + WORD_EVERY;
            let rates = std::mem::take(&mut told.rates);
            if rates != Rates::default() || is_due {
                self.send(member, who, rates, now);
            }
        }
    }

    /// A site with a cap has a purse. One whose cap comes later was read without one until then.
    fn look_at_site_caps(&mut self, now: Instant) {
        let now_ms = self.ms(now);
        for (part, share) in self.parts.iter().zip(0_u32..) {
            match (part.cap, self.sites.get_mut(&share)) {
                (Some(cap), Some(purse)) => purse.set_cap(cap),
                (Some(cap), None) => {
                    let mut purse = new_purse(cap, self.restarted, now_ms);
                    self.told.values().for_each(|told| purse.join(told.who));
                    self.sites.insert(share, purse);
                }
                (None, Some(purse)) => purse.set_cap(f64::INFINITY),
                (None, None) => {}
            }
        }
    }

    fn wish(&mut self, members: &[Member]) {
        for (member, who) in members.iter().zip(0_u32..) {
            let Some(told) = self.told.get_mut(&who) else { continue };
            let weight =
                |share: &u32| self.parts.get(*share as usize).map_or(1.0, |part| part.weight);
            told.weight = smooth(told.weight, told.uses.keys().map(weight).sum());
            let weight = told.weight;
            let hungry = member.pulse.waiting > 0;
            self.total.wants(told.who, Wish { weight, used: member.rate(), hungry });
            for (share, purse) in &mut self.sites {
                // What a site brings is not told apart, so whoever has jobs of it gets its part.
                let jobs = told.uses.get(share).copied().unwrap_or(0);
                let wish = Wish { weight: f64::from(jobs), used: 0.0, hungry: jobs > 0 };
                purse.wants(told.who, wish);
            }
        }
    }

    fn share_out(&mut self, now: Instant) {
        let now_ms = self.ms(now);
        for grant in self.total.share_out(now_ms) {
            if let Some(told) = of(&mut self.told, grant.who) {
                told.rates.total = Some(to_grant(0, grant));
            }
        }
        for (share, purse) in &mut self.sites {
            for grant in purse.share_out(now_ms) {
                if let Some(told) = of(&mut self.told, grant.who) {
                    told.rates.sites.push(to_grant(*share, grant));
                }
            }
        }
    }

    /// The budget's own account goes by what we report to it; what is with downloaders is on their word.
    fn share_out_quota(&mut self, members: &[Member]) {
        let (Some(quota), Some(book)) = (&mut self.quota, &self.shares) else { return };
        let reported: f64 = members.iter().map(|member| member.intake.bytes()).sum();
        quota.set_allowed((book.quota() - reported).max(0.0) as u64);
        for (member, number) in members.iter().zip(0_u32..) {
            if let Some(told) = self.told.get(&number) {
                // Its total came with its pulse; a lower one changes nothing.
                quota.received(told.who, 0, member.rate());
            }
        }
        for grant in quota.share_out() {
            if let Some(told) = of(&mut self.told, grant.who) {
                told.rates.quota = Some(grant.quota as f64);
            }
        }
    }

    fn change_parts(&mut self) {
        for told in self.told.values_mut() {
            for (share, known) in &mut told.parts {
                let Some(part) = self.parts.get(*share as usize).copied() else { continue };
                if part != *known {
                    *known = part;
                    told.rates.parts.push(to_part(*share, part));
                }
            }
        }
    }

    /// A grant that cannot be sent is lost, and repeated by its purse; so are weights by the next plan.
    fn send(&mut self, member: &Member, who: u32, rates: Rates, now: Instant) -> bool {
        let now_ms = self.ms(now);
        let Some(told) = self.told.get_mut(&who) else { return false };
        let sent = member.send(What::Rates(Rates { heard_ms: told.stamp_ms, ..rates }));
        if sent {
            told.sent_ms = now_ms;
        }
        sent
    }

    fn ms(&self, now: Instant) -> u64 {
        now.duration_since(self.begun).as_millis() as u64
    }
}

fn smooth(usual: f64, now: f64) -> f64 {
    match now > usual * FAR_OFF || now < usual / FAR_OFF {
        true => now,
        false => usual + (now - usual) / SMOOTH_TICKS,
    }
}

fn new_purse(cap: f64, restarted: Option<u64>, now_ms: u64) -> Purse {
    match restarted {
        Some(version) => Purse::restarted(cap, version, now_ms),
        None => Purse::new(cap),
    }
}

/// The member is in the upper half of who it is.
fn of(told: &mut HashMap<u32, Told>, who: u64) -> Option<&mut Told> {
    told.get_mut(&((who >> 32) as u32)).filter(|told| told.who == who)
}

fn share_of(job: &Job) -> Option<u32> {
    let claim = match job {
        Job::Page(page) => page.claim,
        Job::Robots { claim, .. } => *claim,
        Job::Resolve { .. } => None,
    };
    claim.map(|claim| claim.share.number())
}

fn to_part(share: u32, part: Part) -> wire::Part {
    let tier = match part.tier {
        Tier::First => 0,
        Tier::Shared => 1,
        Tier::Spare => 2,
    };
    wire::Part { share, weight: part.weight, is_capped: part.cap.is_some(), tier }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc;
    use url::Url;
    use weir_fetch::Claim;
    use weir_frontier::HostId;

    use super::super::member::Link;
    use super::*;
    use crate::gate::order;
    use crate::wire::Hello;

    fn job(shaper: &Shaper) -> Job {
        let claim = Some(Claim { share: shaper.add_share(Part::default()), speed: None });
        let url = Url::parse("http://a.example/robots.txt").unwrap();
        Job::Robots { host: HostId(1), url, addresses: [].into(), claim, ticket: 0 }
    }

    #[test]
    fn a_weight_follows_slowly_what_comes_and_goes_and_at_once_what_stays_away() {
        let mut usual = smooth(0.0, 20.0);
        assert_eq!(usual, 20.0);
        for turn in 0..200 {
            usual = smooth(usual, if turn % 2 == 0 { 18.0 } else { 22.0 });
            assert!((usual - 20.0).abs() < 0.5, "{usual}");
        }
        for _ in 0..200 {
            usual = smooth(usual, 25.0);
        }
        assert!((usual - 25.0).abs() < 0.1, "{usual}");
        assert_eq!((smooth(usual, 60.0), smooth(usual, 0.0)), (60.0, 0.0));
    }

    #[test]
    fn a_job_goes_out_only_after_the_share_it_takes_from() {
        let now = Instant::now();
        let (orders, mut sent) = mpsc::channel(1);
        let mut member = Member::new(&Hello { slots: 1, ..Hello::default() }, [0; 16], now);
        member.link = Some(Link { id: 1, orders, is_here: false });
        let shaper = Shaper::new(1000.0);
        let mut book = Book::new(Some(shaper.clone()), false, None, now);
        book.joined(0, 1, now);
        let job = job(&shaper);
        let before =
            |book: &mut Book, member: &Member| book.before(member, 0, std::iter::once(&job), now);
        let link = member.link.as_ref().unwrap();
        link.orders.try_send(order(What::Rates(Rates::default()))).unwrap();
        assert!(!before(&mut book, &member), "it could not be told");
        sent.try_recv().unwrap().unwrap();
        assert!(before(&mut book, &member));
        let told = sent.try_recv().unwrap().unwrap().what;
        assert!(matches!(told, Some(What::Rates(rates)) if rates.parts.len() == 1));
        assert!(before(&mut book, &member), "once is enough");
        assert!(sent.try_recv().is_err());
    }
}
