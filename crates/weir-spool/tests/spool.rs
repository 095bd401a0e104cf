//! What a downloader can count on.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

#[path = "../../weir-store/tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::config;
use support::crawl::{assert_exactly, pack};
use weir_spool::{Pending, Spool, SpoolError, committed};
use weir_store::{Packer, StoreConfig};

fn open(dir: &Path) -> (Spool, Vec<Pending>) {
    Spool::open(config(dir)).unwrap()
}

/// Puts pages `from..to`, so that page n has the number n + 1 if it is the first run.
fn put(spool: &mut Spool, dir: &Path, from: usize, to: usize) {
    let mut packer = Packer::new(&config(dir));
    for number in from..to {
        let outcome = format!("outcome {number}");
        spool.put(outcome.as_bytes(), Some(&pack(&mut packer, number))).unwrap();
    }
}

fn sync(spool: &mut Spool) -> u64 {
    spool.flush().unwrap();
    spool.syncer().run().unwrap()
}

fn log(dir: &Path) -> PathBuf {
    dir.join("spool/spool-000001.log")
}

#[test]
fn what_is_settled_is_stored_and_what_is_rejected_vanishes() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, pending) = open(dir.path());
    assert!(pending.is_empty());
    put(&mut spool, dir.path(), 0, 10);
    assert_eq!(spool.put(b"an outcome without a page", None).unwrap(), 11);
    assert_eq!(sync(&mut spool), 11);
    assert_eq!(spool.totals().pages, 0, "nothing is stored before it is settled");
    spool.settled(4, &[2]).unwrap();
    spool.settled(11, &[7, 5]).unwrap();
    assert_eq!((spool.applied(), spool.last(), spool.totals().pages), (11, 11, 7));
    spool.finish().unwrap();
    drop(spool);
    assert_exactly(dir.path(), [0, 2, 3, 5, 7, 8, 9]);
    assert!(open(dir.path()).1.is_empty());
}

#[test]
fn a_reader_sees_how_far_the_store_is_committed_while_it_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    assert_eq!(committed(dir.path()).unwrap(), None, "nothing was ever applied");
    put(&mut spool, dir.path(), 0, 3);
    sync(&mut spool);
    spool.settled(2, &[]).unwrap();
    let first = committed(dir.path()).unwrap().unwrap();
    spool.settled(3, &[]).unwrap();
    let second = committed(dir.path()).unwrap().unwrap();
    assert_ne!(first, second);
    assert_eq!(spool.mark(), second, "whoever writes it knows the same");
    drop(spool);
    assert_eq!(committed(dir.path()).unwrap().as_ref(), Some(&second), "and when it has ended");
    let (spool, _) = open(dir.path());
    assert_eq!(spool.mark(), second, "and when it is opened again");
    drop(spool);
    fs::remove_file(log(dir.path())).unwrap();
    assert_eq!(committed(dir.path()).unwrap(), None);
}

#[test]
fn what_is_not_settled_is_handed_back_in_order() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 6);
    sync(&mut spool);
    spool.settled(2, &[]).unwrap();
    drop(spool);
    let (mut spool, pending) = open(dir.path());
    let wanted = (2..6)
        .map(|page| Pending { seq: page + 1, outcome: format!("outcome {page}").into_bytes() });
    assert_eq!(pending, wanted.collect::<Vec<_>>());
    spool.settled(6, &[3]).unwrap();
    spool.finish().unwrap();
    assert_exactly(dir.path(), [0, 1, 3, 4, 5]);
}

#[test]
fn the_run_goes_on_after_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 4);
    spool.settled(3, &[]).unwrap();
    spool.finish().unwrap();
    assert_exactly(dir.path(), 0..3);
    put(&mut spool, dir.path(), 4, 6);
    spool.settled(6, &[]).unwrap();
    spool.finish().unwrap();
    assert_exactly(dir.path(), 0..6);
}

#[test]
fn settling_twice_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 5);
    for (upto, rejected) in [(3, &[2][..]), (3, &[2]), (1, &[]), (0, &[]), (3, &[])] {
        spool.settled(upto, rejected).unwrap();
        assert_eq!((spool.applied(), spool.totals().pages), (3, 2));
    }
    drop(spool);
    let (mut spool, _) = open(dir.path());
    spool.settled(2, &[1]).unwrap();
    spool.settled(5, &[2, 4]).unwrap();
    spool.finish().unwrap();
    assert_exactly(dir.path(), [0, 2, 4]);
}

#[test]
fn a_scheduler_that_settles_what_it_cannot_know_is_refused_and_nothing_breaks() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 3);
    let why = spool.settled(4, &[]).unwrap_err();
    assert!(matches!(why, SpoolError::NeverPut { upto: 4, last: 3 }), "{why}");
    let why = spool.settled(2, &[1, 3]).unwrap_err();
    assert!(matches!(why, SpoolError::NotSettled { rejected: 3, upto: 2 }), "{why}");
    assert_eq!(spool.applied(), 0);
    spool.settled(3, &[]).unwrap();
    spool.finish().unwrap();
    assert_exactly(dir.path(), 0..3);
}

#[test]
fn numbers_are_never_used_twice() {
    let dir = tempfile::tempdir().unwrap();
    let mut last = 0;
    for run in 0..5 {
        let (mut spool, _) = open(dir.path());
        assert_eq!(spool.last(), last);
        for _ in 0..3 {
            last += 1;
            assert_eq!(spool.put(b"", None).unwrap(), last);
        }
        sync(&mut spool);
        if run % 2 == 0 {
            spool.settled(last, &[last]).unwrap();
        }
        if run == 2 {
            spool.finish().unwrap();
        }
    }
}

#[test]
fn the_spool_goes_on_while_another_thread_syncs() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 5);
    spool.flush().unwrap();
    let syncer = spool.syncer();
    let thread = std::thread::spawn(|| syncer.run());
    put(&mut spool, dir.path(), 5, 9);
    assert_eq!(thread.join().unwrap().unwrap(), 5, "only what was flushed is promised");
    assert_eq!(sync(&mut spool), 9);
}

#[test]
fn a_crash_while_the_first_segment_is_made_leaves_a_folder_that_can_be_used() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()));
    let begun = fs::read(log(dir.path())).unwrap();
    for length in 0..=begun.len() {
        fs::write(log(dir.path()), &begun[..length]).unwrap();
        assert_eq!(open(dir.path()).0.put(b"", None).unwrap(), 1, "{length} bytes");
    }
}

#[test]
fn a_folder_has_one_spool_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let (spool, _) = open(dir.path());
    let why = Spool::open(config(dir.path())).map(drop).unwrap_err();
    assert!(matches!(&why, SpoolError::InUse { path } if *path == dir.path().join("spool")));
    assert!(why.to_string().contains("another weir is using"), "{why}");
    drop(spool);
    open(dir.path());
}

#[test]
fn the_output_of_someone_else_is_not_deleted() {
    for name in
        ["warc/weir-000001.warc.gz", "pages/pages-d7-000001.parquet", "store/rows-000001.jsonl"]
    {
        let dir = tempfile::tempdir().unwrap();
        let mine = dir.path().join(name);
        fs::create_dir(mine.parent().unwrap()).unwrap();
        fs::write(&mine, b"a crawl of last year").unwrap();
        let why = Spool::open(config(dir.path())).map(drop).unwrap_err();
        assert!(matches!(&why, SpoolError::Foreign { path } if *path == mine), "{why}");
        assert!(mine.exists());
    }
}

#[test]
fn a_torn_tail_is_cut_wherever_it_ends() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    spool.put(b"one", None).unwrap();
    sync(&mut spool);
    let safe = log(dir.path()).metadata().unwrap().len() as usize;
    put(&mut spool, dir.path(), 0, 1);
    spool.flush().unwrap();
    drop(spool);
    let bytes = fs::read(log(dir.path())).unwrap();
    for length in (safe..bytes.len()).step_by(7) {
        fs::write(log(dir.path()), &bytes[..length]).unwrap();
        let (mut spool, pending) = open(dir.path());
        assert_eq!(pending.len(), 1, "{length} bytes");
        assert_eq!(spool.put(b"two", None).unwrap(), 2);
    }
    fs::write(log(dir.path()), bytes).unwrap();
    assert_eq!(open(dir.path()).1.len(), 2);
}

#[test]
fn damage_in_what_was_durable_is_named_with_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 0, 5);
    sync(&mut spool);
    let safe = log(dir.path()).metadata().unwrap().len() as usize;
    spool.put(b"after the sync", None).unwrap();
    spool.flush().unwrap();
    drop(spool);
    let bytes = fs::read(log(dir.path())).unwrap();
    for place in (0..safe).step_by(61) {
        let mut spoiled = bytes.clone();
        spoiled[place] ^= 4;
        fs::write(log(dir.path()), spoiled).unwrap();
        let why = Spool::open(config(dir.path())).map(drop).unwrap_err();
        assert!(
            matches!(&why, SpoolError::Damaged { path, at, .. }
                if *path == log(dir.path()) && *at <= place as u64),
            "byte {place}: {why}"
        );
        assert!(why.to_string().contains("spool-000001.log is damaged at byte"), "{why}");
    }
    fs::write(log(dir.path()), bytes).unwrap();
    assert_eq!(open(dir.path()).1.len(), 6);
}

#[test]
fn a_page_cannot_pass_for_a_record_that_was_safe() {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(dir.path());
    spool.put(b"safe", None).unwrap();
    sync(&mut spool);
    drop(spool);
    // The log of another spool, as a hostile page would bring it, and a crash while it is written.
    let other = tempfile::tempdir().unwrap();
    let (mut spool, _) = open(other.path());
    put(&mut spool, other.path(), 0, 3);
    sync(&mut spool);
    put(&mut spool, other.path(), 3, 6);
    spool.flush().unwrap();
    let hostile = fs::read(log(other.path())).unwrap();
    let (mut spool, _) = open(dir.path());
    spool.put(&hostile, None).unwrap();
    spool.flush().unwrap();
    drop(spool);
    let bytes = fs::read(log(dir.path())).unwrap();
    fs::write(log(dir.path()), &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(open(dir.path()).1.len(), 1);
}

#[test]
fn pages_that_waited_are_stored_as_far_as_they_were_packed() {
    let dir = tempfile::tempdir().unwrap();
    let less = StoreConfig { parquet: false, ..config(dir.path()) };
    let (mut spool, _) = Spool::open(less.clone()).unwrap();
    let packed = pack(&mut Packer::new(&less), 0);
    spool.put(b"", Some(&packed)).unwrap();
    sync(&mut spool);
    drop(spool);
    let (mut spool, _) = open(dir.path());
    put(&mut spool, dir.path(), 1, 2);
    spool.settled(2, &[]).unwrap();
    spool.finish().unwrap();
    assert_eq!(support::table(dir.path()).len(), 1);
    let records = support::records(dir.path());
    assert_eq!(records.iter().filter(|record| record.is_page()).count(), 2);
}
