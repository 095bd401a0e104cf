//! Where rows go besides the folder of the crawl: SQLite, PostgreSQL, files of lines.
//!
//! A [`Sink`] takes rows and the place up to which it then has them, both or neither. So it alone
//! knows how far it is, and whatever is killed, it is asked and goes on from there. [`Followers`]
//! keep sinks close behind a running crawl; `export` hands over what is already there. How a sink
//! remembers its place is in `docs/formats/sinks.md`.

mod cell;
mod error;
mod extent;
mod feeder;
mod follower;
mod followers;
mod lines;
#[cfg(feature = "objects")]
mod objects;
#[cfg(not(feature = "objects"))]
#[path = "objects_absent.rs"]
mod objects;
mod postgres;
mod sql;
mod sqlite;
mod target;
mod text;
mod tls;

use arrow_array::RecordBatch;

use crate::Position;

pub(crate) use cell::{Cell, cell, rank};
pub use error::SinkError;
pub use extent::Extent;
pub use feeder::Feeder;
pub use followers::{Followers, SinkState};
pub use target::{SinkTarget, TargetError, check_table, without_password};
pub(crate) use text::{csv_head, csv_record, json_line};

/// A place where rows go. Calls block; after an error it is of no more use and is opened again.
pub(crate) trait Sink {
    /// How far it is with this crawl.
    fn begin(&mut self, crawl: &str) -> Result<Progress, SinkError>;

    /// Takes rows, and notes the step if there is one: all of it or nothing.
    fn put(&mut self, rows: &RecordBatch, step: Option<&Step<'_>>) -> Result<(), SinkError>;
}

/// What a sink has of a crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub at: Position,
    /// Rows of the crawl that it took.
    pub rows: u64,
}

impl Progress {
    pub const NONE: Progress = Progress { at: Position::START, rows: 0 };
}

/// From one place in a crawl's table to a later one.
pub(crate) struct Step<'a> {
    pub crawl: &'a str,
    pub from: Progress,
    pub to: Progress,
}

#[cfg(test)]
mod tests;
