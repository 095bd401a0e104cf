//! A plan without a crawl: a few pages of each site that nobody knows, and what they tell.

use std::collections::HashMap;
use std::fs;

use jiff::Timestamp;
use tokio::sync::watch;
use tokio::task::LocalSet;

use super::{Crawl, CrawlError, Stop};
use crate::Config;
use crate::config::StoreChoice;
use crate::downloader;
use crate::plan::{FILE as PLAN_FILE, Planned, Spent};
use crate::progress::Progress;
use crate::report::{FILE as REPORT_FILE, Finish, Report, SiteReport};
use crate::tasks::{HISTORY_FILE, History};

/// What a survey found.
pub struct Survey {
    pub planned: Planned,
    /// What went wrong on the way.
    pub troubles: Vec<String>,
}

/// Samples what is not known, within the budget of `config`, and plans. What was learnt is kept for
/// the crawl; pages are not. Blocks; `watch` is called a few times a second. There is no plan if it
/// was stopped before.
pub fn survey(
    mut config: Config,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Option<Survey>, CrawlError> {
    let out = config.out.clone();
    let scratch = out.join("plan.tmp");
    let io = |what, path: &std::path::Path| {
        let path = path.to_owned();
        move |why| CrawlError::Io { what, path, why }
    };
    if scratch.exists() {
        fs::remove_dir_all(&scratch).map_err(io("clear", &scratch))?;
    }
    fs::create_dir_all(&scratch).map_err(io("make", &scratch))?;
    // A crawl that can go on has learnt something that still holds.
    let report = Report::read(&out.join(REPORT_FILE)).ok();
    let report = report.filter(|report| !config.fresh && report.outcome != Finish::Complete);
    config.keeps_history = report.is_some();
    let promised = report.map(promised).unwrap_or_default();
    config.fresh = false;
    config.is_survey = true;
    config.scratch = Some(scratch.clone());
    config.store = StoreChoice { warc: false, parquet: false };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(io("start", "the runtime".as_ref()))?;
    let local = LocalSet::new();
    let surveyed = local.block_on(&runtime, look(config, promised, stop, watch));
    runtime.shutdown_background();
    let removed = fs::remove_dir_all(&scratch).map_err(io("clear", &scratch));
    let survey = surveyed?;
    removed?;
    if let Some(survey) = &survey {
        let path = out.join(PLAN_FILE);
        survey.planned.plan.write(&path).map_err(io("write", &path))?;
    }
    Ok(survey)
}

/// The deadlines of a crawl that can go on.
fn promised(report: Report) -> HashMap<String, Timestamp> {
    let of = |site: SiteReport| Some((site.site, site.deadline?.parse().ok()?));
    report.sites.into_iter().filter_map(of).collect()
}

async fn look(
    config: Config,
    promised: HashMap<String, Timestamp>,
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Option<Survey>, CrawlError> {
    let history = config.out.join(HISTORY_FILE);
    let mut crawl = Crawl::open(config, Box::new(downloader::here), None)?;
    crawl.dispatch.count_open(Timestamp::now());
    let tasks = &crawl.dispatch.tasks;
    let strange = tasks.all.iter().any(|task| tasks.is_strange(task));
    let mut is_stopped = false;
    if strange {
        is_stopped = crawl.run(stop, watch).await? == Finish::Interrupted;
        crawl.dispatch.count_open(Timestamp::now());
    }
    let tally = crawl.dispatch.tally;
    let spent = Spent {
        pages: tally.fetches,
        bytes: tally.bytes_wire,
        seconds: if strange { crawl.clock.begun.elapsed().as_secs_f64() } else { 0.0 },
    };
    let zone = crawl.config.almanac.zone.clone();
    crawl.dispatch.tasks.promise_anew(&promised, &zone);
    let now = Timestamp::now();
    let planned = Planned::make(&crawl.ask(now, spent));
    let troubles = crawl.dispatch.troubles.iter().cloned().collect();
    crawl.allowance.close()?;
    let (mut known, _) = History::read(&history);
    known.learn_samples(&crawl.dispatch.tasks.all, now);
    known.write(&history).map_err(|why| CrawlError::Io { what: "write", path: history, why })?;
    Ok((!is_stopped).then_some(Survey { planned, troubles }))
}
