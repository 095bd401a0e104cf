use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::DataType;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, Statement};
use weir_types::Fingerprint;

use super::sql::{Column, Dialect, columns, list, place_table, quoted};
use super::text::json;
use super::{Cell, Progress, Sink, SinkError, Step, cell};
use crate::Position;

/// A table in a PostgreSQL database. A batch is one statement: each column goes over as an array.
pub(crate) struct Postgres {
    name: String,
    client: Client,
    put: Statement,
    places: String,
    table: String,
    /// Drives the connection, but only while we wait for an answer.
    runtime: Runtime,
}

const KINDS: Dialect = Dialect {
    text: "text",
    small: "integer",
    number: "bigint",
    truth: "boolean",
    time: "timestamptz",
    json: "jsonb",
};

/// URLs can be longer than what PostgreSQL takes into an index (2,700 bytes); their fingerprints,
/// by which weir itself tells URLs apart, are not.
const KEY: &str = "url_key";

const CONNECT: Duration = Duration::from_secs(10);
/// A server that says nothing for so long is taken to be away.
const ANSWER: Duration = Duration::from_secs(60);

impl Postgres {
    pub fn open(config: &Config, name: &str, table: &str) -> Result<Postgres, SinkError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(SinkError::io(name, "start a runtime for"))?;
        let mut config = config.clone();
        config.connect_timeout(CONNECT).application_name("weir");
        let columns = columns(&KINDS);
        let (client, put) = within(&runtime, name, ANSWER, async {
            let (client, connection) = super::tls::connect(&config).await?;
            // Its errors come back from whatever is asked of the client.
            tokio::spawn(connection);
            prepare(&client, table, &columns).await.map(|put| (client, put))
        })?;
        refuse_encoding(&runtime, &client, name)?;
        let places = place_table(table);
        Ok(Postgres { name: name.to_owned(), client, put, places, table: table.into(), runtime })
    }
}

/// Makes what is missing and prepares the statement that puts rows. What is there is left alone: even
/// `IF NOT EXISTS` would need a right to make tables, and wait for others.
async fn prepare(client: &Client, table: &str, columns: &[Column]) -> Result<Statement, Error> {
    let lacks = "SELECT to_regclass($1) IS NULL";
    let (pages, places) = (quoted(table), place_table(table));
    if client.query_one(lacks, &[&pages]).await?.get(0) {
        client.batch_execute(&pages_definition(table, columns)).await?;
    }
    if client.query_one(lacks, &[&places]).await?.get(0) {
        client.batch_execute(&places_definition(&places)).await?;
    }
    add_missing(client, table, columns).await?;
    client.prepare(&upsert(table, columns)).await
}

/// A table that an earlier version made gets what is new. One that lacks nothing is not touched, since
/// that would wait for whoever reads it.
async fn add_missing(client: &Client, table: &str, columns: &[Column]) -> Result<(), Error> {
    let table = quoted(table);
    let ask = "SELECT attname::text FROM pg_attribute \
               WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped";
    let there = client.query(ask, &[&table]).await?;
    let there: Vec<String> = there.iter().map(|row| row.get(0)).collect();
    for column in columns.iter().filter(|column| !there.contains(&column.name)) {
        let (name, kind) = (quoted(&column.name), column.kind);
        let add = format!("ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}");
        client.batch_execute(&add).await?;
    }
    Ok(())
}

/// Texts of pages are in all languages; another encoding would refuse some of them, much later.
fn refuse_encoding(runtime: &Runtime, client: &Client, name: &str) -> Result<(), SinkError> {
    let ask = client.query_one("SHOW server_encoding", &[]);
    let encoding: String = within(runtime, name, ANSWER, ask)?.get(0);
    match encoding.as_str() {
        "UTF8" => Ok(()),
        other => Err(SinkError::refused(
            name,
            format!("its encoding is {other}; make a database with ENCODING 'UTF8'"),
        )),
    }
}

impl Sink for Postgres {
    fn begin(&mut self, crawl: &str) -> Result<Progress, SinkError> {
        let places = &self.places;
        let add = format!(
            "INSERT INTO {places} (crawl, pages, file, file_row, delivered) \
             VALUES ($1, $2, $3, $4, 0) ON CONFLICT DO NOTHING"
        );
        let ask = format!(
            "SELECT file, file_row, delivered FROM {places} WHERE crawl = $1 AND pages = $2"
        );
        let start = (Position::START.file as i32, Position::START.row as i32);
        let (client, table) = (&self.client, &self.table);
        let row = within(&self.runtime, &self.name, ANSWER, async {
            client.execute(&add, &[&crawl, table, &start.0, &start.1]).await?;
            client.query_one(&ask, &[&crawl, table]).await
        })?;
        let number = |at| row.get::<_, i32>(at).cast_unsigned();
        let at = Position { file: number(0), row: number(1) };
        Ok(Progress { at, rows: row.get::<_, i64>(2).cast_unsigned() })
    }

    fn put(&mut self, rows: &RecordBatch, step: Option<&Step<'_>>) -> Result<(), SinkError> {
        let chosen = newest(rows);
        let keys: Vec<String> = chosen.iter().map(|row| key(rows, *row)).collect();
        let mut arrays: Vec<Box<dyn ToSql + Sync + '_>> =
            rows.columns().iter().map(|column| array(column, &chosen)).collect();
        arrays.push(Box::new(keys));
        let values: Vec<&(dyn ToSql + Sync)> = arrays.iter().map(|array| &**array as _).collect();
        let (client, put, table) = (&mut self.client, &self.put, &self.table);
        let move_on = format!(
            "UPDATE {} SET file = $1, file_row = $2, delivered = $3 \
             WHERE crawl = $4 AND pages = $5 AND file = $6 AND file_row = $7",
            self.places
        );
        let moved = within(&self.runtime, &self.name, ANSWER, async {
            let transaction = client.transaction().await?;
            // First, because it waits for whatever else moves the same place.
            if let Some(step) = step {
                let (from, to) = (step.from.at, step.to.at);
                let [to_file, to_row, file, row] =
                    [to.file, to.row, from.file, from.row].map(u32::cast_signed);
                let delivered = step.to.rows.cast_signed();
                let place: [&(dyn ToSql + Sync); 7] =
                    [&to_file, &to_row, &delivered, &step.crawl, table, &file, &row];
                if transaction.execute(&move_on, &place).await? != 1 {
                    return Ok(false);
                }
            }
            transaction.execute(put, &values).await?;
            transaction.commit().await.map(|()| true)
        })?;
        match moved {
            true => Ok(()),
            false => Err(SinkError::Moved { sink: self.name.clone() }),
        }
    }
}

fn pages_definition(table: &str, columns: &[Column]) -> String {
    let plain = table.rsplit('.').next().unwrap_or(table);
    let (table, index) = (quoted(table), quoted(&format!("{plain}_url")));
    format!(
        "CREATE TABLE IF NOT EXISTS {table} ({}, {KEY} uuid PRIMARY KEY);
         CREATE INDEX IF NOT EXISTS {index} ON {table} USING hash (\"url\");",
        list(columns, Column::definition)
    )
}

fn places_definition(places: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS {places} (crawl text NOT NULL, pages text NOT NULL, \
         file integer NOT NULL, file_row integer NOT NULL, delivered bigint NOT NULL, \
         PRIMARY KEY (crawl, pages))"
    )
}

/// The newest row of a URL wins, and of two that are equally old the later one.
fn upsert(table: &str, columns: &[Column]) -> String {
    let names = list(columns, |column| quoted(&column.name));
    let sent = |column: &Column| if column.kind == KINDS.json { KINDS.text } else { column.kind };
    let mut at = 0;
    let arrays = list(columns, |column| {
        at += 1;
        format!("${at}::{}[]", sent(column))
    });
    let last = columns.len() + 1;
    let values = list(columns, |column| match column.kind == KINDS.json {
        true => format!("sent.{}::jsonb", quoted(&column.name)),
        false => format!("sent.{}", quoted(&column.name)),
    });
    let set = list(columns, |column| {
        let name = quoted(&column.name);
        format!("{name} = excluded.{name}")
    });
    let table = quoted(table);
    format!(
        "INSERT INTO {table} AS kept ({names}, {KEY}) SELECT {values}, sent.{KEY}::uuid \
         FROM unnest({arrays}, ${last}::text[]) AS sent ({names}, {KEY}) ON CONFLICT ({KEY}) \
         DO UPDATE SET {set} WHERE excluded.\"fetched_at\" >= kept.\"fetched_at\""
    )
}

/// One row of each URL: a statement must not touch a row twice.
fn newest(rows: &RecordBatch) -> Vec<usize> {
    let mut last: HashMap<&str, usize> = HashMap::with_capacity(rows.num_rows());
    for row in 0..rows.num_rows() {
        let held = last.entry(url(rows, row)).or_insert(row);
        if time(rows, row) >= time(rows, *held) {
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

fn time(rows: &RecordBatch, row: usize) -> i64 {
    match rows.column_by_name("fetched_at").map(|column| cell(column, row)) {
        Some(Cell::Time(time)) => time.0,
        _ => i64::MIN,
    }
}

fn key(rows: &RecordBatch, row: usize) -> String {
    format!("{:032x}", Fingerprint::of(url(rows, row)).0)
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

fn within<T>(
    runtime: &Runtime,
    name: &str,
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, SinkError> {
    let done = runtime.block_on(async { tokio::time::timeout(limit, work).await });
    match done {
        Ok(done) => done.map_err(|why| failed(name, &why)),
        Err(_) => Err(SinkError::away(name, format!("no answer in {} s", limit.as_secs()))),
    }
}

fn failed(name: &str, why: &Error) -> SinkError {
    let said = words(why);
    let code = why.code().map_or("", |code| code.code());
    match code.get(..2) {
        // Wrong password, no such database, no such right or not our table, data it cannot take.
        Some("28") => SinkError::refused(name, format!("{said}; check user and password")),
        Some("3D") => SinkError::refused(name, format!("{said}; make it with createdb")),
        Some("42") => SinkError::refused(
            name,
            format!("{said}; check what the user may do, or name another table with --table"),
        ),
        Some("22" | "23" | "0A") => SinkError::refused(name, said),
        _ => SinkError::away(name, said),
    }
}

/// The driver's own words leave out what the server said.
pub(super) fn words(why: &Error) -> String {
    if let Some(said) = why.as_db_error() {
        return said.message().to_owned();
    }
    match why.source() {
        Some(source) => format!("{why}: {source}"),
        None => why.to_string(),
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
