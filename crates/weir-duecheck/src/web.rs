//! The sites: sizes over three orders of magnitude, servers and pages of all kinds.

use std::io;
use std::time::Duration;

use fastrand::Rng;
use weir_testsite::{HostSpec, Spec, Web};

pub struct Sites {
    pub web: Web,
    /// As weir names them: host and port.
    pub names: Vec<String>,
    /// Whether a sitemap lists what a site has.
    pub listed: Vec<bool>,
}

/// The smallest and the largest site.
const LEAST_BYTES: f64 = 20e3;
const MOST_BYTES: f64 = 20e6;
/// Seconds that no site takes longer than by itself, about.
const SLOWEST_S: f64 = 32.0;

impl Sites {
    /// `scale` times as many pages as usual, each as large and as slow as ever.
    pub fn start(count: usize, seed: u64, scale: f64) -> io::Result<Sites> {
        let mut lot = Rng::with_seed(seed);
        Sites::of((0..count).map(|at| host(at, count, scale, &mut lot)).collect(), seed)
    }

    /// So many sites of twenty pages each.
    pub fn start_small(count: usize, seed: u64) -> io::Result<Sites> {
        let mut lot = Rng::with_seed(seed);
        let small = |lot: &mut Rng| {
            let host = HostSpec::pages(20).page_bytes(5_000..=15_000).links_per_page(10);
            if lot.bool() { host.sitemap() } else { host }
        };
        Sites::of((0..count).map(|_| small(&mut lot)).collect(), seed)
    }

    fn of(hosts: Vec<HostSpec>, seed: u64) -> io::Result<Sites> {
        let listed = hosts.iter().map(|host| host.sitemap).collect();
        let web = Web::start(Spec::new(hosts).seed(seed))?;
        let name =
            |seed: &String| seed.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let names = web.seeds().iter().map(name).collect();
        Ok(Sites { web, names, listed })
    }
}

/// Evenly spread over the orders of magnitude, the rest by lot.
fn host(at: usize, count: usize, scale: f64, lot: &mut Rng) -> HostSpec {
    let between = |low: f64, high: f64, part: f64| low * (high / low).powf(part);
    let bytes = between(LEAST_BYTES, MOST_BYTES, (at as f64 + lot.f64()) / count as f64);
    let page = between(4e3, 60e3, lot.f64()).min(bytes / 2.0);
    let pages = (bytes * scale / page).round().max(1.0) as u32;
    // So slow is none that it takes longer than this.
    let least_rate = bytes / SLOWEST_S;
    let latency = (lot.f64() * 0.06).min(page / least_rate * 0.6);
    let links = lot.u32(8..40).min(page as u32 / 200).max(3);
    let host = HostSpec::pages(pages)
        .page_bytes((page * 0.4) as usize..=(page * 1.6) as usize)
        .links_per_page(links)
        .latency(Duration::from_secs_f64(latency));
    // A third of the servers is slow.
    let host = match lot.u32(..3) {
        0 => host.rate(between(300e3, 3e6, lot.f64()).max(least_rate * 3.0) as u64),
        _ => host,
    };
    if lot.bool() { host.sitemap() } else { host }
}
