use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::log::Unsynced;

/// Makes durable everything that was flushed when it was made. It knows nothing of the store, so
/// it may run on another thread while the store goes on; it must be run, since the store counts
/// its files as synced from then on.
#[must_use = "what was flushed is durable only after run()"]
pub struct Syncer {
    files: Vec<Unsynced>,
    /// Opened one after the other, since there may be thousands.
    earlier: Vec<PathBuf>,
}

impl Syncer {
    pub(crate) fn new(files: Vec<Unsynced>, earlier: Vec<PathBuf>) -> Self {
        Syncer { files, earlier }
    }

    pub fn run(self) -> Result<(), StoreError> {
        for unsynced in &self.files {
            unsynced.file.sync_data().map_err(StoreError::io(&unsynced.path, "sync"))?;
        }
        self.earlier.iter().try_for_each(|path| sync_earlier(path))?;
        let new = self.files.iter().filter(|unsynced| unsynced.new).map(|unsynced| &unsynced.path);
        let all = new.chain(&self.earlier);
        let mut folders: Vec<&Path> = all.filter_map(|path| path.parent()).collect();
        folders.sort_unstable();
        folders.dedup();
        folders.into_iter().filter(|folder| folder.exists()).try_for_each(sync_folder)
    }
}

/// A full file is the user's, who may have taken it away.
fn sync_earlier(path: &Path) -> Result<(), StoreError> {
    match File::open(path) {
        Ok(file) => file.sync_data().map_err(StoreError::io(path, "sync")),
        Err(why) if why.kind() == ErrorKind::NotFound => Ok(()),
        Err(why) => Err(StoreError::io(path, "open")(why)),
    }
}

/// Makes durable which files a folder has; an empty path is the folder of the process.
pub(crate) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let folder = File::open(path).map_err(StoreError::io(path, "open"))?;
    folder.sync_all().map_err(StoreError::io(path, "sync"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::mark::State;
    use crate::names::Kind;
    use crate::{Store, StoreConfig};

    /// Four WARC files as a killed process has left them, the last with a good end.
    fn killed(dir: &Path) -> (StoreConfig, State) {
        let config = StoreConfig::new(dir);
        fs::create_dir(Kind::Warc.folder(dir)).unwrap();
        for number in 1..=4 {
            fs::write(config.names().path(Kind::Warc, number), b"a member").unwrap();
        }
        (config, State { warc: 4, warc_len: 8, ..State::START })
    }

    fn paths(syncer: &Syncer) -> Vec<PathBuf> {
        let files = syncer.files.iter().map(|unsynced| unsynced.path.clone());
        let mut paths: Vec<PathBuf> = files.chain(syncer.earlier.clone()).collect();
        paths.sort();
        paths
    }

    #[test]
    fn the_first_sync_after_a_kill_goes_through_all_files_that_may_be_unsynced() {
        let dir = tempfile::tempdir().unwrap();
        let (config, state) = killed(dir.path());
        let path = |number| config.names().path(Kind::Warc, number);
        let mut store = Store::open(config.clone(), Some(state.encode().as_bytes())).unwrap();
        let first = store.syncer();
        assert_eq!(paths(&first), (1..=4).map(path).collect::<Vec<_>>());
        fs::remove_file(path(2)).unwrap();
        first.run().unwrap();
        assert_eq!(paths(&store.syncer()), [] as [PathBuf; 0]);
    }

    #[test]
    fn what_was_synced_at_the_end_of_a_run_is_not_synced_again() {
        let dir = tempfile::tempdir().unwrap();
        let (config, state) = killed(dir.path());
        let mut store = Store::open(config.clone(), Some(state.encode().as_bytes())).unwrap();
        store.all_was_synced();
        assert_eq!(paths(&store.syncer()), [config.names().path(Kind::Warc, 4)]);
    }
}
