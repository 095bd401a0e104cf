//! One limit for all downloaders together, judged by what the servers' kernels have sent.

use std::time::{Duration, Instant};

use weir_testsite::{HostSpec, Spec, Web};

use crate::run::{Cluster, write};
use crate::server::Server;
use crate::team::Team;

/// A cluster that crawls these servers.
fn cluster(servers: &[Server], flags: &[&str]) -> Cluster {
    let unused = Web::start(Spec::new(vec![HostSpec::pages(1)])).unwrap();
    let seeds = servers.iter().map(Server::seed).collect();
    let usual = ["--robots", "ignore", "--traps", "ignore"];
    Cluster::crawling(seeds, unused, &[&usual, flags].concat())
}

/// What all of them have sent, many times a second.
struct Gauge<'a> {
    servers: &'a [Server],
    begun: Instant,
    seen: Vec<(f64, u64)>,
}

const WINDOW_S: f64 = 3.0;
const EVERY: Duration = Duration::from_millis(40);

impl Gauge<'_> {
    fn new(servers: &[Server]) -> Gauge<'_> {
        Gauge { servers, begun: Instant::now(), seen: Vec::new() }
    }

    fn look(&mut self) -> u64 {
        let sent = self.servers.iter().map(Server::payload).sum();
        self.seen.push((self.begun.elapsed().as_secs_f64(), sent));
        std::thread::sleep(EVERY);
        sent
    }

    fn look_until(&mut self, mut is_over: impl FnMut(u64) -> bool) {
        while !is_over(self.look()) {
            assert!(self.begun.elapsed() < crate::run::BOUND, "it takes too long");
        }
    }

    /// Whenever one looks for some seconds, no more than a tenth above the limit has come.
    fn expect_never_above(&self, limit: f64) {
        let mut worst: f64 = 0.0;
        for (at, (from, before)) in self.seen.iter().enumerate() {
            let window = self.seen[at..].iter().find(|seen| seen.0 - from >= WINDOW_S);
            let Some((to, after)) = window else { break };
            worst = worst.max((after - before) as f64 / (to - from));
        }
        println!("at most {worst:.0} of {limit:.0} bytes a second over {WINDOW_S} s");
        assert!(worst <= limit * 1.1, "{worst} bytes a second over {WINDOW_S} s");
    }
}

#[test]
fn a_budget_is_not_passed_by_several_downloaders_and_the_crawl_says_when_it_renews() {
    let servers: Vec<Server> = (0..6).map(|_| Server::of(60, 20_000)).collect();
    let cluster = cluster(&servers, &["--budget", "3MB/day"]);
    let mut team = Team::start(&cluster, &["a", "b", "c"]);
    let mut gauge = Gauge::new(&servers);
    gauge.look_until(|_| team.scheduler().ended().is_some());
    let code = team.scheduler().ended().and_then(|status| status.code());
    assert_eq!(code, Some(4), "it can go on another day");
    let sent: u64 = servers.iter().map(Server::payload).sum();
    assert!(sent <= 3_000_000, "{sent} bytes");
    assert!(sent >= 1_500_000, "most of it is used: {sent} bytes");
    let report = cluster.report();
    assert_eq!(report["outcome"], "limit");
    assert!(report["renews_at"].is_string(), "{report}");
}

#[test]
fn the_limit_holds_while_one_is_killed_and_another_joins() {
    let servers: Vec<Server> = (0..12).map(|_| Server::of(48, 6_000)).collect();
    let cluster = cluster(&servers, &["--limit", "400KB/s", "--per-host", "1"]);
    let mut gauge = Gauge::new(&servers);
    let mut team = Team::start(&cluster, &["a", "b", "c"]);
    gauge.look_until(|sent| sent > 800_000);
    team.take("b").kill();
    gauge.look_until(|sent| sent > 1_300_000);
    team.join("d");
    gauge.look_until(|sent| sent > 2_000_000);
    team.join("b");
    gauge.look_until(|_| team.scheduler().ended().is_some());
    team.end_at_last();
    gauge.expect_never_above(400_000.0);
    let mut again = 0;
    for server in &servers {
        let (urls, repeats) = server.urls_and_repeats();
        assert_eq!(urls, 49);
        again += repeats;
    }
    assert!(again <= 12, "{again} asked for again, and no more than 12 were under way");
    assert_eq!(cluster.report()["pages"], 12 * 49);
}

#[test]
fn the_limit_of_a_site_holds_across_downloaders_that_share_it() {
    let servers = [Server::of(160, 4_000)];
    let flags = ["-c", "weir.toml", "--dispatch", "shortest-queue", "--per-host", "6"];
    let cluster = cluster(&servers, &flags);
    let site = format!("[[site]]\nname = \"{}\"\nlimit = \"90KB/s\"\n", servers[0].name());
    write(&cluster.path("weir.toml"), &site);
    let mut gauge = Gauge::new(&servers);
    let mut team = Team::start(&cluster, &["a", "b", "c"]);
    let begun = Instant::now();
    gauge.look_until(|_| team.scheduler().ended().is_some());
    let took = begun.elapsed().as_secs_f64();
    team.end();
    gauge.expect_never_above(90_000.0);
    let least = servers[0].payload() as f64 / 90_000.0;
    assert!(took >= least * 0.97, "{:?} in {took} s", servers[0].sent());
    assert_eq!(servers[0].urls_and_repeats(), (161, 0));
    let report = cluster.report();
    let all = report["downloaders"].as_array().unwrap();
    assert!(all.iter().all(|it| it["pages"].as_u64().unwrap() > 10), "all of them ask: {all:?}");
}
