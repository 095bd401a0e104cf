//! How fresh copies of pages that change are kept, and what that costs.

use std::path::Path;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use weir_testsite::{HostSpec, Spec, Web};

use crate::support::command::crawl;
use crate::support::outcome::report;

/// Of twenty pages, twelve never change, five every twentieth tick, two every other one, and one all the time:
/// a tick is about a day of the web.
fn spec(validators: bool) -> Spec {
    let every = |ticks: u64| Some(Duration::from_secs(ticks));
    let periods: Vec<Option<Duration>> = (0..20)
        .map(|page| match page * 7 % 20 {
            0..12 => None,
            12..17 => every(20),
            17..19 => every(2),
            _ => every(1),
        })
        .collect();
    let site = HostSpec::pages(240).page_bytes(8_000..=24_000).changing(&periods);
    Spec::new(vec![if validators { site } else { site.without_validators() }])
}

/// What a way of coming back has cost and kept fresh, on average over the ticks that count.
#[derive(Debug)]
struct Kept {
    bytes: f64,
    freshness: f64,
}

/// Lets the clock of the web tick, coming back after every `every` of them.
fn keep(validators: bool, every: u64, flags: impl Fn(&Spent) -> Vec<String>) -> Kept {
    let web = Web::start(spec(validators)).unwrap();
    let out = TempDir::new().unwrap();
    web.set_time(Duration::ZERO);
    let (mut last, mut given, mut rounds) = (Instant::now(), 0.0, 0);
    visit(&web, out.path(), &[]);
    let (mut bytes, mut freshness) = (0, 0.0);
    for tick in 1..=LEARNS + COUNTS {
        web.set_time(Duration::from_secs(tick));
        let before = web.counts().total().bytes;
        if tick % every == 0 {
            let flags = flags(&Spent { since: last.elapsed(), given, rounds });
            last = Instant::now();
            visit(&web, out.path(), &flags);
            given += report(out.path())["freshness"]["budget"].as_f64().unwrap_or(0.0);
            rounds += 1;
        }
        if tick > LEARNS {
            bytes += web.counts().total().bytes - before;
            freshness += web.freshness();
        }
    }
    Kept { bytes: bytes as f64 / COUNTS as f64, freshness: freshness / COUNTS as f64 }
}

/// What is known when a round begins.
struct Spent {
    since: Duration,
    /// The budgets of all rounds so far, as weir reckoned them.
    given: f64,
    rounds: u32,
}

const LEARNS: u64 = 24;
const COUNTS: u64 = 24;

fn visit(web: &Web, out: &Path, flags: &[String]) {
    let mut all = vec!["--per-host", "8", "--store", "none"];
    all.extend(flags.iter().map(String::as_str));
    crawl(&web.seeds(), out, &all).wait().expect_code(0);
}

/// A budget that comes to so many bytes a round. weir goes by the clock and begins some time after we ask it to,
/// so what one round has too much, on a busy machine, the next ones have less.
fn budget(bytes: f64, spent: &Spent) -> Vec<String> {
    let due = bytes * f64::from(spent.rounds + 1) - spent.given;
    let a_day = due.clamp(0.2 * bytes, 2.0 * bytes) / spent.since.as_secs_f64() * 86_400.0;
    ["--recrawl".to_owned(), "--freshness".to_owned(), format!("{a_day:.0}B/day")].to_vec()
}

/// Fetching all pages anew every fourth tick, against visits that pay, with this part of the bytes.
fn check(validators: bool, part: f64, most: f64) {
    let all = keep(false, 4, |_| vec!["--recrawl".to_owned()]);
    let ours = keep(validators, 1, |spent| budget(part * all.bytes, spent));
    println!("validators {validators}: all {all:?}, what pays {ours:?}");
    assert!(ours.freshness >= all.freshness, "{ours:?} {all:?}");
    assert!(ours.bytes <= most * all.bytes, "{ours:?} {all:?}");
}

#[test]
fn half_of_the_bytes_keep_copies_fresher_than_fetching_all_pages_does() {
    check(true, 0.25, 0.5);
}

/// Where each visit costs a whole page, only the choice of pages is left.
#[test]
fn fewer_bytes_do_even_where_the_server_cannot_tell_what_has_changed() {
    check(false, 0.8, 0.95);
}
