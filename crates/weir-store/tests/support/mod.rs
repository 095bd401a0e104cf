//! Pages to store, and readers of what was stored that share no code with the store.
#![allow(dead_code)] // Each test file uses its part.

pub mod crawl;
pub mod small_disk;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use flate2::bufread::GzDecoder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use weir_store::{PageFacts, StoreConfig};
use weir_types::{Page, Protocol};

pub fn page(url: &str, body: &str) -> Page {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\
                ETag: \"e\"\r\n\r\n";
    let mut headers = http::HeaderMap::new();
    headers.insert("content-type", http::HeaderValue::from_static("text/html"));
    headers.insert("etag", http::HeaderValue::from_static("\"e\""));
    Page {
        url: url.to_owned(),
        status: 200,
        protocol: Protocol::Http11,
        request_head: b"GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: weir\r\n\r\n".to_vec(),
        response_head: head.as_bytes().to_vec(),
        headers,
        body: bytes::Bytes::copy_from_slice(body.as_bytes()),
        cut: None,
        address: "127.0.0.1:80".parse().unwrap(),
        fetched_at: SystemTime::UNIX_EPOCH + Duration::from_millis(1_767_225_600_123),
        elapsed: Duration::from_millis(42),
        held: Duration::ZERO,
        first_byte: Duration::from_millis(7),
        bytes_wire: body.len() as u64 + 100,
    }
}

pub fn facts(page: &Page) -> PageFacts {
    PageFacts {
        site: "a".to_owned(),
        depth: 2,
        parent: Some("http://a/".to_owned()),
        final_url: page.url.clone(),
        charset: Some("utf-8".to_owned()),
        bytes_body: page.body.len() as u64,
        title: Some("A page".to_owned()),
        ..PageFacts::default()
    }
}

pub fn config(dir: &Path) -> StoreConfig {
    StoreConfig { user_agent: "weir (test)".to_owned(), ..StoreConfig::new(dir) }
}

/// A record as far as the tests look at it.
#[derive(Debug, Clone)]
pub struct Record {
    pub file: String,
    pub offset: u64,
    pub fields: BTreeMap<String, String>,
    pub block: Vec<u8>,
}

impl Record {
    pub fn get(&self, name: &str) -> &str {
        self.fields.get(name).map(String::as_str).unwrap_or_default()
    }

    pub fn is_page(&self) -> bool {
        matches!(self.get("WARC-Type"), "response" | "revisit")
    }
}

/// All records of all files, in order. Anything amiss in them is a panic.
pub fn records(dir: &Path) -> Vec<Record> {
    let mut all = Vec::new();
    for path in files(&dir.join("warc"), "warc.gz") {
        let bytes = fs::read(&path).unwrap();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let offset = (bytes.len() - rest.len()) as u64;
            let mut member = GzDecoder::new(rest);
            let mut plain = Vec::new();
            member.read_to_end(&mut plain).unwrap();
            rest = member.into_inner();
            all.push(record(file_name(&path), offset, &plain));
        }
    }
    all
}

fn record(file: String, offset: u64, plain: &[u8]) -> Record {
    let end = plain.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&plain[..end]).unwrap();
    let mut lines = head.split("\r\n");
    assert_eq!(lines.next(), Some("WARC/1.1"));
    let fields: BTreeMap<String, String> = lines
        .map(|line| line.split_once(": ").unwrap())
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let length: usize = fields["Content-Length"].parse().unwrap();
    let block = plain[end + 4..][..length].to_vec();
    assert_eq!(&plain[end + 4 + length..], b"\r\n\r\n");
    Record { file, offset, fields, block }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableRow {
    pub url: String,
    pub duplicate_of: Option<String>,
    pub near_duplicate_of: Option<String>,
    pub warc_file: Option<String>,
    pub warc_offset: Option<i64>,
}

pub fn table(dir: &Path) -> Vec<TableRow> {
    let mut rows = Vec::new();
    for path in files(&dir.join("pages"), "parquet") {
        let file = fs::File::open(path).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
        for batch in reader {
            let batch = batch.unwrap();
            let text = |name: &str, at: usize| {
                let column = batch.column_by_name(name).unwrap().as_string::<i32>();
                column.iter().nth(at).unwrap().map(str::to_owned)
            };
            let offsets = batch.column_by_name("warc_offset").unwrap().as_primitive::<Int64Type>();
            rows.extend((0..batch.num_rows()).map(|at| TableRow {
                url: text("url", at).unwrap(),
                duplicate_of: text("duplicate_of", at),
                near_duplicate_of: text("near_duplicate_of", at),
                warc_file: text("warc_file", at),
                warc_offset: offsets.iter().nth(at).unwrap(),
            }));
        }
    }
    rows
}

pub fn files(dir: &Path, suffix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = match fs::read_dir(dir) {
        Ok(entries) => entries.map(|entry| entry.unwrap().path()).collect(),
        Err(_) => Vec::new(),
    };
    found.retain(|path| path.to_str().unwrap().ends_with(suffix));
    found.sort();
    found
}

pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// A Python that has warcio, pyarrow and duckdb, if the environment names one.
pub fn python() -> Option<String> {
    let python = std::env::var("WEIR_TEST_PYTHON").ok();
    if python.is_none() {
        eprintln!("SKIPPED: WEIR_TEST_PYTHON names no python with warcio, pyarrow and duckdb");
    }
    python
}
