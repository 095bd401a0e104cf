//! Sites without end. Each ends by itself: the budget of a URL pattern is spent, or a rule about
//! the URL itself says no.

use weir_testsite::Hostile;

use crate::check::Fate::LeftOut;
use crate::check::{Crawled, against};

/// The budget is 1,000 pages without new content. A trap may have several patterns, and its pages
/// count as new for a while.
const MOST: usize = 5_000;

#[test]
fn calendar_trap_next_month_links_for_ever() {
    expect_trapped(Hostile::CALENDAR);
}

#[test]
fn session_id_in_query_on_every_link() {
    let crawled = against(Hostile::SESSION_IN_QUERY);
    // A well-known name is no part of the canonical form: five pages, each once.
    assert!(crawled.visits().len() <= 20, "{} requests", crawled.visits().len());
    crawled.expect_good_pages();
}

#[test]
fn token_of_an_unknown_name_in_query_on_every_link() {
    expect_trapped(Hostile::TOKEN_IN_QUERY);
}

#[test]
fn session_id_in_path_on_every_link() {
    expect_trapped(Hostile::SESSION_IN_PATH);
}

#[test]
fn growing_path_from_relative_links() {
    let crawled = expect_trapped(Hostile::GROWING_PATH);
    assert!(crawled.visits().len() <= 20, "{} requests", crawled.visits().len());
    crawled.expect(&[("/a/b/a/b/a/b/", LeftOut("repeats itself"))]);
}

#[test]
fn growing_query() {
    let crawled = expect_trapped(Hostile::GROWING_QUERY);
    let long = format!("/q?a=1{}", "&a=1".repeat(7));
    crawled.expect(&[(&long, LeftOut("query has too many parts"))]);
}

#[test]
fn endless_pagination_with_the_same_content() {
    let crawled = expect_trapped(Hostile::ENDLESS_PAGES);
    let visits = crawled.visits();
    let pages = visits.iter().filter_map(|visit| visit.path.strip_prefix("/list?page="));
    let last: u64 = pages.map(|page| page.parse().unwrap()).max().unwrap();
    let next = format!("/list?page={}", last + 1);
    crawled.expect(&[(&next, LeftOut("nothing new"))]);
    assert!(crawled.why(&next).contains("/list?page"), "the pattern is named");
}

#[test]
fn soft_404_flood() {
    expect_trapped(Hostile::SOFT_404);
}

#[test]
fn soft_404_flood_that_repeats_the_address() {
    expect_trapped(Hostile::SOFT_404_ECHO);
}

fn expect_trapped(hostile: Hostile) -> Crawled {
    let crawled = against(hostile);
    crawled.expect_good_pages();
    let requests = crawled.visits().len();
    println!("{requests} requests, {} skipped as a trap", crawled.skipped("trap"));
    assert!(requests <= MOST, "{requests} requests");
    assert!(crawled.skipped("trap") > 0, "{:#}", crawled.report["skipped"]);
    crawled
}
