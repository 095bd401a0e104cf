use std::path::{Path, PathBuf};

use crate::StoreError;

/// What to keep and where. `StoreConfig::new(dir)` keeps both WARC and Parquet.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The output folder; `warc/`, `pages/` and `store/` are made inside it.
    pub dir: PathBuf,
    pub warc: bool,
    pub parquet: bool,
    /// A WARC file that would pass this is followed by a new one.
    pub warc_bytes: u64,
    /// Rows of one Parquet file.
    pub rows_per_file: usize,
    /// Bytes gathered in memory for one file before they are written without waiting for a flush.
    pub write_buffer: usize,
    /// Written into each `warcinfo` record: who made the file and how.
    pub software: String,
    pub user_agent: String,
    /// The robots policy, `obey` or `ignore`.
    pub robots: String,
}

impl StoreConfig {
    pub const WARC_BYTES: u64 = 1_000_000_000;
    pub const ROWS_PER_FILE: usize = 100_000;
    pub const WRITE_BUFFER: usize = 1 << 20;

    pub fn new(dir: impl Into<PathBuf>) -> Self {
        StoreConfig {
            dir: dir.into(),
            warc: true,
            parquet: true,
            warc_bytes: Self::WARC_BYTES,
            rows_per_file: Self::ROWS_PER_FILE,
            write_buffer: Self::WRITE_BUFFER,
            software: concat!("weir/", env!("CARGO_PKG_VERSION")).to_owned(),
            user_agent: String::new(),
            robots: "obey".to_owned(),
        }
    }

    pub(crate) fn keeps_nothing(&self) -> bool {
        !self.warc && !self.parquet
    }

    pub(crate) fn make_folders(&self) -> Result<(), StoreError> {
        if self.keeps_nothing() {
            return Ok(());
        }
        make_folder(&store_dir(&self.dir))?;
        if self.warc {
            make_folder(&warc_dir(&self.dir))?;
        }
        if self.parquet {
            make_folder(&pages_dir(&self.dir))?;
        }
        Ok(())
    }
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(path).map_err(StoreError::io(path, "make the folder"))
}

// The names of all files, in one place: `reopen` deletes by them what no mark covers.

pub(crate) fn warc_dir(dir: &Path) -> PathBuf {
    dir.join("warc")
}

pub(crate) fn pages_dir(dir: &Path) -> PathBuf {
    dir.join("pages")
}

pub(crate) fn store_dir(dir: &Path) -> PathBuf {
    dir.join("store")
}

pub(crate) fn warc_name(number: u32) -> String {
    format!("weir-{number:06}.warc.gz")
}

pub(crate) fn pages_name(number: u32) -> String {
    format!("pages-{number:06}.parquet")
}

pub(crate) fn rows_path(dir: &Path, number: u32) -> PathBuf {
    store_dir(dir).join(format!("rows-{number:06}.jsonl"))
}

pub(crate) fn firsts_path(dir: &Path) -> PathBuf {
    store_dir(dir).join("firsts.log")
}
