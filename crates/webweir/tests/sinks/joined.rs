//! Several folders, exported as if one crawl had filled them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use weir_store::gather;
use weir_testsite::{HostSpec, Spec, Web};

use crate::made::{Made, downloaded, made, store};
use crate::place::{Rows, of_csv, of_jsonl, of_sqlite, table_of};
use crate::site::{Site, expect_same};
use crate::support::command::{Ended, crawl, weir};
use crate::support::warc::pages;

fn export(folders: &[&Path], words: &[&str]) -> Ended {
    let named = folders.iter().flat_map(|folder| ["-o", folder.to_str().unwrap()]);
    weir(&["export"].into_iter().chain(named).chain(words.iter().copied()).collect::<Vec<_>>())
}

fn jsonl(folders: &[&Path], more: &[&str]) -> String {
    let ended = export(folders, &[&["--to", "jsonl", "--file", "-"], more].concat());
    ended.expect_code(0);
    ended.stdout
}

/// The rows of these folders in each format, all of which must be `expected`.
fn expect_in_each_format(folders: &[&Path], more: &[&str], expected: &Rows) {
    let place = tempfile::tempdir().unwrap();
    let file = |kind: &str| -> PathBuf {
        let file = place.path().join(kind);
        let to = ["--to", kind, "--file", file.to_str().unwrap()];
        export(folders, &[&to, more].concat()).expect_code(0).says(&["exported"]);
        file
    };
    expect_same(expected, &of_jsonl(&jsonl(folders, more)));
    expect_same(expected, &of_csv(&fs::read_to_string(file("csv")).unwrap()));
    let copy = table_of(&file("parquet"));
    expect_same(expected, &of_jsonl(&jsonl(&[copy.path()], &[])));
    let database = place.path().join("pages.db");
    let to = format!("sqlite:{}", database.display());
    export(folders, &["--to", &to]).expect_code(0);
    expect_same(expected, &of_sqlite(&database));
}

fn sorted(rows: impl IntoIterator<Item = (String, u16, String)>) -> Rows {
    let mut rows: Rows = rows.into_iter().collect();
    rows.sort();
    rows
}

#[test]
fn crawls_of_different_sites_are_exported_as_one() {
    let sites = [Site::quick(100), Site::quick(200), Site::quick(50)];
    for site in &sites {
        site.crawl(&[]).wait().expect_code(0);
        site.expect_each_once(&of_jsonl(&jsonl(&[site.out()], &[])));
    }
    let expected = sorted(sites.iter().flat_map(|site| pages(site.out())));
    let folders: Vec<&Path> = sites.iter().map(Site::out).collect();
    expect_in_each_format(&folders, &[], &expected);

    // The same, where the folders are those of downloaders.
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("downloaders")).unwrap();
    for (number, folder) in (1..).zip(&folders) {
        let place = root.path().join(format!("downloaders/{number}"));
        std::os::unix::fs::symlink(folder, place).unwrap();
    }
    assert_eq!(jsonl(&[root.path()], &[]), jsonl(&folders, &[]));
    export(&[root.path()], &["--to", "csv"]).expect_code(0);
    assert!(root.path().join("export.csv").is_file());
}

#[test]
fn of_a_page_in_several_folders_the_newest_row_counts() {
    let host = || HostSpec::pages(60).changing(&[Some(Duration::from_secs(60)), None]);
    let web = Web::start(Spec::new(vec![host(), host(), host()])).unwrap();
    web.set_time(Duration::ZERO);
    let [first, second] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    for (out, hosts) in [(&first, 0..2), (&second, 1..3)] {
        crawl(&web.seeds()[hosts], out.path(), &["--per-host", "4"]).wait().expect_code(0);
        web.set_time(Duration::from_secs(90));
    }
    let [old, new] = [&first, &second].map(|out| pages(out.path()));
    let is_in_new = |row: &(String, u16, String)| new.iter().any(|it| it.0 == row.0);
    let expected = sorted(old.iter().filter(|row| !is_in_new(row)).chain(&new).cloned());
    assert!(expected.len() > new.len() && expected.len() < old.len() + new.len());
    assert!(old.iter().any(|row| is_in_new(row) && !new.contains(row)), "nothing has changed");

    for folders in [[first.path(), second.path()], [second.path(), first.path()]] {
        expect_in_each_format(&folders, &["--latest"], &expected);
        let all = of_jsonl(&jsonl(&folders, &[]));
        assert_eq!(all.len(), old.len() + new.len(), "files have all rows without --latest");
    }
}

/// The titles in a table of lines, in their order.
fn titles(text: &str) -> Vec<String> {
    let title = |line| serde_json::from_str::<serde_json::Value>(line).unwrap()["title"].clone();
    text.lines().map(|line| title(line).as_str().unwrap().to_owned()).collect()
}

fn three(name: &str, second: u64) -> Vec<Made> {
    ["x", "y", name].iter().map(|it| made(&format!("http://{it}/"), second, name)).collect()
}

#[test]
fn downloaders_are_read_as_far_as_they_are_committed_and_gathered_files_only_once() {
    let root = tempfile::tempdir().unwrap();
    let dirs = [1, 2].map(|number| root.path().join(format!("downloaders/{number}")));
    downloaded(&dirs[0], "1", &three("a", 30), &[made("http://late/", 90, "late")]);
    downloaded(&dirs[1], "2", &three("b", 20), &[made("http://late/", 95, "later")]);
    fs::create_dir(root.path().join("downloaders/3")).unwrap();
    let expect = |folders: &[&Path]| {
        assert_eq!(titles(&jsonl(folders, &[])), ["a", "a", "a", "b", "b", "b"]);
        assert_eq!(titles(&jsonl(folders, &["--latest"])), ["a", "a", "a", "b"]);
    };
    expect(&[root.path()]);
    expect(&[&dirs[0], &dirs[1]]);
    let rows = jsonl(&[root.path()], &[]);
    assert!(rows.contains("\"warc_file\":\"weir-1-000001.warc.gz\""), "{rows}");

    assert_eq!(gather(root.path(), &dirs).unwrap().files, 4);
    assert!(root.path().join("warc/weir-2-000001.warc.gz").is_file());
    expect(&[root.path()]);
    // What was crawled there by one process before the downloaders came counts too.
    let own = tempfile::tempdir().unwrap();
    store(own.path(), &[made("http://x/", 99, "own")]);
    assert_eq!(titles(&jsonl(&[root.path(), own.path()], &["--latest"])), ["a", "a", "b", "own"]);
    for part in ["store", "pages"] {
        fs::create_dir_all(root.path().join(part)).unwrap();
    }
    let table = "pages/pages-000001.parquet";
    fs::copy(own.path().join(table), root.path().join(table)).unwrap();
    assert_eq!(titles(&jsonl(&[root.path()], &["--latest"])), ["own", "a", "a", "b"]);

    // The gathered files are enough.
    for part in ["store", "downloaders", table] {
        let path = root.path().join(part);
        if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
    }
    expect(&[root.path()]);
}

#[test]
fn folders_that_cannot_be_joined_are_named() {
    let root = tempfile::tempdir().unwrap();
    let [one, two, empty] = ["downloaders/1", "two", "empty"].map(|it| root.path().join(it));
    downloaded(&one, "1", &three("a", 1), &[]);
    store(&two, &three("b", 1));
    fs::create_dir(&empty).unwrap();
    let check = |folders: &[&Path], code: i32, says: &[&str]| {
        let ended = export(folders, &["--to", "jsonl", "--file", "-"]);
        ended.expect_code(code).says(says);
        assert_eq!(ended.stdout, "");
    };
    let none = root.path().join("none");
    check(&[&two, &none], 1, &["no folder", none.to_str().unwrap(), "-o DIR"]);
    check(&[&two, &empty], 1, &["no crawl in", empty.to_str().unwrap(), "-o DIR"]);
    check(&[&two, &two], 2, &["two is given twice", "once"]);
    check(&[&two, &two.join("../two")], 2, &["the same folder", "once"]);
    check(&[root.path(), &one], 2, &["downloaders/1 is given twice", "once"]);
    fs::write(one.join("spool/spool-000001.log"), "?".repeat(1_000)).unwrap();
    check(&[root.path()], 1, &["downloaders/1", "damaged"]);
    fs::write(one.join("store/label"), "a/b").unwrap();
    fs::remove_dir_all(one.join("spool")).unwrap();
    check(&[root.path()], 1, &["store/label", "damaged"]);
}
