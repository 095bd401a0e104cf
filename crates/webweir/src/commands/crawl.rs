use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result, bail};
use tokio::sync::watch;
use weir_cluster::scheduler;
use weir_cluster::standalone::{self, Crew, Downloaders, LOG};
use weir_crawl::{Config, Ended, FRONTIER, Finish, Outlets, REPORT_FILE, Report, Settings, Stop};
use weir_store::gather;

use crate::args::CrawlArgs;
use crate::commands::dashboard::{Beside, Place};
use crate::exit::{Exit, WrongUse};
use crate::show::{self, Screen};

/// What each downloader has under way at a time.
pub const SLOTS: usize = 20;
const MOST_DOWNLOADERS: usize = 64;

pub fn run(args: &CrawlArgs) -> Result<Exit> {
    let settings = args.read()?;
    let screen = Screen::of(&settings)?;
    match (settings.downloaders, &settings.write_off) {
        (Some(count), _) => with_downloaders(settings, count, screen),
        (None, Some(names)) if !names.is_empty() => {
            let why = format!("write-off = {names:?}: this crawl has no downloaders; leave it out");
            Err(WrongUse(why).into())
        }
        (None, _) => {
            let place = Place::of(&settings)?;
            crawl(Config::try_from(settings)?, place, screen)
        }
    }
}

/// Crawls with a screen, ends cleanly on Ctrl-C, and says what came of it.
pub fn crawl(mut config: Config, place: Option<Place>, mut screen: Screen) -> Result<Exit> {
    let out = config.out.clone();
    let (asking, stop) = interrupts(!screen.has_bars())?;
    let asked_before = requests_of(&out).filter(|_| !config.fresh);
    let beside = place.map(|place| place.open_beside(&out, asking, &screen)).transpose()?;
    config.helm = beside.as_ref().map(Beside::helm);
    screen.begin(&config);
    let ended = weir_crawl::crawl(config, stop, &mut |progress| screen.show(progress));
    screen.end();
    let ended = ended.inspect_err(|why| beside.iter().for_each(|it| it.fail(&why.to_string())))?;
    if !screen.is_quiet() {
        show::summary(&ended);
        show::kept_in(&out);
        if ended.report.outcome == Finish::Complete && asked_before == Some(ended.report.fetches) {
            eprintln!(
                "  it was complete before: --recrawl asks what has changed since, --fresh begins anew"
            );
        }
    }
    exit_of(&ended)
}

/// Those that a crawl has made so far, if there is one in the folder.
fn requests_of(out: &Path) -> Option<u64> {
    Report::read(&out.join(REPORT_FILE)).ok().map(|report| report.fetches)
}

/// The same with a process of its own for each of `count` downloaders.
fn with_downloaders(mut settings: Settings, count: usize, mut screen: Screen) -> Result<Exit> {
    if !(1..=MOST_DOWNLOADERS).contains(&count) {
        let why = format!("downloaders = {count}: write a number from 1 to {MOST_DOWNLOADERS}");
        return Err(WrongUse(why).into());
    }
    Config::try_from(settings.clone())?;
    let place = Place::of(&settings)?;
    // Passwords are in it, and downloaders are told at their start: it goes nowhere else.
    let outlets = Outlets::take(&mut settings);
    if count > 1 {
        outlets.check_for_several()?;
    }
    let slots = settings.slots.unwrap_or(SLOTS);
    let is_fresh = settings.fresh == Some(true);
    let dispatch = super::scheduler::dispatch(&settings)?;
    let here = SocketAddr::from(([127, 0, 0, 1], 0));
    let scheduler = scheduler(settings, here, None, dispatch)?;
    let out = scheduler.config().out.clone();
    let weir = std::env::current_exe().context("cannot find the weir command itself")?;
    let address = format!("http://{}", scheduler.address());
    let (asking, stop) = interrupts(!screen.has_bars())?;
    let beside = place.map(|place| place.open_beside(&out, asking.clone(), &screen)).transpose()?;
    let scheduler = scheduler.with_helm(beside.as_ref().map(Beside::helm));
    let crew = Crew {
        weir: &weir,
        scheduler: &address,
        out: &out,
        count,
        slots,
        outlets: &outlets,
        stop: asking,
    };
    if is_fresh {
        let _held = weir_frontier::hold(&out.join(FRONTIER))?;
        standalone::clear(&out)?;
    }
    let downloaders = Downloaders::start(&crew)?;
    let ended = super::scheduler::crawl(scheduler, &mut screen, stop);
    let left = downloaders.end();
    if let Some(why) = left.refused {
        return Err(WrongUse(why).into());
    }
    let ended = ended?;
    gather(&out, &left.folders)?;
    if !screen.is_quiet() {
        show::kept_in(&out);
    }
    for folder in left.behind.iter().filter(|_| !screen.is_quiet()) {
        let log = folder.join(LOG);
        eprintln!("  not all is handed over, see {}: run the same command again", log.display());
    }
    match exit_of(&ended)? {
        Exit::Done | Exit::Late if !left.behind.is_empty() => Ok(Exit::Resumable),
        exit => Ok(exit),
    }
}

pub fn exit_of(ended: &Ended) -> Result<Exit> {
    let report = &ended.report;
    if report.downloaders.iter().any(|downloader| downloader.unconfirmed > 0) {
        return Ok(Exit::Resumable);
    }
    if report.sinks.iter().any(|sink| sink.waiting > 0) {
        return Ok(Exit::Resumable);
    }
    match report.outcome {
        Finish::Limit if report.deadlines.missed > 0 && report.renews_at.is_none() => {
            Ok(Exit::Late)
        }
        Finish::Interrupted | Finish::Limit => Ok(Exit::Resumable),
        _ if report.pages == 0 && report.failed + report.skipped.private > 0 => {
            bail!("{}", nothing_came(report));
        }
        _ if report.deadlines.missed > 0 => Ok(Exit::Late),
        _ => Ok(Exit::Done),
    }
}

/// A crawl that has ended without a page. What was given up is tried again by itself, what was answered is not.
fn nothing_came(report: &Report) -> String {
    match report.troubles.last() {
        Some(last) => format!(
            "nothing could be fetched. {last}. Check the URL, then run the same command again"
        ),
        None => format!(
            "no page came: {}. Check the URL; --fresh asks again",
            show::failed(report.failed, &report.failures)
        ),
    }
}

/// The first Ctrl-C (or SIGTERM) lets what is under way finish, the second does not.
pub fn stop_on_interrupt(tell: bool) -> Result<watch::Receiver<Stop>> {
    Ok(interrupts(tell)?.1)
}

/// The same, where others may stop it, too.
pub fn interrupts(tell: bool) -> Result<(watch::Sender<Stop>, watch::Receiver<Stop>)> {
    let (sender, receiver) = watch::channel(Stop::No);
    let asking = sender.clone();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let (Ok(mut interrupt), Ok(mut terminate)) =
                (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
            else {
                // Without handlers the signals end the process, and the crawl is resumable anyway.
                return;
            };
            for (stop, word) in [
                (Stop::Soon, "stopping: finishing what is under way (Ctrl-C again to leave it)"),
                (Stop::Now, "stopping now"),
            ] {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if tell {
                    eprintln!("{word}");
                }
                sender.send_replace(stop);
            }
            std::future::pending::<()>().await;
        });
    });
    Ok((asking, receiver))
}
