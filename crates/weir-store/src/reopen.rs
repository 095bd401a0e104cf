use std::fs;
use std::io;
use std::path::Path;

use crate::StoreError;
use crate::log::cut;
use crate::mark::State;
use crate::names::{Kind, Names, UNFINISHED, rows_number, store_dir};

/// Deletes every file that the mark does not know. The last files are cut to length where they are
/// opened. Only names that the store itself gives are touched. Rows that are Parquet by this mark stay: it may not be safe
/// from a loss of power yet, and the one before it would need them.
pub(crate) fn cut_back(names: &Names, state: &State) -> Result<(), StoreError> {
    let last = |kind| if kind == Kind::Warc { state.warc } else { state.converted };
    for kind in Kind::ALL {
        delete_where(&kind.folder(&names.dir), |name| match name.strip_suffix(UNFINISHED) {
            Some(whole) => kind == Kind::Pages && names.number(kind, whole).is_some(),
            None => names.number(kind, name).is_some_and(|number| number > last(kind)),
        })?;
    }
    delete_where(&store_dir(&names.dir), |name| {
        rows_number(name).is_some_and(|number| number > state.rows)
    })?;
    match state.sealed() {
        Some(number) => cut(&names.rows_path(number), state.sealed_len).map(drop),
        None => Ok(()),
    }
}

/// Says how many it were; a folder that is not there has none.
pub(crate) fn delete_where(dir: &Path, is_done: impl Fn(&str) -> bool) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for name in names_in(dir)?.iter().filter(|name| is_done(name)) {
        delete(&dir.join(name))?;
        deleted += 1;
    }
    Ok(deleted)
}

/// What is in a folder, if it is there. Names that are no text are not ours.
pub(crate) fn names_in(dir: &Path) -> Result<Vec<String>, StoreError> {
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(StoreError::io(dir, "read")(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(StoreError::io(dir, "read"))?;
        names.extend(entry.file_name().into_string());
    }
    Ok(names)
}

pub(crate) fn delete(path: &Path) -> Result<(), StoreError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(StoreError::io(path, "delete")(error))
        }
        _ => Ok(()),
    }
}
