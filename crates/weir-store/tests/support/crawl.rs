//! A crawl in miniature: pages that want storing, a journal of what is done, and the check that
//! at the end each is there exactly once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use weir_store::{Mark, Packed, Packer, Store, StoreConfig};

use super::{Record, TableRow, facts, page, records, table};

/// The page of a number. Some share a body, some have hardly any.
pub fn pack(packer: &mut Packer, number: usize) -> Packed {
    let body = match number % 10 {
        0 => String::new(),
        1 => "tiny".to_owned(),
        2..=4 => {
            format!("<p>this page is the same as some others, kind {}</p>", number % 7).repeat(9)
        }
        _ => format!("<p>this page is like no other, it is number {number}</p>")
            .repeat(number % 40 + 2),
    };
    let page = page(&url(number), &body);
    let facts = facts(&page);
    packer.pack(page, facts)
}

pub fn url(number: usize) -> String {
    format!("http://a/page/{number}")
}

/// Stores pages until `total` are in, journalling each flush, and ends the run.
pub fn go_on(config: &StoreConfig, mark: Option<&Mark>, done: usize, total: usize) {
    let mut packer = Packer::new(config);
    let mut store = Store::open(config.clone(), mark.map(Mark::as_bytes)).unwrap();
    for number in done..total {
        store.append(pack(&mut packer, number)).unwrap();
        let mark = store.flush().unwrap();
        store.journalled(&mark).unwrap();
    }
    let mark = store.finish().unwrap();
    store.journalled(&mark).unwrap();
}

/// Each page of `0..total` is stored exactly once.
pub fn assert_exactly_once(dir: &Path, total: usize) {
    assert_exactly(dir, 0..total);
}

/// Each of these pages, and no other, once in the WARC with all its records, once in the table, and
/// both agree.
pub fn assert_exactly(dir: &Path, pages: impl IntoIterator<Item = usize>) {
    let wanted: BTreeSet<String> = pages.into_iter().map(url).collect();
    let total = wanted.len();
    let records = records(dir);
    let rows = table(dir);
    let stored: Vec<&Record> = records.iter().filter(|record| record.is_page()).collect();
    assert_eq!(stored.len(), total, "pages in the WARC");
    assert_eq!(rows.len(), total, "pages in the table");
    assert_eq!(urls(stored.iter().map(|record| record.get("WARC-Target-URI"))), wanted);
    assert_eq!(urls(rows.iter().map(|row| row.url.as_str())), wanted);
    assert_companions(&records, &stored);
    assert_rows_point_at_records(&rows, &stored);
}

fn urls<'a>(all: impl Iterator<Item = &'a str>) -> BTreeSet<String> {
    all.map(str::to_owned).collect()
}

fn assert_companions(records: &[Record], stored: &[&Record]) {
    for kind in ["request", "metadata"] {
        let of: BTreeSet<&str> = records
            .iter()
            .filter(|record| record.get("WARC-Type") == kind)
            .map(|record| record.get("WARC-Concurrent-To"))
            .collect();
        assert_eq!(of.len(), stored.len(), "{kind}");
        assert!(stored.iter().all(|record| of.contains(record.get("WARC-Record-ID"))));
    }
}

fn assert_rows_point_at_records(rows: &[TableRow], stored: &[&Record]) {
    let places: BTreeMap<(&str, i64), &Record> =
        stored.iter().map(|r| ((r.file.as_str(), r.offset as i64), *r)).collect();
    let ids: BTreeMap<&str, &Record> =
        stored.iter().map(|record| (record.get("WARC-Record-ID"), *record)).collect();
    for row in rows {
        let place = (row.warc_file.as_deref().unwrap(), row.warc_offset.unwrap());
        let record = places[&place];
        assert_eq!(record.get("WARC-Target-URI"), row.url);
        assert_eq!(record.get("WARC-Type") == "revisit", row.duplicate_of.is_some());
        if let Some(first) = &row.duplicate_of {
            let original = ids[record.get("WARC-Refers-To")];
            assert_eq!(original.get("WARC-Target-URI"), first);
            assert_eq!(original.get("WARC-Type"), "response");
        }
    }
}
