use std::path::{Path, PathBuf};

use crate::StoreError;
use crate::label::{check_label, keep_label};
use crate::names::{Kind, Names, store_dir};
use crate::syncer::sync_folder;

/// What to keep and where. `StoreConfig::new(dir)` keeps both WARC and Parquet.
#[derive(Clone, Debug)]
pub struct StoreConfig {
    /// The output folder; `warc/`, `pages/` and `store/` are made inside it.
    pub dir: PathBuf,
    /// Stands in the names of WARC and Parquet files (`weir-LABEL-000001.warc.gz`), so that those of
    /// several stores can lie in one folder: 1 to 32 ASCII letters, digits and underscores. It stays what it was at first.
    pub label: Option<String>,
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
            label: None,
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

    pub(crate) fn names(&self) -> Names {
        Names { dir: self.dir.clone(), label: self.label.clone() }
    }

    pub(crate) fn check(&self) -> Result<(), StoreError> {
        match self.label.as_deref().map(|label| (label, check_label(label))) {
            Some((label, Err(remedy))) => Err(StoreError::Label {
                path: self.dir.clone(),
                why: format!("{label:?} is no label: {remedy}"),
            }),
            _ => Ok(()),
        }
    }

    /// They outlive a loss of power.
    pub(crate) fn make_folders(&self) -> Result<(), StoreError> {
        if self.keeps_nothing() {
            return Ok(());
        }
        make_folder(&store_dir(&self.dir))?;
        keep_label(self)?;
        if self.warc {
            make_folder(&Kind::Warc.folder(&self.dir))?;
        }
        if self.parquet {
            make_folder(&Kind::Pages.folder(&self.dir))?;
        }
        // What is synced in a folder is lost with it, if its own name was not.
        sync_folder(&self.dir)
    }
}

fn make_folder(path: &Path) -> Result<(), StoreError> {
    std::fs::create_dir_all(path).map_err(StoreError::io(path, "make the folder"))
}
