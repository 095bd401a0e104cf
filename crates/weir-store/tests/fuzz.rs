//! Spoiled files of a store: what lies beyond the mark never matters, and damage in what was
//! committed is refused or lived with. `cargo xtask fuzz` runs the same for longer.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::crawl::{assert_exactly_once, go_on, pack};
use support::{config, file_name, files};
use weir_fuzz::{Fuzz, Rng, peak_of};
use weir_store::{Mark, Packed, Packer, Store, StoreConfig, StoreError};

#[global_allocator]
static COUNTING: weir_fuzz::Counting = weir_fuzz::Counting;

const DONE: usize = 25;
const TOTAL: usize = 32;

/// Several files of each kind, and a rows file on its way to Parquet.
fn small(dir: &Path) -> StoreConfig {
    StoreConfig { warc_bytes: 9_000, rows_per_file: 10, write_buffer: 500, ..config(dir) }
}

/// A store as a killed crawl leaves it.
struct Left {
    dir: tempfile::TempDir,
    mark: Mark,
}

impl Left {
    fn new() -> Left {
        fastrand::seed(1); // for the ids of records, so that a failure comes again
        let dir = tempfile::tempdir().unwrap();
        let config = small(dir.path());
        let mut packer = Packer::new(&config);
        let mut store = Store::open(config, None).unwrap();
        for number in 0..DONE {
            store.append(pack(&mut packer, number)).unwrap();
        }
        let mark = store.flush().unwrap();
        Left { dir, mark }
    }

    /// A copy that may be spoiled.
    fn copy(&self) -> tempfile::TempDir {
        let copy = tempfile::tempdir().unwrap();
        for part in ["warc", "pages", "store"] {
            fs::create_dir_all(copy.path().join(part)).unwrap();
            for path in files(&self.dir.path().join(part), "") {
                fs::copy(&path, copy.path().join(part).join(file_name(&path))).unwrap();
            }
        }
        copy
    }

    fn last(&self, part: &str, suffix: &str) -> PathBuf {
        let path = files(&self.dir.path().join(part), suffix).pop().unwrap();
        PathBuf::from(part).join(file_name(&path))
    }

    fn read(&self, path: &Path) -> Vec<u8> {
        fs::read(self.dir.path().join(path)).unwrap()
    }
}

/// Takes what is there, adds pages that are new and pages that were there, and ends the run.
fn use_it(config: StoreConfig, mark: &[u8]) -> Result<(), StoreError> {
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, Some(mark))?;
    for number in 0..12 {
        store.append(pack(&mut packer, number))?;
    }
    let mark = store.finish()?;
    store.journalled(&mark)
}

/// Bytes held on this thread for files of a few kilobytes.
const MOST_MEMORY: usize = 4 << 20;

fn used_or_refused(dir: &Path, mark: &[u8]) {
    let (done, peak) = peak_of(|| use_it(small(dir), mark));
    assert!(peak <= MOST_MEMORY, "{peak} bytes of memory");
    match done {
        Ok(()) | Err(StoreError::Corrupt { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn bytes_beyond_the_mark_never_matter() {
    let left = Left::new();
    let ends =
        [left.last("warc", ".warc.gz"), left.last("store", ".jsonl"), left.last("store", ".log")];
    let seeds: Vec<Vec<u8>> = ends.iter().map(|path| left.read(path)).collect();
    let extra =
        ["warc/weir-000099.warc.gz", "pages/pages-000098.parquet", "store/rows-000097.jsonl"];
    Fuzz::new("store tail", 25).most_bytes(3000).run(&seeds, |tail, random| {
        let copy = left.copy();
        for path in &ends {
            let mut file = left.read(path);
            file.extend_from_slice(&tail[random.usize(..=tail.len())..]);
            fs::write(copy.path().join(path), file).unwrap();
        }
        for path in extra.iter().filter(|_| random.bool()) {
            fs::write(copy.path().join(path), tail).unwrap();
        }
        go_on(&small(copy.path()), Some(&left.mark), DONE, TOTAL);
        assert_exactly_once(copy.path(), TOTAL);
    });
}

#[test]
fn damage_in_what_was_committed_is_refused_or_lived_with() {
    let left = Left::new();
    let spoil = |target: &'static str, path: &Path, words: &'static [&'static str]| {
        Fuzz::new(target, 60).words(words).run(&[left.read(path)], |file, _: &mut Rng| {
            let copy = left.copy();
            fs::write(copy.path().join(path), file).unwrap();
            used_or_refused(copy.path(), left.mark.as_bytes());
        });
    };
    spoil("store firsts", &left.last("store", ".log"), &["http://a/", "\0\0\0\0\0\0\0\0"]);
    let keys = &["\"url\":", "null", "{", "\n", "\"depth\":", "-1", "1e99", "\"videos\":[\"x\"]"];
    spoil("store rows", &left.last("store", ".jsonl"), keys);
    let sealed = files(&left.dir.path().join("store"), ".jsonl").remove(0);
    spoil("store full rows", &Path::new("store").join(file_name(&sealed)), keys);
    spoil("store warc", &left.last("warc", ".warc.gz"), &[]);
}

#[test]
fn any_mark_is_taken_or_refused() {
    let left = Left::new();
    let seeds = [left.mark.as_bytes().to_vec()];
    Fuzz::new("store mark", 200).run(&seeds, |mark, _| {
        used_or_refused(left.copy().path(), mark);
    });
}

#[test]
fn a_spoiled_packed_page_is_refused_or_stored() {
    let dir = tempfile::tempdir().unwrap();
    let mut packer = Packer::new(&small(dir.path()));
    let encoded = |number| {
        let mut bytes = Vec::new();
        pack(&mut packer, number).encode(&mut bytes);
        bytes
    };
    let seeds: Vec<Vec<u8>> = (0..6).map(encoded).collect();
    let mut store = Store::open(small(dir.path()), None).unwrap();
    Fuzz::new("store packed", 2000).run(&seeds, |bytes, _| {
        let (decoded, peak) = peak_of(|| Packed::decode(bytes));
        assert!(peak <= 2 * bytes.len() + 1000, "{peak} bytes of memory for {}", bytes.len());
        // A row that is no JSON would be found when it becomes Parquet, as any damage of rows is.
        if let Some(packed) = decoded.filter(|packed| packed.kept() == Some(false)) {
            store.append(packed).unwrap();
        }
    });
}
