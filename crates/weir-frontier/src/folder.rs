//! The folder of a frontier: who has it, whether there is one, and how it gives way to another.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use crate::FrontierError;
use crate::log;

const LOCK: &str = "lock";

/// Keeps all other processes out of the frontier in `folder` for as long as the file is open.
pub fn hold(folder: &Path) -> Result<File, FrontierError> {
    fs::create_dir_all(folder).map_err(|why| FrontierError::io("make", folder, why))?;
    lock(folder)
}

/// Removes the frontier in `folder`, which the caller holds. The lock stays, for others to see it.
pub fn clear(folder: &Path) -> Result<(), FrontierError> {
    for path in files(folder)? {
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        removed.map_err(|why| FrontierError::io("clear", &path, why))?;
    }
    Ok(())
}

/// Moves the frontier in `folder` to `to`, or as much of it as a kill has left there. The caller holds both but for the lock, which stays.
///
/// The log goes first and comes back last, so a folder that has one has all of its frontier.
pub fn put_aside(folder: &Path, to: &Path) -> Result<(), FrontierError> {
    let mut paths = files(folder)?;
    paths.sort_by_key(|path| !is_log(path));
    move_all(&paths, to)
}

/// The way back of [`put_aside`].
pub fn put_back(aside: &Path, folder: &Path) -> Result<(), FrontierError> {
    let mut paths = files(aside)?;
    paths.sort_by_key(|path| is_log(path));
    move_all(&paths, folder)
}

fn move_all(paths: &[PathBuf], to: &Path) -> Result<(), FrontierError> {
    fs::create_dir_all(to).map_err(|why| FrontierError::io("make", to, why))?;
    for path in paths {
        let target = path.file_name().map(|name| to.join(name)).unwrap_or_default();
        fs::rename(path, target).map_err(|why| FrontierError::io("move", path, why))?;
    }
    Ok(())
}

/// All but the lock.
fn files(folder: &Path) -> Result<Vec<PathBuf>, FrontierError> {
    let cannot = |why| FrontierError::io("read", folder, why);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.file_name().is_some_and(|name| name != LOCK) {
            paths.push(path);
        }
    }
    Ok(paths)
}

fn is_log(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == log::FILE)
}

/// Makes durable which files a folder has; an empty path is the folder of the process.
pub(crate) fn sync_name(folder: &Path) -> Result<(), FrontierError> {
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let synced = File::open(here).and_then(|opened| opened.sync_all());
    synced.map_err(|why| FrontierError::io("sync", here, why))
}

fn lock(folder: &Path) -> Result<File, FrontierError> {
    let path = folder.join(LOCK);
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(|why| FrontierError::io("open", &path, why))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(FrontierError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(why)) => Err(FrontierError::io("lock", &path, why)),
    }
}

/// Whether there is a frontier in `folder`.
pub fn is_there(folder: &Path) -> bool {
    folder.join(log::FILE).exists()
}

/// Whether some process has the frontier in `folder` open.
pub fn is_in_use(folder: &Path) -> Result<bool, FrontierError> {
    match lock(folder) {
        Ok(_) => Ok(false),
        Err(FrontierError::InUse { .. }) => Ok(true),
        Err(why) => Err(why),
    }
}
