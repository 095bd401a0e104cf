//! Spoiled logs: opened or refused, and used as far as they go. `cargo xtask fuzz` runs the same for
//! longer.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

#[path = "../../weir-store/tests/support/mod.rs"]
mod support;

use std::fs;
use std::path::Path;

use support::config;
use support::crawl::pack;
use weir_fuzz::{Fuzz, peak_of};
use weir_spool::{Spool, SpoolError};
use weir_store::Packer;

#[global_allocator]
static COUNTING: weir_fuzz::Counting = weir_fuzz::Counting;

/// Bytes held on this thread for a log of a few kilobytes: a large part is the buffer it is read by.
const MOST_MEMORY: usize = 6 << 20;

/// Pages with and without a sync between them, none of them applied, so that there is no output
/// that a spoiled log could contradict.
fn log(dir: &Path) -> Vec<u8> {
    let mut packer = Packer::new(&config(dir));
    let (mut spool, _) = Spool::open(config(dir)).unwrap();
    for number in 0..9 {
        spool.put(b"outcome", Some(&pack(&mut packer, number))).unwrap();
        if number % 3 == 0 {
            spool.flush().unwrap();
            spool.syncer().run().unwrap();
        }
    }
    spool.flush().unwrap();
    fs::read(dir.join("spool/spool-000001.log")).unwrap()
}

fn use_it(dir: &Path) -> Result<(), SpoolError> {
    let (mut spool, pending) = Spool::open(config(dir))?;
    let last = spool.last();
    assert_eq!(pending.last().map_or(spool.applied(), |pending| pending.seq), last);
    assert_eq!(spool.put(b"one more", None)?, last + 1);
    spool.settled(last + 1, &[])?;
    spool.finish()
}

#[test]
fn any_log_is_used_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let seed = log(dir.path());
    Fuzz::new("spool log", 150).words(&["WEIRSPL\u{1}", "\0\0\0\0"]).run(&[seed], |bytes, _| {
        let copy = tempfile::tempdir().unwrap();
        fs::create_dir(copy.path().join("spool")).unwrap();
        fs::write(copy.path().join("spool/spool-000001.log"), bytes).unwrap();
        let (done, peak) = peak_of(|| use_it(copy.path()));
        assert!(peak <= MOST_MEMORY, "{peak} bytes of memory");
        match done {
            Ok(()) | Err(SpoolError::Damaged { .. }) => {}
            Err(other) => panic!("{other}"),
        }
    });
}
