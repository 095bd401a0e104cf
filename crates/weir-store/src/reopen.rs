use std::fs;
use std::io;
use std::path::Path;

use crate::StoreError;
use crate::config::rows_path;
use crate::config::{pages_dir, store_dir, warc_dir};
use crate::log::cut;
use crate::mark::State;

/// Deletes every file that the mark does not know, and those that it no longer needs. The last
/// files are cut to length where they are opened.
pub(crate) fn cut_back(dir: &Path, state: &State) -> Result<(), StoreError> {
    delete_where(&warc_dir(dir), "weir-", ".warc.gz", |number| number > state.warc)?;
    delete_where(&pages_dir(dir), "pages-", ".parquet", |number| number > state.converted)?;
    delete_where(&pages_dir(dir), "pages-", ".parquet.tmp", |_| true)?;
    delete_where(&store_dir(dir), "rows-", ".jsonl", |number| {
        number > state.rows || number <= state.converted
    })?;
    match state.sealed() {
        Some(number) => cut(&rows_path(dir, number), state.sealed_len).map(drop),
        None => Ok(()),
    }
}

/// Only names that the store itself gives are touched.
fn delete_where(
    dir: &Path,
    prefix: &str,
    suffix: &str,
    unknown: impl Fn(u32) -> bool,
) -> Result<(), StoreError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(StoreError::io(dir, "read")(error)),
    };
    for entry in entries {
        let entry = entry.map_err(StoreError::io(dir, "read"))?;
        let name = entry.file_name();
        if name.to_str().and_then(|name| number(name, prefix, suffix)).is_some_and(&unknown) {
            delete(&entry.path())?;
        }
    }
    Ok(())
}

pub(crate) fn number(name: &str, prefix: &str, suffix: &str) -> Option<u32> {
    let digits = name.strip_prefix(prefix)?.strip_suffix(suffix)?;
    (digits.len() >= 6).then(|| digits.parse().ok())?
}

pub(crate) fn delete(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io(path, "delete")(error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_have_numbers() {
        assert_eq!(number("weir-000012.warc.gz", "weir-", ".warc.gz"), Some(12));
        assert_eq!(number("weir-1000000.warc.gz", "weir-", ".warc.gz"), Some(1_000_000));
        for name in ["weir-12.warc.gz", "weir-abcdef.warc.gz", "mine.warc.gz", "weir-000001.cdx"] {
            assert_eq!(number(name, "weir-", ".warc.gz"), None, "{name}");
        }
    }
}
