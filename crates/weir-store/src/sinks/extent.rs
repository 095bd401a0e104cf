use crate::Position;
use crate::mark::State;

/// What of a crawl is committed, and no crash takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Behind the last row.
    pub(crate) rows: Position,
    /// WARC and Parquet files up to these numbers are whole.
    pub(crate) warc: u32,
    pub(crate) parquet: u32,
}

impl Extent {
    /// As long as a crawl runs, its last WARC file grows.
    pub(crate) fn of(state: &State, closed: bool) -> Extent {
        Extent {
            rows: Position::end_of(state),
            warc: if closed { state.warc } else { state.warc.saturating_sub(1) },
            parquet: state.converted,
        }
    }

    /// There is nothing that a sink could lack.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows == Position::START && self.warc == 0
    }
}
