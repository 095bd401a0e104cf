use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::watch;
use weir_crawl::{
    CameBack, FRONTIER, HandedOn, Part, Parting, Progress, Report, Servers, Stop, Traveller,
    crawl_part,
};
use weir_fetch::Shaper;
use weir_frontier::{Config, Frontier, FrontierError, Leased, UrlKind, known};
use weir_types::{Fingerprint, Links};

use crate::TaskError;
use crate::again::ask_again;
use crate::depths::{Reads, Validated, arrive, validate};
use crate::tables::{LinkTable, write_nearer, write_outbox, write_seen};

/// One bucket in one round.
pub struct Task {
    pub settings: HandedOn,
    pub bucket: u32,
    pub buckets: u32,
    /// In the names of its files, and of no other's; see `label` of `weir_store::StoreConfig`.
    pub label: String,
    /// A folder of its own. The frontier's log of earlier rounds is in `frontier/log` in it, if there were any.
    pub dir: PathBuf,
    pub arrived: Vec<Traveller>,
    /// Pages that are known to be nearer now, with all that follows from it.
    pub nearer: Vec<(String, u32)>,
    /// URLs to visit again.
    pub again: Vec<String>,
    pub bounds: Bounds,
    /// What failed in earlier rounds is tried again.
    pub tries_failed: bool,
    /// What it may receive, set by somebody else.
    pub shaper: Option<Shaper>,
}

/// How far a task runs ahead.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds {
    /// Without running ahead: this deep.
    pub depth: Option<u32>,
    pub pages: Option<u64>,
    pub bytes: Option<u64>,
    pub time: Option<Duration>,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    pub report: Report,
    pub files: Files,
    pub waiting: u64,
    /// When the first of these may be asked for, in milliseconds since 1970.
    pub next_due_ms: Option<u64>,
    /// Links that went to other buckets, and pages whose depth was corrected.
    pub leaving: u64,
    pub nearer: u64,
    /// Of these, those whose links were read in an earlier round.
    pub unfollowed: u64,
    /// Answers whose links were read, and those among them that were found in the same round.
    pub read: u64,
    pub ahead: u64,
    /// Pages that were visited, beside the last time.
    pub came: CameBack,
    /// The frontier's log before and after: what lies between is new.
    pub log_was: u64,
    pub log_is: u64,
}

#[derive(Debug, Default)]
pub struct Files {
    pub pages: Vec<PathBuf>,
    pub warc: Vec<PathBuf>,
    pub links: Option<PathBuf>,
    pub seen: Option<PathBuf>,
    pub outbox: Option<PathBuf>,
    pub nearer: Option<PathBuf>,
    pub unfollowed: Option<PathBuf>,
}

/// What is read off pages while they are crawled.
struct Desk {
    reads: Reads,
    links: LinkTable,
    /// URLs that were asked for, and whether they were found in this round is told by their number.
    asked: Vec<u64>,
    failed: Option<TaskError>,
}

/// Crawls the bucket as far as its bounds go. Blocks; `watch` is called a few times a second.
pub fn run(
    task: Task,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Done, TaskError> {
    run_beside(task, None, stop, watch)
}

/// The same, beside others, who ask no server that is leased to this one.
pub(crate) fn run_beside(
    task: Task,
    servers: Option<Servers>,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Done, TaskError> {
    let mut config = task.settings.part_config(&task.dir)?;
    config.fetch.shaper = task.shaper.clone();
    let books = Books::open(&task, config.depth)?;
    let desk = Rc::new(RefCell::new(Desk {
        reads: Reads::default(),
        links: LinkTable::new(task.dir.join(format!("links-{}.parquet", task.label))),
        asked: Vec::new(),
        failed: None,
    }));
    let part = Part { servers, ..part_of(&task, desk.clone()) };
    let (ended, parting) = crawl_in_time(config, part, task.bounds.time, stop, watch)?;
    let desk = Rc::into_inner(desk).map(RefCell::into_inner);
    let desk = desk.expect("the crawl that held the other one has ended");
    if let Some(why) = desk.failed {
        return Err(why);
    }
    let (validated, waiting) = books.validate(&desk.reads)?;
    let run = Run { report: ended.report, parting, asked: desk.asked, validated, waiting };
    finish(&task, &books, run, desk.links)
}

/// The frontier's files between runs.
struct Books {
    folder: PathBuf,
    /// As deep as the crawl goes in the end.
    depth: Option<u32>,
    log_was: u64,
    /// URLs that were known before this round.
    known: u64,
    arrived: Validated,
}

impl Books {
    /// Notes what others have found on shorter ways, and what is to be visited again.
    fn open(task: &Task, depth: Option<u32>) -> Result<Books, TaskError> {
        let folder = task.dir.join(FRONTIER);
        let log_was = length(&folder.join("log"));
        let mut books = Books { folder, depth, log_was, known: 0, arrived: Validated::default() };
        if log_was > 0 {
            (books.known, books.arrived) = books.with(|frontier| {
                let known = frontier.added();
                let arrived = arrive(frontier, &task.arrived, &task.nearer)?;
                ask_again(frontier, &task.again)?;
                Ok((known, arrived))
            })?;
        }
        Ok(books)
    }

    /// Returns how many URLs wait after it, too.
    fn validate(&self, reads: &Reads) -> Result<(Validated, u64), TaskError> {
        self.with(|frontier| Ok((validate(frontier, reads)?, frontier.counts().open)))
    }

    fn with<T>(
        &self,
        act: impl FnOnce(&mut Frontier) -> Result<T, FrontierError>,
    ) -> Result<T, TaskError> {
        let config = Config { max_depth: self.depth, tries_failed: false, ..Config::default() };
        let (mut frontier, _) = Frontier::open(&self.folder, config)?;
        let done = act(&mut frontier)?;
        frontier.close()?;
        Ok(done)
    }
}

struct Run {
    report: Report,
    parting: Parting,
    asked: Vec<u64>,
    validated: Validated,
    waiting: u64,
}

fn part_of(task: &Task, desk: Rc<RefCell<Desk>>) -> Part {
    let read = move |from: &Leased, links: &Links| {
        let mut desk = desk.borrow_mut();
        desk.reads.add(from, links);
        desk.asked.push(from.number);
        if let Err(why) = desk.links.add(&from.url, links) {
            desk.failed.get_or_insert(why);
        }
    };
    Part {
        label: task.label.clone(),
        bucket: task.bucket,
        buckets: task.buckets,
        depth: task.bounds.depth,
        pages: task.bounds.pages,
        bytes: task.bounds.bytes,
        tries_failed: task.tries_failed,
        arrived: task.arrived.clone(),
        servers: None,
        tap: Box::new(read),
    }
}

/// Stops it when its time is over.
fn crawl_in_time(
    config: weir_crawl::Config,
    part: Part,
    time: Option<Duration>,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(weir_crawl::Ended, Parting), TaskError> {
    let begun = Instant::now();
    let (end, ending) = watch::channel(Stop::No);
    let mut look = |progress: &Progress| {
        let is_over = time.is_some_and(|time| begun.elapsed() >= time);
        let wanted = if is_over { Stop::Soon } else { Stop::No }.max(*stop.borrow());
        end.send_if_modified(|now| std::mem::replace(now, wanted) != wanted);
        watch(progress);
    };
    Ok(crawl_part(config, part, ending, &mut look)?)
}

fn finish(task: &Task, books: &Books, run: Run, links: LinkTable) -> Result<Done, TaskError> {
    let Run { report, parting, asked, validated, waiting } = run;
    let told = Told::of(books, &validated)?;
    let leaving = shortened(parting.leaving, &validated.elsewhere);
    let path = |name: &str| task.dir.join(format!("{name}-{}.parquet", task.label));
    let files = Files {
        pages: listed(&task.dir.join("pages"))?,
        warc: listed(&task.dir.join("warc"))?,
        links: links.close()?,
        seen: write_seen(&path("seen"), told.seen.into_iter())?,
        outbox: write_outbox(&path("outbox"), &leaving, task.buckets)?,
        nearer: write_nearer(&path("nearer"), &told.nearer)?,
        unfollowed: write_nearer(&path("unfollowed"), &told.unfollowed)?,
    };
    let ahead = asked.iter().filter(|number| **number >= parting.found_from).count();
    // What came nearer, or waits for the next level, can be asked for at once.
    let is_stuck = waiting <= parting.waiting;
    Ok(Done {
        report,
        files,
        waiting,
        next_due_ms: parting.next_due_ms.filter(|_| is_stuck),
        leaving: leaving.len() as u64,
        nearer: told.nearer.len() as u64,
        unfollowed: told.unfollowed.len() as u64,
        read: asked.len() as u64,
        ahead: ahead as u64,
        came: parting.came,
        log_was: books.log_was,
        log_is: length(&books.folder.join("log")),
    })
}

/// What this round has to tell of URLs.
#[derive(Default)]
struct Told {
    seen: Vec<(String, u32, UrlKind)>,
    nearer: Vec<(String, u32)>,
    unfollowed: Vec<(String, u32)>,
}

impl Told {
    fn of(books: &Books, validated: &Validated) -> Result<Told, TaskError> {
        let mut told = Told::default();
        let both = [&books.arrived, validated];
        let unfollowed: HashSet<_> = both.iter().flat_map(|some| &some.unfollowed).collect();
        known(&books.folder, |url| {
            // Of the two, the later one is the lower.
            let depth = both.iter().rev().find_map(|some| some.nearer.get(&url.fingerprint));
            if url.number >= books.known {
                told.seen.push((url.url.to_owned(), *depth.unwrap_or(&url.depth), url.kind));
            }
            let Some(depth) = depth else { return };
            told.nearer.push((url.url.to_owned(), *depth));
            if unfollowed.contains(&url.fingerprint) {
                told.unfollowed.push((url.url.to_owned(), *depth));
            }
        })?;
        Ok(told)
    }
}

/// Ways may have turned out shorter since they were found.
fn shortened(leaving: Vec<Traveller>, depths: &HashMap<Fingerprint, u32>) -> Vec<Traveller> {
    let shorten = |mut traveller: Traveller| {
        if let Some(depth) = depths.get(&Fingerprint::of(&traveller.url)) {
            traveller.depth = traveller.depth.min(*depth);
        }
        traveller
    };
    leaving.into_iter().map(shorten).collect()
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The finished files of a folder, in order.
fn listed(folder: &Path) -> Result<Vec<PathBuf>, TaskError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(TaskError::io("read", folder))?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry.map_err(TaskError::io("read", folder))?.path());
    }
    files.sort();
    Ok(files)
}
