use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why the store could not go on. After any of these it takes nothing more; opening it again with
/// the last journalled mark heals it.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error(
        "disk is full while writing {}; free some room and run the same command again, nothing is lost",
        path.display()
    )]
    Full { path: PathBuf },
    #[error("could not {what} {}: {why}", path.display())]
    Io { path: PathBuf, what: &'static str, why: io::Error },
    #[error(
        "{} is damaged: {why}; put the file back as it was, or start over with --fresh",
        path.display()
    )]
    Corrupt { path: PathBuf, why: String },
    #[error("cannot label what is stored in {}: {why}", path.display())]
    Label { path: PathBuf, why: String },
    #[error("the store failed before; open it again with the last mark")]
    Poisoned,
}

impl StoreError {
    /// For `map_err`: `what` is a verb that the path completes, such as `"write"`.
    pub(crate) fn io(path: &Path, what: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        move |why| match why.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                StoreError::Full { path: path.to_owned() }
            }
            _ => StoreError::Io { path: path.to_owned(), what, why },
        }
    }

    pub(crate) fn corrupt(path: &Path, why: impl Into<String>) -> StoreError {
        StoreError::Corrupt { path: path.to_owned(), why: why.into() }
    }
}
