use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// What weir says of itself, as far as it is compared with the wire.
#[derive(Clone, Debug, Deserialize)]
pub struct Report {
    pub elapsed_s: f64,
    pub pages: u64,
    pub peak_1s: Option<f64>,
    pub mean_rate: f64,
    /// The mean as a part of the limit.
    pub utilisation: Option<f64>,
}

impl Report {
    pub fn read(path: &Path) -> Result<Report> {
        let read = || -> Result<Report> { Ok(serde_json::from_slice(&fs::read(path)?)?) };
        read().with_context(|| format!("cannot read {}", path.display()))
    }
}
