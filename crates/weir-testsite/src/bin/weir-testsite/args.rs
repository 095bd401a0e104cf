//! What was typed, as a spec.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::ops::RangeInclusive;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use weir_testsite::{Changing, HostSpec, Hostile, RobotsSpec, Spec};

/// Serves a deterministic web on loopback for tests and benchmarks.
///
/// Prints one line of JSON when ready: {"seeds":[…],"control":"http://127.0.0.1:PORT/"}.
/// The control server answers /counts, /reset, /truth and /missing; /time/SECONDS sets the clock of pages that change,
/// and /latency/HOST/TIME the wait before each answer of a host (0 is the first).
/// Stops when its standard input closes, or on SIGTERM or SIGINT.
#[derive(Parser)]
#[command(name = "weir-testsite", version)]
pub(crate) struct Args {
    /// A ready-made web; the flags below then change each of its hosts
    #[arg(long, value_enum)]
    preset: Option<Preset>,
    /// The same as --preset demo
    #[arg(long, conflicts_with = "preset")]
    demo: bool,
    /// Hosts, each on an address of its own [default: 1]
    #[arg(long, value_name = "N", conflicts_with_all = ["preset", "demo"])]
    hosts: Option<usize>,
    /// HTML pages of each host [default: 100]
    #[arg(long, value_name = "N")]
    pages: Option<u32>,
    /// Size of a page: a mean (N means N/2 to 3N/2) or a range (A-B) [default: 27000]
    #[arg(long, value_name = "N|A-B", value_parser = sizes)]
    page_bytes: Option<RangeInclusive<usize>>,
    /// Links of each page [default: 33]
    #[arg(long, value_name = "N")]
    links: Option<u32>,
    /// How many of these lead to other hosts
    #[arg(long, value_name = "N")]
    cross: Option<u32>,
    /// Wait before each answer, such as 50ms
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    latency: Option<Duration>,
    /// Speed of each answer, such as 100KB/s
    #[arg(long, value_parser = rate)]
    rate: Option<u64>,
    /// Serve a robots.txt that forbids /private/, and link there
    #[arg(long)]
    robots: bool,
    /// URLs of each host that redirect to a page
    #[arg(long, value_name = "N")]
    redirects: Option<u32>,
    /// URLs of each host that are linked and answer 404
    #[arg(long, value_name = "N")]
    dead: Option<u32>,
    /// URLs of each host with the body of another page
    #[arg(long, value_name = "N")]
    duplicates: Option<u32>,
    /// Files of each host that are not HTML
    #[arg(long, value_name = "N")]
    files: Option<u32>,
    /// Gzip for clients that accept it
    #[arg(long)]
    compressed: bool,
    /// Chunked answers
    #[arg(long)]
    chunked: bool,
    /// Pages that change: page n has a new text every n-th of these times, such as never,5m,30s
    #[arg(long, value_name = "TIMES", value_parser = periods)]
    changing: Option<Changing>,
    /// Hostile hosts beside the others: a number for a mix, or names with commas
    #[arg(long, value_name = "N|NAMES", value_parser = hostile)]
    hostile: Option<HostileHosts>,
    /// Port of all hosts; 0 lets the system choose
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Address and port of the first host, such as 10.30.0.1:8080; the others have the addresses after it
    #[arg(long, value_name = "ADDR:PORT", conflicts_with = "port")]
    at: Option<SocketAddrV4>,
    /// Worker threads of the server
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Another seed gives another web
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Go on when standard input closes, as it is for a job in the background
    #[arg(long)]
    pub(crate) stay: bool,
}

/// One value of the flag; clap would take a vector for many of them.
type HostileHosts = Vec<Hostile>;

#[derive(Clone, Copy, ValueEnum)]
enum Preset {
    /// 1 host, 20,000 pages of about 27 KB, 33 links each
    One,
    /// 200 hosts of 100 such pages
    Many,
    /// 1 host, 200,000 pages of about 1 KB
    Small,
    /// Six sites of different temper
    Demo,
}

impl Args {
    pub(crate) fn spec(&self) -> Spec {
        let preset = if self.demo { Some(Preset::Demo) } else { self.preset };
        let spec = match preset {
            Some(Preset::One) => Spec::bench_one(),
            Some(Preset::Many) => Spec::bench_many(),
            Some(Preset::Small) => Spec::bench_small(),
            Some(Preset::Demo) => Spec::demo(),
            None => Spec::new(vec![default_host(); self.hosts.unwrap_or(1)]),
        };
        let spec = spec.each(|host| self.change(host));
        let mut spec = spec.with_hostile(self.hostile.iter().flatten().copied());
        if let Some(first) = self.at {
            let hosts = spec.hosts.into_iter().zip(places(first));
            spec.hosts = hosts.map(|(host, place)| host.at(place.into())).collect();
        }
        spec.port(self.port).threads(self.threads).seed(self.seed)
    }

    /// The host with all that was asked for, and otherwise as it was.
    fn change(&self, host: HostSpec) -> HostSpec {
        let host = HostSpec {
            pages: self.pages.unwrap_or(host.pages),
            page_bytes: self.page_bytes.clone().unwrap_or(host.page_bytes),
            links_per_page: self.links.unwrap_or(host.links_per_page),
            cross_links: self.cross.unwrap_or(host.cross_links),
            latency: self.latency.unwrap_or(host.latency),
            rate: self.rate.or(host.rate),
            redirects: self.redirects.unwrap_or(host.redirects),
            dead_links: self.dead.unwrap_or(host.dead_links),
            duplicates: self.duplicates.unwrap_or(host.duplicates),
            files: self.files.unwrap_or(host.files),
            compressed: self.compressed || host.compressed,
            chunked: self.chunked || host.chunked,
            changing: self.changing.clone().unwrap_or(host.changing),
            ..host
        };
        if self.robots { host.robots(RobotsSpec::Private) } else { host }
    }
}

/// One address after the other, all with the same port.
fn places(first: SocketAddrV4) -> impl Iterator<Item = SocketAddrV4> {
    let addresses = u32::from(*first.ip())..=u32::MAX;
    addresses.map(move |address| SocketAddrV4::new(Ipv4Addr::from(address), first.port()))
}

fn periods(text: &str) -> Result<Changing, String> {
    let period = |word: &str| match word.trim() {
        "never" => Ok(None),
        word => match humantime::parse_duration(word) {
            Ok(period) if !period.is_zero() => Ok(Some(period)),
            Ok(_) => Err("a page cannot change all the time; write never, or a time".to_owned()),
            Err(why) => Err(format!("{word:?}: {why}")),
        },
    };
    Ok(Changing { periods: text.split(',').map(period).collect::<Result<_, _>>()? })
}

fn default_host() -> HostSpec {
    HostSpec::pages(100).page_bytes(13_500..=40_500).links_per_page(33)
}

fn sizes(text: &str) -> Result<RangeInclusive<usize>, String> {
    let number = |text: &str| text.parse::<usize>().map_err(|why| format!("{text:?}: {why}"));
    let range = match text.split_once('-') {
        Some((from, to)) => number(from)?..=number(to)?,
        None => number(text).map(|mean| mean / 2..=mean.saturating_add(mean / 2))?,
    };
    let in_order = range.start() <= range.end() && *range.end() <= 1 << 30;
    in_order.then_some(range).ok_or(format!("{text:?} is no range of sizes up to 1 GiB"))
}

fn hostile(text: &str) -> Result<HostileHosts, String> {
    if let Ok(count) = text.parse() {
        return Ok(Hostile::mix(count));
    }
    let named = |name| Hostile::named(name).ok_or_else(|| unknown(name));
    text.split(',').map(str::trim).map(named).collect()
}

fn unknown(name: &str) -> String {
    let all: Vec<&str> = Hostile::all().map(|hostile| hostile.name).collect();
    format!("{name:?} is none of {}", all.join(", "))
}

/// Bytes a second; `K` and `M` are thousands and millions, `Ki` and `Mi` powers of two.
fn rate(text: &str) -> Result<u64, String> {
    let plain = text.trim().trim_end_matches("/s").trim_end_matches(['B', 'b']);
    let split = plain.find(|c: char| !c.is_ascii_digit()).unwrap_or(plain.len());
    let factor = match plain[split..].trim() {
        "" => 1,
        "k" | "K" => 1_000,
        "m" | "M" => 1_000_000,
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        _ => 0,
    };
    let bytes = plain[..split].parse::<u64>().ok().and_then(|n| n.checked_mul(factor));
    bytes.filter(|bytes| *bytes > 0).ok_or(format!("{text:?} is no rate; write it like 100KB/s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_with_their_units() {
        let cases =
            [("100KB/s", 100_000), ("5000", 5_000), ("2MiB/s", 2 << 20), ("1 MB/s", 1_000_000)];
        for (text, bytes) in cases {
            assert_eq!(rate(text), Ok(bytes), "{text}");
        }
        for text in ["", "fast", "0", "10 parsecs", "99999999999999MB/s"] {
            assert!(rate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_a_mean_or_a_range() {
        assert_eq!(sizes("27000"), Ok(13_500..=40_500));
        assert_eq!(sizes("10-20"), Ok(10..=20));
        assert!(sizes("20-10").is_err());
        assert!(sizes("27KB").is_err());
    }

    #[test]
    fn a_preset_is_changed_by_the_flags_beside_it_and_by_nothing_else() {
        let spec = |flags: &str| {
            Args::parse_from(format!("weir-testsite {flags}").split_whitespace()).spec()
        };
        let changed = spec("--preset many --latency 5ms --compressed");
        assert_eq!(changed.hosts.len(), 200);
        for (mut host, plain) in changed.hosts.into_iter().zip(Spec::bench_many().hosts) {
            assert!(host.compressed && host.latency == Duration::from_millis(5));
            (host.compressed, host.latency) = (false, Duration::ZERO);
            assert_eq!(format!("{host:?}"), format!("{plain:?}"));
        }
        assert_eq!(format!("{:?}", spec("--demo")), format!("{:?}", Spec::demo()));
    }

    #[test]
    fn hostile_hosts_are_a_number_or_names_and_stand_behind_the_others() {
        let count = |text| hostile(text).map(|all| all.len());
        assert_eq!(count("40"), Ok(40));
        assert_eq!(count("200"), Ok(200));
        assert_eq!(count("calendar, bombs"), Ok(2));
        assert!(count("nobody").unwrap_err().contains("calendar"));
        let args = Args::parse_from(["weir-testsite", "--hosts", "3", "--hostile", "2"]);
        let lawless: Vec<bool> = args.spec().hosts.iter().map(|host| host.lawless).collect();
        assert_eq!(lawless, [false, false, false, true, true]);
    }

    #[test]
    fn hosts_have_one_address_after_the_other() {
        let args = Args::parse_from(["weir-testsite", "--hosts", "3", "--at", "10.30.0.254:8080"]);
        let places: Vec<_> =
            args.spec().hosts.iter().map(|host| host.at.unwrap().to_string()).collect();
        assert_eq!(places, ["10.30.0.254:8080", "10.30.0.255:8080", "10.30.1.0:8080"]);
    }

    #[test]
    fn the_flags_are_well_formed() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }
}
