use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use serde::{Serialize, Serializer};
use weir_types::NOT_MODIFIED;

use crate::warc::Date;

/// One value of the table, whatever its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell<'a> {
    Null,
    Text(&'a str),
    Number(i64),
    Truth(bool),
    Time(Date),
    List(Vec<&'a str>),
    Map(Vec<(&'a str, &'a str)>),
}

/// The value in a row of a column; the column is one of the table's.
pub(crate) fn cell(column: &ArrayRef, row: usize) -> Cell<'_> {
    if column.is_null(row) {
        return Cell::Null;
    }
    match column.data_type() {
        DataType::Utf8 => Cell::Text(column.as_string::<i32>().value(row)),
        DataType::Int32 => Cell::Number(column.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => Cell::Number(column.as_primitive::<Int64Type>().value(row)),
        DataType::Boolean => Cell::Truth(column.as_boolean().value(row)),
        DataType::Timestamp(..) => {
            Cell::Time(Date(column.as_primitive::<TimestampMillisecondType>().value(row)))
        }
        DataType::List(_) => {
            let list = column.as_list::<i32>();
            let texts = list.values().as_string::<i32>();
            Cell::List(span(list.value_offsets(), row).map(|at| texts.value(at)).collect())
        }
        DataType::Map(..) => {
            let map = column.as_map();
            let (keys, values) = (map.keys().as_string::<i32>(), map.values().as_string::<i32>());
            let pair = |at| (keys.value(at), values.value(at));
            Cell::Map(span(map.value_offsets(), row).map(pair).collect())
        }
        other => unreachable!("no column of the table is of type {other}"),
    }
}

fn span(offsets: &[i32], row: usize) -> std::ops::Range<usize> {
    offsets[row] as usize..offsets[row + 1] as usize
}

/// Of two rows of a URL the one with the higher rank is kept, and of two that are equal the later one. An
/// answer that nothing has changed says nothing of the page: it has a lower rank than what does.
pub(crate) fn rank(rows: &RecordBatch, row: usize) -> (bool, i64) {
    let value = |name| rows.column_by_name(name).map_or(Cell::Null, |column| cell(column, row));
    let time = if let Cell::Time(time) = value("fetched_at") { time.0 } else { i64::MIN };
    (value("status") != Cell::Number(NOT_MODIFIED.into()), time)
}

/// As JSON: times are texts, in RFC 3339.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Null => to.serialize_none(),
            Cell::Text(text) => to.serialize_str(text),
            Cell::Number(number) => to.serialize_i64(*number),
            Cell::Truth(truth) => to.serialize_bool(*truth),
            Cell::Time(time) => to.collect_str(time),
            Cell::List(texts) => to.collect_seq(texts),
            Cell::Map(pairs) => to.collect_map(pairs.iter().copied()),
        }
    }
}
