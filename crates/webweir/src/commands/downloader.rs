use std::io::Read;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::sync::watch;
use weir_cluster::{Doing, DownloaderOptions, downloader, standalone};
use weir_crawl::Stop;
use weir_types::Bandwidth;

use super::crawl::stop_on_interrupt;
use crate::args::DownloaderArgs;
use crate::exit::{Exit, WrongUse};
use crate::show::{delivered, grouped};

const EVERY: Duration = Duration::from_secs(5);
const MOST_SLOTS: usize = 10_000;

pub fn run(args: DownloaderArgs) -> Result<Exit> {
    if !(1..=MOST_SLOTS).contains(&args.slots) {
        let why = format!("--slots {}: write a number from 1 to {MOST_SLOTS}", args.slots);
        return Err(WrongUse(why).into());
    }
    let outlets = match args.with_parent {
        true => standalone::outlets()?,
        false => args.outlets.outlets(),
    };
    let stop = stop_on_interrupt(!args.quiet)?;
    let stop = if args.with_parent { or_end_of_input(stop) } else { stop };
    let out = args.out.clone();
    let options = DownloaderOptions {
        scheduler: args.scheduler,
        keys: args.keys,
        out: args.out,
        slots: args.slots,
        name: args.name.unwrap_or_else(name_of_machine),
        ends_with_scheduler: args.with_parent,
        outlets,
    };
    let mut lines = Lines {
        next: Instant::now() + Duration::from_secs(1),
        quiet: args.quiet,
        has_pages: false,
    };
    let left = downloader(options, stop, &mut |doing| lines.show(doing))?;
    let remedy = match args.with_parent {
        true => "run the same crawl again".to_owned(),
        false => format!("start it again with -o {}", out.display()),
    };
    match left.unsettled {
        0 if args.quiet => {}
        0 if lines.has_pages => eprintln!("left; the pages are in {}", out.display()),
        0 => eprintln!("left; it has fetched nothing"),
        count => {
            eprintln!("left; the scheduler has not settled {}: {remedy}", pages(count as u64));
        }
    }
    let lacks = left.sinks.iter().any(|sink| sink.waiting > 0);
    let sinks = left.sinks.iter().filter(|sink| !args.quiet || sink.waiting > 0);
    sinks.for_each(|sink| eprintln!("  {}", delivered(sink)));
    if lacks {
        eprintln!("  {remedy} and the same sinks to deliver what waits");
    }
    match left.unsettled {
        0 if !lacks => Ok(Exit::Done),
        _ => Ok(Exit::Resumable),
    }
}

fn pages(count: u64) -> String {
    match count {
        1 => "1 page".to_owned(),
        _ => format!("{} pages", grouped(count)),
    }
}

/// A line every few seconds, and each trouble as it happens.
struct Lines {
    next: Instant,
    quiet: bool,
    has_pages: bool,
}

impl Lines {
    fn show(&mut self, doing: &Doing) {
        self.has_pages |= doing.pages > 0;
        doing.troubles.iter().for_each(|trouble| eprintln!("warning: {trouble}"));
        if self.quiet || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + EVERY;
        let rate = |rate: f64| Bandwidth(rate as u64).to_string();
        let waiting: u64 = doing.sinks.iter().map(|sink| sink.waiting).sum();
        let waiting = match waiting {
            0 => String::new(),
            count => format!(", {} to deliver", grouped(count)),
        };
        let limit = doing.limit.map(|limit| format!(" of {}", rate(limit))).unwrap_or_default();
        eprintln!(
            "{}, {} of {} slots busy, {} jobs waiting, {} pages, {}{limit}{waiting}",
            if doing.connected { "connected" } else { "NOT connected" },
            doing.fetching,
            doing.slots,
            doing.queued,
            grouped(doing.pages),
            rate(doing.rate),
        );
    }
}

/// Whoever started us holds the other end of our standard input: anything that comes asks us to leave,
/// and when it is gone we end, too.
fn or_end_of_input(mut stop: watch::Receiver<Stop>) -> watch::Receiver<Stop> {
    let (sender, receiver) = watch::channel(*stop.borrow());
    let asked = sender.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            while stop.changed().await.is_ok() {
                asked.send_replace(*stop.borrow());
            }
        });
    });
    std::thread::spawn(move || {
        let mut nothing = [0; 64];
        while std::io::stdin().read(&mut nothing).is_ok_and(|count| count > 0) {
            sender.send_replace(Stop::Soon);
        }
        sender.send_replace(Stop::Now);
    });
    receiver
}

fn name_of_machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "downloader".to_owned() } else { name.to_owned() }
}
