//! The sites of a crawl as pieces of work: by when each is to be done, what was seen of it, and
//! what is to be expected. Read `steer` for what is done about it.

mod danger;
mod expect;
mod history;
mod measure;
mod pace;
#[cfg(test)]
mod played;
mod promise;
mod rounds;
mod steer;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use weir_fetch::{Part, Shaper, Share, Tier};
use weir_plan::size::{self, Earlier, Forecast, Most, Seen};

use crate::Config;
use crate::config::SiteConfig;
use crate::due::Due;
use crate::freshness::Expects;
use crate::pace::PaceLimits;

pub use danger::Dangers;
pub use expect::Expected;
pub use history::{FILE as HISTORY_FILE, History};
use measure::Measure;
pub use pace::Pace;
pub use promise::Promises;
pub use rounds::{Round, Rounds};
pub use steer::{Steer, known, needed_scale};

/// Sites are numbered as they are met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TaskId(pub u32);

pub struct Tasks {
    pub all: Vec<Task>,
    by_name: HashMap<Box<str>, TaskId>,
    /// Those that somebody named. A deadline for all is for these.
    asked: HashSet<String>,
    shaper: Option<Shaper>,
    promises: Promises,
    rounds: Rounds,
    history: History,
    /// So many pages of a site tell what to expect of it.
    sample: f64,
    /// What is fetched is looked at and not kept.
    is_survey: bool,
    /// Sites that nothing is asked of when they are met.
    paused: HashSet<String>,
}

pub struct Task {
    /// Of its `[[site]]`, or the registrable domain.
    pub name: String,
    pub settings: SiteConfig,
    /// The part of the bandwidth cap that it takes from.
    pub share: Option<Share>,
    /// The user named it, or something on it.
    pub asked: bool,
    pub due: Option<Timestamp>,
    /// Of a site that is crawled again and again.
    pub round: Option<Round>,
    /// Its pages were crawled before and are asked for once more.
    pub again: bool,
    /// Bytes of pages that are kept and will not come again.
    pub came: f64,
    pub seen: Seen,
    pub pace: Pace,
    /// The pause that its robots.txt asks for.
    pub pause: Duration,
    pub earlier: Option<Earlier>,
    /// That is of a time when its pages were asked for once more.
    pub earlier_again: bool,
    /// What it could give when it was last crawled, and how much longer it took than its bytes and
    /// its rate say.
    pub earlier_rate: Option<f64>,
    pub xi: Option<f64>,
    /// What the plans gave it so far: the sum of rates times seconds, and these seconds.
    pub granted: Granted,
    /// How much of what it could give beside others really comes.
    pub measure: Measure,
    /// Bytes that this round is expected to bring, if its pages were chosen.
    pub chosen: Option<f64>,
    /// URLs that wait or are under way.
    pub open: u64,
    /// Pages of it that are under way, and that were kept (status 200 to 299).
    pub in_flight: u64,
    pub pages: u64,
    /// When it was first asked for something.
    pub begun: Option<Timestamp>,
    /// When something of it was last settled.
    pub last: Option<Timestamp>,
    /// When the last of it was settled, as long as nothing more is open.
    pub finished: Option<Timestamp>,
    /// Somebody wants nothing new to be asked of it.
    pub is_paused: bool,
    /// It brought as many pages or bytes as it may.
    pub is_full: bool,
    /// What was predicted before the bulk of it, and when half of it had come.
    pub at_start: Option<Told>,
    pub at_half: Option<Told>,
    /// Why a host of it was given up.
    pub trouble: Option<String>,
}

/// What a plan gave a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    pub bytes: f64,
    pub seconds: f64,
}

/// A prediction, kept to be compared with what came of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    pub made: Timestamp,
    pub bytes: f64,
    pub bytes_low: f64,
    pub bytes_high: f64,
    pub finish: Timestamp,
    pub finish_low: Timestamp,
    pub finish_high: Timestamp,
}

/// What a finished exchange tells.
pub struct Fetched {
    pub bytes: f64,
    /// From the request to the last byte, without what we held it back; none without an answer.
    pub took: Option<Duration>,
    /// From the request to the first byte.
    pub silent: Duration,
    /// Links to the same host, and of these the new ones.
    pub links: f64,
    pub new: f64,
}

/// These tell whether a site is small or large.
const FIRST_PAGES: f64 = 3.0;
const VAGUE: f64 = 1.5;

impl Tasks {
    pub fn new(
        config: &Config,
        asked: HashSet<String>,
        promises: Promises,
        rounds: Rounds,
        history: History,
    ) -> Tasks {
        Tasks {
            all: Vec::new(),
            by_name: HashMap::new(),
            asked,
            shaper: config.fetch.shaper.clone(),
            promises,
            rounds,
            history,
            sample: config.sample as f64,
            is_survey: config.is_survey,
            paused: HashSet::new(),
        }
    }

    /// These are paused from the beginning.
    pub fn pause_all(&mut self, names: impl Iterator<Item = String>) {
        self.paused.extend(names);
    }

    pub fn named(&self, name: &str) -> Option<TaskId> {
        self.by_name.get(name).copied()
    }

    /// Somebody asks for a site that nobody had asked for; it may be known all the same.
    pub fn adopt(&mut self, name: &str, settings: SiteConfig, zone: &TimeZone) {
        self.asked.insert(name.to_owned());
        let Some(id) = self.named(name) else { return };
        let task = &mut self.all[id.0 as usize];
        (task.settings, task.asked) = (settings, true);
        self.promise(name, settings.due, Timestamp::now(), zone);
    }

    /// Another deadline from now on, or none.
    pub fn promise(
        &mut self,
        name: &str,
        due: Option<Due>,
        now: Timestamp,
        zone: &TimeZone,
    ) -> Option<TaskId> {
        let id = self.named(name)?;
        let moment = due.map(|due| self.promises.renew(name, due, now, zone));
        let task = &mut self.all[id.0 as usize];
        (task.due, task.settings.due) = (moment, due);
        Some(id)
    }

    /// The task that a host belongs to: that of its site, unless the host has a `[[site]]` of its own.
    pub fn of(&mut self, config: &Config, site: &str, origin: &str) -> TaskId {
        let name = config.task_name(site, origin);
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = TaskId(self.all.len() as u32);
        let settings = config.site(site, origin);
        let task = self.new_task(name, settings, config);
        self.all.push(task);
        self.by_name.insert(name.into(), id);
        id
    }

    fn new_task(&mut self, name: &str, settings: SiteConfig, config: &Config) -> Task {
        let cap = settings.limit.map(|limit| limit.0 as f64);
        let part = Part { weight: settings.weight, cap, tier: Tier::default() };
        let asked = self.asked.contains(name);
        let share = self.shaper.as_ref().map(|shaper| shaper.add_share(part));
        let mut task = Task::new(name.to_owned(), settings, share, asked);
        task.is_paused = self.paused.contains(name);
        let every = settings.every.filter(|_| asked);
        task.round = every.map(|every| self.rounds.of(name, every, Timestamp::now()));
        task.again = task.round.is_some_and(|round| round.number > 1);
        let began = task.round.map(|round| round.began);
        let due = settings.due.filter(|_| asked);
        task.due = due.map(|due| self.promises.due(name, due, began, &config.almanac.zone));
        self.history.recall(&mut task);
        task
    }

    /// Sites that are done and whose next round is due.
    pub fn due_again(&self, now: Timestamp) -> Vec<TaskId> {
        self.ids(|task| task.is_done() && task.round.is_some_and(|round| round.is_over(now)))
    }

    pub fn ids(&self, wanted: impl Fn(&Task) -> bool) -> Vec<TaskId> {
        let all = self.all.iter().zip(0..);
        all.filter(|(task, _)| wanted(task)).map(|(_, id)| TaskId(id)).collect()
    }

    /// A new round of a site: a new promise, and what to expect of it by the rounds before.
    pub fn begin_round(&mut self, id: TaskId, zone: &TimeZone, now: Timestamp) {
        let task = &mut self.all[id.0 as usize];
        self.history.end(task);
        let mut new = Task::new(task.name.clone(), task.settings, task.share, task.asked);
        new.round = self.rounds.begin(&task.name, task.is_met(now), now);
        let due = task.settings.due.filter(|_| task.asked);
        new.due = due.map(|due| self.promises.renew(&task.name, due, now, zone));
        new.pause = task.pause;
        new.is_paused = task.is_paused;
        new.again = true;
        self.history.recall(&mut new);
        *task = new;
    }

    pub fn rounds(&self) -> &Rounds {
        &self.rounds
    }

    /// When the next round of any site begins.
    pub fn next_round(&self) -> Option<Timestamp> {
        self.all.iter().filter_map(|task| task.round).map(|round| round.next).min()
    }

    /// What a crawl would promise that is started now; or, of one that goes on, what it did.
    pub fn promise_anew(&mut self, earlier: &HashMap<String, Timestamp>, zone: &TimeZone) {
        let now = Timestamp::now();
        for task in self.all.iter_mut().filter(|task| task.due.is_some()) {
            let anew = task.settings.due.map(|due| due.moment(now, zone));
            task.due = earlier.get(&task.name).copied().or(anew);
        }
    }

    pub fn promises(&self) -> &Promises {
        &self.promises
    }

    pub fn history(&mut self) -> &mut History {
        self.history.learn(&self.all);
        &mut self.history
    }

    /// Somebody waits for one of them.
    pub fn have_deadlines(&self) -> bool {
        self.all.iter().any(|task| task.due.is_some())
    }

    pub fn share(&self, id: TaskId) -> Option<Share> {
        self.all[id.0 as usize].share
    }

    pub fn fetched(&mut self, id: TaskId, fetched: &Fetched, now: Timestamp) {
        let task = &mut self.all[id.0 as usize];
        task.begun.get_or_insert(now);
        task.last = Some(now);
        task.seen.fetched.add(fetched.bytes);
        if !self.is_survey {
            task.came += fetched.bytes;
        }
        task.seen.follow(fetched.links, fetched.new);
        if let Some(took) = fetched.took {
            task.pace.learn(fetched.bytes, took, fetched.silent);
        }
    }

    /// So little is known of a site that a plan could do nothing with it; the first pages of all sites come
    /// before the rest of any.
    pub fn is_new(&self, task: &Task) -> bool {
        self.is_strange(task) && task.seen.fetched.pages < FIRST_PAGES
    }

    /// Some pages have come, and its size may still be half or twice what they say.
    pub fn is_vague(&self, task: &Task) -> bool {
        let is_wide = |forecast: Forecast| forecast.high > forecast.bytes * VAGUE;
        self.is_strange(task) && is_wide(task.forecast())
    }

    /// Nothing much is known yet of what a site has.
    pub fn is_strange(&self, task: &Task) -> bool {
        let told = task.settings.size.is_some() || task.chosen.is_some() || task.earlier.is_some();
        !told && !task.is_done() && task.seen.fetched.pages < self.sample
    }
}

impl Task {
    fn new(name: String, settings: SiteConfig, share: Option<Share>, asked: bool) -> Task {
        Task {
            name,
            settings,
            share,
            asked,
            due: None,
            round: None,
            again: false,
            came: 0.0,
            seen: Seen::default(),
            pace: Pace::default(),
            pause: Duration::ZERO,
            earlier: None,
            earlier_again: false,
            earlier_rate: None,
            xi: None,
            granted: Granted::default(),
            measure: Measure::default(),
            chosen: None,
            open: 0,
            in_flight: 0,
            pages: 0,
            begun: None,
            last: None,
            finished: None,
            is_paused: false,
            is_full: false,
            at_start: None,
            at_half: None,
            trouble: None,
        }
    }

    /// What its new round is to bring: just these pages, if they were chosen. If all are asked for, the last time that
    /// they were knows better than what is believed of each.
    pub fn expect(&mut self, Expects { pages, bytes }: Expects, are_chosen: bool) {
        if are_chosen {
            self.chosen = Some(bytes);
        } else if pages > 0.0 && !self.earlier_again {
            self.earlier = Some(Earlier::crawled(pages, bytes));
        }
    }

    /// What it may bring at the most.
    pub fn most(&self) -> Most {
        Most {
            pages: self.settings.max_pages.map_or(f64::INFINITY, |most| most as f64),
            bytes: self.settings.max_bytes.map_or(f64::INFINITY, |most| most as f64),
        }
    }

    /// What it brings in all, as far as can be told.
    pub fn forecast(&self) -> Forecast {
        match self.settings.size.map(|bytes| bytes as f64).or(self.chosen) {
            Some(bytes) => size::given(bytes.min(self.most().bytes), &self.seen),
            None => size::forecast(&self.seen, self.earlier, self.most()),
        }
    }

    /// It is to be crawled now.
    pub fn is_open(&self) -> bool {
        !self.is_done() && !self.is_paused
    }

    pub fn is_done(&self) -> bool {
        self.finished.is_some()
    }

    /// Whether it was done in time; `None` while nobody knows, or without a deadline.
    pub fn is_met(&self, now: Timestamp) -> Option<bool> {
        let due = self.due?;
        // A site that gave nothing is done with, and no promise was kept.
        let nothing = self.trouble.is_some() && self.pages == 0;
        match self.finished {
            Some(finished) => Some(finished <= due && !nothing),
            None => (now > due).then_some(false),
        }
    }

    /// How much too late it was done, or is by now.
    pub fn late_by_s(&self, now: Timestamp) -> Option<f64> {
        let late = self.finished.unwrap_or(now).duration_since(self.due?).as_secs_f64();
        (self.finished.is_some() || late > 0.0).then_some(late.max(0.0))
    }

    /// The most that it can give, in bytes of pages a second, if that is known.
    pub fn max_rate(&self) -> Option<f64> {
        let measured = self.pace.rate(&self.manners(), self.pause).or(self.earlier_rate);
        self.own_limit().into_iter().chain(measured).reduce(f64::min)
    }

    /// That is to be relied on.
    pub fn is_rate_known(&self) -> bool {
        self.pace.is_known() || self.earlier_rate.is_some()
    }

    pub fn own_limit(&self) -> Option<f64> {
        self.settings.limit.map(|limit| limit.0 as f64)
    }

    /// How it is asked. Under a bandwidth cap, a pause means one request at a time (see `line`).
    pub fn manners(&self) -> PaceLimits {
        let limits = self.settings.pace;
        let pauses = !limits.delay.max(self.pause).is_zero();
        let most = if pauses && self.share.is_some() { 1 } else { limits.most };
        PaceLimits { most, ..limits }
    }
}
