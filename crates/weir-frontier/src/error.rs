use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

#[derive(Debug, Error)]
pub enum FrontierError {
    #[error(
        "another weir is using {path}: wait for it to end, or choose another folder with --out"
    )]
    InUse { path: PathBuf },
    #[error(
        "disk is full while writing {path}: free some room and run the same command again, nothing is lost"
    )]
    Full { path: PathBuf },
    #[error("cannot {what} {path}: {why}")]
    Io { what: &'static str, path: PathBuf, why: io::Error },
    #[error(
        "{path} is damaged at byte {at}: {why}; restore it from a copy, or start over with --fresh"
    )]
    Damaged { path: PathBuf, at: u64, why: String },
    #[error(
        "one step of this crawl would take {bytes} bytes of {path}, and {most} is the most: nothing of the step was written. Let \
         less begin at once: fewer seeds, or only some of the sites anew"
    )]
    TooMuch { path: PathBuf, bytes: usize, most: usize },
}

impl FrontierError {
    pub(crate) fn io(what: &'static str, path: &Path, why: io::Error) -> Self {
        let path = path.to_owned();
        match why.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => FrontierError::Full { path },
            _ => FrontierError::Io { what, path, why },
        }
    }
}
