//! The real thing: a process that puts and settles pages is killed, again and again.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

#[path = "../../weir-store/tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use support::config;
use support::crawl::{assert_exactly, pack};
use weir_spool::Spool;
use weir_store::{Packer, StoreConfig};

const DIR: &str = "WEIR_SPOOL_KILL_DIR";

fn config_for(dir: &Path) -> StoreConfig {
    StoreConfig { warc_bytes: 100_000, rows_per_file: 70, write_buffer: 20_000, ..config(dir) }
}

/// The scheduler of these tests: it never changes its mind about an outcome.
fn rejected(upto: u64) -> Vec<u64> {
    (1..=upto).filter(|seq| seq % 7 == 3).collect()
}

#[test]
fn a_killed_downloader_loses_and_repeats_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..6 {
        let enough = sent(dir.path()) + random.u64(1..120);
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "child_goes_on_until_it_is_killed", "--ignored", "--nocapture"])
            .env(DIR, dir.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while sent(dir.path()) < enough && Instant::now() < deadline {
            std::thread::sleep(Duration::from_micros(random.u64(100..3_000)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(sent(dir.path()) >= enough, "the child did not get on");
    }
    let (mut spool, _) = Spool::open(config_for(dir.path())).unwrap();
    let last = spool.last();
    assert!(last >= sent(dir.path()), "what was sent is lost");
    spool.settled(last, &rejected(last)).unwrap();
    spool.finish().unwrap();
    drop(spool);
    let stored = (1..=last).filter(|seq| seq % 7 != 3);
    assert_exactly(dir.path(), stored.map(|seq| seq as usize));
}

/// Not a test: what the test above runs and kills.
#[test]
#[ignore = "runs until it is killed"]
fn child_goes_on_until_it_is_killed() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let dir = Path::new(&dir);
    let mut packer = Packer::new(&config_for(dir));
    let (mut spool, pending) = Spool::open(config_for(dir)).unwrap();
    for pending in pending {
        assert_eq!(pending.outcome, pending.seq.to_le_bytes());
    }
    loop {
        for _ in 0..fastrand::usize(1..20) {
            let seq = spool.last() + 1;
            let page = pack(&mut packer, seq as usize);
            assert_eq!(spool.put(&seq.to_le_bytes(), Some(&page)).unwrap(), seq);
        }
        spool.flush().unwrap();
        let durable = spool.syncer().run().unwrap();
        fs::write(dir.join("sent.tmp"), durable.to_string()).unwrap();
        fs::rename(dir.join("sent.tmp"), dir.join("sent")).unwrap();
        let upto = fastrand::u64(spool.applied()..=durable);
        spool.settled(upto, &rejected(upto)).unwrap();
    }
}

/// The last page whose outcome the scheduler may know.
fn sent(dir: &Path) -> u64 {
    fs::read_to_string(dir.join("sent")).map_or(0, |text| text.parse().unwrap())
}
