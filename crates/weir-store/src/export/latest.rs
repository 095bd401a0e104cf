use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use arrow_array::RecordBatch;
use weir_types::Fingerprint;

use crate::sinks::{Cell, cell, rank};

/// Which rows are not the ones to keep of their URL, by `rank`. While it looks it needs about 70 bytes
/// for each URL, afterwards only some for each older row.
#[derive(Default)]
pub(super) struct Latest {
    newest: HashMap<Fingerprint, ((bool, i64), u64)>,
    older: HashSet<u64>,
    rows: u64,
}

impl Latest {
    pub fn look(&mut self, rows: &RecordBatch) {
        let Some(urls) = rows.column_by_name("url") else { return };
        for row in 0..rows.num_rows() {
            let number = self.rows;
            self.rows += 1;
            let Cell::Text(url) = cell(urls, row) else { continue };
            let rank = rank(rows, row);
            match self.newest.entry(Fingerprint::of(url)) {
                Entry::Vacant(free) => {
                    free.insert((rank, number));
                }
                Entry::Occupied(mut held) if held.get().0 <= rank => {
                    let (_, before) = held.insert((rank, number));
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
