//! The whole crawl.

use std::time::Instant;

use crate::run::Crawl;
use crate::server::Server;

const LIMIT: f64 = 400_000.0;

#[test]
fn a_crawl_takes_at_least_as_long_as_its_limit_allows() {
    for size in [3_000, 60_000] {
        let server = Server::of(1_200_000 / size, size);
        let crawl = Crawl::of(&[&server]);
        let begun = Instant::now();
        crawl.run(&["--limit", "400KB/s", "--per-host", "4"]).expect_code(0);
        let took = begun.elapsed().as_secs_f64();
        let sent = server.sent();
        let least = sent.payload as f64 / LIMIT;
        assert!(
            took >= least * 0.99,
            "{size}: {sent:?} in {took} s, and the limit asks for {least} s"
        );

        let report = crawl.report();
        let figure = |name: &str| report[name].as_f64().unwrap();
        assert_eq!(report["outcome"], "complete");
        assert_eq!(figure("pages") as usize, 1_200_000 / size + 1);
        assert_eq!(figure("limit"), LIMIT);
        for name in ["peak_1s", "mean_rate"] {
            let rate = figure(name);
            assert!((1.0..=LIMIT * 1.05).contains(&rate), "{size}: {name} is {rate}");
        }
        assert!((0.01..=1.05).contains(&figure("utilisation")), "{report}");
        let counted = figure("mean_rate") * figure("elapsed_s");
        let (least, most) = (sent.payload as f64 * 0.97, sent.wire as f64 * 1.06);
        assert!((least..=most).contains(&counted), "{size}: {counted} counted, {sent:?}");
    }
}

#[test]
fn limit_none_limits_nothing() {
    let server = Server::of(20, 10_000);
    let crawl = Crawl::of(&[&server]);
    crawl.run(&["--limit", "none"]).expect_code(0);
    let report = crawl.report();
    assert_eq!(crawl.pages(), 21);
    assert!(report["limit"].is_null() && report["utilisation"].is_null(), "{report}");
}

#[test]
fn the_rate_is_shown_beside_the_limit() {
    let server = Server::of(40, 20_000);
    let crawl = Crawl::of(&[&server]);
    let ended = crawl.run(&["--limit", "300KB/s", "--progress", "plain"]);
    ended.expect_code(0).says(&["KB/s of 300.00 KB/s", "% of what the limit allowed"]);
    let crawl = Crawl::of(&[&server]);
    let ended = crawl.run(&["--limit", "300KB/s", "--progress", "json"]);
    ended.expect_code(0);
    let lines = ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    assert!(lines.len() > 1 && lines.iter().all(|line| line["limit"] == 300_000), "{lines:?}");
    assert!(lines.iter().any(|line| line["rate"].as_f64().unwrap() > 0.0), "{lines:?}");
}
