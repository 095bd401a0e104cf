//! What a crawl may receive: at what rate (the calendar), how much in all (the budget), and who may
//! start under the controls of the past. It tells the shaper, which holds it, and measures what came.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hashbrown::HashSet;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::task::spawn_local;
use tokio::time::timeout;
use weir_fetch::{Meter, Rates, Shaper};
use weir_frontier::HostId;
use weir_plan::Cap;
use weir_types::Rate;

use crate::Config;
use crate::admission::{Admission, Gate, Offer};
use crate::beginning::Beginning;
use crate::budget::{self, Budget, Ledger, LedgerError};
use crate::calendar::Calendar;
use crate::progress::Intake;
use crate::speeds::{self, Estimate, Speeds};
use crate::work::{Answer, Job};

pub struct Allowance {
    shaper: Option<Shaper>,
    calendar: Option<Calendar>,
    /// For who sets the cap when the calendar changes it; all of it may be changed.
    follows: watch::Sender<Option<Calendar>>,
    /// By whose clock the calendar and the budgets go.
    zone: TimeZone,
    ledger: Option<Ledger>,
    /// The most that a survey may receive.
    sample: Option<u64>,
    gate: Option<Gate<(HostId, Job)>>,
    /// With a limit only: nobody asks otherwise.
    speeds: Option<Speeds>,
    /// Downloads that nothing was learnt from yet.
    downloads: Vec<Download>,
    /// Why they could not be read.
    trouble: Option<String>,
    speeds_file: PathBuf,
    saved: Instant,
    received: Arc<AtomicU64>,
    meter: Meter,
    begun: Instant,
    last_tick: Instant,
    /// What the ledger was told of.
    counted: f64,
    /// For how many seconds it was told of nothing, as far as we were awake to see it.
    still_s: f64,
    used_up: bool,
    renews_at: Option<Timestamp>,
    before: Measured,
    /// What the cap would have let through in this run.
    could: f64,
    tickets: u64,
    /// Hosts that something was asked of.
    met: HashSet<HostId>,
}

struct Download {
    server: IpAddr,
    bytes: u64,
    took: Duration,
}

/// Over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Measured {
    /// Received, packet headers included.
    pub bytes: f64,
    /// In the fastest second.
    pub peak_1s: f64,
    /// What the cap would have let through while it held.
    pub could: f64,
}

/// A budget is reserved for so long ahead.
const AHEAD_S: f64 = 2.0;
/// ...and at least this much: with a limit for what may be under way, without one because nobody
/// knows what will come until the next tick. It is lost to the budget when we are killed.
const AHEAD_LEAST: f64 = 128e3;
const AHEAD_UNLIMITED: f64 = 4e6;
/// Without a byte for so long, nothing more is to be expected of a budget that has run out.
const STILL_S: f64 = 1.0;
/// A machine that stood still for a second has bytes waiting that we could not have seen: of the
/// time between two looks no more than this counts.
const AWAKE_S: f64 = 0.25;
/// A server may send a packet twice, which the kernel does not tell us: a budget counts some more
/// than what is seen.
const SENT_TWICE: f64 = 1.03;
/// Samples go without a ledger that would learn what many connections bring at their end, so they leave room for it.
const SAMPLED: f64 = 0.9;
/// Learnt from at the latest when there are so many.
const MOST_DOWNLOADS: usize = 4096;
const SAVE_EVERY: Duration = Duration::from_secs(300);
/// No limit is one that nobody reaches.
const UNLIMITED: f64 = 1e10;
/// Changes of the calendar that are looked at: some weeks, usually.
const STEPS: usize = 128;
/// Packet headers, and what is lost; until so many bytes are counted.
const USUAL_OVERHEAD: f64 = 1.06;
const LITTLE: f64 = 100_000.0;
/// The clock is looked at this often, in case somebody sets it.
const LOOK_AT_CLOCK: SignedDuration = SignedDuration::from_secs(1);
const LOOK_AT_BEGINNING: SignedDuration = SignedDuration::from_millis(100);

impl Allowance {
    /// Makes the shaper that `config.fetch` is to use, and starts it. Inside a `LocalSet`.
    pub fn open(
        config: &mut Config,
        before: Measured,
        after_another: bool,
    ) -> Result<Allowance, LedgerError> {
        let calendar = config.limit.clone();
        let shapes = calendar.is_some() && config.admission == Admission::Shape;
        let site_caps = config.sites.iter().any(|site| site.settings.limit.is_some());
        let make = || {
            let now = calendar.as_ref().filter(|_| shapes).map(|all| all.rate_at(Timestamp::now()));
            Shaper::new(now.unwrap_or(Rate::Unlimited).bytes())
        };
        let may_change = config.helm.is_some();
        let is_limited =
            calendar.is_some() || site_caps || may_change || !config.budgets.is_empty();
        let sample = config.is_survey.then_some(config.sample_bytes);
        // One that is there already is set by somebody else.
        let shaper = config.fetch.shaper.take();
        let shaper = shaper.or_else(|| (is_limited || sample.is_some()).then(make));
        if let Some(shaper) = &shaper {
            let running = shaper.clone();
            spawn_local(async move { running.run().await });
        }
        let (follows, calendars) = watch::channel(calendar.clone());
        if let Some(shaper) = shaper.as_ref().filter(|_| shapes || may_change && calendar.is_none())
        {
            let beginning = Beginning::new(config.fetch.received.clone(), after_another);
            spawn_local(follow(calendars, shaper.clone(), beginning));
        }
        let speeds_file = config.out.join(speeds::FILE);
        let known = calendar
            .as_ref()
            .map(|_| Speeds::load(&speeds_file, config.almanac.clone(), Estimate::default()));
        let (speeds, trouble) = known.unzip();
        let ledger = match config.budgets.is_empty() {
            true => None,
            false => {
                let path = config.out.join(budget::FILE);
                let zone = config.almanac.zone.clone();
                Some(Ledger::open(&path, &config.budgets, zone, Timestamp::now())?)
            }
        };
        config.fetch.shaper = shaper.clone();
        let now = Instant::now();
        let mut allowance = Allowance {
            shaper,
            ledger,
            sample,
            gate: Gate::new(config.admission, config.admission_depth, config.concurrency),
            speeds,
            downloads: Vec::new(),
            trouble: trouble.flatten(),
            speeds_file,
            saved: now,
            received: config.fetch.received.clone(),
            meter: Meter::default(),
            begun: now,
            last_tick: now,
            counted: 0.0,
            still_s: 0.0,
            used_up: false,
            renews_at: None,
            before,
            could: 0.0,
            tickets: 0,
            met: HashSet::new(),
            calendar,
            follows,
            zone: config.almanac.zone.clone(),
        };
        allowance.tick()?;
        Ok(allowance)
    }

    /// A few times a second.
    pub fn tick(&mut self) -> Result<(), LedgerError> {
        let now = Instant::now();
        let passed = now.duration_since(self.last_tick).as_secs_f64();
        self.last_tick = now;
        if let Some(limit) = self.limit().filter(|limit| limit.is_finite()) {
            self.could += limit * passed;
        }
        let received = self.received.load(Ordering::Relaxed) as f64;
        self.meter.note(now.duration_since(self.begun).as_micros() as u64, received);
        let rates = self.rates();
        if let (Some(gate), Some(calendar)) = (&mut self.gate, &self.calendar) {
            let limit = calendar.rate_at(Timestamp::now()).bytes();
            let now_ms = now.duration_since(self.begun).as_millis() as u64;
            gate.measured(now_ms, rates.now, limit);
        }
        self.still_s += passed.min(AWAKE_S);
        self.keep_quota(rates)?;
        self.learn_speeds();
        if self.saved.elapsed() > SAVE_EVERY {
            self.save_speeds();
        }
        Ok(())
    }

    /// What may come in all, of the budget and of the samples of a survey.
    fn keep_quota(&mut self, rates: Rates) -> Result<(), LedgerError> {
        let limit = self.limit().filter(|limit| limit.is_finite());
        let Some(shaper) = self.shaper.as_ref().filter(|_| self.has_quota()) else { return Ok(()) };
        let now = Timestamp::now();
        let new = (rates.bytes - self.counted).max(0.0);
        self.counted += new;
        if new > 0.0 {
            self.still_s = 0.0;
        }
        // With a quota from the beginning, a slow server was taken for a far slower one in some plans (not explained): as long as
        // the quota is far off, there is none.
        let ahead = (rates.now * AHEAD_S).max(AHEAD_UNLIMITED);
        let sample = self.sample.map(|most| most as f64 * SAMPLED);
        let sample = sample.filter(|most| most - self.counted < ahead);
        if sample.is_none() && self.ledger.is_none() {
            return Ok(());
        }
        let (mut quota, mut is_last) = (sample.unwrap_or(f64::INFINITY), sample.is_some());
        let mut allowed = 0;
        if let Some(ledger) = &mut self.ledger {
            ledger.used(now, (new * SENT_TWICE) as u64)?;
            let wanted = match limit {
                Some(limit) => (limit * AHEAD_S).max(AHEAD_LEAST),
                None => (rates.now * AHEAD_S).max(AHEAD_UNLIMITED),
            };
            allowed = ledger.allow(now, wanted as u64)?;
            quota = quota.min(self.counted + allowed as f64 / SENT_TWICE);
            is_last |= (allowed as f64) < wanted;
        }
        shaper.set_quota(quota);
        // What is under way may still end with what it has paid for.
        if is_last && shaper.is_out_of_quota() && self.still_s > STILL_S {
            self.used_up = true;
            // What is too little for one more page counts as nothing.
            let needed = Budget::LEAST.max(allowed + 1);
            self.renews_at = self.ledger.as_mut().and_then(|ledger| ledger.renews_at(now, needed));
        }
        Ok(())
    }

    fn has_quota(&self) -> bool {
        self.ledger.is_some() || self.sample.is_some()
    }

    /// Something the user should hear of, told once.
    pub fn trouble(&mut self) -> Option<String> {
        self.trouble.take()
    }

    /// Nothing more may be received before a new day or month begins.
    pub fn is_used_up(&self) -> bool {
        self.used_up
    }

    /// When a used up budget begins anew.
    pub fn renews_at(&self) -> Option<Zoned> {
        Some(self.renews_at?.to_zoned(self.zone.clone()))
    }

    /// The cap of this moment in bytes a second, infinite for none.
    pub fn limit(&self) -> Option<f64> {
        Some(self.calendar.as_ref()?.rate_at(Timestamp::now()).bytes())
    }

    /// Another limit from now on, at all times.
    pub fn set_limit(&mut self, rate: Rate) {
        let calendar = (rate != Rate::Unlimited).then(|| Calendar::constant(rate));
        self.follows.send_replace(calendar.clone());
        self.calendar = calendar;
    }

    /// A constant limit, as a planner sees it.
    pub fn cap_of(&self, rate: Rate) -> Cap {
        Cap::constant(rate.bytes().min(UNLIMITED))
    }

    /// The limit from now on, as a planner sees it.
    pub fn cap(&self, now: Timestamp) -> Cap {
        let Some(calendar) = &self.calendar else { return Cap::constant(UNLIMITED) };
        let rate = |at: Timestamp| calendar.rate_at(at).bytes().min(UNLIMITED);
        let mut steps = vec![(0.0, rate(now))];
        let mut at = now;
        while steps.len() < STEPS
            && let Some(change) = calendar.next_change(at)
        {
            steps.push((change.duration_since(now).as_secs_f64(), rate(change)));
            at = change;
        }
        Cap::steps(&steps)
    }

    /// What comes over the wire for each byte that is counted as a page's.
    pub fn overhead(&self, bytes_of_pages: u64) -> f64 {
        let measured = self.measured().bytes + USUAL_OVERHEAD * LITTLE;
        (measured / (bytes_of_pages as f64 + LITTLE)).clamp(1.0, 2.0)
    }

    /// Nothing may come before the calendar says so.
    pub fn is_paused(&self) -> bool {
        self.limit() == Some(0.0)
    }

    pub fn intake(&self) -> Intake {
        let now = Timestamp::now();
        let calendar = self.calendar.as_ref();
        let limit = calendar.map_or(Rate::Unlimited, |calendar| calendar.rate_at(now));
        let paused = calendar.filter(|_| limit == Rate::Paused);
        let until = paused.and_then(|calendar| calendar.next_change(now));
        Intake {
            rate: self.rates().now,
            limit,
            paused_until: until.map(|at| at.to_zoned(self.zone.clone())),
        }
    }

    /// Jobs that were handed out and have asked for nothing yet.
    pub fn waiting(&self) -> usize {
        let at_shaper = self.shaper.as_ref().map_or(0, Shaper::waiting);
        at_shaper + self.gate.as_ref().map_or(0, Gate::waiting)
    }

    /// How many more jobs may be handed in; `None` for any number.
    pub fn wants(&self) -> Option<usize> {
        self.gate.as_ref().map(Gate::wants)
    }

    /// Takes in a job; what may start comes out of `next`, or the job itself at once.
    pub fn offer(&mut self, host: HostId, mut job: Job) -> Option<(HostId, Job)> {
        let Some(server) = job.server() else { return Some((host, job)) };
        self.tickets += 1;
        // The shaper asks once: after that it has seen for itself.
        let speed = if self.met.insert(host) { self.speed(server) } else { None };
        job.prepare(self.tickets, speed);
        match &mut self.gate {
            None => Some((host, job)),
            Some(gate) => {
                let (id, score) = (self.tickets, job.score());
                gate.offer(Offer { id, job: (host, job), server, score });
                None
            }
        }
    }

    pub fn next(&mut self) -> Option<(HostId, Job)> {
        if self.gate.is_some() {
            self.learn_speeds();
        }
        let (gate, speeds) = (self.gate.as_mut()?, self.speeds.as_ref()?);
        let limit = self.calendar.as_ref()?.rate_at(Timestamp::now()).bytes();
        let now = Timestamp::now();
        gate.next(limit, |server| speeds.predict(server, now))
    }

    /// A job has ended; its answer is learnt from, unless we slowed it down ourselves.
    pub fn ended(&mut self, ticket: u64, answer: Option<&Answer>, bytes: u64) {
        if let Some(gate) = &mut self.gate {
            gate.ended(ticket);
        }
        if let (true, Some(answer)) = (self.speeds.is_some(), answer)
            && answer.is_whole
            && answer.held.is_zero()
        {
            let (server, took) = (answer.address.ip(), answer.elapsed);
            self.downloads.push(Download { server, bytes, took });
            if self.downloads.len() >= MOST_DOWNLOADS {
                self.learn_speeds();
            }
        }
    }

    /// Many at a time and server by server: what is known of one is a kilobyte, and to fetch that
    /// from memory for each page costs more than all the rest of the cap.
    fn learn_speeds(&mut self) {
        let Some(speeds) = &mut self.speeds else { return };
        self.downloads.sort_by_key(|download| download.server);
        let now = Timestamp::now();
        for Download { server, bytes, took } in self.downloads.drain(..) {
            speeds.observe(server, now, bytes, took);
        }
    }

    /// What was measured over all runs.
    pub fn measured(&self) -> Measured {
        let rates = self.rates();
        Measured {
            bytes: self.before.bytes + rates.bytes,
            peak_1s: self.before.peak_1s.max(rates.peak_1s),
            could: self.before.could + self.could,
        }
    }

    /// In this run.
    pub fn rates(&self) -> Rates {
        match &self.shaper {
            Some(shaper) => shaper.rates(),
            None => self.meter.rates(self.received.load(Ordering::Relaxed) as f64),
        }
    }

    /// What waits for its turn waits in vain from now on.
    pub fn stop_starting(&self) {
        if let Some(shaper) = &self.shaper {
            shaper.stop_starting();
        }
    }

    pub fn close(&mut self) -> Result<(), LedgerError> {
        if let Some(shaper) = &self.shaper {
            shaper.abandon();
        }
        self.tick()?;
        self.save_speeds();
        self.ledger.take().map_or(Ok(()), Ledger::close)
    }

    fn speed(&self, server: IpAddr) -> Option<f64> {
        self.speeds.as_ref()?.seen(server, Timestamp::now())
    }

    /// Without them the next run learns anew, which is no reason to stop this one.
    fn save_speeds(&mut self) {
        self.saved = Instant::now();
        if let Some(speeds) = &self.speeds
            && let Err(why) = speeds.save(&self.speeds_file)
        {
            self.trouble = Some(format!("cannot write {}: {why}", self.speeds_file.display()));
        }
    }
}

/// Sets the cap whenever the calendar changes it, to the moment, and when there is another calendar.
async fn follow(
    mut calendars: watch::Receiver<Option<Calendar>>,
    shaper: Shaper,
    mut beginning: Beginning,
) {
    let mut held = None;
    loop {
        let now = Timestamp::now();
        let calendar = calendars.borrow_and_update().clone();
        let rate = calendar.as_ref().map_or(Rate::Unlimited, |calendar| calendar.rate_at(now));
        let bytes = rate.bytes() * beginning.part(Instant::now());
        if held != Some(bytes) {
            shaper.set_cap(bytes);
            held = Some(bytes);
        }
        let change = calendar.and_then(|calendar| calendar.next_change(now));
        let most = if beginning.is_over() { LOOK_AT_CLOCK } else { LOOK_AT_BEGINNING };
        let wait = change.map_or(most, |at| at.duration_since(now).min(most));
        let wait = Duration::try_from(wait).unwrap_or_default().max(Duration::from_millis(1));
        // Whoever sends them is gone only when all of this is.
        drop(timeout(wait, calendars.changed()).await);
    }
}
