//! What a user gets wrong is refused before anything is fetched, and no password is shown.

use crate::place::of_postgres;
use crate::postgres::{PASSWORD, Server};
use crate::site::Site;
use crate::support::command::{Ended, weir};

fn refused(sinks: &[&str], words: &[&str]) {
    let site = Site::quick(5);
    let ended = site.crawl(sinks).wait();
    ended.expect_code(2).says(words);
    silent(&ended);
    assert_eq!(site.requests(), 0);
}

fn silent(ended: &Ended) {
    let told = format!("{}{}", ended.stdout, ended.stderr);
    assert!(!told.contains(PASSWORD) && !told.contains("hunter2"), "{told}");
}

#[test]
fn a_sink_that_cannot_work_is_refused_at_the_start() {
    refused(&["--sink", "mysql:x"], &["sink", "mysql:x", "postgres:URL"]);
    refused(&["--sink", "sqlite:"], &["sink", "sqlite:", "no file"]);
    refused(&["--sink", "sqlite:/no/such/folder/x.db"], &["/no/such/folder/x.db", "open"]);
    refused(&["--sink", "jsonl:/no/such/folder/x"], &["/no/such/folder/x", "folder"]);
    refused(&["--sink", "jsonl:x", "--store", "warc"], &["sink", "parquet"]);
    refused(&["--sink", "jsonl:x", "--table", "a b"], &["table", "letters"]);
    refused(&["--sink", "postgres://u:hunter2@h:port/db"], &["sink", "postgres://u:...@h"]);
    refused(&["--sink", "jsonl:x", "--sink-wait", "soon"], &["sink-wait", "90s"]);
}

#[test]
fn a_file_that_is_not_ours_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.jsonl");
    std::fs::write(&file, "precious").unwrap();
    refused(&["--sink", &format!("jsonl:{}", file.display())], &["mine.jsonl", "name another"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "precious");
}

#[test]
fn a_wrong_password_is_refused_at_the_start_and_not_shown() {
    let Some(server) = Server::start("wrong password") else { return };
    let wrong = server.address().replace(PASSWORD, "hunter2");
    refused(&["--sink", &wrong], &["password authentication failed", "check user"]);
    let site = Site::quick(5);
    site.crawl(&[]).wait().expect_code(0);
    let out = site.out().to_str().unwrap();
    let ended = weir(&["export", "-o", out, "--to", &wrong]);
    ended.expect_code(2).says(&["password authentication failed"]);
    silent(&ended);
    let nobody = "postgres://u:hunter2@127.0.0.1:1/db";
    let ended = weir(&["export", "-o", out, "--to", nobody]);
    ended.expect_code(1).says(&["postgres://u@127.0.0.1:1/db", "away"]);
    silent(&ended);
}

#[test]
fn a_user_who_must_not_do_it_is_told_at_the_start() {
    let Some(server) = Server::start("rights") else { return };
    server.ask(&format!("CREATE USER guest PASSWORD '{PASSWORD}'"));
    let guest = server.address_of("guest");
    refused(&["--sink", &guest], &["permission denied for schema public", "what the user may do"]);
    let site = Site::quick(5);
    let ours = server.address();
    site.crawl(&["--sink", &ours]).wait().expect_code(0);
    refused(&["--sink", &guest], &["permission denied for table pages", "--table"]);
    let ended = weir(&["export", "-o", site.out().to_str().unwrap(), "--to", &guest]);
    ended.expect_code(2).says(&["guest@127.0.0.1", "permission denied for table pages"]);
    silent(&ended);
    let nowhere =
        ours.replace("/postgres", "/nowhere").replacen("postgres:/nowhere", "postgres:", 1);
    refused(&["--sink", &nowhere], &["database \"nowhere\" does not exist", "createdb"]);
}

/// Tables of somebody else, and what is said of each.
const TABLES: [(&str, &[&str]); 4] = [
    ("url text PRIMARY KEY, fetched_at {time}, status text", &["column status", "text", "--table"]),
    ("url text PRIMARY KEY, status integer", &["no column fetched_at", "--table"]),
    ("url text, fetched_at {time}, mine text NOT NULL", &["column mine", "default", "--table"]),
    ("url text, fetched_at {time}", &["--table"]),
];

#[test]
fn a_table_of_somebody_else_is_refused_at_the_start_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for (at, (columns, says)) in TABLES.iter().enumerate() {
        let file = folder.path().join(format!("{at}.db"));
        let columns = columns.replace("{time}", "text");
        let database = rusqlite::Connection::open(&file).unwrap();
        database.execute_batch(&format!("CREATE TABLE pages ({columns})")).unwrap();
        refused(&["--sink", &format!("sqlite:{}", file.display())], says);
    }
    let Some(server) = Server::start("tables of others") else { return };
    for (columns, says) in TABLES {
        let columns = columns.replace("{time}", "timestamptz");
        let key = if says.len() > 1 { ", url_key uuid UNIQUE NOT NULL" } else { "" };
        server.ask(&format!("DROP TABLE IF EXISTS pages; CREATE TABLE pages ({columns}{key})"));
        refused(&["--sink", &server.address()], says);
    }
    server.ask(
        "DROP TABLE pages; CREATE TABLE pages (url text, fetched_at timestamptz, url_key uuid)",
    );
    refused(&["--sink", &server.address()], &["ON CONFLICT", "--table"]);
}

#[test]
fn a_table_of_an_earlier_version_gets_the_columns_it_lacks() {
    let Some(server) = Server::start("fewer columns") else { return };
    server.ask(
        "CREATE TABLE pages (url_key uuid PRIMARY KEY, url varchar NOT NULL, \
         fetched_at timestamptz NOT NULL, status bigint, mine text DEFAULT 'x' NOT NULL)",
    );
    let site = Site::quick(50);
    site.crawl(&["--sink", &server.address()]).wait().expect_code(0);
    site.expect_each_once(&of_postgres(&server));
    assert_eq!(server.ask("SELECT count(*) FROM pages WHERE mine <> 'x' OR depth IS NULL"), ["0"]);
}

#[test]
fn a_csv_file_with_other_columns_is_not_appended_to() {
    let site = Site::quick(5);
    let file = site.out().join("x.csv");
    let sink = format!("csv:{}", file.display());
    site.crawl(&["--sink", &sink]).wait().expect_code(0);
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replacen("final_url", "other_url", 1)).unwrap();
    let ended = site.crawl(&["--sink", &sink]).wait();
    ended.expect_code(2).says(&["x.csv", "other columns", "name another"]);
}

#[test]
fn a_password_in_a_broken_config_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("weir.toml");
    std::fs::write(&file, "sink = [\"postgres://u:hunter2@h/db\", 7]").unwrap();
    let ended = weir(&["crawl", "-c", file.to_str().unwrap()]);
    ended.expect_code(2).says(&["sink", "postgres://u:...@h/db"]);
    silent(&ended);
}

#[test]
fn an_export_that_cannot_be_is_refused_with_the_remedy() {
    let site = Site::quick(5);
    let out = site.out().to_str().unwrap();
    let check = |words: &[&str], code: i32, says: &[&str]| {
        let mut arguments = vec!["export", "-o", out];
        arguments.extend_from_slice(words);
        weir(&arguments).expect_code(code).says(says);
    };
    check(&["--to", "jsonl"], 1, &["no crawl in", "-o DIR"]);
    site.crawl(&[]).wait().expect_code(0);
    check(&["--to", "xml"], 2, &["--to xml", "jsonl"]);
    check(&["--to", "jsonl", "--table", "x"], 2, &["--table"]);
    check(&["--to", "sqlite:x.db", "--file", "y"], 2, &["--file"]);
    check(&["--to", "sqlite:/no/such/x.db"], 2, &["/no/such/x.db"]);
    check(&["--to", "csv", "--file", "/no/such/x.csv"], 1, &["/no/such/x.csv", "make its folder"]);
    check(&["--to", "csv", "--file", out], 1, &[out, "directory", "another file"]);
    check(&["--to", "sqlite:"], 2, &["no file is named"]);
    check(&["--to", "postgres://u:hunter2@/db"], 2, &["postgres://u:...@", "host"]);
    assert!(!site.out().with_extension("tmp").exists());
}
