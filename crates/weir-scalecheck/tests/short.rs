//! The short form of `bench/scale`: it grows, ends, opens again, and knows what it knew.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const HOSTS: &str = "800";

#[test]
fn a_frontier_that_grew_opens_as_it_was_left() {
    let folder = tempfile::tempdir().expect("a folder");
    let [opened, grown] = run(folder.path(), "100000");
    assert_eq!(opened["urls"], 0);
    assert_eq!(grown["urls"], 100_000);
    assert!(grown["kept"].as_u64() > Some(5_000), "{grown}");

    let [opened, more] = run(folder.path(), "200000");
    for count in ["urls", "waiting", "kept"] {
        assert_eq!(opened[count], grown[count], "{count}");
    }
    assert_eq!(more["urls"], 200_000);
    for what in ["add", "lease", "seen", "unseen"] {
        assert!(more[what]["cpu_us"].as_f64() > Some(0.0), "{what}: {more}");
    }
    assert!(more["memory"]["rss"].as_u64() > Some(0));
    assert!(more["disk"]["log"].as_u64() > Some(200_000 * 50));
}

/// What it says of opening and of growing.
fn run(folder: &Path, urls: &str) -> [Value; 2] {
    let program = env!("CARGO_BIN_EXE_weir-scalecheck");
    let done = Command::new(program).arg(folder).args([HOSTS, urls]).output().expect("it runs");
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{errors}");
    let told = String::from_utf8(done.stdout).expect("text");
    let mut lines = told.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut part = |name: &str| lines.next().map(|line| line[name].clone()).expect("two lines");
    [part("opened"), part("grown")]
}
