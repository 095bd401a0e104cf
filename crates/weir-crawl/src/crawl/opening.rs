//! From a folder, as whoever was there before has left it, to a crawl that can begin.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::mpsc;
use url::Url;
use weir_frontier::Frontier;
use weir_store::{Store, any_output};
use weir_types::site_of;

use super::aside::Aside;
use super::clock::{Clock, now_text};
use super::delivery::{self, Marks};
use super::noting::{PROMISES, ROUNDS, RUN, Run, noted};
use super::reporting::check_writable;
use super::{BATCH, COURSE, Crawl, CrawlError, MARK, Records, SEEDS};
use crate::Config;
use crate::allowance::Allowance;
use crate::config::FRONTIER;
use crate::counts::Counts;
use crate::delivery::Delivery;
use crate::dispatch::{Dispatch, Tally};
use crate::hands::{Start, Starter};
use crate::helm::Course;
use crate::pace::LONGEST_BACKOFF_MS;
use crate::part::Part;
use crate::scope::origin;
use crate::settings::ConfigError;
use crate::tasks::{Dangers, HISTORY_FILE, History, Steer, Tasks};

impl Crawl {
    pub(super) fn open(
        config: Config,
        hands: Box<Starter<'_>>,
        part: Option<Part>,
    ) -> Result<Crawl, CrawlError> {
        let folder = config.folder().to_owned();
        if let Some(path) = &config.report {
            check_writable(path)?;
        }
        Aside::mend(&folder)?;
        if config.fresh {
            let aside = Aside::put(&folder)?;
            return match Crawl::open_there(config, hands, part) {
                Ok(crawl) => aside.throw_away().map(|()| crawl),
                Err(why) => aside.put_back().and(Err(why)),
            };
        }
        if part.is_none() && !weir_frontier::is_there(&folder.join(FRONTIER)) {
            refuse_foreign_output(&folder)?;
        }
        Crawl::open_there(config, hands, part)
    }

    fn open_there(
        mut config: Config,
        hands: Box<Starter<'_>>,
        part: Option<Part>,
    ) -> Result<Crawl, CrawlError> {
        let folder = config.folder().join(FRONTIER);
        let (mut frontier, opened) = Frontier::open(&folder, books(&config, part.as_ref()))?;
        let course: Course = noted(&frontier, COURSE).unwrap_or_default();
        let written = config.clone();
        course.apply(&mut config);
        let mut store_config = config.store_config();
        store_config.label = part.as_ref().map(|part| part.label.clone());
        // The pages of earlier runs of a part are elsewhere.
        let mark = frontier.note(MARK).filter(|_| part.is_none());
        let mut store = Store::open(store_config.clone(), mark)?;
        if opened.was_closed {
            store.all_was_synced();
        }
        let seeds = seeds(&mut frontier, &config, part.as_ref())?;
        let delivery = Delivery::start(&config, &delivery::feeder(&mut frontier))?;
        delivery.try_once()?;
        let records = Records::read(&config, &frontier);
        let last: Option<Run> = noted(&frontier, RUN);
        // A part has its share of the limit from who divides it.
        let after_another = part.is_none() && last.is_some();
        let run = last.unwrap_or_else(|| Run { started: now_text(), ..Run::default() });
        let tally = earlier(&frontier, &run);
        if let Some(part) = &part {
            config.max_pages = part.pages.map(|most| tally.pages + most);
            config.max_bytes = part.bytes.map(|most| tally.bytes_wire + most);
        }
        let mut allowance = Allowance::open(&mut config, run.measured, after_another)?;
        let (mut tasks, damage) = tasks(&config, &frontier, &seeds, opened.resumed);
        tasks.pause_all(course.paused());
        let mut dispatch = Dispatch::new(&config, frontier, &seeds, tally, tasks);
        for trouble in damage.into_iter().chain(allowance.trouble()) {
            dispatch.trouble(trouble);
        }
        let servers = part.as_ref().and_then(|part| part.servers.clone());
        match part {
            None => {
                if config.limits_depth() {
                    dispatch.frontier.park_deep()?;
                    dispatch.frontier.follow_ways()?;
                }
                dispatch.add_seeds(&seeds)?;
            }
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
            steer: Steer::new(config.policy, config.max_sites),
            dangers: Dangers::new(config.almanac.zone.clone()),
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
            warnings: Vec::new(),
            plan: None,
            promised: 0,
            plans_anew: false,
            next_history: clock.begun,
            planning: Duration::ZERO,
            resumed: opened.resumed,
            syncing: None,
            delivery,
            marks: Marks::default(),
            records,
            mark: None,
            next_report: clock.begun,
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

/// Those that the crawl begins with; those of a part are told to it each time.
fn seeds(
    frontier: &mut Frontier,
    config: &Config,
    part: Option<&Part>,
) -> Result<Vec<Url>, ConfigError> {
    let seeds = match part {
        None => all_seeds(frontier, &config.seeds),
        Some(_) => config.seeds.clone(),
    };
    if seeds.is_empty() { Err(ConfigError::NoSeeds) } else { Ok(seeds) }
}

/// The seeds named now and those of earlier runs: a resumed crawl keeps its scope.
fn all_seeds(frontier: &mut Frontier, named: &[Url]) -> Vec<Url> {
    let kept = frontier.note(SEEDS).unwrap_or_default().to_owned();
    let kept = String::from_utf8_lossy(&kept).into_owned();
    let mut seeds: Vec<Url> = kept.lines().filter_map(|line| Url::parse(line).ok()).collect();
    let mut known: HashSet<Url> = seeds.iter().cloned().collect();
    seeds.extend(named.iter().filter(|seed| known.insert((*seed).clone())).cloned());
    let lines: Vec<&str> = seeds.iter().map(Url::as_str).collect();
    frontier.set_note(SEEDS, lines.join("\n").as_bytes());
    seeds
}

/// The pieces of work, with what was promised and learnt of them; and what is wrong with the latter.
fn tasks(
    config: &Config,
    frontier: &Frontier,
    seeds: &[Url],
    is_resumed: bool,
) -> (Tasks, Option<String>) {
    let promises = noted(frontier, PROMISES).unwrap_or_default();
    let rounds = noted(frontier, ROUNDS).unwrap_or_default();
    let (mut history, damage) = History::read(&config.out.join(HISTORY_FILE));
    if !is_resumed && !config.keeps_history {
        history.begin_anew();
    }
    let damage =
        damage.map(|why| format!("{HISTORY_FILE} is not used and will be replaced: {why}"));
    (Tasks::new(config, asked(config, seeds), promises, rounds, history), damage)
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

/// Pages that no frontier knows would be deleted when the store is opened; somebody may want them.
fn refuse_foreign_output(out: &Path) -> Result<(), CrawlError> {
    match any_output(out)? {
        Some(path) => Err(CrawlError::Foreign { path, frontier: out.join(FRONTIER) }),
        None => Ok(()),
    }
}
