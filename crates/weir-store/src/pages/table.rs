use std::sync::LazyLock;

use arrow_array::builder::MapFieldNames;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};

use self::Value::{List, Map, Number, Small, Text, Time, Truth};
use super::Row;

/// A column of the table: what it is called everywhere, and what of a row stands in it.
pub(crate) struct Column {
    pub name: &'static str,
    pub value: Value,
    /// Every row has one.
    pub always: bool,
    /// Nearly all values are different: a dictionary of them would only cost.
    pub distinct: bool,
}

/// Where in a row the value is, by its kind.
#[derive(Clone, Copy)]
pub(crate) enum Value {
    Text(for<'a> fn(&'a Row<'_>) -> Option<&'a str>),
    Small(fn(&Row<'_>) -> Option<i32>),
    Number(fn(&Row<'_>) -> Option<i64>),
    Truth(fn(&Row<'_>) -> Option<bool>),
    /// Milliseconds since 1970.
    Time(fn(&Row<'_>) -> Option<i64>),
    List(for<'a> fn(&'a Row<'_>) -> &'a [String]),
    Map(for<'a> fn(&'a Row<'_>) -> &'a [(String, String)]),
}

/// All columns, in the order of the contract. This is the one place that says what they are: Parquet,
/// JSON, CSV, SQLite and PostgreSQL go by it, and `docs/formats/pages.md` says what they mean. A new
/// column is a field of [`Row`] and a line here, behind the others; tables of earlier versions get it
/// when they are next opened.
pub(crate) static TABLE: [Column; 34] = [
    column("url", Text(|row| Some(&row.url))).always().distinct(),
    column("final_url", Text(|row| unless_empty(&row.final_url))).distinct(),
    column("site", Text(|row| unless_empty(&row.site))),
    column("depth", Small(|row| Some(i32::try_from(row.depth).unwrap_or(i32::MAX)))).always(),
    column("parent", Text(|row| row.parent.as_deref())),
    column("status", Small(|row| Some(row.status.into()))).always(),
    column("fetched_at", Time(|row| Some(row.fetched_at))).always().distinct(),
    column("elapsed_ms", Number(|row| Some(signed(row.elapsed_ms)))).always(),
    column("content_type", Text(|row| row.content_type.as_deref())),
    column("charset", Text(|row| row.charset.as_deref())),
    column("bytes_wire", Number(|row| Some(signed(row.bytes_wire)))).always().distinct(),
    column("bytes_body", Number(|row| Some(signed(row.bytes_body)))).always().distinct(),
    column("digest", Text(|row| Some(&row.digest))).always().distinct(),
    column("etag", Text(|row| row.etag.as_deref())).distinct(),
    column("last_modified", Text(|row| row.last_modified.as_deref())),
    column("duplicate_of", Text(|row| row.duplicate_of.as_deref())),
    column("lang", Text(|row| row.lang.as_deref())),
    column("title", Text(|row| row.title.as_deref())).distinct(),
    column("published", Text(|row| row.published.as_deref())),
    column("author", Text(|row| row.author.as_deref())),
    column("copyright", Text(|row| row.copyright.as_deref())),
    column("text", Text(|row| row.text.as_deref())).distinct(),
    column("videos", List(|row| &row.videos)),
    column("fields", Map(|row| &row.fields)),
    column("warc_file", Text(|row| row.warc_file.as_deref())),
    column("warc_offset", Number(|row| row.warc_offset.map(signed))).distinct(),
    column("canonical", Text(|row| row.canonical.as_deref())).distinct(),
    column("noindex", Truth(|row| Some(row.noindex))).always(),
    // The same bits: no engine has all types, and every one has this.
    column("simhash", Number(|row| row.simhash.map(u64::cast_signed))).distinct(),
    column("near_duplicate_of", Text(|row| row.near_duplicate_of.as_deref())),
    column("modified", Text(|row| row.modified.as_deref())),
    column("product", Map(|row| &row.product)),
    column("sources", Map(|row| &row.sources)),
    column("topics", Map(|row| &row.topics)),
];

const fn column(name: &'static str, value: Value) -> Column {
    Column { name, value, always: false, distinct: false }
}

impl Column {
    const fn always(self) -> Column {
        Column { always: true, ..self }
    }

    const fn distinct(self) -> Column {
        Column { distinct: true, ..self }
    }

    fn field(&self) -> Field {
        Field::new(self.name, self.value.kind(), !self.always)
    }
}

impl Value {
    fn kind(self) -> DataType {
        match self {
            Text(_) => DataType::Utf8,
            Small(_) => DataType::Int32,
            Number(_) => DataType::Int64,
            Truth(_) => DataType::Boolean,
            Time(_) => DataType::Timestamp(TimeUnit::Millisecond, Some("UTC".into())),
            List(_) => DataType::new_list(DataType::Utf8, true),
            Map(_) => map(),
        }
    }
}

/// The names that the Parquet standard gives the parts of a map.
pub(super) fn map_names() -> MapFieldNames {
    MapFieldNames {
        entry: "key_value".to_owned(),
        key: "key".to_owned(),
        value: "value".to_owned(),
    }
}

fn map() -> DataType {
    let names = map_names();
    let parts = vec![
        Field::new(names.key, DataType::Utf8, false),
        Field::new(names.value, DataType::Utf8, true),
    ];
    let entry = Field::new(names.entry, DataType::Struct(parts.into()), false);
    DataType::Map(entry.into(), false)
}

pub(crate) fn schema() -> SchemaRef {
    static SCHEMA: LazyLock<SchemaRef> =
        LazyLock::new(|| Schema::new(TABLE.iter().map(Column::field).collect::<Vec<_>>()).into());
    SCHEMA.clone()
}

fn unless_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
