use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The name of the report in the output folder.
pub const FILE: &str = "report.json";

/// `report.json`: what a crawl did. The fields are the contract with users' scripts; what this
/// version does not measure is null.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    pub outcome: Finish,
    pub started: String,
    pub finished: Option<String>,
    pub elapsed_s: f64,
    pub pages: u64,
    pub fetches: u64,
    pub failed: u64,
    pub urls_known: u64,
    pub urls_waiting: u64,
    pub skipped: Skipped,
    pub bytes_wire: u64,
    pub bytes_body: u64,
    pub limit: Option<u64>,
    pub peak_1s: Option<f64>,
    pub mean_rate: f64,
    pub utilisation: Option<f64>,
    pub deadlines: Deadlines,
    pub sites: Vec<SiteReport>,
    /// The last things that went wrong.
    pub troubles: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    Complete,
    Interrupted,
    Limit,
    Running,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Skipped {
    pub robots: u64,
    pub scope: u64,
    pub trap: u64,
    pub private: u64,
    pub depth: u64,
    pub other: u64,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Deadlines {
    pub met: u64,
    pub missed: u64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct SiteReport {
    pub site: String,
    pub pages: u64,
    pub failed: u64,
    pub bytes_wire: u64,
    pub predicted_bytes: Option<u64>,
    pub deadline: Option<String>,
    pub predicted_finish: Option<String>,
    pub finished: Option<String>,
    pub met: Option<bool>,
    pub late_by_s: Option<f64>,
}

impl Report {
    /// Written beside and renamed, so that a reader never sees half of one.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        let beside = path.with_extension("json.new");
        std::fs::write(&beside, text)?;
        std::fs::rename(&beside, path)
    }

    pub fn read(path: &Path) -> io::Result<Report> {
        Ok(serde_json::from_slice(&std::fs::read(path)?)?)
    }
}
