//! The hands of a crawl that are elsewhere: which downloaders there are, which job is with whom, and
//! what they brought. Everything here runs on the crawl's thread.
//!
//! A job stays in `jobs` from the moment it is handed out until its first outcome, whoever brings it;
//! later ones are rejected, and their pages are thrown away where they are: only their links are taken,
//! since whoever has read them does not report them again. So a job may safely be given to somebody
//! else when its holder is not heard of any more.

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tonic::Status;
use weir_crawl::{CrawlError, HandedOn, Hands, Job, Lost, Origin, Worked};
use weir_fetch::Shaper;
use weir_frontier::{Frontier, HostId};
use weir_types::Outcome;

use super::assign::{Dispatch, Owners};
use super::member::{Link, Member};
use super::note::{CrawlNote, MemberNote};
use super::rates::Book;
use super::write_off;
use crate::convert::{Odd, page_ticket, said, ticket_job, to_job};
use crate::gate::{Arrival, LinkId, Orders};
use crate::machine::{is_here, machine};
use crate::seal::Seal;
use crate::wire::order::What;
use crate::wire::{self, Hello, Jobs, Leave, Settled, Welcome};
use crate::{GONE, PULSE};

pub struct Cluster {
    note: CrawlNote,
    seal: Seal,
    handed: HandedOn,
    dispatch: Dispatch,
    members: Vec<Member>,
    links: HashMap<LinkId, u32>,
    jobs: HashMap<u64, Open>,
    last_job: u32,
    owners: Owners,
    /// Jobs that nobody has, because nobody is there.
    unowned: VecDeque<u64>,
    book: Book,
    /// Where what comes in is counted if there is no limit.
    received: Arc<AtomicU64>,
    /// What the crawl was told of all that has come.
    told: f64,
    troubles: VecDeque<String>,
    /// Downloaders of an earlier run are waited for until then.
    awaited_until: Instant,
    stopping: Option<Instant>,
    ending: Option<Ending>,
    new_members: bool,
    /// Who was not let in and why, which is told once each.
    refused: HashSet<String>,
    /// Which one this is.
    machine: Vec<u8>,
    /// Written off at this start.
    newly_lost: BTreeSet<u32>,
}

/// What everybody was told, and when.
#[derive(Clone, Copy)]
struct Ending {
    is_complete: bool,
    told: Instant,
}

struct Open {
    host: HostId,
    job: Job,
    holder: Option<u32>,
    /// Those who were ever given it: their outcomes count.
    given: Vec<u32>,
}

/// Jobs that go out in one message.
const BATCH: usize = 64;
const MOST_TROUBLES: usize = 100;

pub struct Setup<'a> {
    pub frontier: &'a mut Frontier,
    pub resumed: bool,
    pub handed: HandedOn,
    pub dispatch: Dispatch,
    /// The shares of sites, if there is a limit of any kind.
    pub book: Option<Shaper>,
    pub has_budget: bool,
    pub received: Arc<AtomicU64>,
    /// Names or ids of downloaders that never come back.
    pub write_off: &'a [String],
}

impl Cluster {
    pub fn new(setup: Setup<'_>) -> Result<Cluster, CrawlError> {
        let now = Instant::now();
        let note = CrawlNote::open(setup.frontier)
            .map_err(|why| CrawlError::Hands(format!("the system gives no randomness: {why}")))?;
        let known = match setup.resumed {
            true => MemberNote::all(setup.frontier, note.members),
            false => Vec::new(),
        };
        let restarted = setup.resumed.then_some(note.epoch);
        let book = Book::new(setup.book, setup.has_budget, restarted, now);
        let members = known.into_iter().map(|known| Member::remembered(known, now));
        let mut members: Vec<Member> = members.collect();
        let mut newly_lost = BTreeSet::new();
        for at in write_off::find(setup.write_off, &members)? {
            if !std::mem::replace(&mut members[at].written_off, true) {
                newly_lost.insert(at as u32);
            }
        }
        Ok(Cluster {
            seal: Seal::new(&note.secret),
            note,
            handed: setup.handed,
            dispatch: setup.dispatch,
            members,
            links: HashMap::new(),
            jobs: HashMap::new(),
            last_job: 0,
            owners: Owners::default(),
            unowned: VecDeque::new(),
            book,
            received: setup.received,
            told: 0.0,
            troubles: VecDeque::new(),
            awaited_until: now + GONE,
            stopping: None,
            ending: None,
            new_members: false,
            refused: HashSet::new(),
            machine: machine(),
            newly_lost,
        })
    }

    /// What it brings goes to the crawl, in this order.
    pub fn arrived(&mut self, arrival: Arrival) -> Vec<Worked> {
        let now = Instant::now();
        match arrival {
            Arrival::Joined { link, hello, orders, peer } => {
                self.joined(link, hello, orders, peer, now);
            }
            Arrival::Outcomes { link, outcomes } => return self.outcomes(link, outcomes),
            Arrival::Pulse { link, pulse } => {
                if let Some(number) = self.links.get(&link).copied() {
                    let member = &mut self.members[number as usize];
                    member.is_awaited &= pulse.old > 0;
                    let has_freed = self.book.heard(number, &pulse);
                    member.heard(pulse, now);
                    if member.pulse.leaving {
                        let unsent: Vec<u64> = member.queue.drain(..).collect();
                        unsent.into_iter().for_each(|job| self.give_again(job));
                    }
                    if has_freed {
                        self.book.hand_on(&self.members, now);
                    }
                }
            }
            Arrival::Goodbye { link, goodbye } => self.goodbye(link, &goodbye),
            Arrival::Gone { link, why, hung_up } => self.gone(link, why, hung_up),
            Arrival::Refused { peer, why } => self.turned_away(peer, &why),
        }
        Vec::new()
    }

    fn joined(
        &mut self,
        link: LinkId,
        hello: Hello,
        orders: Orders,
        peer: SocketAddr,
        now: Instant,
    ) {
        let Ok(id) = <[u8; 16]>::try_from(&hello.id[..]) else { return };
        if let Some(why) = self.reason_against(&hello, id) {
            // If it cannot be told, it is gone, and asks again.
            let _ = orders.try_send(Err(Status::failed_precondition(why.clone())));
            return self.turned_away(peer, &why);
        }
        let number = self.number_of(&hello, id, now);
        let member = &mut self.members[number as usize];
        if let Some(old) = member.link.take() {
            self.links.remove(&old.id);
        }
        let is_restarted = member.start != hello.start;
        let is_here = is_here(peer, &hello.machine, &self.machine);
        member.joined(&hello, Link { id: link, orders, is_here }, now);
        self.links.insert(link, number);
        if is_restarted {
            member.is_awaited = false;
        }
        let welcome = Welcome {
            crawl: self.note.crawl.to_vec().into(),
            epoch: self.note.epoch,
            settings: self.handed.settings.clone(),
            roots: self.handed.roots.clone().unwrap_or_default().into(),
            has_roots: self.handed.roots.is_some(),
            limited: self.book.is_limited(),
            has_budget: self.book.has_budget(),
            known: member.known,
        };
        member.send(What::Welcome(welcome));
        self.book.joined(number, hello.start, now);
        if let Some(Ending { is_complete: complete, .. }) = self.ending {
            self.tell_settled();
            self.members[number as usize].send(What::End(wire::End { complete }));
        }
        self.compare(number, &hello.held);
        let waiting = std::mem::take(&mut self.unowned);
        waiting.into_iter().for_each(|job| self.give(job));
    }

    /// Why a downloader cannot be let in with the folder that it has.
    fn reason_against(&self, hello: &Hello, id: [u8; 16]) -> Option<String> {
        let Hello { name, out, crawl, .. } = hello;
        let is_written_off = |member: &Member| member.id == id && member.written_off;
        if !crawl.is_empty() && *crawl != self.note.crawl[..] {
            return Some(format!(
                "the folder {out} of downloader {name} has pages of another crawl: start it with another --out"
            ));
        }
        self.members.iter().any(is_written_off).then(|| {
            format!(
                "downloader {name} was written off, and what its folder {out} has is fetched again: start it with another --out"
            )
        })
    }

    fn number_of(&mut self, hello: &Hello, id: [u8; 16], now: Instant) -> u32 {
        if let Some(at) = self.members.iter().position(|member| member.id == id) {
            return at as u32;
        }
        self.members.push(Member::new(hello, id, now));
        self.new_members = true;
        (self.members.len() - 1) as u32
    }

    /// What we think it has and it has not is somebody's again; what it has and was given to others is
    /// theirs. What it fetches for an earlier run of the scheduler it may finish.
    fn compare(&mut self, number: u32, held: &[u64]) {
        let member = &mut self.members[number as usize];
        let lost: Vec<u64> = member.has.iter().filter(|job| !held.contains(job)).copied().collect();
        lost.iter().for_each(|job| {
            member.has.remove(job);
        });
        lost.into_iter().for_each(|job| self.give_again(job));
        let is_ours =
            |job: &&u64| self.jobs.get(job).is_some_and(|open| open.holder == Some(number));
        let ours = held.iter().filter(|job| self.is_of_this_epoch(**job));
        let foreign: Vec<u64> = ours.filter(|job| !is_ours(job)).copied().collect();
        if !foreign.is_empty() {
            let leave = Leave { jobs: foreign, all_unbegun: false };
            self.members[number as usize].send(What::Leave(leave));
        }
    }

    fn outcomes(&mut self, link: LinkId, outcomes: Vec<wire::Outcome>) -> Vec<Worked> {
        let Some(number) = self.links.get(&link).copied() else { return Vec::new() };
        let mut ready = Vec::with_capacity(outcomes.len());
        for outcome in outcomes {
            match self.outcome(number, outcome) {
                Ok(worked) => ready.extend(worked),
                Err(odd) => {
                    self.refuse(number, &odd);
                    break;
                }
            }
        }
        ready
    }

    fn outcome(&mut self, number: u32, outcome: wire::Outcome) -> Result<Option<Worked>, Odd> {
        let member = &mut self.members[number as usize];
        if outcome.number <= member.known {
            return Ok(None);
        }
        if outcome.number != member.known + 1 {
            return Err(Odd::new("the number of an outcome", outcome.number));
        }
        let from = Origin { member: number, number: outcome.number };
        let bytes_wire = outcome.bytes_wire;
        let worked = match self.is_of_this_epoch(outcome.job) {
            true => self.worked(outcome, from)?,
            false => self.late(outcome, from)?,
        };
        let member = &mut self.members[number as usize];
        member.known = from.number;
        match &worked {
            Some(Worked::Page(page)) => {
                let has_page = matches!(page.outcome, Outcome::Kept { .. });
                let is_good = has_page || matches!(page.outcome, Outcome::Read { .. });
                member.count(bytes_wire, is_good);
                member.opened(from.number, has_page);
            }
            // Nothing of these is kept anywhere.
            Some(_) => {}
            None => member.settled(from.number, false),
        }
        Ok(worked)
    }

    fn is_of_this_epoch(&self, job: u64) -> bool {
        job >> 32 == u64::from(self.note.epoch)
    }

    /// The job is open until all that is said of it has been read. If somebody else was first, a page goes on to the crawl all the same:
    /// it does not count, but what it links to does.
    fn worked(&mut self, outcome: wire::Outcome, from: Origin) -> Result<Option<Worked>, Odd> {
        let number = outcome.job;
        let Some(open) = self.jobs.get(&number) else {
            self.members[from.member as usize].has.remove(&number);
            return match outcome.what {
                Some(wire::outcome::What::Kept(_)) => self.late(outcome, from),
                _ => Ok(None),
            };
        };
        if !open.given.contains(&from.member) {
            return Err(Odd::new("the job of an outcome", number));
        }
        let said = said(outcome, &open.job)?;
        let job = self.take_job(from.member, number);
        Ok(job.and_then(|job| said.worked(job, from, false)))
    }

    fn take_job(&mut self, number: u32, job: u64) -> Option<Job> {
        self.members[number as usize].has.remove(&job);
        let open = self.jobs.remove(&job)?;
        self.owners.ended(open.host);
        if let Some(holder) = open.holder {
            self.book.uses(holder, &open.job, false);
        }
        if let Some(other) = open.holder.filter(|holder| *holder != number) {
            self.members[other as usize].has.remove(&job);
            self.members[other as usize].queue.retain(|queued| *queued != job);
            let leave = Leave { jobs: vec![job], all_unbegun: false };
            self.members[other as usize].send(What::Leave(leave));
        }
        Some(open.job)
    }

    /// Of a job that is not open, or was open before the scheduler was started again. A ticket of ours says what page it is of.
    fn late(&self, outcome: wire::Outcome, from: Origin) -> Result<Option<Worked>, Odd> {
        let id = &self.members[from.member as usize].id;
        let ticket = self.seal.open(&outcome.ticket, id);
        let Some(job) = ticket.and_then(|ticket| ticket_job(ticket).ok()) else { return Ok(None) };
        let job = Job::Page(Box::new(job));
        Ok(said(outcome, &job)?.worked(job, from, true))
    }

    /// Who says what cannot be is sent away; it may come back, and everything it has is asked for again.
    fn refuse(&mut self, number: u32, odd: &Odd) {
        let member = &mut self.members[number as usize];
        let name = member.name.clone();
        if let Some(link) = member.link.take() {
            self.links.remove(&link.id);
            // If it cannot be told, it finds the stream closed.
            let _ = link.orders.try_send(Err(Status::invalid_argument(odd.to_string())));
        }
        self.book.lost(number, Instant::now());
        self.note_trouble(format!("downloader {name} was sent away: {odd}"));
    }

    fn goodbye(&mut self, link: LinkId, goodbye: &wire::Goodbye) {
        let Some(number) = self.links.get(&link).copied() else { return };
        let member = &mut self.members[number as usize];
        member.heard_stored(goodbye.stored.min(member.known));
        member.said_goodbye = true;
        let jobs: Vec<u64> = member.has.drain().chain(member.queue.drain(..)).collect();
        let name = member.name.clone();
        member.link = None;
        self.links.remove(&link);
        self.book.left(number, self.members[number as usize].pulse.received);
        jobs.into_iter().for_each(|job| self.give_again(job));
        if self.ending.is_none() && !goodbye.why.is_empty() {
            self.note_trouble(format!("downloader {name} has left: {}", goodbye.why));
        }
    }

    fn gone(&mut self, link: LinkId, why: Option<String>, hung_up: bool) {
        let Some(number) = self.links.remove(&link) else { return };
        let member = &mut self.members[number as usize];
        let is_here = member.link.take().is_some_and(|link| link.is_here);
        let name = member.name.clone();
        // A downloader reads nothing more before it hangs up, and within one machine nobody else can end a
        // connection. From elsewhere it may only look as if it had.
        match is_here && hung_up {
            true => self.book.stopped(number),
            false => self.book.lost(number, Instant::now()),
        }
        if self.ending.is_none() {
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            self.note_trouble(format!("the connection to downloader {name} is lost{why}"));
        }
    }

    /// Its jobs are given to others if it was not heard of for too long.
    fn look_for_the_gone(&mut self, now: Instant) {
        for number in 0..self.members.len() {
            let member = &mut self.members[number];
            if now.duration_since(member.seen) < GONE || member.load() == 0 {
                continue;
            }
            if let Some(link) = member.link.take() {
                self.links.remove(&link.id);
                self.book.lost(number as u32, now);
            }
            let jobs: Vec<u64> = member.has.drain().chain(member.queue.drain(..)).collect();
            let text = format!(
                "downloader {} was not heard of for {} s: its {} jobs are given to others",
                member.name,
                GONE.as_secs(),
                jobs.len()
            );
            self.note_trouble(text);
            jobs.into_iter().for_each(|job| self.give_again(job));
        }
    }

    fn give_again(&mut self, job: u64) {
        let Some(open) = self.jobs.get_mut(&job) else { return };
        if let Some(holder) = open.holder.take() {
            self.book.uses(holder, &open.job, false);
        }
        self.owners.ended(open.host);
        self.give(job);
    }

    fn give(&mut self, number: u64) {
        let Some(open) = self.jobs.get_mut(&number) else { return };
        let chosen = self.owners.choose(self.dispatch, open.host, &self.members);
        let Some(member) = chosen else { return self.unowned.push_back(number) };
        self.owners.given(open.host, member);
        open.holder = Some(member);
        self.book.uses(member, &open.job, true);
        if !open.given.contains(&member) {
            open.given.push(member);
        }
        self.members[member as usize].queue.push_back(number);
    }

    /// Sends what waits, the longest queue first (Deng et al. 2018, algorithm 3).
    pub fn pump(&mut self) {
        let mut order: Vec<usize> = (0..self.members.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(self.members[*at].queue.len()));
        order.into_iter().for_each(|at| self.pump_one(at));
    }

    fn pump_one(&mut self, at: usize) {
        let holder = self.members[at].id;
        while self.members[at].has_room_for_orders() {
            let member = &mut self.members[at];
            let room = member.window().saturating_sub(member.has.len()).min(BATCH);
            let count = room.min(member.queue.len());
            let numbers: Vec<u64> = member.queue.drain(..count).collect();
            if numbers.is_empty() {
                return;
            }
            let known = numbers.iter().filter_map(|number| self.jobs.get(number));
            let known = known.map(|open| &open.job);
            let is_told = self.book.before(&self.members[at], at as u32, known, Instant::now());
            let jobs = numbers.iter().filter_map(|number| {
                let open = self.jobs.get(number)?;
                let ticket = match &open.job {
                    Job::Page(page) => self.seal.close(&page_ticket(&page.leased), &holder),
                    _ => bytes::Bytes::new(),
                };
                Some(to_job(*number, &open.job, ticket))
            });
            let jobs = Jobs { jobs: jobs.collect() };
            let member = &mut self.members[at];
            if !is_told || !member.send(What::Jobs(jobs)) {
                numbers.into_iter().rev().for_each(|number| member.queue.push_front(number));
                return;
            }
            member.has.extend(numbers);
        }
    }

    /// Tells the crawl what has come, as it was a moment ago: by then all pulses are here.
    fn count(&mut self, book: Option<&Shaper>, now: Instant) {
        let then = now.checked_sub(PULSE * 2).unwrap_or(now);
        let bytes: f64 = self.members.iter().map(|member| member.intake.bytes_at(then)).sum();
        let came = (bytes - self.told).max(0.0).floor();
        self.told += came;
        // As long as some of the budget can be given to who starves, it is not used up.
        let starved = self.members.iter().any(|member| member.pulse.out_of_quota)
            && self.book.is_budget_given_out();
        match book {
            Some(book) => book.came_elsewhere(came, starved),
            None => {
                self.received.fetch_add(came as u64, Ordering::Relaxed);
            }
        }
    }

    fn tell_settled(&mut self) {
        for member in &mut self.members {
            let Some((upto, rejected)) = member.untold() else { continue };
            if member.send(What::Settled(Settled { upto, rejected })) {
                member.was_told(upto);
            }
        }
    }

    /// Nothing is asked for as long as downloaders of an earlier run may still be asking: their hosts
    /// would be asked twice at a time.
    fn is_waiting_for_others(&self) -> bool {
        Instant::now() < self.awaited_until && self.members.iter().any(|member| member.is_awaited)
    }

    fn turned_away(&mut self, peer: SocketAddr, why: &str) {
        let what = format!("{} was not let in: {why}", peer.ip());
        if self.refused.len() < MOST_TROUBLES && self.refused.insert(what.clone()) {
            self.note_trouble(what);
        }
    }

    fn note_trouble(&mut self, what: String) {
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push_back(what);
        }
    }
}

impl Hands for Cluster {
    fn start_job(&mut self, host: HostId, job: Job) -> bool {
        // Of four thousand million jobs none is open any more.
        self.last_job = self.last_job.wrapping_add(1);
        let number = u64::from(self.note.epoch) << 32 | u64::from(self.last_job);
        self.jobs.insert(number, Open { host, job, holder: None, given: Vec::new() });
        self.give(number);
        true
    }

    fn room(&self) -> Option<usize> {
        if self.is_waiting_for_others() {
            return Some(0);
        }
        let room = |member: &Member| match member.takes_jobs() {
            true => member.window(),
            false => member.load(),
        };
        Some(self.members.iter().map(room).sum::<usize>() + self.unowned.len())
    }

    fn settled(&mut self, from: Origin, counts: bool) {
        self.members[from.member as usize].settled(from.number, counts);
    }

    fn note(&mut self, frontier: &mut Frontier) {
        if self.new_members {
            self.note.members = self.members.len() as u32;
            self.note.write(frontier);
            self.new_members = false;
        }
        for (number, member) in self.members.iter_mut().enumerate() {
            member.note(number, frontier);
        }
    }

    fn syncing(&mut self) {
        self.members.iter_mut().for_each(Member::syncing);
    }

    fn synced(&mut self) {
        self.members.iter_mut().for_each(Member::synced);
        self.tell_settled();
    }

    fn sealed(&mut self) {
        self.members.iter_mut().for_each(Member::sealed);
        self.tell_settled();
    }

    fn tick(&mut self, book: Option<&Shaper>, cap: Option<f64>) {
        let now = Instant::now();
        self.count(book, now);
        self.look_for_the_gone(now);
        self.book.tick(&mut self.members, cap, now);
        self.tell_settled();
        self.pump();
    }

    fn trouble(&mut self) -> Option<String> {
        self.troubles.pop_front()
    }

    fn stop_starting(&mut self) {
        if self.stopping.is_some() {
            return;
        }
        self.stopping = Some(Instant::now());
        for member in &mut self.members {
            member.queue.clear();
            let leave = Leave { jobs: Vec::new(), all_unbegun: true };
            member.send(What::Leave(leave));
        }
    }

    fn under_way(&self) -> Option<usize> {
        let stopping = self.stopping?;
        // Until it has surely told what it does now, it may do anything.
        let is_heard = |member: &Member| member.seen > stopping + PULSE * 2;
        let under_way = |member: &Member| match is_heard(member) {
            true => member.pulse.fetching as usize,
            false => member.has.len(),
        };
        let connected = self.members.iter().filter(|member| member.is_connected());
        Some(connected.map(under_way).sum())
    }

    fn is_settled(&self) -> bool {
        // When the crawl goes on another time, downloaders may stay: it is enough that they were told.
        let is_told = |member: &Member| {
            let stays = self.ending.filter(|ending| !ending.is_complete);
            stays.is_some_and(|ending| member.seen > ending.told + PULSE * 2)
        };
        let has_left = |member: &Member| member.said_goodbye || !member.is_connected();
        let is_settled =
            |member: &Member| member.has_stored_all() && (has_left(member) || is_told(member));
        self.members.iter().all(is_settled)
    }

    fn end(&mut self, is_complete: bool) {
        self.ending = Some(Ending { is_complete, told: Instant::now() });
        for member in &self.members {
            member.send(What::End(wire::End { complete: is_complete }));
        }
    }

    fn waits_for(&self) -> Option<String> {
        let late = self.members.iter().filter(|member| !member.has_stored_all());
        let names: Vec<&str> = late.map(|member| member.name.as_str()).collect();
        (!names.is_empty())
            .then(|| format!("downloader {} to store its last pages", names.join(", ")))
    }

    fn has_nobody(&self) -> bool {
        self.links.is_empty()
    }

    fn lost(&self) -> Lost {
        let all = (0..).zip(&self.members).filter(|(_, member)| member.written_off);
        let name = |number: &u32| (*number, self.members[*number as usize].name.clone());
        Lost {
            all: all.map(|(number, _)| number).collect(),
            anew: self.newly_lost.iter().map(name).collect(),
        }
    }

    fn reports(&self) -> Vec<weir_crawl::DownloaderReport> {
        let now = Instant::now();
        self.members.iter().map(|member| member.report(now)).collect()
    }
}
