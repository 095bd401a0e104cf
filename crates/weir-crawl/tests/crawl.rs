//! Whole crawls of a web on loopback, judged by the server's own count.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use tokio::sync::watch;
use weir_crawl::{
    BUDGET_FILE, Config, Ended, Finish, Progress, SPEEDS_FILE, Settings, Stop, crawl,
};
use weir_testsite::{FaultKind, HostSpec, Kind, RobotsSpec, Spec, Web};

fn run(web: &Web, out: &Path, change: impl FnOnce(&mut Settings)) -> Ended {
    let (_keep, stop) = watch::channel(Stop::No);
    run_with(web, out, change, stop, &mut |_| {})
}

fn run_with(
    web: &Web,
    out: &Path,
    change: impl FnOnce(&mut Settings),
    stop: watch::Receiver<Stop>,
    watch: &mut dyn FnMut(&Progress),
) -> Ended {
    let mut settings = Settings {
        urls: Some(web.seeds()),
        out: Some(out.to_owned()),
        allow_private: Some(true),
        store: Some("none".to_owned()),
        ..Settings::default()
    };
    change(&mut settings);
    crawl(Config::try_from(settings).unwrap(), stop, watch).unwrap()
}

fn one(host: HostSpec) -> Web {
    Web::start(Spec::new(vec![host])).unwrap()
}

fn rich(pages: u32) -> HostSpec {
    HostSpec::pages(pages)
        .page_bytes(500..=3000)
        .links_per_page(12)
        .redirects(9)
        .dead_links(7)
        .duplicates(5)
        .files(6)
}

#[test]
fn every_reachable_url_is_asked_for_once_and_no_other() {
    for (threads, per_host) in [(1, 1), (1, 8), (3, 8)] {
        let web = Web::start(Spec::new(vec![rich(120), rich(80), rich(40)])).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let ended = run(&web, dir.path(), |s| {
            s.threads = Some(threads);
            s.per_host = Some(per_host);
        });
        let total = web.counts().total();
        assert_eq!(web.missing().collect::<Vec<_>>(), Vec::<String>::new());
        assert_eq!((total.repeated, total.false_links, total.unknown), (0, 0, 0));
        assert_eq!(total.violations, 0);
        assert!(total.peak_connections <= per_host as u32 as _, "{}", total.peak_connections);
        let pages = web.truth().urls().filter(|url| url.status == 200 && url.allowed).count();
        assert_eq!(ended.report.outcome, Finish::Complete);
        assert_eq!(ended.report.pages as usize, pages);
        assert_eq!(ended.report.sites.len(), 3);
    }
}

#[test]
fn what_robots_txt_forbids_is_never_asked_for() {
    let web = one(HostSpec::pages(60).robots(RobotsSpec::Private).private(5));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |_| {}).report;
    let forbidden = web.truth().urls().filter(|url| !url.allowed).count();
    assert!(forbidden > 0);
    assert_eq!(web.counts().total().violations, 0);
    assert_eq!(web.counts().total().robots, 1);
    assert_eq!(report.skipped.robots as usize, forbidden);
}

#[test]
fn a_robots_txt_that_answers_503_closes_the_host() {
    let web = one(HostSpec::pages(5).robots(RobotsSpec::Status(503)));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |_| {}).report;
    assert_eq!((report.pages, report.outcome), (0, Finish::Complete));
    assert_eq!(web.counts().total().pages_complete, 0);
    assert_eq!(report.skipped.robots, 1);
}

#[test]
fn passing_faults_cost_a_try_and_no_page() {
    let web = one(HostSpec::pages(30)
        .page_bytes(20_000..=30_000)
        .fault(3, 2, FaultKind::Status(500))
        .fault(5, 1, FaultKind::Status(503))
        .fault(7, 1, FaultKind::Reset)
        .fault(9, 2, FaultKind::Cut));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |_| {}).report;
    assert_eq!((report.pages, report.failed), (30, 0));
    assert_eq!(web.missing().count(), 0);
}

#[test]
fn a_fault_that_stays_is_recorded_and_the_rest_goes_on() {
    let web = one(HostSpec::pages(30).fault(4, 1000, FaultKind::Status(500)));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |_| {}).report;
    assert_eq!(report.failed, 1);
    assert_eq!(report.outcome, Finish::Complete);
    assert!(report.pages < 30 && report.pages > 0);
}

#[test]
fn depth_is_the_least_number_of_links_from_a_seed() {
    let web = one(HostSpec::pages(400).links_per_page(6).latency(Duration::from_millis(1)));
    let truth = web.truth();
    let page_urls: std::collections::HashSet<String> =
        truth.urls().filter(|url| url.kind == Kind::Page).map(|url| url.url).collect();
    let mut level: std::collections::BTreeSet<String> = web.seeds().into_iter().collect();
    let mut reached = level.clone();
    let links: Vec<(String, String)> = truth.links().collect();
    for _ in 0..3 {
        level = links
            .iter()
            .filter(|(from, to)| level.contains(from) && !reached.contains(to))
            .map(|(_, to)| to.clone())
            .filter(|to| page_urls.contains(to))
            .collect();
        reached.extend(level.iter().cloned());
    }
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |s| {
        s.depth = Some(3);
        s.per_host = Some(8);
    })
    .report;
    assert!(reached.len() < 400, "the test needs pages beyond the depth");
    assert_eq!(report.pages as usize, reached.len());
    assert!(report.skipped.depth > 0);

    let report = run(&web, dir.path(), |_| {}).report;
    assert_eq!(report.pages, 400, "a deeper run goes on where the first one stopped");
    assert_eq!(web.counts().total().repeated, 0);
}

#[test]
fn a_crawl_stops_at_its_limit_and_goes_on_later() {
    let web = one(HostSpec::pages(100));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |s| s.max_pages = Some(37)).report;
    assert_eq!((report.pages, report.outcome), (37, Finish::Limit));
    let ended = run(&web, dir.path(), |_| {});
    assert!(ended.resumed);
    assert_eq!((ended.report.pages, ended.report.outcome), (100, Finish::Complete));
    assert_eq!(web.counts().total().repeated, 0);
    assert_eq!(web.counts().total().robots, 1, "robots.txt is kept from the first run");
}

#[test]
fn an_interrupted_crawl_finishes_what_is_under_way_and_loses_nothing() {
    // Slow enough that the crawl is looked at several times before it could be done.
    let web = one(HostSpec::pages(200).latency(Duration::from_millis(15)));
    let dir = tempfile::tempdir().unwrap();
    let (sender, stop) = watch::channel(Stop::No);
    let ended = run_with(&web, dir.path(), |s| s.per_host = Some(2), stop, &mut |progress| {
        if progress.pages > 20 {
            sender.send_replace(Stop::Soon);
        }
    });
    assert_eq!(ended.report.outcome, Finish::Interrupted);
    assert!(ended.report.urls_waiting > 0);
    let report = run(&web, dir.path(), |_| {}).report;
    assert_eq!((report.pages, report.outcome), (200, Finish::Complete));
    assert_eq!(web.counts().total().repeated, 0);
}

#[test]
fn links_to_other_hosts_stay_out_unless_asked_for() {
    let hosts = || HostSpec::pages(20).cross_links(3);
    let web = Web::start(Spec::new(vec![hosts(), hosts()])).unwrap();
    let first = |s: &mut Settings| s.urls = Some(vec![web.seeds()[0].clone()]);
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), first).report;
    assert_eq!((report.pages, report.sites.len()), (20, 1));
    assert!(report.skipped.scope > 0);
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |s| {
        first(s);
        s.scope = Some("any".into());
    })
    .report;
    assert_eq!((report.pages, report.sites.len()), (40, 2));
}

#[test]
fn private_addresses_are_refused_unless_allowed() {
    let web = one(HostSpec::pages(5));
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |s| s.allow_private = None).report;
    assert_eq!((report.pages, report.skipped.private), (0, 1));
    assert_eq!(web.counts().total().requests, 0);
}

#[test]
fn a_host_that_refuses_is_given_up_and_the_others_go_on() {
    let web = one(HostSpec::pages(10));
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let dead = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let dir = tempfile::tempdir().unwrap();
    let report = run(&web, dir.path(), |s| {
        s.urls.as_mut().unwrap().push(dead);
    })
    .report;
    assert_eq!((report.pages, report.failed), (10, 1));
    assert!(report.troubles.iter().any(|trouble| trouble.contains("refused")));
}

#[test]
fn beginning_anew_forgets_neither_the_budget_nor_the_servers() {
    let web = one(HostSpec::pages(3));
    let dir = tempfile::tempdir().unwrap();
    for name in [BUDGET_FILE, SPEEDS_FILE] {
        std::fs::write(dir.path().join(name), "kept").unwrap();
    }
    run(&web, dir.path(), |s| s.fresh = Some(true));
    for name in [BUDGET_FILE, SPEEDS_FILE] {
        assert_eq!(std::fs::read_to_string(dir.path().join(name)).unwrap(), "kept");
    }
}
