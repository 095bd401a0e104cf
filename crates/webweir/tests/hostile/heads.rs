//! Heads that are too long, or no heads.

use weir_testsite::Hostile;

use crate::check::Fate::{Failed, Kept};
use crate::check::{against, against_each};

#[test]
fn header_line_of_100_kb_300_kb_of_headers_5_000_headers() {
    let crawled = against_each(Hostile::LARGE_HEADS);
    crawled.expect(&[
        ("/line-100-kb", Failed("limit")),
        ("/head-300-kb", Failed("limit")),
        ("/headers-5000", Failed("limit")),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn headers_without_end() {
    let crawled = against_each(Hostile::ENDLESS_HEADERS);
    crawled.expect(&[
        ("/line", Failed("limit")),
        ("/lines", Failed("limit")),
        ("/interim", Failed("limit")),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn nul_bare_cr_colon_less_header_space_before_first_header() {
    let crawled = against_each(Hostile::ODD_HEADERS);
    crawled.expect(&[
        ("/nul", Failed("bad answer")),
        ("/bare-cr", Failed("bad answer")),
        ("/no-colon", Failed("bad answer")),
        ("/space-first", Failed("bad answer")),
        ("/folded", Kept(200)),
        ("/empty-name", Failed("bad answer")),
        ("/bare-lf", Kept(200)),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn http_0_9_http_1_2_status_2_or_minus_12_or_100_digits() {
    let crawled = against_each(Hostile::ODD_STATUS);
    crawled.expect(&[
        ("/http-0.9", Failed("bad answer")),
        ("/http-1.2", Failed("bad answer")),
        ("/status-2", Failed("bad answer")),
        ("/status-minus-12", Failed("bad answer")),
        ("/status-100-digits", Failed("bad answer")),
        ("/ssh", Failed("bad answer")),
    ]);
    crawled.expect_good_pages();
}

#[test]
fn invalid_utf_8_in_headers() {
    let crawled = against(Hostile::INVALID_UTF8);
    crawled.expect(&[("/headers", Kept(200)), ("/from/headers", Kept(200))]);
    crawled.expect(&[("/location", Kept(302))]);
    crawled.expect_good_pages();
}
