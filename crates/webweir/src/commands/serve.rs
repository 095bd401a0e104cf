//! A crawl that stays: rounds of recurring sites when they are due, a dashboard, and settings that are read again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use tokio::sync::watch;
use weir_crawl::{Config, Helm, Settings, Stop};
use weir_dashboard::Reload;

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
    loop {
        config.helm = Some(helm.clone());
        (config.stays, config.repeat) = (true, true);
        screen.begin(&config);
        let ended = weir_crawl::crawl(config, asked.stop.subscribe(), &mut |progress| {
            screen.show(progress)
        });
        screen.end();
        let ended = ended.inspect_err(|why| dashboard.fail(&why.to_string()))?;
        if !screen.is_quiet() {
            show::summary(&ended);
            show::kept_in(&out);
        }
        if !asked.waits() {
            return exit_of(&ended);
        }
        // What was right when somebody asked for it may be wrong by now; then all is as before.
        match read(args) {
            Ok(read) => (settings, config) = read,
            Err(why) => {
                eprintln!("error: {why:#}; going on as before");
                config = Config::try_from(settings.clone())?;
            }
        }
    }
}

impl Asked {
    /// Until there is something to begin anew for; false to end for good.
    fn waits(&self) -> bool {
        let mut stop = self.stop.subscribe();
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let Ok(runtime) = runtime else { return false };
        loop {
            if self.quit.load(Ordering::SeqCst) {
                return false;
            }
            if self.reload.swap(false, Ordering::SeqCst) {
                self.stop.send_replace(Stop::No);
                // Somebody may have asked for the end in between.
                return !self.quit.load(Ordering::SeqCst);
            }
            // A limit is reached: only who asks for something makes it go on.
            stop.mark_unchanged();
            if runtime.block_on(stop.changed()).is_err() {
                return false;
            }
        }
    }

    fn begin_anew(&self) {
        self.reload.store(true, Ordering::SeqCst);
        self.stop.send_modify(|stop| *stop = (*stop).max(Stop::Soon));
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
