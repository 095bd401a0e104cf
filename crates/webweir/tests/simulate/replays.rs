//! A crawl once more, with another limit or policy.

use serde_json::{Value, json};
use weir_testsite::{HostSpec, Spec, Web};

use crate::{Desk, rows};

/// Two sites of 300 KB at 100 KB/s, each due in a minute: they take some six seconds.
fn crawled() -> Desk {
    let site = || HostSpec::pages(30).page_bytes(9_900..=10_100);
    let web = Web::start(Spec::new(vec![site(), site()])).unwrap();
    let desk = Desk::new();
    let mut words = vec!["--allow-private", "--progress", "none", "-o", "crawl"];
    words.extend(["--limit", "100KB/s", "--within", "1m"]);
    let seeds = web.seeds();
    words.extend(seeds.iter().map(String::as_str));
    desk.command("crawl", &words).assert().success();
    desk
}

fn replay(desk: &Desk, more: &[&str]) -> Value {
    let words: Vec<&str> = ["--replay", "crawl", "--json"].iter().chain(more).copied().collect();
    serde_json::from_str(&desk.says(&words)).unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn a_crawl_is_replayed_with_its_own_and_with_other_limits() {
    let desk = crawled();

    let same = replay(&desk, &[]);
    let policies: Vec<&Value> =
        same["summary"].as_array().unwrap().iter().map(|row| &row["policy"]).collect();
    assert_eq!(policies, ["what happened", "deadline", "edf", "fair"]);
    let happened = number(&same["summary"][0]["last_end_s"]);
    for row in same["summary"].as_array().unwrap() {
        assert_eq!((number(&row["met"]), number(&row["missed"])), (2.0, 0.0), "{row}");
        let end = number(&row["last_end_s"]);
        assert!(end > happened / 2.0 && end < happened * 2.0, "{end} s, not {happened} s");
    }

    let lower = replay(&desk, &["--limit", "5KB/s"]);
    let higher = replay(&desk, &["--limit", "150KB/s"]);
    assert_eq!(lower["summary"][0], same["summary"][0], "what happened stays as it is");
    for row in 1..4 {
        let end = |all: &Value| number(&all["summary"][row]["last_end_s"]);
        assert!(end(&higher) <= end(&same) && end(&same) < end(&lower) / 10.0);
        assert!(number(&lower["summary"][row]["missed"]) > 0.0, "{lower}");
        assert!(number(&lower["summary"][row]["late_by_s"]) > 30.0, "{lower}");
        assert_eq!(number(&higher["summary"][row]["missed"]), 0.0);
    }
    assert_eq!((number(&lower["limit"]), &lower["limit_of_crawl"]), (5e3, &json!(100_000)));

    // 600 KB and their heads in a minute, whatever the limit was.
    let least = number(&same["least_limit"]);
    assert!(least > 10e3 && least < 20e3, "{least}");
    assert!((number(&lower["least_limit"]) / least - 1.0).abs() < 1e-6);
    let at_least = replay(&desk, &["--limit", &format!("{:.0}B/s", least.ceil())]);
    assert_eq!(number(&at_least["summary"][1]["missed"]), 0.0, "{at_least}");
}

#[test]
fn a_replay_is_told_in_words_and_in_files() {
    let desk = crawled();
    let words = ["--policy", "edf", "--policy", "m-maxt", "--max-sites", "2", "-o", "what-if"];
    let words = ["--replay", "crawl", "--limit", "8KB/s"].iter().chain(&words).copied();
    let said = desk.says(&words.collect::<Vec<_>>());
    for part in [
        "2 sites, 2 with a deadline; a limit of 8.0 KB/s; the crawl had 100.0 KB/s.",
        "\nwhat happened ",
        "\nedf ",
        "constant rates that keep every deadline need ",
        "The least limit that holds all deadlines is ",
    ] {
        assert!(said.contains(part), "{said}: lacks {part:?}");
    }
    assert!(!said.contains("predictions"), "{said}");
    assert_eq!(desk.files("what-if"), ["replay.svg", "sites.csv", "summary.csv"]);
    assert_eq!(rows(&desk.path("what-if/summary.csv")).len(), 3);
    assert_eq!(rows(&desk.path("what-if/sites.csv")).len(), 2);
    let picture = std::fs::read_to_string(desk.path("what-if/replay.svg")).unwrap();
    assert!(picture.contains("edf: ") && !picture.contains("m-maxt"));
}

/// A report as a crawl without a limit writes it that is not done.
fn unfinished() -> Value {
    let site = |name: &str, bytes: u64, predicted: u64, finished: Option<&str>| {
        json!({"site": name, "pages": 1, "failed": 0, "bytes_wire": bytes,
            "predicted_bytes": predicted, "finished": finished, "max_rate": 100_000.0,
            "deadline": "2026-01-01T00:01:00Z"})
    };
    let done = Some("2026-01-01T00:00:10Z");
    json!({"outcome": "interrupted", "started": "2026-01-01T00:00:00Z", "elapsed_s": 20.0,
        "pages": 2, "fetches": 2, "failed": 0, "urls_known": 2, "urls_waiting": 1,
        "skipped": {"robots": 0, "scope": 0, "trap": 0, "private": 0, "depth": 0, "other": 0},
        "bytes_wire": 2_000_000, "bytes_body": 2_000_000, "mean_rate": 100_000.0,
        "deadlines": {"met": 1, "missed": 0}, "troubles": [], "sites": [
            site("done.test", 1_000_000, 500_000, done),
            site("half.test", 1_000_000, 3_000_000, None),
            site("silent.test", 0, 0, None)]})
}

#[test]
fn a_crawl_that_is_not_done_is_replayed_with_predictions() {
    let desk = Desk::new();
    desk.write("report.json", &unfinished().to_string());
    let said = desk.says(&["--replay", "."]);
    for part in [
        "200.0 KB/s, which the servers can give; the crawl had no limit.",
        "The crawl is not done with 1 site: sizes of unfinished sites are predictions.",
        "Left out: 1 site without any bytes, known or expected.",
    ] {
        assert!(said.contains(part), "{said}: lacks {part:?}");
    }
    let all: Value = serde_json::from_str(&desk.says(&["--replay", ".", "--json"])).unwrap();
    assert_eq!((&all["predicted_sites"], &all["left_out"]), (&json!(1), &json!(1)));
    assert!((number(&all["summary"][1]["last_end_s"]) - 30.0).abs() < 1e-6, "{all}");
    assert!(all["summary"][0]["last_end_s"].is_null());
}

#[test]
fn what_cannot_be_replayed_is_refused_with_the_remedy() {
    let desk = Desk::new();
    for folder in ["empty", "nothing", "broken", "moment", "good"] {
        std::fs::create_dir(desk.path(folder)).unwrap();
    }
    let spoiled = |key: &str, value: Value| {
        let mut report = unfinished();
        report[key] = value;
        report.to_string()
    };
    desk.write("nothing/report.json", &spoiled("sites", json!([])));
    desk.write("broken/report.json", "{\"outcome\": ");
    desk.write("moment/report.json", &spoiled("started", "soon".into()));
    desk.write("good/report.json", &unfinished().to_string());
    for (code, words, expected) in [
        (1, &["--replay", "empty"][..], &["no crawl in empty", "report.json", "--replay DIR"][..]),
        (1, &["--replay", "nowhere"], &["no crawl in nowhere"]),
        (
            1,
            &["--replay", "nothing"],
            &["nothing/report.json", "no site has any bytes", "crawl for"],
        ),
        (1, &["--replay", "broken"], &["cannot read", "broken/report.json"]),
        (1, &["--replay", "moment"], &["moment/report.json", "started", "soon"]),
        (2, &["--replay", "good", "--limit", "fast"], &["--limit", "fast", "2MB/s"]),
        (2, &["--replay", "good", "--limit", "-1MB/s"], &["--limit", "-1MB/s"]),
        (2, &["--replay", "good", "--max-sites", "0"], &["--max-sites", "0"]),
        (2, &["--replay", "good", "--policy", "best"], &["best", "deadline"]),
        (2, &["--replay", "good", "--figure", "zhu-2"], &["cannot be used"]),
        (2, &["--figure", "zhu-2", "--limit", "1MB/s"], &["--limit", "cannot be used"]),
    ] {
        println!("weir simulate {}", words.join(" "));
        let assert = desk.weir(words).assert().code(code);
        let said = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        for part in expected {
            assert!(said.contains(part), "{said}: lacks {part}");
        }
    }
}
