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
    #[error("cannot {what} {path}: {source}")]
    Io { what: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "{path} is damaged at byte {at}: {why}; restore it from a copy, or start over with --fresh"
    )]
    Damaged { path: PathBuf, at: u64, why: String },
}

impl FrontierError {
    pub(crate) fn io(what: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => FrontierError::Full { path },
            _ => FrontierError::Io { what, path, source },
        }
    }
}
