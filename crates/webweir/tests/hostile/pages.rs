//! Pages that are hard to read.

use weir_testsite::{HostSpec, Hostile};

use crate::check::Fate::{Cut, Kept, LeftOut, NeverFound};
use crate::check::{Crawled, MEMORY_FOR_LARGE_BODIES, against};

#[test]
fn a_million_links_on_one_page() {
    let host = HostSpec::hostile(Hostile::MILLION_LINKS);
    let crawled = Crawled::of(host, &[], MEMORY_FOR_LARGE_BODIES);
    crawled.expect(&[("/index", Cut("length")), ("/x/0", LeftOut("robots.txt"))]);
    // As many as are read of one page.
    assert_eq!(crawled.skipped("robots"), 20_000);
    crawled.expect_good_pages();
}

#[test]
fn a_long_base_that_makes_all_links_long() {
    let crawled = against(Hostile::LONG_BASE);
    crawled.expect(&[("/index", Kept(200))]).expect_good_pages();
    // As many of 8 KB as go into 4 MiB.
    let read = crawled.skipped("robots");
    assert!((500..=525).contains(&read), "{read}");
}

#[test]
fn a_hundred_megabytes_of_html() {
    let host = HostSpec::hostile(Hostile::HUGE_HTML);
    let crawled = Crawled::of(host, &[], MEMORY_FOR_LARGE_BODIES);
    crawled.expect(&[("/huge", Cut("length")), ("/from/huge", Kept(200))]).expect_good_pages();
    assert!(crawled.report["bytes_wire"].as_u64().unwrap() < 60_000_000);
}

#[test]
fn url_of_100_kb_host_label_over_63_port_0_or_99999() {
    let host = HostSpec::hostile(Hostile::ODD_URLS);
    let crawled = Crawled::of(host, &["--scope", "any"], crate::check::MEMORY);
    crawled.expect(&[("/links", Kept(200)), ("/from/links", Kept(200))]).expect_good_pages();
    let asked: Vec<String> = crawled.visits().into_iter().map(|visit| visit.path).collect();
    assert!(asked.iter().all(|path| path.len() < 100), "{asked:?}");
}

#[test]
fn wrong_charset_label_utf_16_without_bom_two_boms_mixed() {
    let crawled = against(Hostile::WRONG_CHARSETS);
    for path in Hostile::WRONG_CHARSETS.links {
        crawled.expect(&[(path, Kept(200)), (&format!("/from{path}"), Kept(200))]);
    }
    crawled.expect_good_pages();
}

#[test]
fn nuls_in_html_binary_labelled_html_html_labelled_png() {
    let crawled = against(Hostile::BINARY);
    crawled.expect(&[("/nuls", Kept(200)), ("/noise", Kept(200)), ("/image", Kept(200))]);
    crawled.expect(&[("/from/image", NeverFound)]);
    crawled.expect_good_pages();
}

#[test]
fn a_million_elements_in_each_other() {
    let crawled = against(Hostile::DEEP_NESTING);
    crawled.expect(&[("/deep", Kept(200)), ("/from/deep", Kept(200))]).expect_good_pages();
}
