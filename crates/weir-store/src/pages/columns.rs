use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int32Builder, Int64Builder, ListBuilder, MapBuilder, StringBuilder,
    TimestampMillisecondBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;

use super::Row;
use super::table::{TABLE, Value, map_names, schema};

/// Rows turned on their side, some at a time.
pub(crate) struct Columns(Vec<Builder>);

enum Builder {
    Text(StringBuilder),
    Small(Int32Builder),
    Number(Int64Builder),
    Truth(BooleanBuilder),
    Time(TimestampMillisecondBuilder),
    List(ListBuilder<StringBuilder>),
    Map(MapBuilder<StringBuilder, StringBuilder>),
}

impl Columns {
    pub fn new() -> Self {
        Columns(TABLE.iter().map(|column| Builder::of(column.value)).collect())
    }

    pub fn push(&mut self, row: &Row<'_>) -> Result<(), ArrowError> {
        let mut columns = self.0.iter_mut().zip(&TABLE);
        columns.try_for_each(|(builder, column)| builder.push(column.value, row))
    }

    /// What was pushed since the last time.
    pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_new(schema(), self.0.iter_mut().map(Builder::take).collect())
    }
}

impl Builder {
    fn of(value: Value) -> Builder {
        let text = StringBuilder::new;
        match value {
            Value::Text(_) => Builder::Text(text()),
            Value::Small(_) => Builder::Small(Int32Builder::new()),
            Value::Number(_) => Builder::Number(Int64Builder::new()),
            Value::Truth(_) => Builder::Truth(BooleanBuilder::new()),
            Value::Time(_) => {
                Builder::Time(TimestampMillisecondBuilder::new().with_timezone("UTC"))
            }
            Value::List(_) => Builder::List(ListBuilder::new(text())),
            Value::Map(_) => Builder::Map(MapBuilder::new(Some(map_names()), text(), text())),
        }
    }

    fn push(&mut self, value: Value, row: &Row<'_>) -> Result<(), ArrowError> {
        match (self, value) {
            (Builder::Text(column), Value::Text(of)) => column.append_option(of(row)),
            (Builder::Small(column), Value::Small(of)) => column.append_option(of(row)),
            (Builder::Number(column), Value::Number(of)) => column.append_option(of(row)),
            (Builder::Truth(column), Value::Truth(of)) => column.append_option(of(row)),
            (Builder::Time(column), Value::Time(of)) => column.append_option(of(row)),
            (Builder::List(column), Value::List(of)) => {
                of(row).iter().for_each(|text| column.values().append_value(text));
                column.append(!of(row).is_empty());
            }
            (Builder::Map(column), Value::Map(of)) => {
                for (key, value) in of(row) {
                    column.keys().append_value(key);
                    column.values().append_value(value);
                }
                column.append(!of(row).is_empty())?;
            }
            _ => unreachable!("each builder was made for its column"),
        }
        Ok(())
    }

    fn take(&mut self) -> ArrayRef {
        match self {
            Builder::Text(column) => Arc::new(column.finish()),
            Builder::Small(column) => Arc::new(column.finish()),
            Builder::Number(column) => Arc::new(column.finish()),
            Builder::Truth(column) => Arc::new(column.finish()),
            Builder::Time(column) => Arc::new(column.finish()),
            Builder::List(column) => Arc::new(column.finish()),
            Builder::Map(column) => Arc::new(column.finish()),
        }
    }
}
