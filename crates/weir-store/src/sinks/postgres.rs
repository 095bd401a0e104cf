mod table;
mod values;

use std::error::Error as _;
use std::time::Duration;

use arrow_array::RecordBatch;
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Error, Statement};

use self::table::KINDS;
use super::sql::{Column, columns, lacking, place_table};
use super::{Progress, Sink, SinkError, Step};
use crate::Position;
use crate::pages::schema;

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
        let client = within(&runtime, name, ANSWER, async {
            let (client, connection) = super::tls::connect(&config).await?;
            // Its errors come back from whatever is asked of the client.
            tokio::spawn(connection);
            Ok(client)
        })?;
        refuse_encoding(&runtime, &client, name)?;
        let put = prepare(&runtime, &client, name, table)?;
        let (places, table) = (place_table(table), table.to_owned());
        let opened = Postgres { name: name.to_owned(), client, put, places, table, runtime };
        opened.try_nothing()?;
        Ok(opened)
    }

    /// Puts no rows: what the user must not do is found out now, and not with the first page.
    fn try_nothing(&self) -> Result<(), SinkError> {
        let nothing = RecordBatch::new_empty(schema());
        let arrays = values::arrays(&nothing, &[]);
        let values: Vec<&(dyn ToSql + Sync)> = arrays.iter().map(|array| &**array as _).collect();
        let tried = self.client.execute(&self.put, &values);
        within(&self.runtime, &self.name, ANSWER, tried).map(drop)
    }
}

/// Makes what is missing, checks what is there, and prepares the statement that puts rows.
fn prepare(
    runtime: &Runtime,
    client: &Client,
    name: &str,
    table: &str,
) -> Result<Statement, SinkError> {
    let columns = columns(&KINDS);
    let there = within(runtime, name, ANSWER, async {
        table::make(client, table, &columns).await?;
        table::there(client, table).await
    })?;
    let with_key: Vec<Column> = columns.iter().copied().chain([table::key()]).collect();
    let lacking = lacking(table, &there, &with_key).map_err(|why| SinkError::refused(name, why))?;
    within(runtime, name, ANSWER, async {
        table::add(client, table, &lacking).await?;
        client.prepare(&table::upsert(table, &columns)).await
    })
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
        within(&self.runtime, &self.name, ANSWER, async {
            client.execute(&add, &[&crawl, table, &start.0, &start.1]).await?;
            let row = client.query_one(&ask, &[&crawl, table]).await?;
            // Somebody may have made the table otherwise than we do.
            let number = |at| row.try_get::<_, i32>(at).map(i32::cast_unsigned);
            let at = Position { file: number(0)?, row: number(1)? };
            Ok(Progress { at, rows: row.try_get::<_, i64>(2)?.cast_unsigned() })
        })
    }

    fn put(&mut self, rows: &RecordBatch, step: Option<&Step<'_>>) -> Result<(), SinkError> {
        let chosen = values::newest(rows);
        let arrays = values::arrays(rows, &chosen);
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
