//! The real thing: a process that stores pages is killed, again and again.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::config;
use support::crawl::{assert_exactly_once, go_on, pack};
use weir_store::{Packer, Store, StoreConfig};

const DIR: &str = "WEIR_STORE_KILL_DIR";
const ENTRY: usize = weir_store::Mark::LENGTH + 8;

fn config_for(dir: &Path) -> StoreConfig {
    StoreConfig { warc_bytes: 100_000, rows_per_file: 70, write_buffer: 20_000, ..config(dir) }
}

#[test]
fn a_killed_process_loses_and_repeats_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..6 {
        let before = journalled(dir.path());
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_stores_until_it_is_killed", "--ignored", "--nocapture"])
            .env(DIR, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let enough = before + ENTRY * random.usize(1..40);
        let deadline = Instant::now() + Duration::from_secs(60);
        while journalled(dir.path()) < enough && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(random.u64(100..3_000)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(journalled(dir.path()) >= enough, "the child did not get on");
    }
    let (mark, done) = last(dir.path());
    let mut store = Store::open(config_for(dir.path()), Some(&mark)).unwrap();
    let mark = store.flush().unwrap();
    drop(store);
    go_on(&config_for(dir.path()), Some(&mark), done, done + 50);
    assert_exactly_once(dir.path(), done + 50);
}

/// Not a test: what the test above runs and kills.
#[test]
#[ignore = "runs until it is killed"]
fn child_stores_until_it_is_killed() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let config = config_for(dir);
    let mut packer = Packer::new(&config);
    let (mark, mut done) = last(dir);
    let mark = (!mark.is_empty()).then_some(&mark[..]);
    let mut store = Store::open(config, mark).unwrap();
    let mut journal =
        OpenOptions::new().append(true).create(true).open(dir.join("journal")).unwrap();
    loop {
        for _ in 0..fastrand::usize(1..30) {
            store.append(pack(&mut packer, done)).unwrap();
            done += 1;
        }
        let mark = store.flush().unwrap();
        journal.write_all(&[mark.as_bytes(), &(done as u64).to_le_bytes()].concat()).unwrap();
        store.journalled(&mark).unwrap();
    }
}

fn journalled(dir: &Path) -> usize {
    fs::metadata(dir.join("journal")).map_or(0, |journal| journal.len() as usize)
}

fn journal(dir: &Path) -> Vec<u8> {
    fs::read(dir.join("journal")).unwrap_or_default()
}

/// The last whole entry: mark and number of pages done.
fn last(dir: &Path) -> (Vec<u8>, usize) {
    let journal = journal(dir);
    let Some(entry) = journal.chunks_exact(ENTRY).next_back() else { return (Vec::new(), 0) };
    let (mark, done) = entry.split_at(weir_store::Mark::LENGTH);
    (mark.to_vec(), u64::from_le_bytes(done.try_into().unwrap()) as usize)
}
