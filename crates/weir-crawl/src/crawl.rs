//! The loop: jobs go out, what came of them is stored and settled, and the two are committed
//! together at the end of each turn. This is the page to read first.

mod acting;
mod delivery;
mod logging;
mod lost;
mod records;
mod reporting;
mod rounds;
mod steering;
mod survey;
mod viewing;

use std::collections::HashSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, LocalSet};
use tokio::time::{MissedTickBehavior, interval, sleep};
use url::Url;
use weir_fetch::SetupError;
use weir_frontier::{Frontier, FrontierError, HostId};
use weir_store::{Mark, SinkError, Store, StoreError};
use weir_types::site_of;

use self::delivery::Marks;
use self::logging::log_end;
use self::reporting::write_to;
use crate::Config;
use crate::allowance::{Allowance, Measured};
use crate::budget::LedgerError;
use crate::counts::Counts;
use crate::delivery::Delivery;
use crate::dispatch::{Dispatch, FRESHNESS, Tally};
use crate::downloader;
use crate::hands::{Hands, Start, Starter};
use crate::helm::Course;
use crate::pace::LONGEST_BACKOFF_MS;
use crate::part::{PATIENCE, Part, Parting};
use crate::plan::{Plan, text_of};
use crate::progress::Progress;
use crate::report::{FILE, Finish, Report};
use crate::scope::origin;
use crate::servers::Servers;
use crate::settings::ConfigError;
use crate::tasks::{Dangers, HISTORY_FILE, History, Steer, Tasks};
use crate::work::{Job, Worked};

pub use records::Records;
pub use survey::{Survey, survey};

#[derive(Debug, Error)]
pub enum CrawlError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Budget(#[from] LedgerError),
    #[error(transparent)]
    Sink(#[from] SinkError),
    #[error("cannot {what} {path}: {why}")]
    Io { what: &'static str, path: PathBuf, why: std::io::Error },
    #[error(
        "disk is full while writing {path}: free some room and run the same command again, nothing is lost"
    )]
    Full { path: PathBuf },
    #[error("{0}")]
    Hands(String),
    #[error("a download thread ended by itself; run the same command again, nothing is lost")]
    ThreadLost,
}

/// How a crawl ended, and what it did over all its runs.
#[derive(Debug)]
pub struct Ended {
    pub report: Report,
    /// The folder held a crawl already, and this run went on with it.
    pub resumed: bool,
}

/// Asks a running crawl to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    No,
    /// Finish what is under way, begin nothing new.
    Soon,
    /// Leave what is under way; it will be fetched again.
    Now,
}

/// Crawls until all is done, a limit is reached, or `stop` says so. Blocks; `watch` is called a
/// few times a second.
pub fn crawl(
    config: Config,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Ended, CrawlError> {
    crawl_with(config, Box::new(downloader::here), stop, watch)
}

/// The same, with somebody else to carry out what is to be fetched. `hands` is called inside a
/// `LocalSet`.
pub fn crawl_with(
    config: Config,
    hands: Box<Starter<'_>>,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Ended, CrawlError> {
    run_to_end(config, hands, None, stop, watch).map(|(ended, _)| ended)
}

/// One run of a part of a crawl: hosts of one bucket, with what others have found for it.
pub fn crawl_part(
    mut config: Config,
    part: Part,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(Ended, Parting), CrawlError> {
    // A way that is longer than another one may turn out to be the shorter one.
    config.all_links = true;
    run_to_end(config, Box::new(downloader::here), Some(part), stop, watch)
}

fn run_to_end(
    config: Config,
    hands: Box<Starter<'_>>,
    part: Option<Part>,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(Ended, Parting), CrawlError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|why| CrawlError::Io { what: "start", path: "the runtime".into(), why })?;
    let local = LocalSet::new();
    let ended = local.block_on(&runtime, async {
        let mut crawl = Crawl::open(config, hands, part)?;
        crawl.log_begin();
        let finish = crawl.run(stop.clone(), watch).await?;
        let parting = crawl.part_ways();
        Ok((crawl.close(finish, &stop, watch).await?, parting))
    });
    // Requests that are still under way after `Stop::Now` are not waited for.
    runtime.shutdown_background();
    ended
}

struct Crawl {
    config: Config,
    /// What was changed while it ran, and the config without that.
    course: Course,
    written: Config,
    dispatch: Dispatch,
    store: Store,
    hands: Box<dyn Hands>,
    results: mpsc::Receiver<Worked>,
    run: Run,
    clock: Clock,
    /// Leased to us by somebody, where others crawl beside us.
    servers: Option<Servers>,
    resumed: bool,
    allowance: Allowance,
    steer: Steer,
    dangers: Dangers,
    /// Deadlines that are in danger or missed, and whatever else was promised and is not kept.
    warnings: Vec<String>,
    /// What was planned when all sites were known.
    plan: Option<Arc<Plan>>,
    /// Deadlines that the frontier has a note of.
    promised: usize,
    /// New rounds have begun, and the plan of the last ones is past.
    plans_anew: bool,
    last_history: Instant,
    /// Processor time that went into plans in this run.
    planning: Duration,
    syncing: Option<JoinHandle<Result<u64, CrawlError>>>,
    delivery: Delivery,
    marks: Marks,
    records: Records,
    /// The last one in the journal.
    mark: Option<Mark>,
    last_report: Instant,
    /// What came of exchanges, for whoever stands at the helm, and when it is looked at again.
    counts: Counts,
    next_view: Instant,
}

/// What is remembered of earlier runs in the same folder, under [`RUN`].
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Run {
    started: String,
    elapsed_s: f64,
    fetches: u64,
    other_bytes: u64,
    #[serde(default)]
    measured: Measured,
    #[serde(default)]
    planning_s: f64,
    /// Pages that were kept by who never came back. They count when they were fetched again.
    #[serde(default)]
    lost_pages: u64,
}

enum Event {
    Worked,
    Due,
    Tick,
    Stop,
    /// Or recalled.
    Granted,
}

/// Notes in the frontier.
pub const MARK: &str = "store";
const SEEDS: &str = "seeds";
const RUN: &str = "run";
const PROMISES: &str = "promises";
const ROUNDS: &str = "rounds";
const COURSE: &str = "course";

const TICK: Duration = Duration::from_millis(200);
/// How long the end of a crawl waits for those who work elsewhere.
const HANDS_WAIT: Duration = Duration::from_secs(60);
/// ...without saying so.
const HANDS_SOON: Duration = Duration::from_secs(3);
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How often the sockets are looked at before a turn is settled.
const GATHERINGS: usize = 1;
/// What is settled in one turn at the most, so that a turn stays short.
const BATCH: usize = 64;

impl Crawl {
    fn open(
        mut config: Config,
        hands: Box<Starter<'_>>,
        mut part: Option<Part>,
    ) -> Result<Crawl, CrawlError> {
        if config.fresh {
            clear(config.folder())?;
        }
        let folder = config.folder().join("frontier");
        let (mut frontier, opened) = Frontier::open(&folder, books(&config, part.as_ref()))?;
        let course: Course = frontier
            .note(COURSE)
            .and_then(|bytes| serde_json::from_slice(bytes).ok())
            .unwrap_or_default();
        let written = config.clone();
        course.apply(&mut config);
        let mut store_config = config.store_config();
        store_config.label = part.as_ref().map(|part| part.label.clone());
        // The pages of earlier runs of a part are elsewhere.
        let mark = frontier.note(MARK).filter(|_| part.is_none());
        let store = Store::open(store_config.clone(), mark)?;
        let seeds = match &part {
            None => all_seeds(&mut frontier, &config.seeds),
            Some(_) => config.seeds.clone(),
        };
        if seeds.is_empty() {
            return Err(ConfigError::NoSeeds.into());
        }
        let delivery = Delivery::start(&config, &delivery::feeder(&mut frontier))?;
        delivery.try_once()?;
        let records = Records::read(&config, &frontier);
        let run = frontier.note(RUN).and_then(|bytes| serde_json::from_slice(bytes).ok());
        let run = run.unwrap_or_else(|| Run { started: now_text(), ..Run::default() });
        let tally = earlier(&frontier, &run);
        if let Some(part) = &part {
            config.max_pages = part.pages.map(|most| tally.pages + most);
            config.max_bytes = part.bytes.map(|most| tally.bytes_wire + most);
        }
        let mut allowance = Allowance::open(&mut config, run.measured)?;
        let promises = frontier.note(PROMISES).and_then(|bytes| serde_json::from_slice(bytes).ok());
        let rounds = frontier.note(ROUNDS).and_then(|bytes| serde_json::from_slice(bytes).ok());
        let (mut history, damage) = History::read(&config.out.join(HISTORY_FILE));
        if !opened.resumed && !config.keeps_history {
            history.begin_anew();
        }
        let asked = asked(&config, &seeds);
        let (promises, rounds) = (promises.unwrap_or_default(), rounds.unwrap_or_default());
        let mut tasks = Tasks::new(&config, asked, promises, rounds, history);
        tasks.pause_all(course.paused());
        let steer = Steer::new(config.policy, config.max_sites);
        let dangers = Dangers::new(config.almanac.zone.clone());
        let mut dispatch = Dispatch::new(&config, frontier, &seeds, tally, tasks);
        if let Some(damage) = damage {
            dispatch.trouble(format!("{HISTORY_FILE} is not used and will be replaced: {damage}"));
        }
        if let Some(trouble) = allowance.trouble() {
            dispatch.trouble(trouble);
        }
        let servers = part.as_ref().and_then(|part| part.servers.clone());
        match part.take() {
            None => dispatch.add_seeds(&seeds)?,
            Some(part) => dispatch.take_part(part)?,
        }
        let (sender, results) = mpsc::channel(BATCH * 4);
        let hands = hands(Start {
            config: &config,
            store: &store_config,
            results: sender,
            frontier: &mut dispatch.frontier,
            resumed: opened.resumed,
        })?;
        let clock = Clock::start();
        // A host that asked for a longer rest has a note of it, which holds all the same.
        let most_ms = clock.now_ms().saturating_add(LONGEST_BACKOFF_MS);
        dispatch.frontier.distrust_retries_after(most_ms);
        let mut crawl = Crawl {
            config,
            course,
            written,
            dispatch,
            store,
            hands,
            results,
            run,
            clock,
            servers,
            allowance,
            steer,
            dangers,
            warnings: Vec::new(),
            plan: None,
            promised: 0,
            plans_anew: false,
            last_history: clock.begun,
            planning: Duration::ZERO,
            resumed: opened.resumed,
            syncing: None,
            delivery,
            marks: Marks::default(),
            records,
            mark: None,
            last_report: clock.begun,
            counts: Counts::default(),
            next_view: clock.begun,
        };
        crawl.tell_pauses();
        crawl.write_off()?;
        crawl.dispatch.count_open(Timestamp::now());
        if crawl.config.recrawl {
            crawl.begin_recrawl()?;
        }
        crawl.begin_rounds()?;
        Ok(crawl)
    }

    async fn run(
        &mut self,
        mut stop: watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Finish, CrawlError> {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut last_sync = Instant::now();
        let mut batch = Vec::with_capacity(BATCH);
        self.note_run();
        // What is promised is kept before it is told.
        self.commit_turn()?;
        self.write_report(Finish::Running)?;
        loop {
            self.commit_turn()?;
            let stopping = *stop.borrow();
            self.heed_grants();
            if stopping == Stop::No {
                self.start_jobs()?;
            }
            self.tend_leases(stopping != Stop::No);
            let stays = self.stays();
            if self.dispatch.is_done() && !stays {
                return Ok(Finish::Complete);
            }
            if self.dispatch.is_at_limit() || self.allowance.is_used_up() {
                return Ok(Finish::Limit);
            }
            if !stays && self.has_enough() {
                return Ok(Finish::Limit);
            }
            if stopping == Stop::Now || stopping == Stop::Soon && !self.is_worth_waiting() {
                return Ok(Finish::Interrupted);
            }
            if self.only_waits(PATIENCE) {
                return Ok(Finish::Limit);
            }
            if stopping == Stop::No {
                self.dispatch.leave_long_rests(self.clock.now_ms())?;
            }
            match self.next_event(&mut batch, &mut ticks, &mut stop).await? {
                Event::Worked => {
                    self.gather(&mut batch).await;
                    self.settle(&mut batch)?;
                }
                Event::Due | Event::Stop | Event::Granted => {}
                Event::Tick => {
                    self.allowance.tick()?;
                    self.hands.tick(self.config.fetch.shaper.as_ref(), self.allowance.limit());
                    let begun = cpu_time();
                    self.steer()?;
                    self.planning += cpu_time().saturating_sub(begun);
                    if stopping == Stop::No {
                        self.begin_rounds()?;
                    }
                    self.tell_trouble();
                    self.tell_sink_troubles();
                    self.heed_helm()?;
                    self.show_helm(stopping != Stop::No);
                    watch(&self.progress(stopping != Stop::No));
                    self.note_run();
                    if last_sync.elapsed() >= SYNC_EVERY {
                        self.sync().await?;
                        last_sync = Instant::now();
                    }
                }
            }
        }
    }

    /// Goes by what was granted of servers, and recalled.
    fn heed_grants(&mut self) {
        if self.servers.is_some() {
            self.dispatch.heed_grants(self.clock.now_ms());
        }
    }

    fn tend_leases(&mut self, is_ending: bool) {
        if self.servers.is_some() {
            self.dispatch.tend_leases(self.clock.now_ms(), is_ending);
        }
    }

    /// A part leaves to its next run what has to be waited for.
    fn only_waits(&self, patience: Duration) -> bool {
        let patience_ms = patience.as_millis() as u64;
        self.dispatch.part.is_some() && self.dispatch.only_waits(self.clock.now_ms(), patience_ms)
    }

    /// What a run of a part leaves to others.
    fn part_ways(&mut self) -> Parting {
        self.tend_leases(true);
        let waiting = self.dispatch.frontier.counts().open;
        let next_due_ms = self.dispatch.next_due_ms().filter(|_| self.only_waits(PATIENCE));
        let Some(part) = self.dispatch.part.take() else { return Parting::default() };
        let (found_from, came) = (part.found_from, part.came);
        Parting { leaving: part.into_leaving(), waiting, next_due_ms, found_from, came }
    }

    async fn next_event(
        &mut self,
        batch: &mut Vec<Worked>,
        ticks: &mut tokio::time::Interval,
        stop: &mut watch::Receiver<Stop>,
    ) -> Result<Event, CrawlError> {
        let due = self.dispatch.next_due_ms();
        let wait = Duration::from_millis(due.unwrap_or(0).saturating_sub(self.clock.now_ms()));
        Ok(tokio::select! {
            // Whoever has more to bring than can be settled must not keep us from syncing it.
            biased;
            _ = ticks.tick() => Event::Tick,
            count = self.results.recv_many(batch, BATCH) => match count {
                0 => return Err(CrawlError::ThreadLost),
                _ => Event::Worked,
            },
            _ = stop.changed(), if stop.has_changed().is_ok() => Event::Stop,
            () = sleep(wait), if due.is_some() => Event::Due,
            () = granted(self.servers.as_ref()), if self.servers.is_some() => Event::Granted,
        })
    }

    /// Takes in what is about to be finished too: a turn costs a few system calls however much it
    /// settles.
    async fn gather(&mut self, batch: &mut Vec<Worked>) {
        for _ in 0..GATHERINGS {
            tokio::task::yield_now().await;
            while batch.len() < BATCH
                && let Ok(worked) = self.results.try_recv()
            {
                batch.push(worked);
            }
        }
    }

    /// Output first, then the frontier that refers to it: a crash between the two leaves bytes
    /// that no mark covers, and opening cuts them off.
    fn commit_turn(&mut self) -> Result<(), CrawlError> {
        let mark = self.store.flush()?;
        self.dispatch.frontier.set_note(MARK, mark.as_bytes());
        self.records.note(&mut self.dispatch.frontier);
        self.hands.note(&mut self.dispatch.frontier);
        self.dispatch.frontier.write()?;
        self.store.journalled(&mark)?;
        self.mark = Some(mark);
        Ok(())
    }

    fn start_jobs(&mut self) -> Result<(), CrawlError> {
        let now_ms = self.clock.now_ms();
        if let Some(room) = self.hands.room() {
            self.dispatch.set_room(room);
        }
        self.dispatch.wake(now_ms)?;
        while self.allowance.wants() != Some(0)
            && let Some((host, job)) = self.dispatch.next_job(now_ms)?
        {
            if let Some((host, job)) = self.allowance.offer(host, job) {
                self.start_job(host, job)?;
            }
        }
        while let Some((host, job)) = self.allowance.next() {
            self.start_job(host, job)?;
        }
        Ok(())
    }

    fn start_job(&mut self, host: HostId, job: Job) -> Result<(), CrawlError> {
        match self.hands.start_job(host, job) {
            true => Ok(()),
            false => Err(CrawlError::ThreadLost),
        }
    }

    /// Something was asked for and will be answered. What only waits for its turn goes back by
    /// itself; a pause may last for hours.
    fn is_worth_waiting(&mut self) -> bool {
        self.allowance.stop_starting();
        self.hands.stop_starting();
        if let Some(under_way) = self.hands.under_way() {
            return under_way > 0 && !self.allowance.is_paused();
        }
        let under_way = self.dispatch.in_flight().saturating_sub(self.allowance.waiting());
        under_way > 0 && !self.allowance.is_paused()
    }

    fn settle(&mut self, batch: &mut Vec<Worked>) -> Result<(), CrawlError> {
        let now_ms = self.clock.now_ms();
        for worked in batch.drain(..) {
            match worked {
                Worked::Page(mut worked) => {
                    if let Some(packed) = worked.packed.take() {
                        self.store.append(packed)?;
                    }
                    let bytes = worked.bytes_wire;
                    if self.config.helm.is_some() {
                        self.counts.take(&worked);
                    }
                    self.allowance.ended(worked.ticket, worked.answer.as_ref(), bytes);
                    let counts = self.dispatch.settle(&worked, now_ms)?;
                    if counts {
                        self.records.count(worked.rule, &worked.outcome);
                    }
                    if let Some(from) = worked.from {
                        self.hands.settled(from, counts);
                    }
                }
                Worked::Resolved { host, answer } => {
                    self.dispatch.resolved(host, answer, now_ms)?;
                }
                Worked::Robots { host, ticket, answer, bytes_wire } => {
                    self.allowance.ended(ticket, None, bytes_wire);
                    self.dispatch.robots_answered(host, answer, bytes_wire, now_ms)?;
                }
            }
        }
        Ok(())
    }

    /// Makes what was committed so far survive even the end of the machine; on another thread,
    /// since a disk may take its time. The next one waits for this one.
    async fn sync(&mut self) -> Result<(), CrawlError> {
        if let Some(running) = self.syncing.take() {
            if !running.is_finished() {
                self.syncing = Some(running);
                return Ok(());
            }
            let upto = running.await.map_err(|_| CrawlError::ThreadLost)??;
            self.dispatch.frontier.synced(upto);
            self.hands.synced();
            self.tell_sinks()?;
        }
        self.write_report(Finish::Running)?;
        if Instant::now() >= self.last_history {
            self.save_history()?;
        }
        self.marks.syncing(self.mark);
        self.hands.syncing();
        let store = self.store.syncer();
        let log = self.dispatch.frontier.syncer();
        self.syncing = Some(tokio::task::spawn_blocking(move || {
            store.run()?;
            Ok(log.run()?)
        }));
        Ok(())
    }

    async fn close(
        mut self,
        finish: Finish,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Ended, CrawlError> {
        self.allowance.close()?;
        self.tell_trouble();
        let mark = self.store.finish()?;
        self.dispatch.frontier.set_note(MARK, mark.as_bytes());
        self.records.note(&mut self.dispatch.frontier);
        self.note_run();
        self.dispatch.frontier.write()?;
        self.store.syncer().run()?;
        self.store.journalled(&mark)?;
        self.end_hands(finish, stop, watch).await?;
        self.dispatch.count_open(Timestamp::now());
        self.save_history()?;
        let mut report = self.report(finish);
        self.dispatch.frontier.seal()?;
        self.deliver_rest(&mark, stop, watch).await?;
        report.sinks = self.delivery.reports(self.store.totals());
        if !self.config.is_survey {
            write_to(&report, &self.config.out.join(FILE))?;
        }
        if let Some(path) = &self.config.report {
            write_to(&report, path)?;
        }
        self.leave_helm(&report);
        log_end(&report);
        Ok(Ended { report, resumed: self.resumed })
    }

    /// Whoever works elsewhere is told what counts for good, and waited for until it has stored that.
    async fn end_hands(
        &mut self,
        finish: Finish,
        stop: &watch::Receiver<Stop>,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<(), CrawlError> {
        if let Some(running) = self.syncing.take() {
            running.await.map_err(|_| CrawlError::ThreadLost)??;
        }
        if self.hands.reports().is_empty() {
            return Ok(());
        }
        // The first makes it durable, the second the word that it is.
        for _ in 0..2 {
            let upto = self.dispatch.frontier.syncer().run()?;
            self.dispatch.frontier.synced(upto);
            self.dispatch.frontier.write()?;
        }
        self.dispatch.frontier.syncer().run()?;
        self.hands.sealed();
        self.hands.end(finish == Finish::Complete);
        let (begun, mut is_told) = (Instant::now(), false);
        while !self.hands.is_settled()
            && begun.elapsed() < HANDS_WAIT
            && *stop.borrow() != Stop::Now
        {
            self.hands.tick(self.config.fetch.shaper.as_ref(), self.allowance.limit());
            self.tell_trouble();
            if begun.elapsed() > HANDS_SOON && !is_told {
                is_told = true;
                let whom = self.hands.waits_for().unwrap_or_else(|| "downloaders".to_owned());
                self.dispatch.trouble(format!("waiting for {whom}; Ctrl-C (twice) leaves them"));
            }
            watch(&self.progress(true));
            sleep(TICK).await;
        }
        self.hands.note(&mut self.dispatch.frontier);
        Ok(self.dispatch.frontier.write()?)
    }

    fn tell_trouble(&mut self) {
        while let Some(trouble) = self.hands.trouble() {
            self.dispatch.trouble(trouble);
        }
        if let Some(trouble) = self.allowance.trouble() {
            self.dispatch.trouble(trouble);
        }
    }

    fn note_run(&mut self) {
        let tally = self.dispatch.tally;
        let run = Run {
            started: self.run.started.clone(),
            elapsed_s: self.elapsed().as_secs_f64(),
            fetches: tally.fetches,
            other_bytes: tally.other_bytes,
            measured: self.allowance.measured(),
            planning_s: self.planning_s(),
            lost_pages: self.run.lost_pages,
        };
        let bytes = serde_json::to_vec(&run).expect("plain numbers and texts always serialize");
        self.dispatch.frontier.set_note(RUN, &bytes);
        self.note_freshness();
        self.note_rounds();
        let promises = self.dispatch.tasks.promises();
        if promises.len() != self.promised {
            self.promised = promises.len();
            self.note_promises();
        }
    }

    fn note_freshness(&mut self) {
        if self.dispatch.freshness.whole().is_some() {
            let note = self.dispatch.freshness.to_note();
            self.dispatch.frontier.set_note(FRESHNESS, &note);
        }
    }

    fn note_promises(&mut self) {
        const WHY: &str = "texts and times always serialize";
        let promises = serde_json::to_vec(self.dispatch.tasks.promises()).expect(WHY);
        self.note_freshness();
        self.dispatch.frontier.set_note(PROMISES, &promises);
        self.note_rounds();
    }

    /// A site without a deadline has rounds too; what is noted already is not noted again.
    fn note_rounds(&mut self) {
        let rounds = self.dispatch.tasks.rounds();
        let rounds = serde_json::to_vec(rounds).expect("texts and times always serialize");
        self.dispatch.frontier.set_note(ROUNDS, &rounds);
    }
}

async fn granted(servers: Option<&Servers>) {
    if let Some(servers) = servers {
        servers.granted().await;
    }
}

/// How the frontier is to be opened.
fn books(config: &Config, part: Option<&Part>) -> weir_frontier::Config {
    let depths = [config.depth, part.and_then(|part| part.depth)];
    weir_frontier::Config {
        max_depth: depths.into_iter().flatten().min(),
        tries_failed: part.is_none_or(|part| part.tries_failed),
        ..Default::default()
    }
}

/// The seeds named now and those of earlier runs: a resumed crawl keeps its scope.
fn all_seeds(frontier: &mut Frontier, named: &[Url]) -> Vec<Url> {
    let kept = frontier.note(SEEDS).unwrap_or_default().to_owned();
    let kept = String::from_utf8_lossy(&kept).into_owned();
    let mut seeds: Vec<Url> = kept.lines().filter_map(|line| Url::parse(line).ok()).collect();
    for seed in named {
        if !seeds.contains(seed) {
            seeds.push(seed.clone());
        }
    }
    let lines: Vec<&str> = seeds.iter().map(Url::as_str).collect();
    frontier.set_note(SEEDS, lines.join("\n").as_bytes());
    seeds
}

/// The pieces of work that the user named.
fn asked(config: &Config, seeds: &[Url]) -> HashSet<String> {
    let name = |seed: &Url| config.task_name(&site_of(seed), origin(seed.as_str())).to_owned();
    seeds.iter().map(name).collect()
}

/// The sums of earlier runs.
fn earlier(frontier: &Frontier, run: &Run) -> Tally {
    let past = frontier.past();
    let (mut pages, mut kept_bytes) = (past.pages, past.bytes_wire);
    for (_, _, _, totals) in frontier.hosts() {
        pages += totals.pages;
        kept_bytes += totals.bytes_wire;
    }
    // The sums were noted a moment before the last run ended, if it was killed.
    Tally {
        fetches: run.fetches.max(frontier.counts().kept + past.kept),
        pages: pages.saturating_sub(run.lost_pages),
        other_bytes: run.other_bytes,
        bytes_wire: kept_bytes + run.other_bytes,
    }
}

/// Removes what a crawl wrote and nothing else: the folder is the user's. What was used of a budget
/// stays used, and what is known of servers and sites stays known, so their files are left.
fn clear(out: &Path) -> Result<(), CrawlError> {
    for name in ["frontier", "warc", "pages", "store"] {
        let path = out.join(name);
        match fs::remove_dir_all(&path) {
            Err(why) if why.kind() != ErrorKind::NotFound => {
                return Err(CrawlError::Io { what: "clear", path, why });
            }
            _ => {}
        }
    }
    Ok(())
}

/// The time of day as the crawl began, carried on by a clock that nobody can set: a jump of the
/// system's clock must neither end all rests nor make them last for ever.
#[derive(Clone, Copy)]
struct Clock {
    begun: Instant,
    begun_ms: u64,
}

impl Clock {
    fn start() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let begun_ms = since.map_or(0, |since| since.as_millis() as u64);
        Clock { begun: Instant::now(), begun_ms }
    }

    fn now_ms(&self) -> u64 {
        self.begun_ms + self.begun.elapsed().as_millis() as u64
    }
}

/// Processor time of this thread.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec.clamp(0, 999_999_999) as u32)
}

fn now_text() -> String {
    text_of(Timestamp::now())
}
