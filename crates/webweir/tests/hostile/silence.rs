//! Nothing comes, or next to nothing.

use weir_testsite::Hostile;

use crate::check::{Fate, MEMORY, SHORT, against_with};

#[test]
fn accepts_never_answers() {
    let crawled = against_with(Hostile::NEVER_ANSWERS, SHORT);
    crawled.expect(&[("/bad", Fate::Failed("nothing in time"))]).expect_good_pages();
    let asked = crawled.asked("/bad");
    assert!((2..=3).contains(&asked), "tried again, but not for ever: {asked}");
    crawled.expect_neighbour_was_not_held_up("/bad");
}

#[test]
fn a_host_that_is_always_silent_is_given_up() {
    let crawled = against_with(Hostile::ALWAYS_SILENT, SHORT);
    crawled.expect(&[("/", Fate::Failed("nothing in time"))]);
    assert!(crawled.visits().len() <= 5, "{:?}", crawled.visits());
}

#[test]
fn accepts_and_closes() {
    let crawled = against_with(Hostile::ACCEPTS_AND_CLOSES, &[]);
    crawled.expect(&[("/", Fate::Failed("closed"))]);
}

#[test]
fn body_one_byte_a_second_forever() {
    let crawled = against_with(Hostile::SLOW_BODY, SHORT);
    crawled.expect(&[("/bad", Fate::Cut("time"))]).expect_good_pages();
    assert_eq!(crawled.stored("/bad").unwrap().body().get(..1), Some(&b"s"[..]));
}

#[test]
fn head_one_byte_a_second_forever() {
    let crawled = against_with(Hostile::SLOW_HEAD, SHORT);
    crawled.expect(&[("/bad", Fate::Failed("head"))]).expect_good_pages();
}

#[test]
fn half_a_body_and_then_silence() {
    let crawled = against_with(Hostile::STALLED_BODY, SHORT);
    crawled.expect(&[("/bad", Fate::Cut("time"))]).expect_good_pages();
    assert_eq!(crawled.stored("/bad").unwrap().body(), b"half");
    assert_eq!(crawled.asked("/bad"), 2, "tried again, but not for ever");
    crawled.expect(&[("/first-time", Fate::Kept(200))]);
    assert!(crawled.ended.usage.memory < MEMORY);
}
