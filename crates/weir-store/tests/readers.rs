//! Other people's programs read what we wrote.

#![allow(clippy::unwrap_used)] // A test may panic, in its helpers too.

mod support;

use std::process::Command;

use support::crawl::go_on;
use support::{config, page, python};
use weir_store::{Packer, PageFacts, Store, StoreConfig};
use weir_types::{Cut, Protocol};

#[test]
fn warcio_fastwarc_pyarrow_and_duckdb_read_everything() {
    let Some(python) = python() else { return };
    let dir = tempfile::tempdir().unwrap();
    let config = StoreConfig { warc_bytes: 20_000, rows_per_file: 40, ..config(dir.path()) };
    go_on(&config, None, 0, 100);
    let mut store = reopened_with_a_full_row(&config);
    store.finish().unwrap();
    let output = Command::new(python).arg("-c").arg(CHECK).arg(dir.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}\n{}", String::from_utf8_lossy(&output.stderr));
    eprintln!("{said}");
}

/// One more store beside the first, whose only page has every fact that a page can have.
fn reopened_with_a_full_row(config: &StoreConfig) -> Store {
    let config = StoreConfig { dir: config.dir.join("full"), ..config.clone() };
    let mut page = page("http://a/full?q=ä", "gzip, so to say, and long enough");
    page.cut = Some(Cut::Disconnect);
    page.protocol = Protocol::Http2;
    page.response_head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n".to_vec();
    page.headers.insert("content-encoding", http::HeaderValue::from_static("gzip"));
    page.headers.insert("last-modified", http::HeaderValue::from_static("yesterday"));
    let some = |text: &str| Some(text.to_owned());
    let facts = PageFacts {
        site: "a".to_owned(),
        depth: 300,
        parent: some("http://a/"),
        final_url: "http://a/full".to_owned(),
        content_type: some("text/html"),
        charset: some("utf-8"),
        bytes_body: 99,
        canonical: some("http://a/canon"),
        noindex: true,
        simhash: Some(u64::MAX - 6),
        lang: some("de"),
        title: some("Über \"alles\"\u{1}"),
        published: some("2026-01-01T00:00:00Z"),
        modified: some("2026-01-02"),
        author: some("A. Author"),
        copyright: some("© A"),
        text: some("line one\nline two"),
        videos: vec!["http://v/1".to_owned(), "http://v/2".to_owned()],
        fields: vec![("price".to_owned(), "12".to_owned()), ("name".to_owned(), "x".to_owned())],
        product: vec![("currency".to_owned(), "EUR".to_owned())],
        sources: vec![("title".to_owned(), "meta".to_owned())],
        topics: vec![("eggs".to_owned(), "0.5".to_owned())],
        kept: Some(true),
        unchanged: None,
    };
    let mut store = Store::open(config.clone(), None).unwrap();
    store.append(Packer::new(&config).pack(page, facts)).unwrap();
    store
}

const CHECK: &str = r#"
import glob, subprocess, sys
import duckdb, pyarrow.parquet as pq
from warcio.archiveiterator import ArchiveIterator

out = sys.argv[1]
columns = """url final_url site depth parent status fetched_at elapsed_ms content_type charset
bytes_wire bytes_body digest etag last_modified duplicate_of lang title published author copyright
text videos fields warc_file warc_offset canonical noindex simhash near_duplicate_of
modified product sources topics""".split()

warcs = sorted(glob.glob(out + "/**/*.warc.gz", recursive=True))
assert len(warcs) > 3, warcs
check = subprocess.run([sys.executable, "-m", "warcio.cli", "check", "-v", *warcs], capture_output=True, text=True)
print(check.stdout[-300:])
assert check.returncode == 0, check.stdout + check.stderr
assert "digest pass" in check.stdout and "fail" not in check.stdout, check.stdout

targets = []
for path in warcs:
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type in ("response", "revisit"):
                targets.append(record.rec_headers.get_header("WARC-Target-URI"))
            if record.rec_type == "response" and targets[-1].endswith("/page/5"):
                assert b"<p>this page" in record.content_stream().read()
assert len(targets) == len(set(targets)) == 101, len(targets)

try:
    from fastwarc.warc import ArchiveIterator as Fast, WarcRecordType as T
    count = 0
    for path in warcs:
        with open(path, "rb") as stream:
            for record in Fast(stream, parse_http=True, record_types=T.response | T.revisit):
                count += 1
                assert record.record_type == T.revisit or record.verify_payload_digest()
    assert count == 101, count
except ImportError:
    print("SKIPPED: fastwarc is not there")

for path in glob.glob(out + "/pages/*.parquet"):
    assert pq.read_schema(path).names == columns, pq.read_schema(path).names
table = duckdb.sql(f"select * from '{out}/pages/*.parquet'")
assert table.columns == columns
assert duckdb.sql(f"select count(*), count(distinct url), count(duplicate_of) > 10 from '{out}/pages/*.parquet'").fetchall() == [(100, 100, True)]
row = pq.read_table(glob.glob(out + "/full/pages/*.parquet")[0]).to_pylist()[0]
print(row)
assert row["videos"] == ["http://v/1", "http://v/2"]
assert dict(row["fields"]) == {"price": "12", "name": "x"}
assert dict(row["product"]) == {"currency": "EUR"} and dict(row["topics"]) == {"eggs": "0.5"}
assert row["fetched_at"].isoformat() == "2026-01-01T00:00:00.123000+00:00"
assert row["title"] == 'Über "alles"\x01' and row["text"] == "line one\nline two"
assert row["depth"] == 300 and row["status"] == 200 and row["elapsed_ms"] == 42
assert None not in [row[c] for c in columns if not c.endswith("duplicate_of")], row
assert row["canonical"] == "http://a/canon" and row["noindex"] is True and row["simhash"] == -7
full = duckdb.sql(f"select fields['price'], videos[2] from '{out}/full/pages/*.parquet'").fetchall()
assert full == [("12", "http://v/2")] or full == [(["12"], "http://v/2")], full
"#;
