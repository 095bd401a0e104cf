use std::net::{SocketAddr, ToSocketAddrs};

use anyhow::Result;
use tokio::sync::watch;
use weir_cluster::{Dispatch, Scheduler, scheduler};
use weir_crawl::{Ended, Settings, Stop};

use super::crawl::{SLOTS, exit_of, interrupts};
use super::dashboard::{Beside, Place};
use crate::args::SchedulerArgs;
use crate::exit::{Exit, WrongUse};
use crate::show::{self, Screen};

const LISTEN: &str = "127.0.0.1:7700";

pub fn run(args: &SchedulerArgs) -> Result<Exit> {
    let settings = args.read()?;
    if settings.downloaders.is_some() {
        let why = "downloaders = …: `weir crawl` starts downloaders, a scheduler waits for them; \
                   leave it out";
        return Err(WrongUse(why.to_owned()).into());
    }
    let slots = settings.slots.unwrap_or(SLOTS);
    let listen = listen(settings.listen.as_deref().unwrap_or(LISTEN))?;
    let dispatch = dispatch(&settings)?;
    let keys = settings.keys.clone();
    let place = Place::of(&settings)?;
    let mut screen = Screen::of(&settings)?;
    let scheduler = scheduler(settings, listen, keys.as_deref(), dispatch)?;
    let scheme = if scheduler.is_encrypted() { "https" } else { "http" };
    if !screen.is_quiet() {
        let keys = keys.map(|keys| format!(" --keys {}", keys.display())).unwrap_or_default();
        eprintln!(
            "waiting for downloaders: weir downloader --scheduler {scheme}://{}{keys} --slots {slots}",
            called(scheduler.address())
        );
    }
    let (asking, stop) = interrupts(!screen.has_bars())?;
    let out = scheduler.config().out.clone();
    let beside = place.map(|place| place.open_beside(&out, asking, &screen)).transpose()?;
    let scheduler = scheduler.with_helm(beside.as_ref().map(Beside::helm));
    let ended = crawl(scheduler, &mut screen, stop)?;
    if !screen.is_quiet() {
        eprintln!(
            "  the pages are with the downloaders; {} has the frontier and the reports",
            out.display()
        );
    }
    exit_of(&ended)
}

/// Crawls with a screen, ends cleanly on Ctrl-C, and says what came of it.
pub fn crawl(
    scheduler: Scheduler,
    screen: &mut Screen,
    stop: watch::Receiver<Stop>,
) -> Result<Ended> {
    screen.begin(scheduler.config());
    let ended = scheduler.run(stop, &mut |progress| screen.show(progress));
    screen.end();
    let ended = ended?;
    if !screen.is_quiet() {
        show::summary(&ended);
    }
    Ok(ended)
}

/// How it is called. Nobody can be called by the address that means all of them.
fn called(address: SocketAddr) -> String {
    match address.ip().is_unspecified() {
        true => format!("HOST:{}", address.port()),
        false => address.to_string(),
    }
}

/// An address, or a name that stands for one.
fn listen(text: &str) -> Result<SocketAddr> {
    let first = text.to_socket_addrs().ok().and_then(|mut all| all.next());
    first.ok_or_else(|| {
        let why = format!("listen = {text:?}: write an address and a port, such as {LISTEN}");
        WrongUse(why).into()
    })
}

pub fn dispatch(settings: &Settings) -> Result<Dispatch> {
    let Some(text) = &settings.dispatch else { return Ok(Dispatch::default()) };
    text.parse().map_err(|remedy| WrongUse(format!("dispatch = {text:?}: {remedy}")).into())
}
