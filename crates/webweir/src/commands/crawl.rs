use anyhow::{Result, bail};
use tokio::sync::watch;
use weir_crawl::{Config, Ended, Finish, Settings, Stop};

use crate::args::CrawlArgs;
use crate::exit::Exit;
use crate::show::{self, Screen};

pub fn run(args: &CrawlArgs) -> Result<Exit> {
    let below = match &args.config {
        Some(path) => Settings::read(path)?,
        None => Settings::default(),
    };
    let config = Config::try_from(args.settings().over(below))?;
    let screen = Screen::new(args.progress, args.quiet, args.verbose);
    crawl(config, screen)
}

/// Crawls with a screen, ends cleanly on Ctrl-C, and says what came of it.
pub fn crawl(config: Config, mut screen: Screen) -> Result<Exit> {
    let out = config.out.clone();
    screen.begin(&config);
    let stop = stop_on_interrupt(!screen.has_bars())?;
    let ended = weir_crawl::crawl(config, stop, &mut |progress| screen.show(progress));
    screen.end();
    let ended = ended?;
    if !screen.is_quiet() {
        show::summary(&ended, &out);
    }
    exit_of(&ended)
}

fn exit_of(ended: &Ended) -> Result<Exit> {
    let report = &ended.report;
    if report.sinks.iter().any(|sink| sink.waiting > 0) {
        return Ok(Exit::Resumable);
    }
    match report.outcome {
        Finish::Limit if report.deadlines.missed > 0 && report.renews_at.is_none() => {
            Ok(Exit::Late)
        }
        Finish::Interrupted | Finish::Limit => Ok(Exit::Resumable),
        _ if report.pages == 0 && report.failed + report.skipped.private > 0 => {
            let last = report.troubles.last().map_or("", String::as_str);
            bail!(
                "nothing could be fetched. {last}. Check the URL, then run the same command again"
            );
        }
        _ if report.deadlines.missed > 0 => Ok(Exit::Late),
        _ => Ok(Exit::Done),
    }
}

/// The first Ctrl-C (or SIGTERM) lets what is under way finish, the second does not.
pub fn stop_on_interrupt(tell: bool) -> Result<watch::Receiver<Stop>> {
    let (sender, receiver) = watch::channel(Stop::No);
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
    Ok(receiver)
}
