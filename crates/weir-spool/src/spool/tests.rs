//! What needs small segments, or a crash between two steps of the spool.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod model;
#[path = "../../../weir-store/tests/support/mod.rs"]
mod support;

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use support::crawl::{assert_exactly, pack};
use support::{config, files};
use weir_store::Packer;

use super::*;

const SMALL: u64 = 4_000;

fn open_small(dir: &Path) -> Result<(Spool, Vec<Pending>), SpoolError> {
    Spool::open_with(config(dir), SMALL)
}

fn segments(dir: &Path) -> Vec<PathBuf> {
    files(&dir.join("spool"), ".log")
}

/// Puts pages `0..count`, which get the numbers `1..=count`, and makes them durable.
fn put(spool: &mut Spool, dir: &Path, count: usize) {
    let mut packer = Packer::new(&config(dir));
    for number in 0..count {
        spool.put(b"outcome", Some(&pack(&mut packer, number))).unwrap();
    }
    spool.flush().unwrap();
    spool.syncer().run().unwrap();
}

/// A spool whose pages fill several segments.
fn several_segments() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let (mut spool, _) = open_small(dir.path()).unwrap();
    put(&mut spool, dir.path(), 20);
    assert!(segments(dir.path()).len() > 3);
    dir
}

#[test]
fn segments_are_deleted_when_all_their_pages_are_applied() {
    let dir = several_segments();
    let before = segments(dir.path());
    let (mut spool, pending) = open_small(dir.path()).unwrap();
    assert_eq!(pending.len(), 20);
    spool.settled(10, &[]).unwrap();
    let after = segments(dir.path());
    assert!(after.len() < before.len() && after.len() > 1);
    assert_eq!(after, before[before.len() - after.len()..], "the oldest go first");
    spool.settled(20, &[]).unwrap();
    assert_eq!(segments(dir.path()), before[before.len() - 1..]);
    drop(spool);
    let (mut spool, pending) = open_small(dir.path()).unwrap();
    assert_eq!((pending.len(), spool.applied(), spool.last()), (0, 20, 20));
    assert_eq!(spool.put(b"more", None).unwrap(), 21);
    spool.finish().unwrap();
    assert_exactly(dir.path(), 0..20);
}

#[test]
fn segments_that_a_crash_left_are_deleted_on_opening() {
    let dir = several_segments();
    let (mut spool, _) = open_small(dir.path()).unwrap();
    let mark = spool.store_pages(20, &[]).unwrap();
    spool.journal(20, &mark).unwrap();
    let before = segments(dir.path());
    drop(spool);
    drop(open_small(dir.path()).unwrap());
    assert_eq!(segments(dir.path()), before[before.len() - 1..]);
}

#[test]
fn a_full_segment_that_is_damaged_is_named_with_the_place() {
    let dir = several_segments();
    let path = segments(dir.path()).remove(1);
    let bytes = fs::read(&path).unwrap();
    for place in (0..bytes.len()).step_by(97) {
        let mut spoiled = bytes.clone();
        spoiled[place] ^= 0x10;
        fs::write(&path, spoiled).unwrap();
        let why = open_small(dir.path()).map(drop).unwrap_err();
        assert!(
            matches!(&why, SpoolError::Damaged { path: told, at, .. }
                if *told == path && *at <= place as u64),
            "byte {place}: {why}"
        );
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(open_small(dir.path()).unwrap().1.len(), 20);
}

#[test]
fn a_missing_segment_is_missed() {
    for missing in 0..3 {
        let dir = several_segments();
        let path = segments(dir.path()).remove(missing);
        fs::remove_file(path).unwrap();
        let why = open_small(dir.path()).map(drop).unwrap_err();
        assert!(matches!(why, SpoolError::Damaged { .. }), "{why}");
    }
}

#[test]
fn numbers_do_not_begin_again_where_all_but_a_torn_segment_is_lost() {
    let dir = several_segments();
    let mut all = segments(dir.path());
    let newest = all.pop().unwrap();
    all.iter().for_each(|path| fs::remove_file(path).unwrap());
    OpenOptions::new().write(true).open(newest).unwrap().set_len(30).unwrap();
    let why = open_small(dir.path()).map(drop).unwrap_err();
    assert!(why.to_string().contains("the files before it are missing"), "{why}");
}

#[test]
fn a_segment_that_was_hardly_begun_is_begun_again() {
    let dir = several_segments();
    let next = segments(dir.path()).len() + 1;
    let next = dir.path().join(format!("spool/spool-{next:06}.log"));
    let begun = fs::read(&segments(dir.path())[1]).unwrap();
    for length in [0, 1, 8, 23, 24, 40, 50] {
        fs::write(&next, &begun[..length]).unwrap();
        let (spool, pending) = open_small(dir.path()).unwrap();
        assert_eq!((pending.len(), spool.last()), (20, 20), "{length} bytes");
    }
    assert_eq!(open_small(dir.path()).unwrap().1.len(), 20);
}

#[test]
fn damage_that_comes_while_pages_wait_is_told_and_stores_nothing_wrong() {
    let dir = several_segments();
    let (mut spool, _) = open_small(dir.path()).unwrap();
    let path = segments(dir.path()).remove(0);
    let mut bytes = fs::read(&path).unwrap();
    let place = bytes.len() - 5;
    bytes[place] ^= 1;
    fs::write(&path, bytes).unwrap();
    let why = spool.settled(20, &[]).unwrap_err();
    assert!(matches!(&why, SpoolError::Damaged { path: told, .. } if *told == path), "{why}");
    assert!(matches!(spool.put(b"", None), Err(SpoolError::Poisoned)));
    assert_eq!(spool.applied(), 0);
}
