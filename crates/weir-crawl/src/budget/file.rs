//! `budget.json` (docs/formats/budget.md): replaced as a whole and synced, so that it is always
//! either the old one or the new one.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::replace::{replace_for_good, terminated};

/// The name of the ledger in the output folder.
pub const FILE: &str = "budget.json";

const VERSION: u32 = 1;

/// A ledger that cannot be trusted ends the crawl: going on with a guess might break the budget.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error("cannot {what} {path}, which says how much of the budget is used: {why}")]
    Io { what: &'static str, path: PathBuf, why: std::io::Error },
    #[error(
        "{path} is damaged ({why}), so what is used of the budget is not known: put back a copy, or \
         write the figures by hand, or delete it to count from zero"
    )]
    Damaged { path: PathBuf, why: String },
    #[error(
        "{path} has version {found} and this weir reads version {VERSION}: use the weir that wrote it, or \
         delete it to count from zero"
    )]
    Version { path: PathBuf, found: u64 },
    #[error(
        "{path} counts the bytes of {of}, and today is {today}: set the clock of this machine right, or \
         delete it to count from zero"
    )]
    Future { path: PathBuf, of: Date, today: Date },
}

/// What is on disk. All that was received counts in `used`, or will not pass `reserved`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    version: u32,
    /// The last day on which bytes were counted; its month is the month of `used_month`.
    pub day: Date,
    pub used_day: u64,
    pub used_month: u64,
    /// What may have been received since this was written; zero after a clean end.
    pub reserved: u64,
}

impl Entry {
    pub fn new(day: Date, used_day: u64, used_month: u64, reserved: u64) -> Entry {
        Entry { version: VERSION, day, used_day, used_month, reserved }
    }

    /// `None` if there is no file yet.
    pub fn read(path: &Path) -> Result<Option<Entry>, LedgerError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(why) if why.kind() == ErrorKind::NotFound => return Ok(None),
            Err(why) => return Err(LedgerError::Io { what: "read", path: path.to_owned(), why }),
        };
        let damaged = |why: serde_json::Error| LedgerError::Damaged {
            path: path.to_owned(),
            why: why.to_string(),
        };
        let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(damaged)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(VERSION) => {
                Err(LedgerError::Version { path: path.to_owned(), found })
            }
            _ => serde_json::from_value(value).map(Some).map_err(damaged),
        }
    }

    /// On disk when this returns, whatever happens to the machine.
    pub fn write(&self, path: &Path) -> Result<(), LedgerError> {
        let text = serde_json::to_vec(self).map_err(std::io::Error::from);
        text.and_then(|text| replace_for_good(path, &terminated(text)))
            .map_err(|why| LedgerError::Io { what: "write", path: path.to_owned(), why })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        assert_eq!(Entry::read(&path).unwrap(), None);
        let entry = Entry::new("2026-11-16".parse().unwrap(), 1, u64::MAX, 3);
        entry.write(&path).unwrap();
        assert_eq!(Entry::read(&path).unwrap(), Some(entry));
    }

    #[test]
    fn a_file_that_makes_no_sense_is_refused_with_its_path_and_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        for (text, words) in [
            ("", "damaged"),
            ("{}", "damaged"),
            ("[1]", "damaged"),
            (r#"{"version":1,"day":"2026-11-16","used_day":5}"#, "damaged"),
            (
                r#"{"version":1,"day":"2026-13-16","used_day":1,"used_month":1,"reserved":0}"#,
                "damaged",
            ),
            (
                r#"{"version":1,"day":"2026-11-16","used_day":-1,"used_month":1,"reserved":0}"#,
                "damaged",
            ),
            (r#"{"version":2}"#, "version 2"),
        ] {
            fs::write(&path, text).unwrap();
            let why = Entry::read(&path).unwrap_err().to_string();
            assert!(
                why.contains(words) && why.contains(FILE) && why.contains("delete it"),
                "{why}"
            );
        }
    }
}
