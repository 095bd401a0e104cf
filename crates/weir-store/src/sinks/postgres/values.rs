//! Rows as what PostgreSQL takes: an array for each column.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use tokio_postgres::types::ToSql;
use weir_types::Fingerprint;

use crate::sinks::text::json;
use crate::sinks::{Cell, cell, rank};

/// One row of each URL: a statement must not touch a row twice.
pub(super) fn newest(rows: &RecordBatch) -> Vec<usize> {
    let mut last: HashMap<&str, usize> = HashMap::with_capacity(rows.num_rows());
    for row in 0..rows.num_rows() {
        let held = last.entry(url(rows, row)).or_insert(row);
        if rank(rows, row) >= rank(rows, *held) {
            *held = row;
        }
    }
    let mut chosen: Vec<usize> = last.into_values().collect();
    chosen.sort_unstable();
    chosen
}

fn url(rows: &RecordBatch, row: usize) -> &str {
    match cell(&rows.columns()[0], row) {
        Cell::Text(url) => url,
        other => unreachable!("the first column is the URL, not {other:?}"),
    }
}

fn key(rows: &RecordBatch, row: usize) -> String {
    format!("{:032x}", Fingerprint::of(url(rows, row)).0)
}

/// What the statement is given: the chosen rows as an array for each column, and their keys.
pub(super) fn arrays<'a>(
    rows: &'a RecordBatch,
    chosen: &'a [usize],
) -> Vec<Box<dyn ToSql + Sync + 'a>> {
    let keys: Vec<String> = chosen.iter().map(|row| key(rows, *row)).collect();
    let mut arrays: Vec<Box<dyn ToSql + Sync + '_>> =
        rows.columns().iter().map(|column| array(column, chosen)).collect();
    arrays.push(Box::new(keys));
    arrays
}

/// A column as an array of PostgreSQL.
fn array<'a>(column: &'a ArrayRef, chosen: &'a [usize]) -> Box<dyn ToSql + Sync + 'a> {
    let cells = chosen.iter().map(|row| cell(column, *row));
    match column.data_type() {
        DataType::Int32 => {
            let small = |number: i64| i32::try_from(number).ok();
            Box::new(cells.map(|cell| number(&cell).and_then(small)).collect::<Vec<_>>())
        }
        DataType::Int64 => Box::new(cells.map(|cell| number(&cell)).collect::<Vec<_>>()),
        DataType::Boolean => Box::new(cells.map(|cell| truth(&cell)).collect::<Vec<_>>()),
        DataType::Timestamp(..) => Box::new(cells.map(|cell| moment(&cell)).collect::<Vec<_>>()),
        _ => Box::new(cells.map(text).collect::<Vec<_>>()),
    }
}

fn number(cell: &Cell<'_>) -> Option<i64> {
    if let Cell::Number(number) = cell { Some(*number) } else { None }
}

fn truth(cell: &Cell<'_>) -> Option<bool> {
    if let Cell::Truth(truth) = cell { Some(*truth) } else { None }
}

fn moment(cell: &Cell<'_>) -> Option<SystemTime> {
    let Cell::Time(time) = cell else { return None };
    Some(UNIX_EPOCH + Duration::from_millis(u64::try_from(time.0).unwrap_or(0)))
}

fn text(cell: Cell<'_>) -> Option<Cow<'_, str>> {
    match cell {
        Cell::Null => None,
        Cell::Text(text) => Some(without_nul(text)),
        Cell::List(texts) => {
            let texts: Vec<_> = texts.into_iter().map(without_nul).collect();
            Some(json(&Cell::List(texts.iter().map(|text| &**text).collect())).into())
        }
        Cell::Map(pairs) => {
            let clean = |(key, value)| (without_nul(key), without_nul(value));
            let pairs: Vec<_> = pairs.into_iter().map(clean).collect();
            Some(json(&Cell::Map(pairs.iter().map(|(k, v)| (&**k, &**v)).collect())).into())
        }
        other => Some(json(&other).into()),
    }
}

/// The one character that PostgreSQL takes in no text. A page that has it must not be what stops
/// all the others.
fn without_nul(text: &str) -> Cow<'_, str> {
    match text.contains('\0') {
        true => Cow::Owned(text.replace('\0', "\u{fffd}")),
        false => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_that_postgres_refuses_is_replaced() {
        assert_eq!(text(Cell::Text("a\0b")).unwrap(), "a\u{fffd}b");
        assert_eq!(text(Cell::List(vec!["\0"])).unwrap(), "[\"\u{fffd}\"]");
        assert_eq!(
            text(Cell::Map(vec![("\0", "\\u0000")])).unwrap(),
            "{\"\u{fffd}\":\"\\\\u0000\"}"
        );
    }
}
