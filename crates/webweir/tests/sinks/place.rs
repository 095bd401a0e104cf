//! What is where rows were to go, by readers that are not weir's own.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::postgres::Server;

/// URL, status and digest of each row, sorted; a row that is there twice is twice in it.
pub type Rows = Vec<(String, u16, String)>;

pub fn of_postgres(server: &Server) -> Rows {
    let lines = server.ask("SELECT url, status, digest FROM pages");
    sorted(lines.iter().map(|line| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[0].to_owned(), fields[1].parse().unwrap(), fields[2].to_owned())
    }))
}

pub fn of_sqlite(file: &Path) -> Rows {
    let database = Connection::open(file).unwrap();
    let whole: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(whole, "ok");
    let mut ask = database.prepare("SELECT url, status, digest FROM pages").unwrap();
    let rows = ask.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    sorted(rows.map(Result::unwrap))
}

/// How many rows there are at this moment, whatever state the file is in.
pub fn count_of_sqlite(file: &Path) -> u64 {
    let open = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE);
    let ask = |database: Connection| {
        database.query_row("SELECT count(*) FROM pages", [], |row| row.get::<_, u64>(0))
    };
    open.and_then(ask).unwrap_or(0)
}

pub fn of_jsonl(text: &str) -> Rows {
    sorted(text.lines().map(|line| {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("url"), row["status"].as_u64().unwrap() as u16, text("digest"))
    }))
}

fn sorted(rows: impl Iterator<Item = (String, u16, String)>) -> Rows {
    let mut rows: Rows = rows.collect();
    rows.sort();
    rows
}
