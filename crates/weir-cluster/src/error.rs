use std::path::PathBuf;

use thiserror::Error;
use weir_crawl::{ConfigError, CrawlError};
use weir_spool::SpoolError;
use weir_store::{SinkError, StoreError};

use crate::security::KeysError;

#[derive(Debug, Error)]
pub enum ClusterError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(transparent)]
    Spool(#[from] SpoolError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Sink(#[from] SinkError),
    #[error("another downloader uses {}: wait for it to end, or choose another folder with --out", path.display())]
    InUse { path: PathBuf },
    #[error("the scheduler has refused this downloader: {0}")]
    Refused(String),
    #[error("the bank of the crawl has refused this task: {0}")]
    TaskRefused(String),
    #[error("the bank of the crawl at {url} cannot be reached: {why}")]
    NoBank { url: String, why: String },
    #[error("cannot listen on {address}: {why}; choose another --listen address")]
    Listen { address: String, why: std::io::Error },
    #[error("cannot {what} {path}: {why}")]
    Io { what: &'static str, path: PathBuf, why: std::io::Error },
}
