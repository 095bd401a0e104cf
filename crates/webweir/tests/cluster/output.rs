//! What all downloaders of a crawl have kept, together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use weir_testsite::Web;

use crate::support::command::weir;
use crate::support::verdict::expect_good_manners;
use crate::support::warc;

/// URL, status and digest of each page, sorted; one that is there twice is twice in it.
pub type Rows = Vec<(String, u16, String)>;

/// What the WARC files of these folders have.
pub fn records(folders: &[PathBuf]) -> Rows {
    let kept = folders.iter().filter(|folder| folder.join("warc").is_dir());
    sorted(kept.flat_map(|folder| warc::pages(folder)))
}

/// What `weir export` makes of these folders, as far as each is committed.
pub fn exported(folders: &[PathBuf]) -> Rows {
    sorted(lines(folders).iter().map(|row| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (text("url"), row["status"].as_u64().unwrap() as u16, text("digest"))
    }))
}

/// The same, whole.
pub fn lines(folders: &[PathBuf]) -> Vec<Value> {
    // A downloader that has kept nothing has no pages.
    let kept = folders.iter().filter(|folder| has_output(folder));
    let kept = kept.flat_map(|folder| ["-o", folder.to_str().unwrap()]);
    let words = ["export", "--to", "jsonl", "--file", "-"].into_iter().chain(kept);
    let ended = weir(&words.collect::<Vec<_>>());
    ended.expect_code(0);
    ended.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn has_output(folder: &Path) -> bool {
    folder.join("pages").is_dir() || folder.join("downloaders").is_dir()
}

fn sorted(rows: impl IntoIterator<Item = (String, u16, String)>) -> Rows {
    let mut rows: Rows = rows.into_iter().collect();
    rows.sort();
    rows
}

/// Every page of the web is in the WARC files and in the rows of these folders exactly once, nothing else
/// is, and the server saw none of the mistakes that a crawler can make.
pub fn expect_each_once(web: &Web, folders: &[PathBuf]) {
    expect_good_manners(web);
    let records = records(folders);
    expect_truth(web, &records);
    let rows = exported(folders);
    expect_truth(web, &rows);
    assert_eq!(rows, records, "rows, and records in the WARC files");
}

fn expect_truth(web: &Web, rows: &Rows) {
    expect_none_twice(rows);
    let truth: BTreeMap<String, u16> =
        web.truth().urls().filter(|it| it.allowed).map(|it| (it.url, it.status)).collect();
    let there: BTreeMap<String, u16> = rows.iter().map(|row| (row.0.clone(), row.1)).collect();
    let lost: Vec<_> = truth.keys().filter(|url| !there.contains_key(*url)).take(5).collect();
    assert!(lost.is_empty(), "{} of {} are there; lost: {lost:?}", there.len(), truth.len());
    assert_eq!(there, truth);
}

pub fn expect_none_twice(rows: &Rows) {
    let twice: Vec<_> = rows.windows(2).filter(|pair| pair[0].0 == pair[1].0).take(5).collect();
    assert!(twice.is_empty(), "there twice: {twice:?}");
}
