//! What is put in comes out, as other programs read it.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use support::{config, facts, files, page, records, table};
use weir_store::{Mark, Packer, Store};
use weir_types::{Cut, Protocol};

const LONG: &str = "a body that is long enough to be worth pointing at when it comes a second time";

#[test]
fn a_page_is_a_response_a_request_a_metadata_record_and_a_row() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, None).unwrap();
    let page = page("http://a/x", LONG);
    let facts = facts(&page);
    store.append(packer.pack(page, facts)).unwrap();
    store.finish().unwrap();

    let records = records(dir.path());
    let kinds: Vec<&str> = records.iter().map(|record| record.get("WARC-Type")).collect();
    assert_eq!(kinds, ["warcinfo", "response", "request", "metadata"]);
    let response = &records[1];
    assert_eq!(response.get("WARC-Target-URI"), "http://a/x");
    assert_eq!(response.get("WARC-Date"), "2026-01-01T00:00:00.123Z");
    assert_eq!(response.get("WARC-IP-Address"), "127.0.0.1");
    assert_eq!(
        String::from_utf8_lossy(&response.block),
        format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\
             X-Crawler-Transfer-Encoding: chunked\r\nETag: \"e\"\r\n\r\n{LONG}"
        )
    );
    for other in &records[2..] {
        assert_eq!(other.get("WARC-Concurrent-To"), response.get("WARC-Record-ID"));
    }
    let about = String::from_utf8_lossy(&records[3].block);
    assert!(about.starts_with("via: http://a/\r\nhopsFromSeed: LL\r\ndepth: 2\r\n"), "{about}");

    let rows = table(dir.path());
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].url, "http://a/x");
    assert_eq!(rows[0].warc_file.as_deref(), Some("weir-000001.warc.gz"));
    assert_eq!(rows[0].warc_offset, Some(response.offset as i64));
}

#[test]
fn pages_that_are_nearly_the_same_name_the_first_of_them_also_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    let mut packer = Packer::new(&config);
    let mut pack = |number: u32, simhash: u64| {
        let page = page(&format!("http://a/{number}"), &format!("{LONG} {number}"));
        let facts = weir_store::PageFacts { simhash: Some(simhash), ..facts(&page) };
        packer.pack(page, facts)
    };
    let mut store = Store::open(config.clone(), None).unwrap();
    store.append(pack(1, 0x0f0f)).unwrap();
    store.append(pack(2, 0x0f0f ^ 0b111)).unwrap();
    let mark = store.flush().unwrap();
    store.append(pack(3, !0)).unwrap();
    drop(store);
    let mut store = Store::open(config, Some(mark.as_bytes())).unwrap();
    store.append(pack(4, !0)).unwrap();
    store.append(pack(5, 0x0f0f ^ 1 << 63)).unwrap();
    store.append(pack(6, 0x0f0f ^ 0b1111)).unwrap();
    // The same as the first in every byte, so that it is more than near.
    store.append(pack(1, 0x0f0f)).unwrap();
    store.finish().unwrap();
    let near: Vec<_> = table(dir.path()).into_iter().map(|row| row.near_duplicate_of).collect();
    let first = Some("http://a/1".to_owned());
    assert_eq!(near, [None, first.clone(), None, first, None, None]);
}

#[test]
fn a_repeated_payload_is_a_revisit_also_after_reopening() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    let mut packer = Packer::new(&config);
    let mut pack = |url: &str, body: &str| {
        let page = page(url, body);
        let facts = facts(&page);
        packer.pack(page, facts)
    };
    let mut store = Store::open(config.clone(), None).unwrap();
    store.append(pack("http://a/1", LONG)).unwrap();
    store.append(pack("http://a/2", LONG)).unwrap();
    let mark = store.flush().unwrap();
    store.append(pack("http://a/2", LONG)).unwrap();
    drop(store);
    let mut store = Store::open(config, Some(mark.as_bytes())).unwrap();
    store.append(pack("http://a/3", LONG)).unwrap();
    store.append(pack("http://a/4", "short")).unwrap();
    store.append(pack("http://a/5", "short")).unwrap();
    store.append(pack("http://a/6", "")).unwrap();
    store.append(pack("http://a/7", "")).unwrap();
    store.finish().unwrap();
    assert_eq!((store.totals().pages, store.totals().duplicates), (7, 2));

    let records = records(dir.path());
    let pages: Vec<_> = records.iter().filter(|record| record.is_page()).collect();
    let kinds: Vec<&str> = pages.iter().map(|record| record.get("WARC-Type")).collect();
    assert_eq!(
        kinds,
        ["response", "revisit", "revisit", "response", "response", "response", "response"]
    );
    for revisit in &pages[1..3] {
        assert_eq!(revisit.get("WARC-Refers-To"), pages[0].get("WARC-Record-ID"));
        assert_eq!(revisit.get("WARC-Refers-To-Target-URI"), "http://a/1");
        assert_eq!(revisit.get("WARC-Refers-To-Date"), pages[0].get("WARC-Date"));
        assert_eq!(revisit.get("WARC-Payload-Digest"), pages[0].get("WARC-Payload-Digest"));
        assert!(revisit.block.ends_with(b"\r\n\r\n"));
    }
    let rows = table(dir.path());
    let first = Some("http://a/1".to_owned());
    let duplicates: Vec<_> = rows.into_iter().map(|row| row.duplicate_of).collect();
    assert_eq!(duplicates, [None, first.clone(), first, None, None, None, None]);
}

#[test]
fn a_cut_body_is_marked_and_is_no_duplicate() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(dir.path());
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, None).unwrap();
    for url in ["http://a/1", "http://a/2"] {
        let mut page = page(url, LONG);
        page.cut = Some(Cut::Length);
        page.protocol = Protocol::Http2;
        let facts = facts(&page);
        store.append(packer.pack(page, facts)).unwrap();
    }
    store.finish().unwrap();
    let records = records(dir.path());
    let pages: Vec<_> = records.iter().filter(|record| record.is_page()).collect();
    assert_eq!(pages.len(), 2);
    for page in pages {
        assert_eq!(page.get("WARC-Type"), "response");
        assert_eq!(page.get("WARC-Truncated"), "length");
        assert_eq!(page.get("WARC-Protocol"), "h2");
    }
}

#[test]
fn each_output_works_without_the_other() {
    for (warc, parquet) in [(true, false), (false, true)] {
        let dir = tempfile::tempdir().unwrap();
        let config = weir_store::StoreConfig { warc, parquet, ..config(dir.path()) };
        let mut packer = Packer::new(&config);
        let mut store = Store::open(config.clone(), None).unwrap();
        for number in 0..4 {
            let page = page(&format!("http://a/{number}"), LONG);
            let facts = facts(&page);
            store.append(packer.pack(page, facts)).unwrap();
            let mark = store.flush().unwrap();
            drop(store);
            store = Store::open(config.clone(), Some(mark.as_bytes())).unwrap();
        }
        store.finish().unwrap();
        let revisits = records(dir.path());
        let revisits = revisits.iter().filter(|record| record.get("WARC-Type") == "revisit");
        assert_eq!(revisits.count(), if warc { 3 } else { 0 });
        let rows = table(dir.path());
        assert_eq!(rows.len(), if parquet { 4 } else { 0 });
        assert_eq!(
            rows.iter().filter(|row| row.duplicate_of.is_some()).count(),
            rows.len().max(1) - 1
        );
        assert!(rows.iter().all(|row| row.warc_file.is_none() && row.warc_offset.is_none()));
        assert_eq!(dir.path().join("warc").exists(), warc);
        assert_eq!(dir.path().join("pages").exists(), parquet);
    }
}

#[test]
fn a_revisit_never_points_at_a_page_that_no_warc_has() {
    let dir = tempfile::tempdir().unwrap();
    let mut mark = None;
    for warc in [false, true] {
        let config = weir_store::StoreConfig { warc, ..config(dir.path()) };
        let mut store = Store::open(config.clone(), mark.as_ref().map(Mark::as_bytes)).unwrap();
        let page = page("http://a/", LONG);
        let facts = facts(&page);
        store.append(Packer::new(&config).pack(page, facts)).unwrap();
        mark = Some(store.finish().unwrap());
    }
    let records = records(dir.path());
    let pages: Vec<_> = records.iter().filter(|record| record.is_page()).collect();
    assert_eq!(pages.len(), 1);
    assert_eq!(pages[0].get("WARC-Type"), "response");
    assert_eq!(table(dir.path())[1].duplicate_of.as_deref(), Some("http://a/"));
}

#[test]
fn keeping_nothing_writes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let none =
        weir_store::StoreConfig { warc: false, parquet: false, ..config(&dir.path().join("out")) };
    let mut packer = Packer::new(&none);
    let mut store = Store::open(none.clone(), None).unwrap();
    let page = page("http://a/", LONG);
    let facts = facts(&page);
    store.append(packer.pack(page, facts)).unwrap();
    store.syncer().run().unwrap();
    let mark = store.finish().unwrap();
    assert_eq!(Store::open(none, Some(mark.as_bytes())).unwrap().totals().pages, 1);
    assert!(!dir.path().join("out").exists());
}

#[test]
fn files_are_closed_when_they_are_full() {
    let dir = tempfile::tempdir().unwrap();
    let config =
        weir_store::StoreConfig { warc_bytes: 5_000, rows_per_file: 10, ..config(dir.path()) };
    let mut packer = Packer::new(&config);
    let mut store = Store::open(config, None).unwrap();
    for number in 0..35 {
        let page = page(&format!("http://a/{number}"), &format!("{LONG}{number}"));
        let facts = facts(&page);
        store.append(packer.pack(page, facts)).unwrap();
        let mark = store.flush().unwrap();
        store.syncer().run().unwrap();
        store.journalled(&mark).unwrap();
    }
    let mark = store.finish().unwrap();
    store.journalled(&mark).unwrap();
    let warcs = files(&dir.path().join("warc"), ".warc.gz");
    assert!(warcs.len() > 3);
    assert!(warcs.iter().all(|path| path.metadata().unwrap().len() <= 5_000));
    assert_eq!(files(&dir.path().join("pages"), "").len(), 4);
    assert_eq!(files(&dir.path().join("store"), ".jsonl").len(), 0);
    let records = records(dir.path());
    let infos = records.iter().filter(|record| record.get("WARC-Type") == "warcinfo");
    assert!(infos.clone().all(|record| record.offset == 0));
    assert_eq!(infos.count(), warcs.len());
    assert_eq!(table(dir.path()).len(), 35);
}
