//! The table of pages. A page is first a line of JSON in a rows file, which can be cut back to any
//! line; a full rows file is turned into Parquet, which cannot. Columns: `table`, and
//! what they mean: `docs/formats/pages.md`.

mod columns;
mod convert;
mod position;
mod reader;
mod row;
mod rows;
pub(crate) mod table;

#[cfg(test)]
pub(crate) use columns::Columns;
pub(crate) use convert::{as_io, table_writer, write_batch};
pub use position::Position;
pub(crate) use reader::PagesReader;
pub(crate) use row::{Place, Row};
pub(crate) use rows::RowsFiles;
pub(crate) use table::schema;
