//! Redirects that lead nowhere, or where nobody should go.

use weir_testsite::Hostile;

use crate::check::Fate::{Kept, LeftOut, NeverFound};
use crate::check::against;

#[test]
fn redirect_to_itself_loop_of_two_chain_of_100() {
    let crawled = against(Hostile::REDIRECT_LOOPS);
    crawled.expect(&[
        ("/self", Kept(302)),
        ("/there", Kept(302)),
        ("/back", Kept(302)),
        ("/chain/100", Kept(302)),
        ("/chain/80", Kept(302)),
        ("/chain/79", LeftOut("redirects")),
        ("/chain/0", NeverFound),
        ("/short/0", Kept(200)),
    ]);
    for path in ["/self", "/there", "/back"] {
        assert_eq!(crawled.asked(path), 1, "{path}");
    }
    crawled.expect_good_pages();
}

#[test]
fn redirect_to_file_javascript_data() {
    let crawled = against(Hostile::REDIRECT_ELSEWHERE);
    for path in ["/file", "/javascript", "/data", "/ftp", "/nothing", "/broken", "/two"] {
        crawled.expect(&[(path, Kept(302))]);
    }
    crawled.expect(&[("/never", NeverFound), ("/never-too", NeverFound)]);
    crawled.expect_good_pages();
}

#[test]
fn redirect_to_a_disallowed_path_or_out_of_scope() {
    let crawled = against(Hostile::REDIRECT_FORBIDDEN);
    crawled.expect(&[
        ("/in", Kept(302)),
        ("/out", Kept(302)),
        ("/secret/page", LeftOut("robots.txt")),
    ]);
    assert_eq!(crawled.asked("/secret/page"), 0);
    assert_eq!((crawled.skipped("robots"), crawled.skipped("scope")), (1, 1));
    crawled.expect_good_pages();
}

#[test]
fn location_with_spaces_raw_utf_8_fragment_relative_with_excess_dots() {
    let crawled = against(Hostile::ODD_LOCATIONS);
    for path in [
        "/found/a%20b",
        "/found/%C3%A4",
        "/found/fragment",
        "/found/dots",
        "/found/bare",
        "/found/slashes",
        "/found/padded",
        "/query?found",
    ] {
        crawled.expect(&[(path, Kept(200))]);
    }
    crawled.expect_good_pages();
}
