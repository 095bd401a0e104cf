//! The table of pages in SQL, made of the columns that it has everywhere else.

use weir_types::NOT_MODIFIED;

use crate::pages::table::{self, TABLE, Value};

/// What a database calls the kinds of columns.
pub(crate) struct Dialect {
    pub text: Kind,
    pub small: Kind,
    pub number: Kind,
    pub truth: Kind,
    pub time: Kind,
    /// Lists and maps.
    pub json: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub name: &'static str,
    /// What else a column that is there already may be, and loses nothing.
    pub also: &'static [&'static str],
}

#[derive(Clone, Copy)]
pub(crate) struct Column {
    pub name: &'static str,
    pub kind: Kind,
    /// No row is without it.
    pub needed: bool,
}

/// A column of a table that is there already.
pub(crate) struct There {
    pub name: String,
    pub kind: String,
    /// A row must say something here.
    pub asks: bool,
}

/// Other columns may be null although the table's are not: a later version may leave them out.
const NEEDED: [&str; 2] = ["url", "fetched_at"];

pub(crate) fn columns(dialect: &Dialect) -> Vec<Column> {
    let column = |column: &table::Column| Column {
        name: column.name,
        kind: match column.value {
            Value::Text(_) => dialect.text,
            Value::Small(_) => dialect.small,
            Value::Number(_) => dialect.number,
            Value::Truth(_) => dialect.truth,
            Value::Time(_) => dialect.time,
            Value::List(_) | Value::Map(_) => dialect.json,
        },
        needed: NEEDED.contains(&column.name),
    };
    TABLE.iter().map(column).collect()
}

/// The columns that a table lacks; the error says why it cannot be used, and what to do.
pub(crate) fn lacking<'a>(
    table: &str,
    there: &[There],
    columns: &'a [Column],
) -> Result<Vec<&'a Column>, String> {
    let mut lacking = Vec::new();
    for column in columns {
        match there.iter().find(|it| it.name == column.name) {
            Some(it) => agree(table, it, column)?,
            None if column.needed => {
                let name = column.name;
                return Err(format!(
                    "table {table} has no column {name}, so weir did not make it; name another with \
                     --table"
                ));
            }
            None => lacking.push(column),
        }
    }
    match there.iter().find(|it| it.asks && columns.iter().all(|column| column.name != it.name)) {
        Some(it) => Err(format!(
            "column {} of table {table} must not be null, and weir has nothing for it; give it a \
             default, or name another table with --table",
            it.name
        )),
        None => Ok(lacking),
    }
}

fn agree(table: &str, there: &There, column: &Column) -> Result<(), String> {
    let Column { name, kind, .. } = column;
    if there.kind == kind.name || kind.also.contains(&there.kind.as_str()) {
        return Ok(());
    }
    Err(format!(
        "column {name} of table {table} is of type {}, and weir has {} for it; rename that column, or \
         name another table with --table",
        there.kind, kind.name
    ))
}

impl Column {
    pub fn definition(&self) -> String {
        let needed = if self.needed { " NOT NULL" } else { "" };
        format!("{} {}{needed}", quoted(self.name), self.kind.name)
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

/// Which of two rows of a URL is kept: as `rank` says.
pub(crate) fn is_newer(new: &str, kept: &str) -> String {
    let rank = |row: &str| {
        format!("(coalesce({row}.\"status\", 0) <> {NOT_MODIFIED}, {row}.\"fetched_at\")")
    };
    format!("{} >= {}", rank(new), rank(kept))
}

const PLACES: &str = "weir_sink";
