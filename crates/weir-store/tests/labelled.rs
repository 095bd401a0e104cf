//! Stores with labels: their files can lie in one folder, and nothing is lost or taken for another's.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use support::crawl::{assert_exactly_once, go_on, pack};
use support::{config, file_name, files, table};
use weir_store::{Feeder, Followers, Packer, Store, StoreConfig, gather};

fn labelled(dir: &Path, label: &str) -> StoreConfig {
    let label = Some(label.to_owned());
    StoreConfig { label, warc_bytes: 9_000, rows_per_file: 10, ..config(dir) }
}

#[test]
fn names_and_rows_have_the_label() {
    let dir = tempfile::tempdir().unwrap();
    go_on(&labelled(dir.path(), "d1"), None, 0, 35);
    let names = |part: &str| -> Vec<String> {
        files(&dir.path().join(part), "").iter().map(|path| file_name(path)).collect()
    };
    assert!(names("warc").len() > 1);
    assert!(
        names("warc").iter().all(|name| name.starts_with("weir-d1-00000")),
        "{names:?}",
        names = names("warc")
    );
    let pages = (1..=4).map(|number| format!("pages-d1-00000{number}.parquet"));
    assert_eq!(names("pages"), pages.collect::<Vec<_>>());
    assert_eq!(table(dir.path())[0].warc_file.as_deref(), Some("weir-d1-000001.warc.gz"));
    assert_exactly_once(dir.path(), 35);
}

#[test]
fn a_sink_gets_the_rows_of_a_store_with_a_label() {
    let dir = tempfile::tempdir().unwrap();
    let config = labelled(dir.path(), "d1");
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, None).unwrap();
    (0..35).for_each(|number| store.append(pack(&mut packer, number)).unwrap());
    let mark = store.finish().unwrap();
    store.journalled(&mark).unwrap();
    let lines = dir.path().join("x.jsonl");
    let target = format!("jsonl:{}", lines.display()).parse().unwrap();
    let followers = Followers::start(dir.path(), &Feeder::whole("c"), &[target], "pages").unwrap();
    let until = followers.committed(mark, true).unwrap();
    let begun = Instant::now();
    while !followers.have(until) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", followers.states());
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(fs::read_to_string(&lines).unwrap().lines().count(), 35);
}

#[test]
fn gathered_stores_are_one_folder_of_pages() {
    let root = tempfile::tempdir().unwrap();
    let dirs: Vec<PathBuf> = ["1", "2", "3"].iter().map(|it| root.path().join(it)).collect();
    for (dir, part) in dirs.iter().zip(0..) {
        let config = labelled(dir, &(part + 1).to_string());
        let mut packer = Packer::new(&config);
        let mut store = Store::open(config, None).unwrap();
        for number in (0..90).filter(|number| number % 3 == part) {
            store.append(pack(&mut packer, number)).unwrap();
        }
        let mark = store.finish().unwrap();
        store.journalled(&mark).unwrap();
    }
    for _ in 0..2 {
        gather(root.path(), &dirs).unwrap();
        assert_exactly_once(root.path(), 90);
    }
    fs::remove_dir_all(&dirs[0]).unwrap();
    assert_exactly_once(root.path(), 90);
}
