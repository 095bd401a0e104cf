//! The table of pages. A page is first a line of JSON in a rows file, which can be cut back to any
//! line; a full rows file is turned into Parquet, which cannot. Columns: `docs/formats/pages.md`.

mod columns;
mod convert;
mod row;
mod rows;

pub(crate) use row::{Place, Row};
pub(crate) use rows::RowsFiles;
