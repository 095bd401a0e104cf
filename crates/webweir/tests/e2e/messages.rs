//! What weir says when something is wrong: what failed, on which value, and what to do.
//!
//! The words that matter are checked, not the sentences; `a|b` is met by either.

use std::net::TcpListener;

use serde_json::json;
use weir_testsite::{HostSpec, Script, Spec, Web};

use crate::support::command::{Weir, crawl, weir};
use crate::support::outcome::report;

/// Port 9 (discard) is never reached: all of these are refused before anything is fetched.
const URL: &str = "http://127.0.0.1:9/";

#[test]
fn a_wrong_command_line_is_refused_with_the_value_and_the_remedy() {
    for (arguments, words) in [
        (&["crawl"][..], &["url", "--seeds"][..]),
        (&["crawl", "http://"], &["http://", "https://example.com"]),
        (&["crawl", "ftp://example.com/"], &["ftp", "http"]),
        (&["crawl", "http://exa mple.com/"], &["exa mple.com", "https://example.com"]),
        (&["crawl", URL, "--per-host", "many"], &["--per-host", "many"]),
        (&["crawl", URL, "--per-host", "0"], &["per-host", "0"]),
        (&["crawl", URL, "--concurrency", "0"], &["concurrency", "0"]),
        (&["crawl", URL, "--delay", "soon"], &["delay", "soon", "2s|90s|1s|500ms"]),
        (&["crawl", URL, "--scope", "planet"], &["scope", "planet", "host", "site", "any"]),
        (&["crawl", URL, "--robots", "perhaps"], &["robots", "perhaps", "obey", "ignore"]),
        (&["crawl", URL, "--store", "tape"], &["store", "tape", "warc", "parquet"]),
        (&["crawl", URL, "--max-bytes", "lots"], &["max-bytes", "lots", "MB|GB"]),
        (&["crawl", URL, "--limit", "0"], &["limit", "0", "1MB/s", "none"]),
        (&["crawl", URL, "--limit", "-1"], &["limit", "-1", "2MB/s"]),
        (&["crawl", URL, "--limit", "abc"], &["limit", "abc", "2MB/s"]),
        (&["crawl", URL, "--limit", "12"], &["limit", "12", "2MB/s"]),
        (&["crawl", URL, "--limit", "fast"], &["limit", "fast", "2MB/s"]),
        (&["crawl", URL, "--limit", "500B/s"], &["limit", "500B/s", "1KB/s"]),
        (&["crawl", URL, "--budget", "2GB"], &["budget", "2GB", "day", "month"]),
        (&["crawl", URL, "--budget", "1GB/day", "--budget", "2GB/day"], &["budget", "another"]),
        (&["crawl", URL, "--budget", "5GB"], &["budget", "5GB", "2GB/day"]),
        (&["crawl", URL, "--admission", "none"], &["admission", "none", "shape"]),
        (&["crawl", URL, "--admission", "hope"], &["admission", "hope", "shape"]),
        (&["crawl", URL, "--admission", "predict"], &["admission", "predict", "limit"]),
        (&["crawl", URL, "--time-zone", "Mars"], &["time-zone", "Mars", "Europe/Berlin"]),
        (&["crawl", URL, "--holidays", "12-25,13-13"], &["holidays", "13-13", "12-25"]),
        (&["crawl", URL, "--include", "(("], &["include", "(("]),
        (&["crawl", URL, "--resolve", "nonsense"], &["resolve", "nonsense", "host:port:addr"]),
        (&["crawl", URL, "--progress", "dance"], &["progress", "dance", "plain"]),
        (&["crawl", URL, "--seeds", "nowhere.txt"], &["seeds", "nowhere.txt", "one URL a line"]),
        (&["crawl", URL, "--threads", "1000000"], &["threads", "1000000", "from 1 to"]),
        (&["crawl", URL, "--concurrency", "18446744073709551615"], &["concurrency", "from 1 to"]),
        (&["crawl", URL, "--timeout", "0"], &["timeout", "0", "5m"]),
        (&["crawl", URL, "--dashboard", URL], &["dashboard", URL, "before --dashboard"]),
        (&["crawl", URL, "-c", "nowhere.toml"], &["nowhere.toml", "weir init"]),
        (&["crawl", URL, "--per-hots", "2"], &["--per-hots", "--per-host"]),
        (&["crwal", URL], &["crwal", "crawl|--help"]),
    ] {
        println!("weir {}", arguments.join(" "));
        weir(arguments).expect_code(2).says(words);
    }
}

#[test]
fn a_dashboard_that_cannot_be_is_refused_with_the_place_and_the_remedy() {
    weir(&["crawl", URL, "--dashboard", "nowhere"]).expect_code(2).says(&[
        "dashboard",
        "nowhere",
        "127.0.0.1:8710",
    ]);
    with_config("dashboard = 7", &["dashboard", "7", "127.0.0.1:8710"]);
    let short = "dashboard = true\ndashboard-token = \"short\"";
    with_config(short, &["dashboard-token", "at least 16"]);
    weir(&["serve"]).expect_code(2).says(&["--config"]);
    weir(&["serve", "-c", "nowhere.toml"]).expect_code(2).says(&["nowhere.toml", "weir init"]);
}

#[test]
fn a_wrong_config_is_refused_with_the_key_the_value_and_the_remedy() {
    for (line, words) in [
        ("per-hots = 2", &["per-hots", "did you mean", "per-host"][..]),
        ("colour = 1", &["colour", "weir init"]),
        ("per-host = \"two\"", &["per-host", "two", "line 1", "integer|number"]),
        ("per-host = 0", &["per-host", "0", "at least|more than"]),
        ("delay = \"soon\"", &["delay", "soon"]),
        ("scope = \"planet\"", &["scope", "planet", "host", "site", "any"]),
        ("urls = [\"ftp://example.com/\"]", &["urls", "ftp", "http"]),
        ("per-host = ", &["line 1"]),
        ("limit = [{ at = \"Mo-Fri\", rate = \"1MB/s\" }]", &["limit.at", "Mo-Fri", "Mon"]),
        ("limit = [{ rate = \"1MB/s\" }, { at = \"Mon\", rate = \"0\" }]", &["Mon", "move it up"]),
        ("limit = [{ at = \"25:00-26:00\", rate = \"1MB/s\" }]", &["limit.at", "25:00"]),
        ("limit = [{ at = \"Mon\", rat = \"1MB/s\" }]", &["limit", "rat", "rate"]),
        ("progress = \"dance\"", &["progress", "dance", "auto", "plain"]),
        ("log = \"xml\"", &["log", "xml", "text", "json"]),
        ("write-off = [\"b\"]", &["write-off", "b", "no downloaders"]),
        ("downloaders = 2\nfresh = true\nwrite-off = [\"b\"]", &["write-off", "b", "fresh"]),
        ("[[site]]\nname = \"a\"\nweight = 0.0", &["site.weight", "0", "0.001"]),
    ] {
        with_config(line, words);
    }
}

fn with_config(line: &str, words: &[&str]) {
    println!("weir.toml: {line}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("weir.toml"), line).unwrap();
    let arguments: &[&str] =
        if line.starts_with("urls") { &["-c", "weir.toml"] } else { &[URL, "-c", "weir.toml"] };
    let arguments = ["crawl"].into_iter().chain(arguments.iter().copied());
    let ended = Weir::start(arguments, Some(folder.path())).wait();
    ended.expect_code(2).says(words);
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "something was begun although the config is wrong");
}

#[test]
fn a_host_that_refuses_connections_is_named() {
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}/");
    let ended = weir(&["crawl", &url, "--allow-private", "--progress", "plain"]);
    let place = format!("127.0.0.1:{port}");
    ended.expect_code(1).says(&[&place, "refused", "check|weir why|again"]);
}

#[test]
fn a_name_that_does_not_resolve_is_named() {
    let ended = weir(&["crawl", "http://no-such-host.invalid/", "--progress", "plain"]);
    let words = ["no-such-host.invalid", "resolve|dns|lookup|address", "check|--resolve|spelling"];
    ended.expect_code(1).says(&words);
}

#[test]
fn a_private_address_is_refused_with_the_flag_that_allows_it() {
    let url = format!("http://127.0.0.1:{}/", free_port());
    let ended = weir(&["crawl", &url, "--progress", "plain"]);
    ended.expect_code(1).says(&["127.0.0.1", "private|loopback", "--allow-private"]);
}

#[test]
fn what_failed_is_told_by_the_way_it_did() {
    let site = HostSpec::scripted(|asked| match asked.path {
        "/" => {
            Some(Script::html("<a href=/gone/1>1</a><a href=/gone/2>2</a><a href=/breaks>3</a>"))
        }
        "/breaks" => Some(Script::default().reset()),
        _ => None,
    });
    let web = Web::start(Spec::new(vec![site])).unwrap();
    let out = tempfile::tempdir().unwrap();
    let ended = crawl(&web.seeds(), out.path(), &["--robots", "ignore"]).wait();
    let told = "3 failed (2 with status 404, 1 given up)";
    ended.expect_code(0).says(&[told]);
    let failures = json!({"statuses": {"404": 2}, "given_up": 1});
    assert_eq!(report(out.path())["failures"], failures);
    let status = weir(&["status", "--out", out.path().to_str().unwrap()]);
    assert!(status.stdout.contains(told), "{}", status.stdout);
}

#[test]
fn status_and_why_without_a_crawl_say_where_they_looked() {
    weir(&["status"]).expect_code(1).says(&["weir-out", "weir crawl|--out|-o"]);
    weir(&["status", "--out", "elsewhere"]).expect_code(1).says(&["elsewhere"]);
    weir(&["why", URL]).expect_code(1).says(&["weir-out", "weir crawl|--out|-o"]);
}

#[test]
fn an_output_folder_that_cannot_be_made_is_named() {
    let ended = weir(&["crawl", URL, "--allow-private", "--out", "/proc/weir-out"]);
    ended.expect_code(1).says(&["/proc/weir-out"]);
    let reason = ended.stderr.matches("No such file or directory").count();
    assert_eq!(reason, 1, "{}", ended.stderr);
}

/// Free a moment ago; nobody listens there.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}
