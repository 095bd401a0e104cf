//! What a user gets wrong is refused before anything is fetched, and no password is shown.

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
    check(&["--to", "csv", "--file", "/no/such/x.csv"], 1, &["/no/such/x.csv"]);
}
