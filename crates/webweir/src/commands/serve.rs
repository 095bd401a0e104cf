//! A crawl that stays: rounds of recurring sites when they are due, a dashboard, and settings that are read again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::timeout;
use tracing::warn;
use weir_crawl::{Config, CrawlError, Ended, Helm, Settings, Stop, parse_moment};
use weir_dashboard::Reload;
use weir_frontier::FrontierError;

use super::crawl::exit_of;
use super::dashboard::Place;
use crate::args::ServeArgs;
use crate::exit::Exit;
use crate::show::{self, Screen};

/// What is asked of the service from outside.
struct Asked {
    stop: watch::Sender<Stop>,
    /// To end for good, and to begin anew with what weir.toml says now.
    quit: AtomicBool,
    reload: AtomicBool,
}

/// What a service does when its crawl has ended.
enum Next {
    End,
    Reload,
    GoOn,
}

/// The clock on the wall may be set while a budget is waited for, and the machine may sleep.
const LOOK_EVERY: Duration = Duration::from_secs(10);

pub fn run(args: &ServeArgs) -> Result<Exit> {
    let (mut settings, mut config) = read(args)?;
    let place = Place::of_service(&settings)?;
    let asked = Arc::new(Asked {
        stop: watch::Sender::new(Stop::No),
        quit: AtomicBool::new(false),
        reload: AtomicBool::new(false),
    });
    let helm = Helm::default();
    let out = config.out.clone();
    let stopping = stops(asked.clone());
    // Once: a log that has begun goes on, whatever weir.toml says later.
    let mut screen = Screen::of(&settings)?;
    let dashboard = place.open(
        &out,
        helm.clone(),
        stopping,
        Some(reload(args, asked.clone(), &out)),
        screen.is_quiet(),
    )?;
    listen(asked.clone())?;
    let mut is_first = true;
    loop {
        // To begin anew, or to come back, is for the start of the service, not for each time its settings are read.
        let at_start = std::mem::take(&mut is_first);
        config.fresh &= at_start;
        config.recrawl &= at_start;
        config.helm = Some(helm.clone());
        (config.stays, config.repeat) = (true, true);
        screen.begin(&config);
        let ended = weir_crawl::crawl(config, asked.stop.subscribe(), &mut |progress| {
            screen.show(progress)
        });
        screen.end();
        let ended = match ended {
            // Between two of its crawls nobody holds the folder, and somebody else may be at work there.
            Err(CrawlError::Frontier(FrontierError::InUse { path })) if !at_start => {
                warn!(path = %path.display(), "another weir is at work there: waiting for it to end");
                eprintln!("waiting: another weir is at work in {}", path.display());
                match asked.next(Some(Timestamp::now() + LOOK_EVERY)) {
                    Next::End => return Ok(Exit::Resumable),
                    Next::GoOn | Next::Reload => config = Config::try_from(settings.clone())?,
                }
                continue;
            }
            ended => ended.inspect_err(|why| dashboard.fail(&why.to_string()))?,
        };
        if !screen.is_quiet() {
            show::summary(&ended);
            show::kept_in(&out);
        }
        match asked.next(renewal(&ended)) {
            Next::End => return exit_of(&ended),
            Next::GoOn => config = Config::try_from(settings.clone())?,
            // What was right when somebody asked for it may be wrong by now; then all is as before.
            Next::Reload => match read(args) {
                Ok(read) => (settings, config) = read,
                Err(why) => {
                    eprintln!("error: {why:#}; going on as before");
                    config = Config::try_from(settings.clone())?;
                }
            },
        }
    }
}

/// When a budget that is used up begins anew.
fn renewal(ended: &Ended) -> Option<Timestamp> {
    Some(parse_moment(ended.report.renews_at.as_deref()?)?.timestamp())
}

impl Asked {
    /// Waits until there is something to do.
    fn next(&self, renewal: Option<Timestamp>) -> Next {
        let mut stop = self.stop.subscribe();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let Ok(runtime) = runtime else { return Next::End };
        loop {
            if self.quit.load(Ordering::SeqCst) {
                return Next::End;
            }
            if self.reload.swap(false, Ordering::SeqCst) {
                self.stop.send_replace(Stop::No);
                // Somebody may have asked for the end in between.
                return if self.quit.load(Ordering::SeqCst) { Next::End } else { Next::Reload };
            }
            if renewal.is_some_and(|at| at <= Timestamp::now()) {
                return Next::GoOn;
            }
            // At another limit only who asks for something makes it go on.
            let asked = runtime.block_on(async { timeout(LOOK_EVERY, stop.changed()).await });
            if matches!(asked, Ok(Err(_))) {
                return Next::End;
            }
        }
    }

    /// In this order: whoever takes note of it in between takes back the word to stop, too.
    fn begin_anew(&self) {
        self.stop.send_modify(|stop| *stop = (*stop).max(Stop::Soon));
        self.reload.store(true, Ordering::SeqCst);
    }

    fn end(&self) {
        self.quit.store(true, Ordering::SeqCst);
        self.stop
            .send_modify(|stop| *stop = if *stop == Stop::No { Stop::Soon } else { Stop::Now });
    }
}

fn read(args: &ServeArgs) -> Result<(Settings, Config)> {
    let settings = args.settings().over(Settings::read(&args.config)?);
    let config = Config::try_from(settings.clone())?;
    Ok((settings, config))
}

/// For the page: ends the service when it is sent anything.
fn stops(asked: Arc<Asked>) -> watch::Sender<Stop> {
    let (sender, mut receiver) = watch::channel(Stop::No);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        if let Ok(runtime) = runtime
            && runtime.block_on(receiver.changed()).is_ok()
        {
            asked.end();
        }
    });
    sender
}

fn reload(args: &ServeArgs, asked: Arc<Asked>, out: &Path) -> Reload {
    let (args, out): (ServeArgs, PathBuf) = (args.clone(), out.to_owned());
    Box::new(move |is_preview| {
        let (_, config) = read(&args).map_err(|why| format!("{why:#}; nothing was changed"))?;
        if config.out != out {
            return Err(format!(
                "out = {}: a service keeps its folder, which is {}; end it and start another one",
                config.out.display(),
                out.display()
            ));
        }
        if !is_preview {
            asked.begin_anew();
        }
        Ok(format!(
            "{} is right: what is under way is finished, then the crawl goes on by it. Nothing is lost.",
            args.config.display()
        ))
    })
}

/// SIGHUP reads weir.toml again; SIGINT and SIGTERM end the service, the second time at once.
fn listen(asked: Arc<Asked>) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            use tokio::signal::unix::{SignalKind, signal};
            let (Ok(mut hangup), Ok(mut interrupt), Ok(mut terminate)) = (
                signal(SignalKind::hangup()),
                signal(SignalKind::interrupt()),
                signal(SignalKind::terminate()),
            ) else {
                // Without handlers the signals end the process, and nothing is lost by that.
                return;
            };
            loop {
                tokio::select! {
                    _ = hangup.recv() => asked.begin_anew(),
                    _ = interrupt.recv() => asked.end(),
                    _ = terminate.recv() => asked.end(),
                }
            }
        });
    });
    Ok(())
}
