use std::fs::File;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::log::Unsynced;

/// Makes durable everything that was flushed when it was made. It knows nothing of the store, so
/// it may run on another thread while the store goes on; it must be run, since the store counts
/// its files as synced from then on.
#[must_use = "what was flushed is durable only after run()"]
pub struct Syncer {
    files: Vec<Unsynced>,
}

impl Syncer {
    pub(crate) fn new(files: Vec<Unsynced>) -> Self {
        Syncer { files }
    }

    pub fn run(self) -> Result<(), StoreError> {
        for unsynced in &self.files {
            unsynced.file.sync_data().map_err(StoreError::io(&unsynced.path, "sync"))?;
        }
        let new = self.files.iter().filter(|unsynced| unsynced.new);
        let mut folders: Vec<PathBuf> =
            new.filter_map(|unsynced| unsynced.path.parent().map(Path::to_owned)).collect();
        folders.dedup();
        folders.iter().try_for_each(|folder| sync_folder(folder))
    }
}

pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let folder = File::open(path).map_err(StoreError::io(path, "open"))?;
    folder.sync_all().map_err(StoreError::io(path, "sync"))
}
