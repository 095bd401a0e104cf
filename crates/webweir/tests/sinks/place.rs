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

pub fn of_csv(text: &str) -> Rows {
    let records = csv(text);
    let [url, status, digest] = ["url", "status", "digest"]
        .map(|name| records[0].iter().position(|column| column == name).unwrap());
    sorted(records[1..].iter().map(|record| {
        (record[url].clone(), record[status].parse().unwrap(), record[digest].clone())
    }))
}

/// A folder that has this file as its table, so that it can be exported once more.
pub fn table_of(file: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("pages")).unwrap();
    std::fs::copy(file, folder.path().join("pages/pages-000001.parquet")).unwrap();
    folder
}

fn sorted(rows: impl Iterator<Item = (String, u16, String)>) -> Rows {
    let mut rows: Rows = rows.collect();
    rows.sort();
    rows
}

/// Records of CSV, quotes undone.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\r' if !quoted => {}
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            other => field.push(other),
        }
    }
    records
}
