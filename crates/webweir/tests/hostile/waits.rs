//! Servers that ask to be left alone: all of the host is, and nothing is lost.

use std::time::Duration;

use weir_testsite::Hostile;

use crate::check::Fate::{Failed, Kept};
use crate::check::{Crawled, against};

/// Times are kept in whole milliseconds, on both sides.
const SLACK: Duration = Duration::from_millis(5);

#[test]
fn a_429_with_retry_after_2_s_rests_the_whole_host() {
    let crawled = against(Hostile::BUSY_SECONDS);
    crawled.expect(&[("/busy", Kept(200))]).expect_good_pages();
    assert!(rest_after_busy(&crawled).unwrap() >= Duration::from_secs(2) - SLACK);
    assert_eq!(crawled.asked("/busy"), 2);
}

#[test]
fn a_503_with_retry_after_as_a_date_rests_the_whole_host() {
    let crawled = against(Hostile::BUSY_DATE);
    crawled.expect(&[("/busy", Kept(200))]).expect_good_pages();
    // The date has whole seconds: between two and three from when it was written.
    assert!(rest_after_busy(&crawled).unwrap() >= Duration::from_secs(2) - SLACK);
}

#[test]
fn a_retry_after_of_a_year_ends_the_host_for_this_run_and_the_next() {
    let crawled = against(Hostile::BUSY_A_YEAR);
    crawled.expect(&[("/busy", Failed("left alone"))]);
    assert!(crawled.why("/busy").contains("429"), "{}", crawled.why("/busy"));
    assert!(crawled.report["failed"].as_u64().unwrap() >= 1);
    assert_eq!(rest_after_busy(&crawled), None, "{:?}", crawled.visits());
    crawled.again(&[]).expect_code(0);
    assert_eq!(rest_after_busy(&crawled), None, "{:?}", crawled.visits());
    crawled.expect(&[("/busy", Failed("left alone"))]);
}

#[test]
#[ignore = "takes minutes: cargo xtask soak"]
fn a_later_run_takes_up_what_a_long_retry_after_left() {
    let crawled = against(Hostile::BUSY_301_SECONDS);
    crawled.expect(&[("/busy", Failed("left alone"))]);
    std::thread::sleep(Duration::from_secs(302));
    crawled.again(&[]).expect_code(0);
    crawled.expect(&[("/busy", Kept(200))]).expect_good_pages();
    assert!(rest_after_busy(&crawled).unwrap() >= Duration::from_secs(301) - SLACK);
}

#[test]
fn a_retry_after_of_minus_1_leaves_the_rest_to_us() {
    let crawled = against(Hostile::BUSY_NONSENSE);
    crawled.expect(&[("/busy", Kept(200))]).expect_good_pages();
    assert!(rest_after_busy(&crawled).unwrap() >= Duration::from_millis(100));
}

#[test]
fn a_host_that_is_always_busy_is_given_up() {
    let crawled = against(Hostile::ALWAYS_BUSY);
    assert!(crawled.visits().len() <= 10, "{:?}", crawled.visits());
    let why = crawled.why("/");
    assert!(why.contains("503"), "{why}");
}

/// The time between the refusal and the next request for anything of this host.
fn rest_after_busy(crawled: &Crawled) -> Option<Duration> {
    let visits = crawled.visits();
    let refused = visits.iter().position(|visit| visit.path == "/busy").unwrap();
    let next = visits.get(refused + 1)?;
    Some(next.at - visits[refused].ended.unwrap())
}
