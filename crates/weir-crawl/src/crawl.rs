//! The loop: jobs go out, what came of them is stored and settled, and the two are committed
//! together at the end of each turn. This is the page to read first.

mod acting;
mod aside;
mod clock;
mod delivery;
mod ending;
mod error;
mod logging;
mod lost;
mod noting;
mod opening;
mod records;
mod reporting;
mod rounds;
mod steering;
mod survey;
mod viewing;

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, LocalSet};
use tokio::time::{MissedTickBehavior, interval, sleep};
use weir_frontier::HostId;
use weir_store::{Mark, Store};

use self::clock::{Clock, cpu_time, now_text};
use self::delivery::Marks;
use self::noting::Run;
use crate::Config;
use crate::allowance::Allowance;
use crate::counts::Counts;
use crate::delivery::Delivery;
use crate::dispatch::Dispatch;
use crate::downloader;
use crate::hands::{Hands, Starter};
use crate::helm::Course;
use crate::part::{PATIENCE, Part, Parting};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::report::{Finish, Report};
use crate::servers::Servers;
use crate::tasks::{Dangers, Steer};
use crate::work::{Job, Worked};

pub use error::CrawlError;
pub use records::Records;
pub use survey::{Survey, survey};

/// How a crawl ended, and what it did over all its runs.
#[derive(Debug)]
pub struct Ended {
    pub report: Report,
    /// The folder held a crawl already, and this run went on with it.
    pub resumed: bool,
    /// Whoever runs it stays, and goes on with it when there is a new budget.
    pub stays: bool,
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
    next_history: Instant,
    /// Processor time that went into plans in this run.
    planning: Duration,
    syncing: Option<JoinHandle<Result<u64, CrawlError>>>,
    delivery: Delivery,
    marks: Marks,
    records: Records,
    /// The last one in the journal.
    mark: Option<Mark>,
    next_report: Instant,
    /// What came of exchanges, for whoever stands at the helm, and when it is looked at again.
    counts: Counts,
    next_view: Instant,
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
const COURSE: &str = "course";

const TICK: Duration = Duration::from_millis(200);
const SYNC_EVERY: Duration = Duration::from_secs(1);
/// How often the sockets are looked at before a turn is settled.
const GATHERINGS: usize = 1;
/// What is settled in one turn at the most, so that a turn stays short.
const BATCH: usize = 64;
/// A turn whose pages have so very many links is committed before all of it is settled.
const LARGE_FRAME: usize = 64 << 20;

impl Crawl {
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
            if let Some(finish) = self.finish(stopping) {
                return Ok(finish);
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
                    self.tick(stopping, watch)?;
                    if last_sync.elapsed() >= SYNC_EVERY {
                        self.sync().await?;
                        last_sync = Instant::now();
                    }
                }
            }
        }
    }

    /// How it ends, if it ends now.
    fn finish(&mut self, stopping: Stop) -> Option<Finish> {
        let stays = self.stays();
        if self.dispatch.is_done() && !stays {
            return Some(Finish::Complete);
        }
        if self.dispatch.is_at_limit() || self.allowance.is_used_up() {
            return Some(Finish::Limit);
        }
        if !stays && self.has_enough() {
            return Some(Finish::Limit);
        }
        if stopping == Stop::Now || stopping == Stop::Soon && !self.is_worth_waiting() {
            return Some(Finish::Interrupted);
        }
        self.only_waits(PATIENCE).then_some(Finish::Limit)
    }

    /// What is done a few times a second, whether or not anything has come.
    fn tick(&mut self, stopping: Stop, watch: &mut dyn FnMut(&Progress)) -> Result<(), CrawlError> {
        let is_ending = stopping != Stop::No;
        self.allowance.tick()?;
        self.hands.tick(self.config.fetch.shaper.as_ref(), self.allowance.limit());
        let begun = cpu_time();
        self.steer()?;
        self.planning += cpu_time().saturating_sub(begun);
        if !is_ending {
            self.begin_rounds()?;
        }
        self.tell_trouble();
        self.tell_sink_troubles();
        self.heed_helm()?;
        self.show_helm(is_ending);
        watch(&self.progress(is_ending));
        self.note_run();
        Ok(())
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

    async fn next_event(
        &mut self,
        batch: &mut Vec<Worked>,
        ticks: &mut tokio::time::Interval,
        stop: &mut watch::Receiver<Stop>,
    ) -> Result<Event, CrawlError> {
        // Where nothing may begin, a rest that is over changes nothing.
        let may_begin = *stop.borrow() == Stop::No
            && self.dispatch.has_room()
            && self.allowance.wants() != Some(0);
        let due = self.dispatch.next_due_ms().filter(|_| may_begin);
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
                    if self.dispatch.frontier.unwritten() > LARGE_FRAME {
                        self.commit_turn()?;
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
            if let Some(safe) = self.marks.synced() {
                // No loss of power takes the log back to before this mark: what it no longer needs may go.
                self.store.journalled(&safe)?;
                self.delivery.committed(safe)?;
            }
        }
        self.write_report(Finish::Running)?;
        if Instant::now() >= self.next_history {
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

    fn tell_trouble(&mut self) {
        while let Some(trouble) = self.hands.trouble() {
            self.dispatch.trouble(trouble);
        }
        if let Some(trouble) = self.allowance.trouble() {
            self.dispatch.trouble(trouble);
        }
    }
}

async fn granted(servers: Option<&Servers>) {
    if let Some(servers) = servers {
        servers.granted().await;
    }
}
