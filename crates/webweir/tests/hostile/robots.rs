//! Hosts whose robots.txt is the trouble.

use std::time::Duration;

use weir_testsite::{HostSpec, Hostile, RobotsSpec, Visit};

use crate::check::Fate::{Kept, LeftOut};
use crate::check::{Crawled, MEMORY, SHORT, against, against_with};

#[test]
fn robots_txt_answers_5xx() {
    let crawled = against(Hostile::ROBOTS_500);
    expect_nothing_but_robots(&crawled);
    crawled.expect(&[("/", LeftOut("robots.txt"))]);
    assert_eq!(crawled.skipped("robots"), 1);
    crawled.expect_neighbour_was_not_held_up("/robots.txt");
}

#[test]
fn robots_txt_answers_429() {
    let crawled = against(Hostile::ROBOTS_429);
    expect_nothing_but_robots(&crawled);
    crawled.expect(&[("/", LeftOut("robots.txt"))]);
}

#[test]
fn robots_txt_answers_403() {
    let crawled = against(Hostile::ROBOTS_403);
    crawled.expect(&[("/secret", Kept(200))]).expect_good_pages();
}

#[test]
fn robots_txt_behind_five_redirects() {
    let crawled = against(Hostile::ROBOTS_5_HOPS);
    crawled.expect(&[("/secret", LeftOut("robots.txt"))]).expect_good_pages();
}

#[test]
fn robots_txt_behind_six_redirects() {
    let crawled = against(Hostile::ROBOTS_6_HOPS);
    assert!(crawled.asked("/hop/6") <= 1);
    crawled.expect_good_pages();
}

#[test]
fn robots_txt_is_never_answered() {
    let crawled = against_with(Hostile::ROBOTS_SILENT, SHORT);
    expect_nothing_but_robots(&crawled);
    crawled.expect_neighbour_was_not_held_up("/robots.txt");
    let why = crawled.why("/");
    assert!(why.contains("failed:") || why.contains("left out:"), "{why}");
}

#[test]
fn robots_txt_without_end() {
    let crawled = Crawled::of(HostSpec::hostile(Hostile::ROBOTS_ENDLESS), &[], MEMORY);
    crawled.expect(&[("/secret", LeftOut("robots.txt"))]).expect_good_pages();
}

/// 500 KiB are read, as RFC 9309 asks: a rule before that holds, one behind it is not seen.
#[test]
fn robots_txt_of_1_mb_with_rules_around_500_kib() {
    let crawled = against(Hostile::ROBOTS_OF_1_MB);
    crawled.expect(&[("/secret", LeftOut("robots.txt")), ("/late", Kept(200))]);
    crawled.expect_good_pages();
}

#[test]
fn robots_txt_that_is_a_page() {
    let crawled = against(Hostile::ROBOTS_HTML);
    crawled.expect(&[("/secret", Kept(200))]).expect_good_pages();
}

/// RFC 9309 asks for UTF-8: what is not has no rules that can be read, or is read all the same.
#[test]
fn robots_txt_in_utf_16() {
    let crawled = against(Hostile::ROBOTS_UTF16);
    crawled.expect_good_pages();
    let why = crawled.why("/secret");
    assert!(why.contains("kept:") || why.contains("left out:"), "{why}");
}

#[test]
fn crawl_delay_of_0() {
    let crawled = with_delay("0");
    assert_eq!(crawled.web.missing().count(), 0);
}

#[test]
fn crawl_delay_of_half_a_second() {
    let crawled = with_delay("0.5");
    // The pause is known from robots.txt on, and kept between pages.
    assert!(least_gap(&crawled.visits()[1..]) >= Duration::from_millis(495));
}

#[test]
fn crawl_delay_that_is_negative_or_text_is_ignored() {
    for text in ["-1", "a while"] {
        assert_eq!(with_delay(text).web.missing().count(), 0, "{text}");
    }
}

#[test]
fn crawl_delay_of_3600_skips_the_host_and_says_so() {
    let crawled = against(Hostile::CRAWL_DELAY_3600);
    expect_skipped_for_its_delay(&crawled);
}

#[test]
fn crawl_delay_of_1e9_skips_the_host_and_says_so() {
    let crawled = against(Hostile::CRAWL_DELAY_HUGE);
    expect_skipped_for_its_delay(&crawled);
}

fn expect_skipped_for_its_delay(crawled: &Crawled) {
    expect_nothing_but_robots(crawled);
    assert!(crawled.skipped("robots") >= 1, "{:#}", crawled.report["skipped"]);
    let why = crawled.why("/").to_lowercase();
    assert!(why.contains("delay"), "{why}");
    let troubles = crawled.report["troubles"].to_string().to_lowercase();
    assert!(troubles.contains("delay"), "{troubles}");
}

fn expect_nothing_but_robots(crawled: &Crawled) {
    let visits = crawled.visits();
    assert!(!visits.is_empty());
    let others: Vec<&Visit> = visits.iter().filter(|it| it.path != "/robots.txt").collect();
    assert!(others.is_empty(), "{others:?}");
}

/// An honest host of four pages that asks for a pause.
fn with_delay(delay: &str) -> Crawled {
    let robots = RobotsSpec::Text(format!("User-agent: *\nCrawl-delay: {delay}\n"));
    Crawled::of(HostSpec::pages(4).robots(robots).private(0).watched(), &[], MEMORY)
}

/// From the end of an answer to the next request.
fn least_gap(visits: &[Visit]) -> Duration {
    let gaps = visits.windows(2).map(|pair| pair[1].at - pair[0].ended.unwrap());
    gaps.min().unwrap()
}
