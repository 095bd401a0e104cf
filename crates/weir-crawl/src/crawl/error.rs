use std::path::PathBuf;

use thiserror::Error;
use weir_fetch::SetupError;
use weir_frontier::FrontierError;
use weir_store::{SinkError, StoreError};

use crate::budget::LedgerError;
use crate::settings::ConfigError;

#[derive(Debug, Error)]
pub enum CrawlError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Budget(#[from] LedgerError),
    #[error(transparent)]
    Sink(#[from] SinkError),
    #[error("cannot {what} {path}: {why}")]
    Io { what: &'static str, path: PathBuf, why: std::io::Error },
    #[error(
        "disk is full while writing {path}: free some room and run the same command again, nothing is lost"
    )]
    Full { path: PathBuf },
    #[error(
        "{path} is of a crawl, and {frontier}, which knew what was crawled, is gone: it cannot go on. Choose another folder \
         with --out, or throw the pages away with --fresh"
    )]
    Foreign { path: PathBuf, frontier: PathBuf },
    #[error("{0}")]
    Hands(String),
    #[error("a download thread ended by itself; run the same command again, nothing is lost")]
    ThreadLost,
}
