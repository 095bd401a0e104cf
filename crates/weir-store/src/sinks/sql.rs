//! The table of pages in SQL, made of the columns that it has everywhere else.

use arrow_schema::DataType;

use crate::pages::schema;

/// What a database calls the kinds of columns.
pub(crate) struct Dialect {
    pub text: &'static str,
    pub small: &'static str,
    pub number: &'static str,
    pub truth: &'static str,
    pub time: &'static str,
    /// Lists and maps.
    pub json: &'static str,
}

pub(crate) struct Column {
    pub name: String,
    pub kind: &'static str,
    /// No row is without it.
    pub needed: bool,
}

/// Other columns may be null although the table's are not: a later version may leave them out.
const NEEDED: [&str; 2] = ["url", "fetched_at"];

pub(crate) fn columns(dialect: &Dialect) -> Vec<Column> {
    let schema = schema();
    let column = |field: &std::sync::Arc<arrow_schema::Field>| Column {
        name: field.name().clone(),
        kind: match field.data_type() {
            DataType::Utf8 => dialect.text,
            DataType::Int32 => dialect.small,
            DataType::Int64 => dialect.number,
            DataType::Boolean => dialect.truth,
            DataType::Timestamp(..) => dialect.time,
            _ => dialect.json,
        },
        needed: NEEDED.contains(&field.name().as_str()),
    };
    schema.fields().iter().map(column).collect()
}

impl Column {
    pub fn definition(&self) -> String {
        let needed = if self.needed { " NOT NULL" } else { "" };
        format!("{} {}{needed}", quoted(&self.name), self.kind)
    }
}

/// `a, b, c` of whatever is made of each column.
pub(crate) fn list(columns: &[Column], each: impl FnMut(&Column) -> String) -> String {
    columns.iter().map(each).collect::<Vec<_>>().join(", ")
}

/// `"schema"."table"`; the name was checked before.
pub(crate) fn quoted(name: &str) -> String {
    name.split('.').map(|part| format!("\"{part}\"")).collect::<Vec<_>>().join(".")
}

/// The table that remembers places stands beside the table of pages.
pub(crate) fn place_table(table: &str) -> String {
    match table.rsplit_once('.') {
        Some((schema, _)) => quoted(&format!("{schema}.{PLACES}")),
        None => quoted(PLACES),
    }
}

const PLACES: &str = "weir_sink";
