use std::io;

use thiserror::Error;

use crate::StoreError;

/// Why rows could not be handed over. `sink` never has a password in it.
#[derive(Debug, Error)]
pub enum SinkError {
    /// It may work later, without anyone doing anything here.
    #[error("{sink} is away: {why}")]
    Away { sink: String, why: String },
    /// It will not work before someone does something.
    #[error("{sink} refuses: {why}")]
    Refused { sink: String, why: String },
    /// Another process has moved the place meanwhile.
    #[error("{sink} is written by another weir for the same crawl; end one of the two")]
    Moved { sink: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SinkError {
    pub(crate) fn away(sink: &str, why: impl Into<String>) -> SinkError {
        SinkError::Away { sink: sink.to_owned(), why: why.into() }
    }

    pub(crate) fn refused(sink: &str, why: impl Into<String>) -> SinkError {
        SinkError::Refused { sink: sink.to_owned(), why: why.into() }
    }

    /// For `map_err`: `what` is a verb, such as `"write"`.
    pub(crate) fn io(sink: &str, what: &'static str) -> impl FnOnce(io::Error) -> SinkError {
        move |error| match error.kind() {
            io::ErrorKind::NotFound => {
                SinkError::refused(sink, format!("cannot {what} it: {error}; make its folder"))
            }
            io::ErrorKind::PermissionDenied
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::ReadOnlyFilesystem => {
                SinkError::refused(sink, format!("cannot {what} it: {error}; name another file"))
            }
            _ => SinkError::away(sink, format!("cannot {what} it: {error}")),
        }
    }

    pub fn is_lasting(&self) -> bool {
        matches!(self, SinkError::Refused { .. } | SinkError::Store(_))
    }
}
