//! A full disk stops the spool with a message that helps, and nothing is lost.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

#[path = "../../weir-store/tests/support/mod.rs"]
mod support;

use support::config;
use support::crawl::{assert_exactly, pack};
use support::small_disk::SmallDisk;
use weir_spool::{Spool, SpoolError};
use weir_store::{Packer, StoreError};

#[test]
fn a_full_disk_is_told_and_healed_by_room() {
    for settles in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let Some(disk) = SmallDisk::mount(dir.path()) else { return };
        let mut packer = Packer::new(&config(disk.0));
        let (mut spool, _) = Spool::open(config(disk.0)).unwrap();
        let mut durable = 0;
        let error = loop {
            assert!(durable < 100_000, "the disk never filled");
            let page = pack(&mut packer, spool.last() as usize);
            let put = spool.put(b"outcome", Some(&page)).and_then(|_| spool.flush());
            let synced = put.and_then(|()| spool.syncer().run());
            durable = synced.as_ref().map_or(durable, |seq| *seq);
            match synced.and_then(|seq| spool.settled(if settles { seq } else { 0 }, &[])) {
                Ok(()) => {}
                Err(error) => break error,
            }
        };
        let is_full = matches!(error, SpoolError::Full { .. })
            || matches!(error, SpoolError::Store(StoreError::Full { .. }));
        assert!(is_full, "{error}");
        let text = error.to_string();
        assert!(
            text.contains("free some room") && text.contains(disk.0.to_str().unwrap()),
            "{text}"
        );
        assert!(matches!(spool.put(b"", None), Err(SpoolError::Poisoned)));
        drop(spool);
        disk.mount_again("size=64m");
        let (mut spool, _) = Spool::open(config(disk.0)).unwrap();
        let last = spool.last();
        assert!(last >= durable);
        spool.settled(last, &[]).unwrap();
        spool.finish().unwrap();
        drop(spool);
        assert_exactly(disk.0, 0..last as usize);
    }
}
