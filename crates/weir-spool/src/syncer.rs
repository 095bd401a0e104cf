use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::SpoolError;

/// Makes durable everything that was flushed when it was made. It knows nothing of the spool, so it
/// may run on another thread while the spool goes on.
#[must_use = "what was flushed is durable only after run()"]
pub struct SpoolSyncer {
    pub(crate) path: PathBuf,
    pub(crate) file: Arc<File>,
    /// Length of the file, and the last page in it.
    pub(crate) written: u64,
    pub(crate) seq: u64,
    pub(crate) synced: Arc<Synced>,
}

/// What is known of a segment's durability, by whoever syncs it.
#[derive(Default)]
pub(crate) struct Synced {
    upto: AtomicU64,
    /// The system reports a failed sync once and forgets what it could not write, so no later
    /// sync can be believed.
    failed: AtomicBool,
    /// One sync at a time, so that each knows of the failure of those before.
    turn: Mutex<()>,
}

impl SpoolSyncer {
    /// Returns the number of the last page that is durable now. An error means that the spool
    /// takes nothing more.
    pub fn run(self) -> Result<u64, SpoolError> {
        let _turn = self.synced.turn.lock().unwrap_or_else(PoisonError::into_inner);
        if self.synced.has_failed() {
            return Err(SpoolError::Poisoned);
        }
        if let Err(why) = self.file.sync_data() {
            self.synced.failed.store(true, Ordering::Release);
            return Err(SpoolError::io(&self.path, "sync")(why));
        }
        self.synced.upto.fetch_max(self.written, Ordering::AcqRel);
        Ok(self.seq)
    }
}

impl Synced {
    pub fn upto(&self) -> u64 {
        self.upto.load(Ordering::Acquire)
    }

    pub fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failed_sync_none_is_believed() {
        let path = PathBuf::from("/dev/null"); // It cannot be synced.
        let file = Arc::new(File::options().write(true).open(&path).unwrap());
        let synced = Arc::new(Synced::default());
        let sync = || SpoolSyncer {
            path: path.clone(),
            file: file.clone(),
            written: 5,
            seq: 1,
            synced: synced.clone(),
        };
        assert!(matches!(sync().run(), Err(SpoolError::Io { what: "sync", .. })));
        assert!(matches!(sync().run(), Err(SpoolError::Poisoned)));
        assert_eq!(synced.upto(), 0);
    }
}
