//! A full disk stops the store with a message that helps, and nothing is lost.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::path::Path;
use std::process::Command;

use support::config;
use support::crawl::{assert_exactly_once, go_on, pack};
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

struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn mount(at: &'a Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=600k", "tmpfs"]).arg(at);
        match mount.output() {
            Ok(output) if output.status.success() => Some(SmallDisk(at)),
            _ => {
                eprintln!("SKIPPED: a small disk cannot be mounted here");
                None
            }
        }
    }

    fn mount_again(&self, option: &str) {
        let option = format!("remount,{option}");
        let status = Command::new("mount").args(["-o", &option]).arg(self.0).status().unwrap();
        assert!(status.success());
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()) || std::thread::panicking());
    }
}
