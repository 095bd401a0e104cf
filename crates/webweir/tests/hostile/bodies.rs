//! Bodies that are longer or shorter than they say, or do not end.

use weir_testsite::{HostSpec, Hostile};

use crate::check::Fate::{Cut, Failed, Kept};
use crate::check::{Crawled, MEMORY_FOR_LARGE_BODIES, SHORT, against, against_each, against_with};

#[test]
fn body_without_length_infinite_and_fast() {
    let host = HostSpec::hostile(Hostile::ENDLESS_BODY);
    let crawled = Crawled::of(host, &[], MEMORY_FOR_LARGE_BODIES);
    crawled.expect(&[("/plain", Cut("length")), ("/chunks", Cut("length"))]).expect_good_pages();
    // 8 MiB each, and what was on the way when the connection was closed.
    let received = crawled.report["bytes_wire"].as_u64().unwrap();
    assert!((16 << 20..100 << 20).contains(&received), "{received} bytes received");
}

#[test]
fn content_length_too_large_connection_closes() {
    let crawled = against(Hostile::LENGTH_TOO_LARGE);
    crawled.expect(&[("/bad", Cut("disconnect"))]).expect_good_pages();
    assert_eq!(crawled.asked("/bad"), 3);
}

#[test]
fn content_length_too_small_extra_bytes_follow() {
    let crawled = against(Hostile::LENGTH_TOO_SMALL);
    crawled.expect(&[("/bad", Kept(200)), ("/after", Kept(200))]).expect_good_pages();
    assert_eq!(crawled.stored("/bad").unwrap().body(), b"<br>");
    crawled.expect_own_text(0, "/after");
}

#[test]
fn two_differing_content_lengths() {
    let crawled = against_each(Hostile::WRONG_LENGTHS);
    crawled.expect(&[("/two", Failed("length")), ("/list", Failed("length"))]).expect_good_pages();
}

#[test]
fn negative_or_lettered_content_length() {
    let crawled = against_each(Hostile::WRONG_LENGTHS);
    crawled.expect(&[
        ("/negative", Failed("length")),
        ("/letters", Failed("length")),
        ("/overflow", Failed("length")),
        ("/empty", Failed("length")),
    ]);
}

#[test]
fn chunked_together_with_content_length() {
    let crawled = against(Hostile::CHUNKED_AND_LENGTH);
    crawled.expect(&[("/bad", Kept(200)), ("/after", Kept(200))]).expect_good_pages();
    crawled.expect_own_text(0, "/after");
    let visits = crawled.visits();
    let bad = visits.iter().find(|visit| visit.path == "/bad").unwrap().connection;
    let mut on_it = visits.iter().filter(|visit| visit.connection == bad);
    assert_eq!(on_it.next_back().unwrap().path, "/bad", "the connection is not used again");
}

#[test]
fn chunk_size_overflow_or_garbage() {
    let crawled = against_each(Hostile::WRONG_CHUNKS);
    crawled.expect(&[
        ("/overflow", Failed("bad answer")),
        ("/negative", Failed("bad answer")),
        ("/letters", Failed("bad answer")),
        ("/no-end", Failed("bad answer")),
        ("/cut", Cut("disconnect")),
    ]);
    assert!(crawled.why("/long-line").contains("failed: "), "{}", crawled.why("/long-line"));
    crawled.expect_good_pages();
}

#[test]
fn gzip_brotli_and_nested_bombs() {
    let host = HostSpec::hostile(Hostile::BOMBS);
    let crawled = Crawled::of(host, &[], MEMORY_FOR_LARGE_BODIES);
    crawled.expect(&[
        ("/gzip", Kept(200)),
        ("/brotli", Kept(200)),
        ("/nested", Kept(200)),
        ("/endless", Cut("length")),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn gzip_label_on_plain_body_or_cut_gzip() {
    let crawled = against(Hostile::WRONG_CODINGS);
    crawled.expect(&[
        ("/plain-as-gzip", Kept(200)),
        ("/from/plain", Kept(200)),
        ("/cut-gzip", Kept(200)),
        ("/from/cut", Kept(200)),
        ("/unknown", Kept(200)),
        ("/twenty", Kept(200)),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn bodies_on_204_and_304_and_none_on_200() {
    let crawled = against(Hostile::BODY_WHERE_NONE_IS);
    crawled.expect(&[("/204", Kept(204)), ("/304", Kept(304)), ("/empty-200", Kept(200))]);
    for path in ["/after-204", "/after-304", "/after-200"] {
        crawled.expect(&[(path, Kept(200))]);
        crawled.expect_own_text(0, path);
    }
    crawled.expect_good_pages();
}

#[test]
fn reset_after_headers_or_in_mid_body() {
    let crawled = against_each(Hostile::RESETS);
    crawled.expect(&[
        ("/at-once", Failed("closed")),
        ("/after-head", Cut("disconnect")),
        ("/mid-body", Cut("disconnect")),
        ("/first-time", Kept(200)),
    ]);
    assert_eq!(crawled.asked("/mid-body"), 3, "tried again, but not for ever");
    crawled.expect_good_pages();
}

#[test]
fn resets_at_random() {
    let crawled = against_with(Hostile::RESETS_AT_RANDOM, SHORT);
    let most = 3 * (1 + 3) + 1;
    assert!(crawled.visits().len() <= most, "{:?}", crawled.visits());
}
