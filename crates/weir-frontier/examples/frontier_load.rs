//! Fills a frontier with N made-up URLs, leases and settles a part of them, and reopens it: the
//! cost per URL and the memory, for whoever changes the frontier.
//!
//! `cargo run --release -p weir-frontier --example frontier_load -- 1000000`

use std::error::Error;
use std::fs;
use std::time::Instant;

use weir_frontier::{Config, End, Found, Frontier, HostId, UrlKind};
use weir_types::Fingerprint;

/// A page in the figures has about 33 links, and one of them is new.
const KNOWN_LINKS: u64 = 32;
const HOSTS: u64 = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let count: u64 = std::env::args().nth(1).map_or(Ok(1_000_000), |text| text.parse())?;
    let folder = std::env::temp_dir().join(format!("weir-frontier-load-{}", std::process::id()));
    let mut frontier = Frontier::open(&folder, Config::default())?.0;
    let hosts: Vec<HostId> =
        (0..HOSTS).map(|host| frontier.host("s", &format!("h{host}.example"))).collect();

    let start = (Instant::now(), cpu_s()?);
    for number in 0..count {
        add(&mut frontier, &hosts, number)?;
        for back in 1..=KNOWN_LINKS.min(number) {
            let known = number - (back * back * 7919) % number.max(1) - 1;
            let seen = frontier.is_seen(Fingerprint::of(&url_of(known)));
            assert!(seen, "{known} was added");
        }
        turn(&mut frontier, number)?;
    }
    report("add, with 32 known links each", count, start)?;

    let start = (Instant::now(), cpu_s()?);
    let settled = count / 2;
    for number in 0..settled {
        let host = hosts[(number % HOSTS) as usize];
        if let Some(leased) = frontier.lease(host, u64::MAX)? {
            let kept = End::Kept { status: 200, bytes_wire: 27_000, bytes_body: 27_000 };
            frontier.settle(&leased, kept, number)?;
        }
        turn(&mut frontier, number)?;
    }
    report("lease and settle", settled, start)?;
    frontier.close()?;

    let start = (Instant::now(), cpu_s()?);
    let (frontier, _) = Frontier::open(&folder, Config::default())?;
    report("reopen", count, start)?;
    assert_eq!(frontier.counts().open, count - settled);
    println!("log {} MB", fs::metadata(folder.join("log"))?.len() / 1_000_000);
    drop(frontier);
    fs::remove_dir_all(&folder)?;
    Ok(())
}

fn add(frontier: &mut Frontier, hosts: &[HostId], number: u64) -> Result<(), Box<dyn Error>> {
    let url = url_of(number);
    frontier.add(Found {
        url: &url,
        fingerprint: Fingerprint::of(&url),
        host: hosts[(number % HOSTS) as usize],
        score: 0.0,
        depth: (number + 1).ilog2(),
        redirects: 0,
        parent: None,
        kind: UrlKind::Page,
        lastmod_s: None,
    })?;
    Ok(())
}

fn url_of(number: u64) -> String {
    format!("http://h{}.example/section/{}/page-{number}.html", number % HOSTS, number % 97)
}

/// A crawl hands over what it has a few pages at a time.
fn turn(frontier: &mut Frontier, number: u64) -> Result<(), Box<dyn Error>> {
    if number % 4 == 3 {
        frontier.write()?;
    }
    Ok(())
}

fn report(what: &str, count: u64, (wall, cpu): (Instant, f64)) -> Result<(), Box<dyn Error>> {
    let cpu_us = (cpu_s()? - cpu) * 1e6 / count as f64;
    let wall_s = wall.elapsed().as_secs_f64();
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    println!("{what}: {count} URLs, {cpu_us:.2} us CPU each, {wall_s:.1} s, {peak}");
    Ok(())
}

fn cpu_s() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> =
        stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    // User and system time in ticks of 10 ms: fields 14 and 15, counted behind the name.
    Ok((fields[11].parse::<f64>()? + fields[12].parse::<f64>()?) / 100.0)
}
