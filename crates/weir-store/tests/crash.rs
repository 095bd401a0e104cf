//! Whatever the moment of a crash, each page ends up stored exactly once.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;

use support::crawl::{assert_exactly_once, go_on, pack};
use support::{config, files};
use weir_store::{Mark, Packer, Store, StoreConfig, StoreError};

const TOTAL: usize = 90;

#[test]
fn each_page_is_stored_once_wherever_a_crash_falls() {
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let label = [None, Some("d1")][seed as usize % 2];
        let root = tempfile::tempdir().unwrap();
        let mut journal = vec![(None, 0)];
        let mut dir = root.path().join("0");
        for crash in 1..random.usize(2..6) {
            let after = root.path().join(crash.to_string());
            let config = config_for(&dir, label, &mut random);
            run_and_crash(&config, &mut journal, &after, &mut random);
            scribble(&after, label, &mut random);
            dir = after;
        }
        let (mark, done) = journal[journal.len() - 1];
        go_on(&config_for(&dir, label, &mut random), mark.as_ref(), done, TOTAL);
        assert_exactly_once(&dir, TOTAL);
    }
}

/// Small files and small buffers, so that every boundary is met often.
fn config_for(dir: &Path, label: Option<&str>, random: &mut fastrand::Rng) -> StoreConfig {
    StoreConfig {
        label: label.map(str::to_owned),
        warc_bytes: random.u64(2_000..40_000),
        rows_per_file: random.usize(3..25),
        write_buffer: random.usize(10..3_000),
        ..config(dir)
    }
}

/// Stores some pages and leaves in `after` what the disk has at some moment, and in `journal` what that may say then: any mark it
/// was given, also by an earlier run, none older than one it called durable.
fn run_and_crash(
    config: &StoreConfig,
    journal: &mut Vec<(Option<Mark>, usize)>,
    after: &Path,
    random: &mut fastrand::Rng,
) {
    let mut packer = Packer::new(config);
    let (mark, mut next) = journal[journal.len() - 1];
    let mut store = Store::open(config.clone(), mark.as_ref().map(Mark::as_bytes)).unwrap();
    for _ in 0..random.usize(0..120) {
        match random.u8(0..12) {
            0..=5 if next < TOTAL => {
                store.append(pack(&mut packer, next)).unwrap();
                next += 1;
            }
            6..=8 => journal.push((Some(store.flush().unwrap()), next)),
            9 => {
                if let (Some(mark), _) = &journal[journal.len() - 1] {
                    store.journalled(mark).unwrap();
                    journal.drain(..journal.len() - 1);
                }
            }
            10 => store.syncer().run().unwrap(),
            11 if random.u8(0..8) == 0 => journal.push((Some(store.finish().unwrap()), next)),
            _ => {}
        }
    }
    // The store lives on, so that the converter may be at work meanwhile.
    copy(&config.dir, after);
    let lost = match random.bool() {
        true => 0, // Only the process was killed.
        false => random.usize(..journal.len()),
    };
    journal.truncate(journal.len() - lost);
}

fn copy(from: &Path, to: &Path) {
    for part in ["warc", "pages", "store"] {
        fs::create_dir_all(to.join(part)).unwrap();
        for path in files(&from.join(part), "") {
            // The converter may rename a file between the listing and the copy.
            match fs::copy(&path, to.join(part).join(support::file_name(&path))) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => panic!("{error}"),
                _ => {}
            }
        }
    }
}

/// Half of what a write would have put there, had there been time.
fn scribble(dir: &Path, label: Option<&str>, random: &mut fastrand::Rng) {
    let label = label.map_or(String::new(), |label| format!("{label}-"));
    for (part, name) in [
        ("warc", format!("weir-{label}000999.warc.gz")),
        ("pages", format!("pages-{label}000999.parquet")),
        ("pages", format!("pages-{label}000001.parquet.tmp")),
        ("store", "rows-000999.jsonl".to_owned()),
    ] {
        if random.bool() {
            fs::write(dir.join(part).join(name), b"half of").unwrap();
        }
    }
    let last = |part, suffix| files(&dir.join(part), suffix).pop();
    for path in [last("warc", "gz"), last("store", "jsonl"), last("store", "log")] {
        let Some(path) = path.filter(|_| random.bool()) else { continue };
        let mut file = fs::OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(b"{\"url\":\"http://half").unwrap();
    }
}

/// Killed, it is opened as it was; then power is lost, before what the journal said last was safe.
#[test]
fn rows_that_are_parquet_by_the_last_mark_are_there_for_the_one_before() {
    let dir = tempfile::tempdir().unwrap();
    let config = StoreConfig { rows_per_file: 3, ..config(dir.path()) };
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config.clone(), None).unwrap();
    let mut put = |store: &mut Store, page| store.append(pack(&mut packer, page)).unwrap();
    (0..2).for_each(|page| put(&mut store, page));
    let before = store.flush().unwrap();
    (2..5).for_each(|page| put(&mut store, page));
    let last = store.finish().unwrap();
    drop(store);
    drop(Store::open(config.clone(), Some(last.as_bytes())).unwrap());
    go_on(&config, Some(&before), 2, 9);
    assert_exactly_once(dir.path(), 9);
    assert!(files(&dir.path().join("store"), "jsonl").is_empty(), "nobody needs them any more");
}

#[test]
fn a_file_that_lost_committed_bytes_is_called_damaged() {
    for part in ["warc", "store"] {
        let dir = tempfile::tempdir().unwrap();
        let config = config(dir.path());
        let mut store = Store::open(config.clone(), None).unwrap();
        store.append(pack(&mut Packer::new(&config), 5)).unwrap();
        let mark = store.flush().unwrap();
        drop(store);
        for path in files(&dir.path().join(part), "") {
            let length = path.metadata().unwrap().len();
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length - 1).unwrap();
        }
        let error = Store::open(config, Some(mark.as_bytes())).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains("were committed"), "{error}");
    }
}

#[test]
fn without_a_mark_nothing_stays_but_what_is_not_ours() {
    let dir = tempfile::tempdir().unwrap();
    let config = StoreConfig { rows_per_file: 2, ..config(dir.path()) };
    go_on(&config, None, 0, 9);
    let own = dir.path().join("warc/mine.warc.gz");
    fs::write(&own, b"not yours").unwrap();
    drop(Store::open(config, None).unwrap());
    assert_eq!(files(&dir.path().join("warc"), ""), [own]);
    assert!(files(&dir.path().join("pages"), "").is_empty());
    assert!(files(&dir.path().join("store"), "").is_empty());
}
