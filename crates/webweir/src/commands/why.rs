use std::path::Path;

use anyhow::{Result, bail};
use jiff::Timestamp;
use weir_crawl::FRONTIER;
use weir_frontier::{Event, History, UrlKind, history};
use weir_parse::Rules;
use weir_types::{Fingerprint, Size, Skip};

use crate::args::WhyArgs;
use crate::exit::{Exit, WrongUse};

/// What is known of one URL.
pub struct Told {
    /// In its canonical form.
    pub url: String,
    /// None if it was never found.
    pub lines: Option<Vec<String>>,
}

pub const NEVER_FOUND: &str = "never found: no page that was read links to it, and it is no seed";

pub fn run(args: &WhyArgs) -> Result<Exit> {
    let told = explain(&args.out, &args.url)?;
    println!("{}", told.url);
    for line in told.lines.unwrap_or_else(|| vec![NEVER_FOUND.to_owned()]) {
        println!("  {line}");
    }
    Ok(Exit::Done)
}

pub fn explain(out: &Path, text: &str) -> Result<Told> {
    let url = weir_parse::canonicalize(text, None)
        .map_err(|why| WrongUse(format!("{text:?} is no URL that can be crawled: {why}")))?;
    let folder = out.join(FRONTIER);
    if !folder.join("log").exists() {
        bail!("no crawl in {}: name its folder with -o DIR", out.display());
    }
    let history = match history(&folder, Fingerprint::of(&url))? {
        // The target of a redirect is kept as the server gave it.
        None => match Rules::plain().canonicalize(text, None) {
            Ok(given) => history(&folder, Fingerprint::of(&given))?,
            Err(_) => None,
        },
        found => found,
    };
    Ok(Told { url: url.to_string(), lines: history.as_ref().map(tell) })
}

fn tell(history: &History) -> Vec<String> {
    let mut lines = vec![match history.path.as_slice() {
        [] => "found on a page of the crawl".to_owned(),
        [_] if history.kind == UrlKind::Sitemap => "a sitemap".to_owned(),
        [_] => "a seed".to_owned(),
        [.., from, _] => format!("found on {from}, {} links from a seed", history.depth),
    }];
    if history.path.len() > 2 {
        lines.push("the way there:".to_owned());
        lines.extend(history.path.iter().map(|url| format!("  {url}")));
    }
    if let Some(at) = history.lastmod_s {
        lines.push(format!("changed at {}, says the sitemap", time(u64::from(at) * 1000)));
    }
    if history.events.is_empty() {
        lines.push("waiting: not fetched yet".to_owned());
    }
    lines.extend(history.events.iter().map(say));
    match history.events.last() {
        Some(Event::Retry { .. }) => lines.push("waiting: will be tried again".to_owned()),
        Some(Event::Again) => lines.push("waiting: not fetched yet in this round".to_owned()),
        _ => {}
    }
    lines
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
        // The rest of it says the same.
        Event::Dropped { skip: Some(skip), why, .. } if why == weir_crawl::DISALLOWED => {
            format!("left out: {}", reason(*skip))
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
