//! The command as a benchmark uses it.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use support::{crawl, get};

struct Running {
    child: Child,
    seeds: Vec<String>,
    control: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill(); // It may have ended already, as it should.
        self.child.wait().unwrap();
    }
}

fn start(flags: &[&str]) -> Running {
    let mut child = Command::new(env!("CARGO_BIN_EXE_weir-testsite"))
        .args(flags)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let ready: Value = serde_json::from_str(&line).unwrap();
    let seeds = ready["seeds"].as_array().unwrap().iter();
    let seeds = seeds.map(|seed| seed.as_str().unwrap().to_owned()).collect();
    Running { child, seeds, control: ready["control"].as_str().unwrap().to_owned() }
}

fn text(running: &Running, path: &str) -> String {
    String::from_utf8(get(&format!("{}{path}", running.control)).unwrap().body).unwrap()
}

#[test]
fn the_control_server_tells_counts_truth_and_what_is_missing() {
    let running = start(&["--hosts", "3", "--pages", "8", "--page-bytes", "5000", "--dead", "2"]);
    assert_eq!(running.seeds.len(), 3);
    assert_eq!(text(&running, "missing").lines().count(), 24);
    let found = crawl(&running.seeds, "", "/nothing/");
    let counts: Value = serde_json::from_str(&text(&running, "counts")).unwrap();
    assert_eq!(counts["total"]["requests"], 30);
    assert_eq!(counts["total"]["pages_complete"], 24);
    assert_eq!(counts["hosts"][1]["requests"], 10);
    assert_eq!(counts["hosts"][1]["seed"], running.seeds[1]);
    assert_eq!(text(&running, "missing"), "");
    let truth = text(&running, "truth");
    assert_eq!(truth.lines().count(), 30);
    for line in truth.lines() {
        let it: Value = serde_json::from_str(line).unwrap();
        let answer = &found.answers[it["url"].as_str().unwrap()];
        assert_eq!(it["status"], answer.status);
        assert_eq!(it["bytes"], answer.body.len());
    }
    text(&running, "reset");
    let counts: Value = serde_json::from_str(&text(&running, "counts")).unwrap();
    assert_eq!(counts["total"]["requests"], 0);
}

#[test]
fn a_host_becomes_slow_and_quick_again_while_it_serves() {
    let running = start(&["--hosts", "2", "--pages", "1"]);
    let took = |host: usize| {
        let begun = Instant::now();
        get(&running.seeds[host]).unwrap();
        begun.elapsed()
    };
    let slow = Duration::from_secs(1);
    assert_eq!(text(&running, "latency/1/1s"), "{}\n");
    assert!(took(1) >= slow);
    assert!(took(0) < slow, "the other one is as it was");
    text(&running, "latency/1/0s");
    assert!(took(1) < slow);
    for wrong in ["latency/2/1s", "latency/0/soon", "latency/0"] {
        assert!(text(&running, wrong).contains("/latency/HOST/TIME"), "{wrong}");
    }
}

#[test]
fn the_command_ends_when_its_input_closes() {
    let mut running = start(&["--pages", "1"]);
    drop(running.child.stdin.take());
    let ended = (0..1_000).find_map(|_| {
        thread::sleep(Duration::from_millis(10));
        running.child.try_wait().unwrap()
    });
    assert!(ended.unwrap().success());
}

#[test]
fn a_wrong_flag_is_refused_by_name() {
    let output = Command::new(env!("CARGO_BIN_EXE_weir-testsite"))
        .args(["--rate", "quickly"])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("--rate") && message.contains("quickly"), "{message}");
}
