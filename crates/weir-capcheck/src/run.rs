//! One scenario, from empty folders to figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::client::{self, Running};
use crate::clock;
use crate::figures::Figures;
use crate::lab::{self, Laying, Place};
use crate::machine::{Load, Shares};
use crate::meter::{Counted, Meter};
use crate::report::Report;
use crate::scenario::{Client, Plan, Scenario};
use crate::series::Series;
use crate::servers::Servers;
use crate::settings::settings;
use crate::web::{Site, Web};

/// What holds for all scenarios.
#[derive(Clone)]
pub struct Bench {
    pub place: Place,
    pub weir: PathBuf,
    /// Each scenario has a folder in it.
    pub folder: PathBuf,
    pub seconds: u64,
    pub offload: bool,
}

/// What was seen of one run; moments are seconds of [`clock::now`].
pub struct Seen {
    pub wire: Counted,
    pub sites: Vec<Series>,
    /// When the client was told to stop.
    pub told: f64,
    /// When rates changed, and to what.
    pub changes: Vec<(f64, u64)>,
    /// Seconds of processor time.
    pub cpu: f64,
    pub load: Shares,
    pub report: Option<Report>,
}

/// What is opened or closed with a connection is not in the servers' count.
const COUNTS_AGREE: f64 = 0.02;

/// Runs it; `number` is different each time.
pub fn run(bench: &Bench, scenario: &Scenario, number: u32) -> Result<Figures> {
    let folder = bench.folder.join(scenario.title().replace([' ', '/'], "-"));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("out"))?;
    let line = (scenario.client == Client::Line).then_some(scenario.limit);
    let laying = Laying { number, crawler: lab::own_pid(), offload: bench.offload, line };
    let servers = Servers::start(&web(scenario, bench.place), bench.place, &laying)?;
    let seen = crawl(bench, scenario, &servers, &folder)?;
    lab::check_packets(seen.wire.bytes_in_all(), seen.wire.packets, bench.offload)?;
    // A line that is full drops packets that were sent; with offload the servers know of more packets.
    if bench.place == Place::Wire && scenario.client != Client::Line && !bench.offload {
        check_counts(&seen)?;
    }
    write_samples(&seen, &folder)?;
    // Large, and of no use to anybody.
    fs::remove_dir_all(folder.join("out"))?;
    Ok(Figures::of(scenario, &seen))
}

/// Two counts that know nothing of each other: a share is measured by the one, the cap by the other.
fn check_counts(seen: &Seen) -> Result<()> {
    let last = |site: &Series| site.points().last().map_or(0.0, |(_, bytes)| *bytes);
    let sent: f64 = seen.sites.iter().map(last).sum();
    let came = seen.wire.bytes_in_all() as f64;
    ensure!(
        (sent / came - 1.0).abs() <= COUNTS_AGREE,
        "the servers say that they sent {sent:.0} bytes, the interface says {came:.0}"
    );
    Ok(())
}

fn web(scenario: &Scenario, place: Place) -> Web {
    let site = |(number, plan): (usize, &Plan)| Site {
        address: place.address(number),
        speed: plan.speed,
        delay_ms: scenario.delay_ms,
        sizes: plan.sizes,
    };
    Web {
        sites: scenario.sites.iter().enumerate().map(site).collect(),
        port: place.port(scenario.tls),
        tls: scenario.tls,
        sample_ms: match place {
            Place::Wire => 50,
            Place::Loopback => 10,
        },
    }
}

fn crawl(bench: &Bench, scenario: &Scenario, servers: &Servers, folder: &Path) -> Result<Seen> {
    let hosts = hosts(scenario, bench.place, servers.port);
    let scheme = if scenario.tls { "https" } else { "http" };
    let urls: Vec<String> = hosts.iter().map(|host| format!("{scheme}://{host}/")).collect();
    fs::write(folder.join("seeds.txt"), urls.join("\n") + "\n")?;
    if let Some(pem) = &servers.authority {
        fs::write(folder.join("authority.pem"), pem)?;
    }
    let settings = settings(scenario, &hosts, folder);
    fs::write(folder.join("weir.toml"), &settings.toml)?;

    let meter = servers.wire.as_ref().map(|wire| Meter::start(&wire.interface));
    sleep(Duration::from_millis(50)); // A reading of the counters before anything moves.
    let mut client = client::start(scenario, &bench.weir, folder, &urls)?;
    let before = Load::read(client.id(), servers.pid());
    client.run_until(Instant::now() + scenario.time(bench.seconds))?;
    let after = Load::read(client.id(), servers.pid());
    let told = clock::now();
    stop(scenario, &mut client)?;
    sleep(Duration::from_millis(100));
    let sites = servers.sent();
    let wire = match meter {
        Some(meter) => meter.stop(),
        None => Counted::of_sites(&sites),
    };
    let report = match scenario.client {
        Client::Weir(_) | Client::Line => Some(Report::read(&folder.join("out/report.json"))?),
        Client::Curl | Client::Wget => None,
    };
    Ok(Seen {
        wire,
        sites,
        told: told as f64 / 1e9,
        changes: settings.changes,
        cpu: after.client,
        load: after.shares_since(&before),
        report,
    })
}

fn stop(scenario: &Scenario, client: &mut Running) -> Result<()> {
    let status = client.interrupt()?;
    let good = matches!(scenario.client, Client::Curl | Client::Wget) || status.code() == Some(4);
    good.then_some(()).with_context(|| format!("weir ended with {status} after an interrupt"))
}

/// The names of the sites, as weir knows them.
fn hosts(scenario: &Scenario, place: Place, port: u16) -> Vec<String> {
    let address = (0..scenario.sites.len()).map(|site| place.address(site));
    match place {
        Place::Wire => address.map(|address| address.to_string()).collect(),
        Place::Loopback => address.map(|address| format!("{address}:{port}")).collect(),
    }
}

/// For whoever wants to draw it: seconds and bytes.
fn write_samples(seen: &Seen, folder: &Path) -> Result<()> {
    let points = seen.wire.bytes.points();
    let (start, none) = points.first().copied().unwrap_or_default();
    let line = |(at, bytes): &(f64, f64)| format!("{:.6},{}\n", at - start, bytes - none);
    let text: String = points.iter().map(line).collect();
    Ok(fs::write(folder.join("samples.csv"), "seconds,bytes\n".to_owned() + &text)?)
}
