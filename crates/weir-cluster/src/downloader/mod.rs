//! The working half, served: fetches what the scheduler leases to it, keeps the pages in its own
//! folder, and says what came of them.
//!
//! A page goes from the network to the *spool* (`shelf.rs`) and is told to the scheduler when it is
//! there for good; it goes on into WARC and Parquet when the scheduler has settled it for good, and
//! vanishes if somebody else was first. So either side may be killed at any moment. From the files it
//! goes on to sinks and object stores (`handover.rs`), which may lag behind as long as they like.

mod crew;
mod handover;
pub(crate) mod holdings;
mod identity;
pub(crate) mod link;
mod shelf;

use std::collections::VecDeque;
use std::fs::File;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::task::{LocalSet, spawn_local};
use tokio::time::{MissedTickBehavior, interval, sleep_until};
use weir_crawl::{Config, HandedOn, Outlets, SinkReport, Stop};
use weir_fetch::Meter;

use self::crew::Crew;
use self::handover::Handover;
use self::holdings::{Holdings, now_ms};
use self::identity::Identity;
use self::link::{Happened, Link, LinkEvent};
use self::shelf::{Kept, Shelf, Shelved};
use crate::convert::take_job;
use crate::machine::machine;
use crate::security::ClientSecurity;
use crate::wire::order::What as Order;
use crate::wire::report::What as Report;
use crate::wire::{Goodbye, Hello, Jobs, Outcome, Outcomes, Pulse, Welcome};
use crate::{ClusterError, GIVE_UP, PULSE, QUIET, VERSION};

pub struct DownloaderOptions {
    /// Where the scheduler is, such as `https://scheduler:7700`.
    pub scheduler: String,
    pub keys: Option<PathBuf>,
    pub out: PathBuf,
    pub slots: usize,
    pub name: String,
    /// It ends when the scheduler ends for now, too, instead of waiting for it to come back.
    pub ends_with_scheduler: bool,
    /// Where pages go on to from its folder.
    pub outlets: Outlets,
}

/// What a downloader is doing, for whoever watches.
#[derive(Clone, Debug, Default)]
pub struct Doing {
    pub connected: bool,
    pub slots: usize,
    pub fetching: usize,
    pub queued: usize,
    pub pages: u64,
    pub rate: f64,
    /// What it may receive; none for no limit.
    pub limit: Option<f64>,
    /// How far the sinks are.
    pub sinks: Vec<SinkReport>,
    /// What went wrong since the last time, in order.
    pub troubles: Vec<String>,
}

/// How a downloader ended.
#[derive(Clone, Debug)]
pub struct Left {
    /// So many pages wait for the scheduler's word: to be started again. If there are none, the
    /// crawl is done, or it was asked to leave; all that it did is in its files.
    pub unsettled: usize,
    /// What its sinks have by now.
    pub sinks: Vec<SinkReport>,
}

/// Fetches until the crawl is done or `stop` says so. Blocks; `watch` is called a few times a second.
pub fn downloader(
    options: DownloaderOptions,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Doing),
) -> Result<Left, ClusterError> {
    options.outlets.check()?;
    let security = ClientSecurity::choose(&options.scheduler, options.keys.as_deref())?;
    let path = options.out.clone();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|why| ClusterError::Io { what: "start a runtime for", path, why })?;
    let local = LocalSet::new();
    let left = local.block_on(&runtime, async {
        let (downloader, inputs) = Downloader::open(options, security)?;
        downloader.run(inputs, stop, watch).await
    });
    // Requests that are still under way are not waited for.
    runtime.shutdown_background();
    left
}

struct Downloader {
    options: DownloaderOptions,
    security: Rc<ClientSecurity>,
    identity: Identity,
    crew: Crew,
    holdings: Option<Holdings>,
    /// Whether there is a limit and a budget, as it was last told.
    limits: Option<(bool, bool)>,
    received: Arc<AtomicU64>,
    meter: Meter,
    begun: Instant,
    shelf: Option<Shelf>,
    /// What the shelf has put into the files.
    kept: Kept,
    handover: Option<Handover>,
    /// On the disk and not settled for good, numbered without gaps.
    pending: VecDeque<Outcome>,
    /// What was sent on this link.
    sent: u64,
    /// Outcomes that are ready to be sent wait for more of them until then.
    gathers_until: Option<Instant>,
    last: u64,
    /// What the shelf could not take yet.
    settled: Option<(u64, Vec<u64>)>,
    link: Option<Link>,
    links: u64,
    welcomed: bool,
    epoch: u32,
    heard: Instant,
    connect_at: Instant,
    patience: Duration,
    /// The last reason why there is no connection, which is told once.
    told: Option<String>,
    ending: Option<Ending>,
    pages: u64,
    troubles: Vec<String>,
    out: Outputs,
    _lock: File,
}

/// Where things happen that the loop hears of.
#[derive(Clone)]
struct Outputs {
    links: mpsc::Sender<LinkEvent>,
    shelved: mpsc::Sender<Shelved>,
}

struct Inputs {
    links: mpsc::Receiver<LinkEvent>,
    shelved: mpsc::Receiver<Shelved>,
    ended: mpsc::Receiver<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ending {
    why: &'static str,
    since: Instant,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// What is being fetched ends, and is settled.
    Settling,
    /// The files are closed.
    Closing,
    Closed,
}

const EVENTS: usize = 64;
/// Outcomes in one message, and about how many bytes of links.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;
/// So long outcomes wait for more of them.
const GATHER: Duration = Duration::from_millis(5);
/// Between two tries to connect.
const LEAST_PATIENCE: Duration = Duration::from_millis(200);
const MOST_PATIENCE: Duration = Duration::from_secs(3);
/// How long somebody who leaves waits for what it did to be settled.
const SETTLE_WITHIN: Duration = Duration::from_secs(20);
/// For the last word to go out.
const FAREWELL: Duration = Duration::from_millis(300);

async fn until(at: Option<Instant>) {
    if let Some(at) = at {
        sleep_until(at.into()).await;
    }
}

impl Downloader {
    fn open(
        options: DownloaderOptions,
        security: ClientSecurity,
    ) -> Result<(Downloader, Inputs), ClusterError> {
        let (identity, lock) = Identity::open(&options.out)?;
        let (links, link_events) = mpsc::channel(EVENTS);
        let (shelved, shelf_events) = mpsc::channel(EVENTS);
        let (ended, ended_events) = mpsc::channel(EVENTS);
        let now = Instant::now();
        let mut downloader = Downloader {
            crew: Crew::new(options.slots, ended),
            holdings: None,
            limits: None,
            received: Arc::default(),
            meter: Meter::default(),
            begun: now,
            shelf: None,
            kept: Kept::default(),
            handover: None,
            pending: VecDeque::new(),
            sent: 0,
            gathers_until: None,
            last: 0,
            settled: None,
            link: None,
            links: 0,
            welcomed: false,
            epoch: 0,
            heard: now,
            connect_at: now,
            patience: LEAST_PATIENCE,
            told: None,
            ending: None,
            pages: 0,
            troubles: Vec::new(),
            out: Outputs { links, shelved },
            _lock: lock,
            options,
            security: Rc::new(security),
            identity,
        };
        if downloader.identity.crawl.is_some() {
            let handed = downloader.identity.handed();
            downloader.open_shelf(&handed)?;
        }
        let inputs = Inputs { links: link_events, shelved: shelf_events, ended: ended_events };
        Ok((downloader, inputs))
    }

    fn open_shelf(&mut self, handed: &HandedOn) -> Result<Config, ClusterError> {
        let DownloaderOptions { out, slots, outlets, .. } = &self.options;
        let config = handed.config(out, *slots, outlets)?;
        if self.shelf.is_none() {
            let mut store = config.store_config();
            store.label = Some(self.identity.label());
            let (shelf, left) = Shelf::open(store, self.out.shelved.clone())?;
            self.shelf = Some(shelf);
            self.pending = left.pending.into();
            (self.kept, self.last) = (left.kept, left.last);
            self.handover = Handover::start(&config, &self.identity, &self.kept)?;
        }
        Ok(config)
    }

    async fn run(
        mut self,
        mut inputs: Inputs,
        mut stop: watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Doing),
    ) -> Result<Left, ClusterError> {
        let mut ticks = interval(PULSE);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let stopping = *stop.borrow();
            if stopping != Stop::No {
                self.leave("it was asked to");
            }
            if self.is_over(stopping) {
                self.say_goodbye().await;
                self.hand_over_rest(&stop, watch).await;
                return Ok(self.left());
            }
            if let Err(why) = self.try_sinks() {
                // Others get its jobs at once, and not when it has been missed for long enough.
                self.leave("a sink refuses its pages");
                self.say_goodbye().await;
                return Err(why);
            }
            tokio::select! {
                Some(event) = inputs.links.recv() => self.linked(event)?,
                Some(happened) = inputs.shelved.recv() => self.shelved(happened)?,
                Some(number) = inputs.ended.recv() => self.crew.ended(number),
                _ = stop.changed(), if stop.has_changed().is_ok() => {}
                _ = ticks.tick() => self.tick(watch),
                () = until(self.gathers_until), if self.gathers_until.is_some() => {}
            }
            self.start();
            self.send_outcomes();
        }
    }

    /// A few times a second.
    fn tick(&mut self, watch: &mut dyn FnMut(&Doing)) {
        let now = Instant::now();
        if self.link.is_none() && now >= self.connect_at {
            self.connect();
        }
        if let Some(holdings) = &mut self.holdings {
            holdings.put_into_force();
        }
        if self.heard.elapsed() > GIVE_UP {
            self.crew.give_up();
            // It may be there, and only slow: it has to learn that nobody is at these jobs any more.
            if self.welcomed {
                self.unlink(now);
            }
        }
        if let (Some((upto, rejected)), Some(shelf)) = (self.settled.take(), &self.shelf)
            && !shelf.settled(upto, rejected.clone())
        {
            self.settled = Some((upto, rejected));
        }
        let micros = now.duration_since(self.begun).as_micros() as u64;
        self.meter.note(micros, self.received.load(Ordering::Relaxed) as f64);
        self.go_on_leaving();
        self.pulse();
        self.show(watch);
    }

    fn show(&mut self, watch: &mut dyn FnMut(&Doing)) {
        if let Some(handover) = &self.handover {
            self.troubles.extend(handover.troubles());
        }
        watch(&self.doing());
        self.troubles.clear();
    }

    fn connect(&mut self) {
        self.links += 1;
        self.welcomed = false;
        let pending = self.pending.iter().map(|outcome| outcome.job);
        let hello = Hello {
            version: VERSION,
            id: self.identity.id.to_vec().into(),
            name: self.options.name.clone(),
            out: self.options.out.display().to_string(),
            slots: self.options.slots as u32,
            start: self.identity.start,
            crawl: self.identity.crawl.map(|crawl| crawl.to_vec()).unwrap_or_default().into(),
            held: self.crew.held().chain(pending).collect(),
            stored: self.kept.upto,
            last: self.last,
            machine: machine().into(),
        };
        let events = self.out.links.clone();
        self.link = Some(Link::open(self.links, &self.security, hello, events));
    }

    /// Without a connection, until then.
    fn unlink(&mut self, connect_at: Instant) {
        // Before the connection ends: the scheduler may give to others at once what we held.
        if let Some(holdings) = &mut self.holdings {
            holdings.give_back();
        }
        self.link = None;
        self.welcomed = false;
        self.connect_at = connect_at;
    }

    fn linked(&mut self, event: LinkEvent) -> Result<(), ClusterError> {
        if self.link.as_ref().is_none_or(|link| link.number != event.link) {
            return Ok(());
        }
        match event.what {
            Happened::Closed { why, is_final } => {
                self.unlink(Instant::now() + self.patience);
                if is_final && self.ending.is_none() {
                    return Err(ClusterError::Refused(why));
                }
                if self.told.as_ref() != Some(&why) && self.ending.is_none() {
                    self.troubles.push(format!("{}: {why}; trying again", self.options.scheduler));
                    self.told = Some(why);
                }
                self.patience = (self.patience * 2).min(MOST_PATIENCE);
            }
            Happened::Order(order) => {
                self.heard = Instant::now();
                if let Some(order) = order.what {
                    self.ordered(order)?;
                }
            }
        }
        Ok(())
    }

    fn ordered(&mut self, order: Order) -> Result<(), ClusterError> {
        match order {
            Order::Welcome(welcome) => self.welcome(welcome)?,
            Order::Jobs(jobs) => self.take(jobs),
            Order::Rates(rates) => {
                if let Some(holdings) = &mut self.holdings {
                    holdings.told(&rates);
                }
                // What was lowered here waits for this word to be raised elsewhere.
                if rates.total.is_some() || !rates.sites.is_empty() {
                    self.pulse();
                }
            }
            // The files are closed; it is told again when it is started again.
            Order::Settled(_) if self.is_closing() => {}
            Order::Settled(settled) => {
                while self.pending.pop_front_if(|first| first.number <= settled.upto).is_some() {}
                let shelf = self.shelf.as_ref();
                if shelf.is_none_or(|shelf| !shelf.settled(settled.upto, settled.rejected.clone()))
                {
                    self.settled = Some((settled.upto, settled.rejected));
                }
            }
            Order::Leave(leave) => {
                self.crew.leave(&leave.jobs);
                if leave.all_unbegun {
                    self.crew.leave_unbegun();
                }
            }
            Order::End(end) => {
                if end.complete || self.options.ends_with_scheduler {
                    self.crew.give_up();
                    self.leave(if end.complete { "" } else { "the scheduler has ended" });
                    // Nothing more will be settled than what was told before this.
                    self.close();
                }
            }
        }
        Ok(())
    }

    fn welcome(&mut self, welcome: Welcome) -> Result<(), ClusterError> {
        let roots = welcome.has_roots.then(|| welcome.roots.to_vec());
        let handed = HandedOn { settings: welcome.settings.clone(), roots };
        let crawl = Some(self.crawl_of(&welcome)?);
        if self.identity.crawl != crawl || self.identity.handed() != handed {
            self.identity.crawl = crawl;
            self.identity.settings.clone_from(&handed.settings);
            self.identity.roots.clone_from(&handed.roots);
            self.identity.write(&self.options.out)?;
        }
        let mut config = self.open_shelf(&handed)?;
        self.be_limited(&welcome);
        config.fetch.shaper = self.holdings.as_ref().map(|holdings| holdings.shaper().clone());
        config.fetch.received = self.received.clone();
        self.crew.equip(&handed, &config, self.limits)?;
        if self.epoch != welcome.epoch {
            // Those that were not begun wait at the scheduler, which has been started anew.
            self.crew.leave_unbegun();
            self.epoch = welcome.epoch;
        }
        self.sent = welcome.known;
        self.welcomed = true;
        self.told = None;
        self.patience = LEAST_PATIENCE;
        self.pulse();
        Ok(())
    }

    /// A folder is of one crawl; the scheduler looks at that, too.
    fn crawl_of(&self, welcome: &Welcome) -> Result<[u8; 16], ClusterError> {
        let crawl = <[u8; 16]>::try_from(&welcome.crawl[..]).ok();
        let crawl = crawl.filter(|crawl| self.identity.crawl.is_none_or(|known| known == *crawl));
        let why =
            || ClusterError::Refused("it is about another crawl: use another --out".to_owned());
        crawl.ok_or_else(why)
    }

    /// There may be a limit now where there was none before the scheduler was started again, or none
    /// any more: what is under way by the old rules is given up.
    fn be_limited(&mut self, welcome: &Welcome) {
        let limits = (welcome.limited, welcome.has_budget);
        if self.limits == Some(limits) {
            return;
        }
        self.limits = Some(limits);
        self.crew.give_up();
        self.holdings = welcome.limited.then(|| Holdings::new(welcome.has_budget));
        if let Some(holdings) = &self.holdings {
            let running = holdings.shaper().clone();
            spawn_local(async move { running.run().await });
        }
    }

    fn take(&mut self, jobs: Jobs) {
        for job in jobs.jobs {
            let holdings = &mut self.holdings;
            match take_job(job, &mut |number| Some(holdings.as_mut()?.share(number))) {
                Ok(taken) => self.crew.add(taken),
                Err(odd) => self.troubles.push(odd.to_string()),
            }
        }
    }

    fn start(&mut self) {
        let may_begin = self.heard.elapsed() <= QUIET && self.ending.is_none();
        let may_begin = may_begin && self.handover.as_ref().is_none_or(Handover::is_tried);
        if let Some(shelf) = self.shelf.as_ref().filter(|_| may_begin) {
            self.crew.start(shelf);
        }
    }

    fn shelved(&mut self, happened: Shelved) -> Result<(), ClusterError> {
        match happened {
            Shelved::Durable(outcomes) => {
                for outcome in outcomes {
                    self.crew.durable(outcome.job);
                    self.last = outcome.number;
                    self.pages += u64::from(is_page(&outcome));
                    self.pending.push_back(outcome);
                }
            }
            Shelved::Stored(kept) => {
                self.kept = kept;
                if let Some(handover) = &mut self.handover {
                    handover.kept(&self.kept)?;
                }
            }
            Shelved::Finished(kept) => {
                self.kept = kept;
                if let Some(handover) = &mut self.handover {
                    handover.closed(&self.kept)?;
                }
                if let Some(ending) = &mut self.ending {
                    ending.stage = Stage::Closed;
                }
                self.pulse();
            }
            Shelved::Failed(why) => return Err(why.into()),
        }
        Ok(())
    }

    /// As long as jobs wait for a slot nothing would come sooner by what is told now, and each message costs the scheduler as much as
    /// several outcomes in it.
    fn gathers(&mut self) -> bool {
        let made = self.pending.back().map_or(0, |outcome| outcome.number);
        let unsent = made.saturating_sub(self.sent) as usize;
        let is_worth_it = self.welcomed
            && 0 < unsent
            && unsent < self.options.slots.div_ceil(2)
            && self.crew.queued() > 0
            && self.ending.is_none();
        let now = Instant::now();
        let until = self.gathers_until.unwrap_or(now + GATHER);
        self.gathers_until = (is_worth_it && now < until).then_some(until);
        self.gathers_until.is_some()
    }

    fn send_outcomes(&mut self) {
        if self.gathers() {
            return;
        }
        let Some(link) = self.link.as_ref().filter(|_| self.welcomed) else { return };
        let Some(first) = self.pending.front().map(|outcome| outcome.number) else { return };
        while link.has_room() {
            let from = (self.sent + 1).saturating_sub(first) as usize;
            let mut bytes = 0;
            let next = self.pending.iter().skip(from).take(BATCH);
            let batch: Vec<Outcome> = next
                .take_while(|outcome| {
                    let is_room = bytes < BATCH_BYTES;
                    bytes += prost::Message::encoded_len(*outcome);
                    is_room
                })
                .cloned()
                .collect();
            let Some(last) = batch.last().map(|outcome| outcome.number) else { return };
            if !link.send(Report::Outcomes(Outcomes { outcomes: batch })) {
                return;
            }
            self.sent = last;
        }
    }

    fn pulse(&self) {
        let Some(link) = self.link.as_ref().filter(|_| self.welcomed) else { return };
        let (total, sites) = match &self.holdings {
            Some(holdings) => {
                let (total, sites) = holdings.in_force();
                (Some(total), sites)
            }
            None => (None, Vec::new()),
        };
        let old = self.crew.held().filter(|number| number >> 32 != u64::from(self.epoch)).count();
        let waiting = self.holdings.as_ref().map_or(0, |holdings| holdings.shaper().held_back());
        link.send(Report::Pulse(Pulse {
            received: self.received(),
            stamp_ms: now_ms(),
            waiting: waiting as u32,
            fetching: self.crew.under_way() as u32,
            queued: self.crew.queued() as u32,
            stored: self.kept.upto,
            old: old as u32,
            total,
            sites,
            leaving: self.ending.is_some(),
            out_of_quota: self
                .holdings
                .as_ref()
                .is_some_and(|held| held.shaper().is_out_of_quota()),
        }));
    }

    fn received(&self) -> f64 {
        match &self.holdings {
            Some(holdings) => holdings.shaper().rates().bytes,
            None => self.received.load(Ordering::Relaxed) as f64,
        }
    }

    fn leave(&mut self, why: &'static str) {
        if self.ending.is_none() {
            self.crew.leave_unbegun();
            self.ending = Some(Ending { why, since: Instant::now(), stage: Stage::Settling });
            self.pulse();
        }
    }

    /// Closes the files when all that was fetched is settled, or it takes too long.
    fn go_on_leaving(&mut self) {
        let Some(ending) = self.ending.filter(|ending| ending.stage == Stage::Settling) else {
            return;
        };
        let is_settled = self.crew.under_way() == 0 && self.kept.upto >= self.last;
        if is_settled || ending.since.elapsed() > SETTLE_WITHIN {
            self.close();
        }
    }

    fn is_closing(&self) -> bool {
        self.ending.is_some_and(|ending| ending.stage != Stage::Settling)
    }

    fn close(&mut self) {
        let is_asked = self.shelf.as_ref().is_none_or(Shelf::finish);
        let stage = if self.shelf.is_some() { Stage::Closing } else { Stage::Closed };
        if let Some(ending) = self.ending.as_mut().filter(|_| is_asked) {
            ending.stage = stage;
        }
    }

    /// All is done, or nobody wants to wait.
    fn is_over(&self, stopping: Stop) -> bool {
        let is_closed = |ending: Ending| ending.stage == Stage::Closed;
        self.ending.is_some_and(|ending| is_closed(ending) || stopping == Stop::Now)
    }

    /// The scheduler hears nothing more of it, and it of the scheduler.
    async fn say_goodbye(&mut self) {
        if let Some(link) = self.link.as_ref().filter(|_| self.welcomed) {
            let why = self.ending.map_or("", |ending| ending.why).to_owned();
            link.send(Report::Goodbye(Goodbye { why, stored: self.kept.upto }));
        }
        tokio::time::sleep(FAREWELL).await;
        self.link = None;
        self.welcomed = false;
    }

    fn left(&self) -> Left {
        // When the crawl is done, what it did not settle was somebody else's.
        let is_complete = self.ending.is_some_and(|ending| ending.why.is_empty());
        let unsettled = self.pending.len() + self.crew.under_way();
        Left { unsettled: if is_complete { 0 } else { unsettled }, sinks: self.sinks() }
    }

    fn sinks(&self) -> Vec<SinkReport> {
        self.handover.as_ref().map(|it| it.reports(&self.kept)).unwrap_or_default()
    }

    fn doing(&self) -> Doing {
        let limit = self.holdings.as_ref().map(Holdings::rate).filter(|rate| rate.is_finite());
        let rate = match &self.holdings {
            Some(holdings) => holdings.shaper().rates().now,
            None => self.meter.rates(self.received()).now,
        };
        Doing {
            connected: self.welcomed,
            slots: self.options.slots,
            fetching: self.crew.fetching(),
            queued: self.crew.queued(),
            pages: self.pages,
            rate,
            limit,
            sinks: self.sinks(),
            troubles: self.troubles.clone(),
        }
    }
}

fn is_page(outcome: &Outcome) -> bool {
    use crate::wire::outcome::What;
    matches!(&outcome.what, Some(What::Kept(kept)) if (200..300).contains(&kept.status))
}
