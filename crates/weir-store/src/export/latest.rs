use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use weir_types::Fingerprint;

use crate::sinks::{Cell, cell};

/// Which rows are not the newest of their URL. Of two that are equally old the later one counts as
/// newer. While it looks it needs about 60 bytes for each URL, afterwards only some for each older
/// row.
#[derive(Default)]
pub(super) struct Latest {
    newest: HashMap<Fingerprint, (i64, u64)>,
    older: HashSet<u64>,
    rows: u64,
}

impl Latest {
    pub fn look(&mut self, rows: &RecordBatch) {
        let (Some(urls), Some(times)) =
            (rows.column_by_name("url"), rows.column_by_name("fetched_at"))
        else {
            return;
        };
        for row in 0..rows.num_rows() {
            let number = self.rows;
            self.rows += 1;
            let (Cell::Text(url), Cell::Time(time)) = (cell(urls, row), cell(times, row)) else {
                continue;
            };
            match self.newest.entry(Fingerprint::of(url)) {
                Entry::Vacant(free) => {
                    free.insert((time.0, number));
                }
                Entry::Occupied(mut held) if held.get().0 <= time.0 => {
                    let (_, before) = held.insert((time.0, number));
                    self.older.insert(before);
                }
                Entry::Occupied(_) => {
                    self.older.insert(number);
                }
            }
        }
    }

    /// All rows were looked at.
    pub fn settle(self) -> Latest {
        Latest { older: self.older, ..Latest::default() }
    }

    pub fn is_older(&self, row: u64) -> bool {
        self.older.contains(&row)
    }

    pub fn older(&self) -> u64 {
        self.older.len() as u64
    }
}
