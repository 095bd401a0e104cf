use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use weir_store::StoreError;

/// Why the spool could not go on. After any of these but `NeverPut`, `NotSettled` and `TooLarge` it
/// takes nothing more, and opening it again heals what can be healed.
#[derive(Debug, Error)]
pub enum SpoolError {
    #[error(
        "another weir is using {}: wait for it to end, or choose another folder", path.display()
    )]
    InUse { path: PathBuf },
    #[error(
        "disk is full while writing {}: free some room and start again, nothing is lost",
        path.display()
    )]
    Full { path: PathBuf },
    #[error("cannot {what} {}: {why}", path.display())]
    Io { what: &'static str, path: PathBuf, why: io::Error },
    #[error(
        "{} is damaged at byte {at}: {why}; restore it from a copy, or start over in an empty folder",
        path.display()
    )]
    Damaged { path: PathBuf, at: u64, why: String },
    #[error(
        "{} is of another crawl, and no spool knows of it: it would be deleted; choose an empty folder",
        path.display()
    )]
    Foreign { path: PathBuf },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(
        "the scheduler settled page {upto}, but only {last} pages were ever put: is this the right folder?"
    )]
    NeverPut { upto: u64, last: u64 },
    #[error("the scheduler rejected page {rejected} in a message that settles only up to {upto}")]
    NotSettled { rejected: u64, upto: u64 },
    #[error("a page of {bytes} bytes is too large for the spool, which takes {most} at the most")]
    TooLarge { bytes: usize, most: usize },
    #[error("the spool failed before; open it again")]
    Poisoned,
}

impl SpoolError {
    /// For `map_err`: `what` is a verb that the path completes, such as `"write"`.
    pub(crate) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> SpoolError {
        move |why| match why.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => SpoolError::Full { path: path.to_owned() },
            _ => SpoolError::Io { what, path: path.to_owned(), why },
        }
    }

    pub(crate) fn damaged(path: &Path, at: u64, why: impl Into<String>) -> SpoolError {
        SpoolError::Damaged { path: path.to_owned(), at, why: why.into() }
    }
}
