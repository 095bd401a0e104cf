//! The names of all files, and what is done to whole folders.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use weir_store::any_output;

use crate::SpoolError;

/// Where the log of a downloader's folder is.
pub(crate) fn log_folder(dir: &Path) -> PathBuf {
    dir.join("spool")
}

pub(crate) fn segment_path(folder: &Path, number: u32) -> PathBuf {
    folder.join(format!("spool-{number:06}.log"))
}

/// The numbers of all segments, in order. Other files are nobody's business here.
pub(crate) fn segment_numbers(folder: &Path) -> Result<Vec<u32>, SpoolError> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder).map_err(SpoolError::io(folder, "read"))? {
        let name = entry.map_err(SpoolError::io(folder, "read"))?.file_name();
        numbers.extend(name.to_str().and_then(number));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn number(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("spool-")?.strip_suffix(".log")?;
    let number = digits.parse().ok()?;
    // Only the one name that we would give it, so that no two files have the same number.
    (format!("{number:06}") == digits).then_some(number)
}

/// Makes `folder` and those above it; returns the lock that keeps other processes out of it.
pub(crate) fn lock(folder: &Path) -> Result<File, SpoolError> {
    fs::create_dir_all(folder).map_err(SpoolError::io(folder, "make the folder"))?;
    let path = folder.join("lock");
    let file = File::options().write(true).create(true).truncate(false).open(&path);
    let file = file.map_err(SpoolError::io(&path, "open"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SpoolError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(why)) => Err(SpoolError::io(&path, "lock")(why)),
    }
}

/// A store that is opened without a mark deletes all files it could have written. Nothing of
/// ours can be there before the first journal record is durable, so these would be someone else's.
pub(crate) fn refuse_foreign_output(dir: &Path) -> Result<(), SpoolError> {
    any_output(dir)?.map_or(Ok(()), |path| Err(SpoolError::Foreign { path }))
}

/// Makes durable which files a folder has.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), SpoolError> {
    let opened = File::open(folder).map_err(SpoolError::io(folder, "open"))?;
    opened.sync_all().map_err(SpoolError::io(folder, "sync"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_have_numbers() {
        assert_eq!(number("spool-000012.log"), Some(12));
        assert_eq!(number("spool-1000000.log"), Some(1_000_000));
        for name in ["spool-12.log", "spool-0000012.log", "spool-+00012.log", "spool-000001.tmp"] {
            assert_eq!(number(name), None, "{name}");
        }
    }
}
