use std::path::{Path, PathBuf};

use thiserror::Error;
use weir_crawl::{ConfigError, CrawlError};
use weir_frontier::FrontierError;

#[derive(Debug, Error)]
pub enum TaskError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    #[error(
        "the bucket is not this task's any more, and what it did is void: Spark runs another one if it is needed"
    )]
    Lost,
    #[error("cannot {what} {path}: {why}")]
    Io { what: &'static str, path: PathBuf, why: std::io::Error },
    #[error("cannot write the table {path}: {why}")]
    Table { path: PathBuf, why: parquet::errors::ParquetError },
    #[error("a batch of the history cannot be read or written: {0}")]
    Batch(arrow_schema::ArrowError),
    #[error("a batch of the history has no column {0} of the type expected")]
    Column(&'static str),
}

impl TaskError {
    pub(crate) fn io(
        what: &'static str,
        path: &Path,
    ) -> impl FnOnce(std::io::Error) -> TaskError + use<> {
        let path = path.to_owned();
        move |why| TaskError::Io { what, path, why }
    }

    pub(crate) fn table(
        path: &Path,
    ) -> impl FnOnce(parquet::errors::ParquetError) -> TaskError + use<> {
        let path = path.to_owned();
        move |why| TaskError::Table { path, why }
    }
}
