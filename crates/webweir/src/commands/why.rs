use anyhow::{Result, bail};
use jiff::Timestamp;
use weir_frontier::{Event, History, UrlKind, history};
use weir_parse::Rules;
use weir_types::{Fingerprint, Size, Skip};

use crate::args::WhyArgs;
use crate::exit::{Exit, WrongUse};

pub fn run(args: &WhyArgs) -> Result<Exit> {
    let url = weir_parse::canonicalize(&args.url, None)
        .map_err(|why| WrongUse(format!("{:?} is no URL that can be crawled: {why}", args.url)))?;
    let folder = args.out.join("frontier");
    if !folder.join("log").exists() {
        bail!("no crawl in {}: name its folder with -o DIR", args.out.display());
    }
    println!("{url}");
    let history = match history(&folder, Fingerprint::of(&url))? {
        // The target of a redirect is kept as the server gave it.
        None => match Rules::plain().canonicalize(&args.url, None) {
            Ok(given) => history(&folder, Fingerprint::of(&given))?,
            Err(_) => None,
        },
        found => found,
    };
    match history {
        None => println!("  never found: no page that was read links to it, and it is no seed"),
        Some(history) => tell(&history),
    }
    Ok(Exit::Done)
}

fn tell(history: &History) {
    match history.path.as_slice() {
        [] => println!("  found on a page of the crawl"),
        [_] if history.kind == UrlKind::Sitemap => println!("  a sitemap"),
        [_] => println!("  a seed"),
        [.., from, _] => {
            println!("  found on {from}, {} links from a seed", history.depth);
        }
    }
    if history.path.len() > 2 {
        println!("  the way there:");
        history.path.iter().for_each(|url| println!("    {url}"));
    }
    if let Some(at) = history.lastmod_s {
        println!("  changed at {}, says the sitemap", time(u64::from(at) * 1000));
    }
    if history.events.is_empty() {
        println!("  waiting: not fetched yet");
    }
    for event in &history.events {
        println!("  {}", say(event));
    }
    match history.events.last() {
        Some(Event::Retry { .. }) => println!("  waiting: will be tried again"),
        Some(Event::Again) => println!("  waiting: not fetched yet in this round"),
        _ => {}
    }
}

fn say(event: &Event) -> String {
    match event {
        Event::Skipped { skip } => format!("left out: {}", reason(*skip)),
        Event::Kept { status, bytes_wire, at_ms } => {
            format!("kept: status {status}, {}, {}", Size(*bytes_wire), time(*at_ms))
        }
        Event::Read { listed, at_ms } => {
            format!("read: a sitemap that lists {listed} URLs, {}", time(*at_ms))
        }
        Event::Dropped { skip: Some(skip), why, .. } => {
            format!("left out: {} ({why})", reason(*skip))
        }
        Event::Dropped { skip: None, why, at_ms } => format!("failed: {why}, {}", time(*at_ms)),
        Event::Retry { attempts, why, .. } => format!("try {attempts} failed: {why}"),
        Event::Again => "to be fetched once more: a new round of its site".to_owned(),
    }
}

fn reason(skip: Skip) -> &'static str {
    match skip {
        Skip::Robots => "robots.txt does not allow it",
        Skip::RobotsAway => "without its robots.txt nothing may be fetched; a new run asks again",
        Skip::Scope => "out of scope; see --scope, --include and --exclude",
        Skip::Trap => "pages like it brought nothing new (a trap); see --traps",
        Skip::TrapRepeats => "its path repeats itself (a trap); see --traps",
        Skip::TrapDeep => "its path has too many parts (a trap); see --traps",
        Skip::TrapQuery => "its query has too many parts (a trap); see --traps",
        Skip::Private => "its address is private; see --allow-private",
        Skip::Depth => "too deep; see --depth",
        Skip::Other => "too many redirects in a row",
    }
}

fn time(at_ms: u64) -> String {
    let at = i64::try_from(at_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    at.map_or_else(|| "at an unknown time".to_owned(), |at| at.to_string())
}
