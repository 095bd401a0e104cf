//! A full disk stops the store with a message that helps, and nothing is lost.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use support::config;
use support::crawl::{assert_exactly_once, go_on, pack};
use support::small_disk::SmallDisk;
use weir_store::{Packer, Store, StoreConfig, StoreError};

#[test]
fn a_full_disk_is_told_and_healed_by_room() {
    let dir = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(dir.path()) else { return };
    let config = StoreConfig { rows_per_file: 300, ..config(disk.0) };
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config.clone(), None).unwrap();
    let (mut mark, mut done) = (None, 0);
    let error = loop {
        assert!(done < 100_000, "the disk never filled");
        let stored = store.append(pack(&mut packer, done)).and_then(|()| store.flush());
        match stored {
            Ok(new) => mark = Some(new),
            Err(error) => break error,
        }
        done += 1;
    };
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(error.to_string().contains("free some room"), "{error}");
    assert!(matches!(store.flush(), Err(StoreError::Poisoned)));
    drop(store);
    disk.mount_again("size=64m");
    go_on(&config, mark.as_ref(), done, done + 100);
    assert_exactly_once(disk.0, done + 100);
}
