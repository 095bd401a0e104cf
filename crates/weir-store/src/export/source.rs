use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use arrow_array::RecordBatch;

use super::ExportError;
use crate::mark::State;
use crate::names::{Kind, Names, store_dir};
use crate::pages::PagesReader;
use crate::reopen::names_in;
use crate::{Position, StoreError};

/// A folder that has rows, and how far they are committed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    pub dir: PathBuf,
    /// The last mark in the journal of whoever wrote the folder; without one, the Parquet files
    /// that are there are read.
    pub mark: Option<Vec<u8>>,
}

/// The rows of one store.
pub(super) struct Table {
    names: Names,
    until: Position,
    /// How many they are, if that is known.
    pub rows: Option<u64>,
}

pub(super) fn tables(sources: &[Source]) -> Result<Vec<Table>, ExportError> {
    let mut all = Vec::new();
    for source in sources {
        all.extend(source.tables()?);
    }
    Ok(all)
}

/// All rows of all tables, one table after the other.
pub(super) fn each_batch(
    tables: &[Table],
    mut take: impl FnMut(RecordBatch) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    for table in tables {
        let mut reader = PagesReader::new(table.names.clone(), Position::START);
        while let Some(rows) = reader.next(table.until)? {
            take(rows)?;
        }
    }
    Ok(())
}

impl Source {
    fn tables(&self) -> Result<Vec<Table>, ExportError> {
        let tables = match &self.mark {
            Some(mark) => vec![Table::committed(&self.dir, mark)?],
            None if store_dir(&self.dir).is_dir() => {
                vec![Table::there(Names::kept_in(&self.dir)?)?]
            }
            None => tables_in(&self.dir)?,
        };
        let is_empty = tables.iter().all(|table| table.until == Position::START);
        match is_empty && !Kind::Pages.folder(&self.dir).is_dir() {
            true => Err(ExportError::Nothing(self.dir.clone())),
            false => Ok(tables),
        }
    }
}

impl Table {
    fn committed(dir: &Path, mark: &[u8]) -> Result<Table, StoreError> {
        let state = State::decode(mark, dir)?;
        let names = Names::kept_in(dir)?;
        Ok(Table { names, until: Position::end_of(&state), rows: Some(state.pages) })
    }

    /// Up to the last Parquet file that is there.
    fn there(names: Names) -> Result<Table, StoreError> {
        let all = names_in(&Kind::Pages.folder(&names.dir))?;
        let last = all.iter().filter_map(|name| names.number(Kind::Pages, name)).max();
        let until = Position { file: last.unwrap_or(0).saturating_add(1), row: 0 };
        Ok(Table { names, until, rows: None })
    }
}

/// Of a folder that has nothing but Parquet files: they may have been brought together from several
/// stores.
fn tables_in(dir: &Path) -> Result<Vec<Table>, StoreError> {
    let all = names_in(&Kind::Pages.folder(dir))?;
    let labels = all.iter().filter_map(|name| Some(Kind::Pages.parse(name)?.0.map(str::to_owned)));
    let labels: BTreeSet<Option<String>> = labels.collect();
    labels.into_iter().map(|label| Table::there(Names { dir: dir.to_owned(), label })).collect()
}
