use crate::mark::State;

/// A place in the table of pages: so many rows of this file are behind it, and all files before.
///
/// Rows file N and Parquet file N have the same rows in the same order, so a place means the same
/// in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub file: u32,
    pub row: u32,
}

impl Position {
    pub const START: Position = Position { file: 1, row: 0 };

    /// Behind the last row that a mark covers.
    pub(crate) fn end_of(state: &State) -> Position {
        Position { file: state.rows, row: state.rows_count }
    }
}
