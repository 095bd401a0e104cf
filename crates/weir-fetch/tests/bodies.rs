//! Compressed bodies made by others, where the shared test data is at hand.
#![allow(clippy::unwrap_used)]

mod suite;

use std::path::Path;

use suite::{material, settle};
use weir_fetch::coding::{Decoded, decode};

const LIMIT: usize = 1 << 20;

type Check = fn(&Decoded<'_>, &Path) -> bool;

/// File, coding, and what must come of it.
const CASES: [(&str, &str, Check); 12] = [
    ("html-gzip.bin", "gzip", is_the_page),
    ("html-br.bin", "br", is_the_page),
    ("html-gzip-deflate.bin", "gzip, deflate", is_the_page),
    ("html-rawdeflate.bin", "deflate", is_the_page),
    ("html-zlibdeflate.bin", "deflate", is_the_page),
    ("html-zstd-static-content-size.bin", "zstd", is_the_page),
    ("html-zstd-static-no-content-size.bin", "zstd", is_the_page),
    ("html-zstd-streaming-no-content-size.bin", "zstd", is_the_page),
    ("feed-sample1.xml.gz", "gzip", is_the_feed),
    ("bomb-gzip.bin", "gzip", |decoded, _| decoded.cut && decoded.bytes.len() == LIMIT),
    ("truncated-crc-error.gz", "gzip", is_a_part),
    ("truncated-crc-error-short.gz", "gzip", is_a_part),
];

/// The files were saved at different times and differ by a few bytes.
fn is_the_page(decoded: &Decoded<'_>, folder: &Path) -> bool {
    let gzipped = std::fs::read(folder.join("html-gzip.bin")).unwrap();
    let page = decode(&gzipped, Some("gzip"), LIMIT).bytes;
    decoded.problem.is_none()
        && page.len() > 10_000
        && decoded.bytes.len().abs_diff(page.len()) < 10
        && decoded.bytes.starts_with(&page[..80])
}

fn is_the_feed(decoded: &Decoded<'_>, folder: &Path) -> bool {
    let feed = std::fs::read(folder.join("feed-sample1.xml")).unwrap();
    decoded.problem.is_none() && *decoded.bytes == *feed
}

fn is_a_part(decoded: &Decoded<'_>, _: &Path) -> bool {
    decoded.problem.is_some()
        && !decoded.bytes.is_empty()
        && !decoded.bytes.starts_with(b"\x1f\x8b")
}

#[test]
fn bodies_made_by_others_are_undone() {
    let suite = "http compressed";
    let Some(folder) = material(suite, "http/compressed") else { return };
    let mut wrong = Vec::new();
    for (name, coding, is_right) in CASES {
        let body = std::fs::read(folder.join(name)).unwrap();
        let decoded = decode(&body, Some(coding), LIMIT);
        if !is_right(&decoded, &folder) {
            let (bytes, cut, problem) = (decoded.bytes.len(), decoded.cut, &decoded.problem);
            wrong.push((name.to_owned(), format!("{bytes} bytes, cut {cut}, {problem:?}")));
        }
        decode(&body[..body.len() / 2], Some(coding), LIMIT);
    }
    settle(suite, CASES.len(), &wrong, &[]);
}
