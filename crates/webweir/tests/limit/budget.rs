//! So many bytes and no more.

use jiff::Timestamp;

use crate::run::{BOUND, Crawl};
use crate::server::Server;
use crate::support::command::{Ended, Weir, weir};
use crate::support::wait_until;

const BUDGET: u64 = 1_000_000;

#[test]
fn a_budget_is_never_passed_and_says_when_it_renews() {
    let server = Server::of(100, 50_000);
    let crawl = Crawl::of(&[&server]);
    expect_used_up(&crawl, &run(&crawl, &["--limit", "600KB/s", "--per-host", "4"]));
    let sent = server.settled();
    assert!(sent.wire <= BUDGET, "{sent:?}");
    assert!(sent.payload > BUDGET / 2, "{sent:?}");
    assert!(crawl.pages() > 5);

    // A machine that stands still for long lets a run end with something left, which the next uses.
    for _ in 0..3 {
        let before = server.requests();
        run(&crawl, &["--limit", "600KB/s"]);
        server.settled();
        if server.requests() == before {
            break;
        }
    }
    let requests = server.requests();
    for flags in [&["--limit", "600KB/s"][..], &[], &["--fresh"]] {
        let ended = run(&crawl, flags);
        server.settled();
        assert_eq!(server.requests(), requests, "{flags:?}");
        expect_used_up(&crawl, &ended);
    }
    let sent = server.sent();
    assert!(sent.wire <= BUDGET, "{sent:?}");
    let status = weir(&["status", "--out", crawl.out().to_str().unwrap()]).stdout;
    assert!(status.contains("budget is used up and renews 20"), "{status}");
}

/// Long pages are cut, and what came of them unread counts too.
#[test]
fn a_budget_is_never_passed_at_full_speed() {
    for (pages, size) in [(2_000, 5_000), (4, 8_000_000), (20, 20_000_000)] {
        let server = Server::of(pages, size);
        let crawl = Crawl::of(&[&server]);
        let ended = crawl.run(&["--per-host", "4", "--budget", "3MB/month"]);
        ended.expect_code(4);
        let sent = server.sent();
        assert!(sent.payload <= 3_000_000, "{size}: {sent:?}");
        assert!(sent.payload > 1_000_000, "{size}: {sent:?}");
    }
}

#[test]
fn a_small_budget_is_used() {
    let server = Server::of(50, 10_000);
    let crawl = Crawl::of(&[&server]);
    crawl.run(&["--budget", "200KB/month"]).expect_code(4);
    let sent = server.sent();
    assert!((50_000..=200_000).contains(&sent.payload), "{sent:?}");
}

#[test]
fn a_budget_is_never_passed_across_kills() {
    let server = Server::of(100, 50_000);
    let crawl = Crawl::of(&[&server]);
    let flags = ["--limit", "150KB/s", "--per-host", "4"];
    // Each costs two seconds' worth of bytes that did not come.
    for upto in [100_000, 250_000] {
        let mut weir = start(&crawl, &flags);
        wait_until("the moment to kill", || server.payload() > upto || weir.ended().is_some());
        weir.kill();
    }
    let killed = server.payload();
    expect_used_up(&crawl, &run(&crawl, &flags));
    let sent = server.sent();
    assert!(sent.wire <= BUDGET, "{sent:?}");
    assert!(sent.payload > killed, "a kill has cost all of the budget: {sent:?}");
}

#[test]
fn samples_of_a_plan_stay_within_their_bytes() {
    // A page alone has half of them, and nobody knows how large the next one is.
    let servers = [Server::of(30, 150_000), Server::of(30, 150_000)];
    let crawl = Crawl::of(&[&servers[0], &servers[1]]);
    let flags = ["--sample-bytes", "300KB", "--per-host", "4"];
    for more in [&[][..], &["--limit", "2MB/s"], &["--budget", "10MB/day"]] {
        let before: u64 = servers.iter().map(|server| server.settled().wire).sum();
        let ended = crawl.plan(&[&flags[..], more].concat());
        assert!(matches!(ended.code, Some(0 | 1)), "{}", ended.stderr);
        let sent = servers.iter().map(|server| server.settled().wire).sum::<u64>() - before;
        assert!((20_000..=300_000).contains(&sent), "{sent} bytes with {more:?}");
        std::fs::remove_file(crawl.out().join("history.json")).unwrap();
    }
}

fn start(crawl: &Crawl, flags: &[&str]) -> Weir {
    let zone = at_noon();
    crawl.start(&[&["--budget", "1MB/day", "--time-zone", &zone], flags].concat())
}

fn run(crawl: &Crawl, flags: &[&str]) -> Ended {
    start(crawl, flags).wait_within(BOUND)
}

fn expect_used_up(crawl: &Crawl, ended: &Ended) {
    ended.expect_code(4).says(&["budget is used up", "renews 20", "same command"]);
    let report = crawl.report();
    assert_eq!(report["outcome"], "limit");
    let text = report["renews_at"].as_str().unwrap();
    let at: Timestamp = text.parse().unwrap();
    let zone = jiff::tz::TimeZone::get(&at_noon()).unwrap();
    assert!(text.ends_with('Z') && at > Timestamp::now(), "{text}");
    assert_eq!(at.to_zoned(zone).hour(), 0, "{text}");
}

/// A time zone in which no day is about to end.
fn at_noon() -> String {
    let east = 12 - i32::from(Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour());
    format!("Etc/GMT{:+}", -east)
}
