//! The controls of the past: they bound no byte, but they lose none either.

use jiff::tz::TimeZone;
use weir_crawl::{Almanac, Estimate, SPEEDS_FILE, Speeds};

use crate::run::Crawl;
use crate::server::Server;

#[test]
fn predict_and_feedback_fetch_every_page() {
    for control in ["predict", "feedback"] {
        let servers = [Server::of(30, 8_000), Server::of(30, 8_000)];
        let crawl = Crawl::of(&[&servers[0], &servers[1]]);
        let flags = ["--limit", "2MB/s", "--admission", control, "--per-host", "2"];
        crawl.run(&flags).expect_code(0);
        assert_eq!(crawl.pages(), 62, "{control}");
        for server in &servers {
            assert_eq!(server.urls_and_repeats(), (31, 0), "{control}");
        }
        assert!(crawl.report()["utilisation"].as_f64().unwrap() > 0.0);
    }
}

#[test]
fn what_was_learnt_of_servers_is_used_by_the_next_run() {
    let server = Server::of(20, 8_000);
    let crawl = Crawl::of(&[&server]);
    let flags = ["--limit", "5MB/s", "--admission", "predict", "--fresh"];
    crawl.run(&flags).expect_code(0);
    let path = crawl.out().join(SPEEDS_FILE);
    let (speeds, notice) = Speeds::load(&path, Almanac::new(TimeZone::UTC), Estimate::default());
    assert_eq!((speeds.known(), notice), (1, None));
    // A run that read nothing would leave out what it did not meet itself.
    let other = "192.0.2.7".parse().unwrap();
    let mut speeds = speeds;
    speeds.observe(other, jiff::Timestamp::now(), 1_000, std::time::Duration::from_secs(1));
    speeds.save(&path).unwrap();
    crawl.run(&flags).expect_code(0);
    let (speeds, notice) = Speeds::load(&path, Almanac::new(TimeZone::UTC), Estimate::default());
    assert_eq!((speeds.known(), notice), (2, None));
    assert!(speeds.seen(other, jiff::Timestamp::now()).is_some());

    std::fs::write(&path, "spoiled").unwrap();
    let ended = crawl.run(&[&flags[..], &["--progress", "plain"]].concat());
    ended.expect_code(0).says(&[SPEEDS_FILE, "learnt anew"]);
}
