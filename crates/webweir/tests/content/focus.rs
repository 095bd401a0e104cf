//! A crawl with a focus asks for promising pages first.

use std::collections::BTreeSet;

use crate::paper::{self, FOOD};
use crate::run::{Run, TOPIC};

fn about_food(path: &str) -> bool {
    path.strip_prefix(&format!("/{FOOD}/")).is_some_and(|rest| rest.parse::<u32>().is_ok())
}

/// How many of the pages about the topic are among the first half of all requests.
fn harvest(asked: &[String]) -> usize {
    asked[..asked.len() / 2].iter().filter(|path| about_food(path)).count()
}

fn everything() -> BTreeSet<String> {
    paper::paths().into_iter().collect()
}

#[test]
fn promising_pages_come_earlier_than_breadth_first_and_all_come_in_the_end() {
    let (plain, focused) = (Run::new(), Run::new());
    plain.crawl(TOPIC, &[]);
    focused.crawl(&format!("focus = 'food safety'\n{TOPIC}"), &[]);
    let (first, second) = (harvest(&plain.asked()), harvest(&focused.asked()));
    println!("of {} in the first half: breadth-first {first}, focused {second}", paper::ARTICLES);
    assert_eq!(second, paper::ARTICLES, "{:?}", focused.asked());
    assert!(first * 4 < second * 3, "{first} and {second}");
    for run in [plain, focused] {
        let asked = run.asked();
        let there: BTreeSet<String> = asked.iter().cloned().collect();
        assert_eq!((there.len(), &there), (asked.len(), &everything()));
    }
}

#[test]
fn with_a_depth_each_level_is_finished_and_promises_count_within_it() {
    let run = Run::new();
    run.crawl(&format!("focus = 'food safety'\ndepth = 2\n{TOPIC}"), &["--per-host", "2"]);
    let asked = run.asked();
    let at =
        |path: &str| asked.iter().position(|it| it == path).unwrap_or_else(|| panic!("{path}"));
    let lists = paper::SECTIONS.map(|section| at(&format!("/{section}/")));
    let last_list = lists.into_iter().chain([at("/shop/")]).max().unwrap();
    let articles: Vec<&String> = asked[last_list + 1..].iter().take(4).collect();
    assert!(articles.iter().all(|path| about_food(path)), "{asked:?}");
    assert!(at("/food/0") > last_list && at("/food/0") < at("/cinema/0"), "{asked:?}");
}

#[test]
fn a_focus_lives_through_a_kill() {
    let run = Run::slow(std::time::Duration::from_millis(20));
    let settings = format!("focus = 'food safety'\n{TOPIC}");
    let mut weir = run.start(&settings, &[]);
    crate::support::wait_until("ten pages", || {
        assert!(weir.ended().is_none(), "it ended too early");
        run.asked().len() > 10
    });
    weir.kill();
    let before = run.asked();
    run.crawl(&settings, &[]);
    let asked = run.asked();
    assert!(before.iter().filter(|path| about_food(path)).count() < paper::ARTICLES);
    // What was under way at the kill may be asked for twice.
    let half = &asked[..asked.len() / 2 + 1];
    let food: BTreeSet<&String> = half.iter().filter(|path| about_food(path)).collect();
    assert_eq!(food.len(), paper::ARTICLES, "{asked:?}");
}
