use std::path::Path;
use std::time::Duration;

use arrow_array::{ArrayRef, RecordBatch};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{
    Connection, ErrorCode, OptionalExtension, ToSql, Transaction, TransactionBehavior, params,
    params_from_iter,
};

use super::sql::{
    Column, Dialect, Kind, There, columns, is_newer, lacking, list, place_table, quoted,
};
use super::text::json;
use super::{Cell, Progress, Sink, SinkError, Step, cell};
use crate::Position;

/// A table in a SQLite file. The file stays one file: the journal is the usual one, which is gone
/// after each transaction.
pub(crate) struct Sqlite {
    name: String,
    connection: Connection,
    put: String,
    places: String,
    table: String,
}

const KINDS: Dialect = Dialect {
    text: TEXT,
    small: INTEGER,
    number: INTEGER,
    truth: INTEGER,
    // RFC 3339 in UTC with three places: SQLite's functions read it, and it sorts as it should.
    time: TEXT,
    json: TEXT,
};

const TEXT: Kind = Kind { name: "TEXT", also: &["BLOB"] };
const INTEGER: Kind = Kind { name: "INTEGER", also: &["NUMERIC", "BLOB"] };

/// Somebody else may be writing; readers are never in the way for long.
const PATIENCE: Duration = Duration::from_secs(10);

impl Sqlite {
    pub fn open(path: &Path, table: &str) -> Result<Sqlite, SinkError> {
        let name = format!("sqlite:{}", path.display());
        let columns = columns(&KINDS);
        let wrong = |why: rusqlite::Error| failed(&name, &why);
        let connection = Connection::open(path).map_err(wrong)?;
        connection.busy_timeout(PATIENCE).map_err(wrong)?;
        // In one transaction: two who begin at a time must not both add what they found lacking.
        let begin = TransactionBehavior::Immediate;
        let making = Transaction::new_unchecked(&connection, begin).map_err(wrong)?;
        making.execute_batch(&definitions(table, &columns)).map_err(wrong)?;
        let there = there(&making, table).map_err(wrong)?;
        let lacking =
            lacking(table, &there, &columns).map_err(|why| SinkError::refused(&name, why))?;
        add(&making, table, &lacking).map_err(wrong)?;
        making.commit().map_err(wrong)?;
        let (put, places) = (upsert(table, &columns), place_table(table));
        // Another key than ours is found out now, and not with the first row.
        connection.prepare(&put).map(drop).map_err(wrong)?;
        Ok(Sqlite { name, connection, put, places, table: table.to_owned() })
    }

    fn try_put(
        &mut self,
        rows: &RecordBatch,
        step: Option<&Step<'_>>,
    ) -> Result<bool, rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        if let Some(step) = step {
            let sql = format!(
                "UPDATE {} SET file = ?1, file_row = ?2, delivered = ?3 \
                 WHERE crawl = ?4 AND pages = ?5 AND file = ?6 AND file_row = ?7",
                self.places
            );
            let (from, to) = (step.from.at, step.to.at);
            let count = step.to.rows.cast_signed();
            let moved = transaction.execute(
                &sql,
                params![to.file, to.row, count, step.crawl, self.table, from.file, from.row],
            )?;
            if moved != 1 {
                return Ok(false);
            }
        }
        let mut put = transaction.prepare_cached(&self.put)?;
        for row in 0..rows.num_rows() {
            let values = rows.columns().iter().map(|column| Bound(column, row));
            put.execute(params_from_iter(values))?;
        }
        drop(put);
        transaction.commit()?;
        Ok(true)
    }
}

impl Sink for Sqlite {
    fn begin(&mut self, crawl: &str) -> Result<Progress, SinkError> {
        let places = &self.places;
        let add = format!(
            "INSERT INTO {places} (crawl, pages, file, file_row, delivered) VALUES (?1, ?2, ?3, ?4, 0) \
             ON CONFLICT DO NOTHING"
        );
        let ask = format!(
            "SELECT file, file_row, delivered FROM {places} WHERE crawl = ?1 AND pages = ?2"
        );
        let start = Position::START;
        let found = self
            .connection
            .execute(&add, params![crawl, self.table, start.file, start.row])
            .and_then(|_| {
                let read = |row: &rusqlite::Row<'_>| {
                    let at = Position { file: row.get(0)?, row: row.get(1)? };
                    Ok(Progress { at, rows: row.get::<_, i64>(2)?.cast_unsigned() })
                };
                self.connection.query_row(&ask, params![crawl, self.table], read).optional()
            });
        Ok(found.map_err(|why| failed(&self.name, &why))?.unwrap_or(Progress::NONE))
    }

    fn put(&mut self, rows: &RecordBatch, step: Option<&Step<'_>>) -> Result<(), SinkError> {
        match self.try_put(rows, step) {
            Ok(true) => Ok(()),
            Ok(false) => Err(SinkError::Moved { sink: self.name.clone() }),
            Err(why) => Err(failed(&self.name, &why)),
        }
    }
}

fn definitions(table: &str, columns: &[Column]) -> String {
    let (places, table) = (place_table(table), quoted(table));
    format!(
        "CREATE TABLE IF NOT EXISTS {table} ({}, PRIMARY KEY (\"url\"));
         CREATE TABLE IF NOT EXISTS {places} (crawl TEXT NOT NULL, pages TEXT NOT NULL, \
         file INTEGER NOT NULL, file_row INTEGER NOT NULL, delivered INTEGER NOT NULL, \
         PRIMARY KEY (crawl, pages));",
        list(columns, Column::definition)
    )
}

fn there(connection: &Connection, table: &str) -> rusqlite::Result<Vec<There>> {
    let mut ask = connection.prepare(
        "SELECT name, type, \"notnull\" AND dflt_value IS NULL \
         FROM pragma_table_info(?1, ?2)",
    )?;
    let (database, table) = table.split_once('.').unwrap_or(("main", table));
    let rows = ask.query_map([table, database], |row| {
        let kind = affinity(&row.get::<_, String>(1)?).to_owned();
        let name = row.get::<_, String>(0)?.to_ascii_lowercase();
        Ok(There { name, kind, asks: row.get(2)? })
    })?;
    rows.collect()
}

/// What SQLite makes of the type that a column was given.
fn affinity(kind: &str) -> &'static str {
    let kind = kind.to_ascii_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| kind.contains(word));
    match () {
        () if has(&["INT"]) => "INTEGER",
        () if has(&["CHAR", "CLOB", "TEXT"]) => "TEXT",
        () if kind.is_empty() || has(&["BLOB"]) => "BLOB",
        () if has(&["REAL", "FLOA", "DOUB"]) => "REAL",
        () => "NUMERIC",
    }
}

/// A table that an earlier version made gets what is new.
fn add(connection: &Connection, table: &str, lacking: &[&Column]) -> rusqlite::Result<()> {
    let table = quoted(table);
    lacking.iter().try_for_each(|column| {
        let column = column.definition();
        connection.execute_batch(&format!("ALTER TABLE {table} ADD COLUMN {column}"))
    })
}

fn upsert(table: &str, columns: &[Column]) -> String {
    let names = list(columns, |column| quoted(column.name));
    let values = vec!["?"; columns.len()].join(", ");
    let set = list(columns, |column| {
        let name = quoted(column.name);
        format!("{name} = excluded.{name}")
    });
    let (table, newer) = (quoted(table), is_newer("excluded", "kept"));
    format!(
        "INSERT INTO {table} AS kept ({names}) VALUES ({values}) ON CONFLICT (\"url\") \
         DO UPDATE SET {set} WHERE {newer}"
    )
}

/// A value on its way into a statement.
struct Bound<'a>(&'a ArrayRef, usize);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match cell(self.0, self.1) {
            Cell::Null => ToSqlOutput::Borrowed(ValueRef::Null),
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
            Cell::Number(number) => ToSqlOutput::Owned(Value::Integer(number)),
            Cell::Truth(truth) => ToSqlOutput::Owned(Value::Integer(truth.into())),
            Cell::Time(time) => ToSqlOutput::Owned(Value::Text(time.to_string())),
            nested => ToSqlOutput::Owned(Value::Text(json(&nested))),
        })
    }
}

fn failed(name: &str, why: &rusqlite::Error) -> SinkError {
    match why.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            SinkError::away(name, "another program has locked it")
        }
        Some(ErrorCode::DiskFull) => SinkError::away(name, "the disk is full; free some room"),
        Some(ErrorCode::SystemIoFailure | ErrorCode::OperationInterrupted) => {
            SinkError::away(name, why.to_string())
        }
        Some(ErrorCode::CannotOpen) => {
            SinkError::refused(name, "cannot open it; check the path and who may write there")
        }
        Some(ErrorCode::ReadOnly) => {
            SinkError::refused(name, "it must not be written; check who may write there")
        }
        Some(ErrorCode::NotADatabase) => {
            SinkError::refused(name, "it is no SQLite file; name another")
        }
        _ => SinkError::refused(
            name,
            format!("{why}; if its table is not one that weir made, name another with --table"),
        ),
    }
}
