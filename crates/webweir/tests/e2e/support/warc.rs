use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::bufread::MultiGzDecoder;

/// A response as it stands in the WARC files of a crawl.
pub struct Response {
    /// The record's own headers, a line each.
    pub header: String,
    /// The head of the HTTP answer and its body, as they came.
    pub block: Vec<u8>,
}

impl Response {
    /// The value of `WARC-Truncated`: `length`, `time` or `disconnect`; `None` of a whole answer.
    pub fn truncated(&self) -> Option<&str> {
        self.header.lines().find_map(|line| line.strip_prefix("WARC-Truncated: "))
    }

    pub fn body(&self) -> &[u8] {
        let end = self.block.windows(4).position(|four| four == b"\r\n\r\n");
        end.map_or(&[], |end| &self.block[end + 4..])
    }
}

/// The response or revisit record of a URL, if there is one.
pub fn response(out: &Path, url: &str) -> Option<Response> {
    answers(out, url).into_iter().next()
}

/// All of them, the oldest first.
pub fn answers(out: &Path, url: &str) -> Vec<Response> {
    let target = format!("\r\nWARC-Target-URI: {url}\r\n");
    let mut files: Vec<_> =
        fs::read_dir(out.join("warc")).into_iter().flatten().flatten().collect();
    files.sort_by_key(|file| file.file_name());
    let of = |file: &fs::DirEntry| {
        let packed = fs::read(file.path()).unwrap();
        let mut all = Vec::new();
        MultiGzDecoder::new(&packed[..]).read_to_end(&mut all).unwrap();
        records(&all)
    };
    let is_wanted = |it: &Response| it.header.contains(&target) && is_answer(&it.header);
    files.iter().flat_map(of).filter(is_wanted).collect()
}

fn is_answer(header: &str) -> bool {
    ["response", "revisit"]
        .iter()
        .any(|kind| header.contains(&format!("\r\nWARC-Type: {kind}\r\n")))
}

fn records(mut all: &[u8]) -> Vec<Response> {
    let mut records = Vec::new();
    while !all.is_empty() {
        let end = all.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let header = String::from_utf8(all[..end + 2].to_vec()).unwrap();
        let length = header.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap();
        let (from, to) = (end + 4, end + 4 + length.parse::<usize>().unwrap());
        records.push(Response { header, block: all[from..to].to_vec() });
        all = &all[to + 4..];
    }
    records
}

/// URL, status and payload digest of every page in the WARC files, sorted.
pub fn pages(out: &Path) -> Vec<(String, u16, String)> {
    let mut found = Vec::new();
    for file in fs::read_dir(out.join("warc")).unwrap() {
        let packed = fs::read(file.unwrap().path()).unwrap();
        let mut all = Vec::new();
        MultiGzDecoder::new(&packed[..]).read_to_end(&mut all).unwrap();
        found.extend(records(&all).iter().filter(|it| is_answer(&it.header)).map(answer));
    }
    found.sort();
    found
}

fn answer(record: &Response) -> (String, u16, String) {
    let field = |name: &str| {
        let value = record.header.lines().find_map(|line| line.strip_prefix(name));
        value.unwrap_or_else(|| panic!("no {name} in {}", record.header)).to_owned()
    };
    let status = std::str::from_utf8(&record.block[9..12]).unwrap().parse().unwrap();
    (field("WARC-Target-URI: "), status, field("WARC-Payload-Digest: "))
}
