//! Spoiled logs: they are cut, or refused as damaged, and never anything else. `cargo xtask fuzz`
//! runs the same for longer.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use weir_frontier::{Config, End, Found, Frontier, FrontierError, HostId, UrlKind, history};
use weir_fuzz::{Fuzz, Rng, peak_of};
use weir_types::{Fingerprint, Skip};

#[global_allocator]
static COUNTING: weir_fuzz::Counting = weir_fuzz::Counting;

const FILE_HEAD: usize = 8;
const FRAME_HEAD: usize = 20;

/// The log of a small crawl with every kind of record, ended well or not.
fn log(pages: u32, closed: bool) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut frontier = Frontier::open(dir.path(), Config::default()).unwrap().0;
    frontier.follow_ways().unwrap();
    let hosts = ["a", "b"].map(|name| frontier.host("site", name));
    for number in 0..pages {
        let url = format!("http://a.test/{number}");
        let host = hosts[number as usize % 2];
        let (depth, redirects) = (number % 5, number % 2);
        let listed = number % 7 == 0;
        frontier.add(Found { depth, redirects, ..found(&url, host, listed) }).unwrap();
        frontier.skip(Fingerprint::of(&format!("out {number}")), Skip::Scope);
        if number % 3 > 0 {
            let leased = frontier.lease(host, u64::MAX).unwrap().unwrap();
            frontier.settle(&leased, end(number), 5).unwrap();
            frontier.lead(&leased, links(number)).unwrap();
        }
        if number % 4 == 0 {
            frontier.set_note("mark", &number.to_le_bytes());
            frontier.set_host_note(host, b"User-agent: *\nDisallow: /x");
            frontier.write().unwrap();
            let upto = frontier.syncer().run().unwrap();
            frontier.synced(upto);
        }
    }
    if closed {
        frontier.close().unwrap()
    } else {
        frontier.write().unwrap()
    }
    std::fs::read(dir.path().join("log")).unwrap()
}

fn links(number: u32) -> impl Iterator<Item = (Fingerprint, u32)> {
    let link = |to| (Fingerprint::of(&format!("http://a.test/{to}")), to % 2);
    (number / 2..number).map(link)
}

fn found(url: &str, host: HostId, listed: bool) -> Found<'_> {
    Found {
        url,
        fingerprint: Fingerprint::of(url),
        host,
        score: 0.5,
        depth: 0,
        redirects: 0,
        parent: None,
        kind: if listed { UrlKind::Sitemap } else { UrlKind::Page },
        lastmod_s: listed.then_some(1_700_000_000),
    }
}

fn end(number: u32) -> End<'static> {
    match number % 5 {
        0 => End::Kept { status: 200, bytes_wire: 1000, bytes_body: 5000 },
        1 => End::Dropped { skip: Some(Skip::Robots), why: "robots.txt" },
        2 => End::Dropped { skip: None, why: "refused" },
        3 => End::Read { listed: 9 },
        _ => End::Retry { attempts: 2, due_ms: 7, why: "reset" },
    }
}

fn seeds() -> Vec<Vec<u8>> {
    vec![log(0, true), log(5, false), log(20, true), log(60, false)]
}

/// Opens a folder with this log and goes through a small crawl. A refusal must be one of damage.
fn crawl_on(bytes: &[u8]) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("log"), bytes).unwrap();
    if told_or_damaged(history(dir.path(), Fingerprint::of("http://a.test/3"))).is_none() {
        return;
    }
    let opened = Frontier::open(
        dir.path(),
        Config { hot_most: 64, max_depth: Some(3), ..Config::default() },
    );
    let Some((mut frontier, _)) = told_or_damaged(opened) else { return };
    if told_or_damaged(frontier.follow_ways()).is_none() {
        return;
    }
    let before = frontier.counts().known;
    let hosts: Vec<HostId> = frontier.hosts().map(|(host, ..)| host).collect();
    for host in &hosts {
        if told_or_damaged(go_through(&mut frontier, *host)).is_none() {
            return;
        }
    }
    let host = frontier.host("site", "new");
    frontier.add(found("http://new.test/", host, false)).unwrap();
    frontier.write().unwrap();
    drop(frontier);
    reopen(dir.path(), before);
}

fn go_through(frontier: &mut Frontier, host: HostId) -> Result<(), FrontierError> {
    frontier.host_note(host)?;
    frontier.wake(u64::MAX, |_| {})?;
    frontier.next_depth(host)?;
    while let Some(leased) = frontier.lease(host, 10)? {
        frontier.settle(&leased, end(0), 1)?;
        frontier.lead(&leased, links(30))?;
    }
    Ok(())
}

/// What was good enough to go on with is good enough the next time.
fn reopen(folder: &Path, known_before: u64) {
    let (frontier, _) = Frontier::open(folder, Config::default()).unwrap();
    assert!(frontier.counts().known >= known_before);
}

fn told_or_damaged<T>(result: Result<T, FrontierError>) -> Option<T> {
    match result {
        Ok(told) => Some(told),
        Err(FrontierError::Damaged { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// Bytes held for a log of a few kilobytes; the buffers for reading are two of a megabyte.
const MOST_MEMORY: usize = 8 << 20;

fn check(bytes: &[u8]) {
    let ((), peak) = peak_of(|| crawl_on(bytes));
    assert!(peak <= MOST_MEMORY, "{peak} bytes of memory for a log of {}", bytes.len());
}

#[test]
fn any_log_is_cut_or_refused() {
    Fuzz::new("frontier log", 1500).words(&["WEIRLOG\u{1}", "WLF1"]).run(&seeds(), |log, _| {
        check(log);
    });
}

/// Checksums made good again, so that what is read is not what was written: a disk or a program
/// that lies must not bring weir down.
#[test]
fn any_record_is_understood_or_refused() {
    let bodies: Vec<Vec<u8>> = seeds().iter().map(|log| records(log)).collect();
    Fuzz::new("frontier records", 2500).run(&bodies, |records, random| {
        check(&sealed(records, random));
    });
}

/// The records of all frames, one after the other.
fn records(log: &[u8]) -> Vec<u8> {
    let mut records = Vec::new();
    let mut rest = &log[FILE_HEAD..];
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        records.extend_from_slice(&rest[FRAME_HEAD..FRAME_HEAD + length]);
        rest = &rest[FRAME_HEAD + length..];
    }
    records
}

/// A log whose frames have good heads (docs/formats/frontier.md).
fn sealed(records: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut log = b"WEIRLOG\x01".to_vec();
    // A frame ends with a record, and where one ends is not known here.
    let at = if random.u8(..8) == 0 { random.usize(..=records.len()) } else { records.len() };
    for part in [&records[..at], &records[at..]] {
        if part.is_empty() {
            continue;
        }
        let synced = if random.bool() { log.len() as u64 } else { 0 };
        let rest = [&synced.to_le_bytes()[..], part].concat();
        log.extend_from_slice(b"WLF1");
        log.extend_from_slice(&(part.len() as u32).to_le_bytes());
        log.extend_from_slice(&crc32fast::hash(&rest).to_le_bytes());
        log.extend_from_slice(&rest);
    }
    log
}
