//! The tables, and the statement that puts rows.

use tokio_postgres::{Client, Error};

use crate::sinks::sql::{Column, Dialect, Kind, There, is_newer, list, place_table, quoted};

pub(super) const KINDS: Dialect = Dialect {
    text: Kind { name: "text", also: &["character varying"] },
    small: Kind { name: "integer", also: &["bigint"] },
    number: Kind { name: "bigint", also: &[] },
    truth: Kind { name: "boolean", also: &[] },
    time: Kind { name: "timestamp with time zone", also: &[] },
    json: Kind { name: "jsonb", also: &["json"] },
};

/// URLs can be longer than what PostgreSQL takes into an index (2,700 bytes); their fingerprints,
/// by which weir itself tells URLs apart, are not.
pub(super) const KEY: &str = "url_key";

/// Two who make the same table at a time fail, `IF NOT EXISTS` or not, unless one waits for the other.
/// The number is any that nobody else will use: `weir` in ASCII.
const ONE_BY_ONE: &str = "SELECT pg_advisory_xact_lock(2003134834)";

/// What is there is left alone: even `IF NOT EXISTS` would need a right to make tables, and wait for
/// others.
pub(super) async fn make(client: &Client, table: &str, columns: &[Column]) -> Result<(), Error> {
    let lacks = "SELECT to_regclass($1) IS NULL";
    let (pages, places) = (quoted(table), place_table(table));
    if client.query_one(lacks, &[&pages]).await?.get(0) {
        make_one(client, &pages_definition(table, columns)).await?;
    }
    if client.query_one(lacks, &[&places]).await?.get(0) {
        make_one(client, &places_definition(&places)).await?;
    }
    Ok(())
}

/// Statements that are sent together are one transaction, at whose end the lock is gone.
async fn make_one(client: &Client, definition: &str) -> Result<(), Error> {
    client.batch_execute(&format!("{ONE_BY_ONE}; {definition}")).await
}

/// Made with the table: one that lacks it is not ours.
pub(super) fn key() -> Column {
    Column { name: KEY, kind: Kind { name: "uuid", also: &[] }, needed: true }
}

pub(super) async fn there(client: &Client, table: &str) -> Result<Vec<There>, Error> {
    let ask = "SELECT attname::text, format_type(atttypid, atttypmod), \
               attnotnull AND NOT atthasdef AND attidentity = '' FROM pg_attribute \
               WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped";
    let there = client.query(ask, &[&quoted(table)]).await?;
    let column =
        |row: &tokio_postgres::Row| There { name: row.get(0), kind: row.get(1), asks: row.get(2) };
    Ok(there.iter().map(column).collect())
}

/// A table that an earlier version made gets what is new. One that lacks nothing is not touched, since
/// that would wait for whoever reads it.
pub(super) async fn add(client: &Client, table: &str, lacking: &[&Column]) -> Result<(), Error> {
    let table = quoted(table);
    for column in lacking {
        let (name, kind) = (quoted(column.name), column.kind.name);
        let add = format!("ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {name} {kind}");
        client.batch_execute(&add).await?;
    }
    Ok(())
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

pub(super) fn upsert(table: &str, columns: &[Column]) -> String {
    let names = list(columns, |column| quoted(column.name));
    let sent = |column: &Column| match column.kind == KINDS.json {
        true => KINDS.text.name,
        false => column.kind.name,
    };
    let mut at = 0;
    let arrays = list(columns, |column| {
        at += 1;
        format!("${at}::{}[]", sent(column))
    });
    let last = columns.len() + 1;
    let values = list(columns, |column| match column.kind == KINDS.json {
        true => format!("sent.{}::jsonb", quoted(column.name)),
        false => format!("sent.{}", quoted(column.name)),
    });
    let set = list(columns, |column| {
        let name = quoted(column.name);
        format!("{name} = excluded.{name}")
    });
    let (table, newer) = (quoted(table), is_newer("excluded", "kept"));
    format!(
        "INSERT INTO {table} AS kept ({names}, {KEY}) SELECT {values}, sent.{KEY}::uuid \
         FROM unnest({arrays}, ${last}::text[]) AS sent ({names}, {KEY}) ON CONFLICT ({KEY}) \
         DO UPDATE SET {set} WHERE {newer}"
    )
}
