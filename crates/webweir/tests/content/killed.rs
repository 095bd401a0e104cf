//! Kills in the middle: in the end each kept record is there exactly once, and none is lost.

use std::time::Duration;

use crate::paper::{self, FOOD};
use crate::run::{Run, TOPIC};
use crate::support::{wait_until, warc};

const KILLS: usize = 4;

#[test]
fn kept_records_are_there_exactly_once_though_weir_is_killed() {
    let run = Run::slow(Duration::from_millis(5));
    let settings = format!(
        "keep = 'topic(\"food safety\") > 0.4 or url matches \"/shop/[0-9]\"'\n\
         focus = 'food safety'\n{TOPIC}"
    );
    for kill in 1..=KILLS {
        let until = paper::paths().len() * kill / (KILLS + 1);
        let mut weir = run.start(&settings, &["--per-host", "3"]);
        wait_until("some pages", || {
            assert!(weir.ended().is_none(), "it ended before the kill");
            run.asked().len() >= until
        });
        weir.kill();
    }
    run.crawl(&settings, &["--per-host", "3"]);
    let wanted = |path: &&String| {
        let rest = path.strip_prefix(&format!("/{FOOD}/")).or(path.strip_prefix("/shop/"));
        rest.is_some_and(|rest| rest.parse::<u32>().is_ok())
    };
    let mut expected: Vec<String> = paper::paths().iter().filter(wanted).cloned().collect();
    // The German one mentions what it is about once, and is not about it by these terms.
    let rows = run.rows();
    expected
        .retain(|path| *path != format!("/{FOOD}/{}", paper::GERMAN) || rows.contains_key(path));
    expected.sort();
    let kept: Vec<String> = rows.keys().filter(|path| wanted(path)).cloned().collect();
    assert_eq!(kept, expected);
    let in_warc = warc::pages(&run.out()).len();
    assert_eq!(in_warc, paper::paths().len());
    let records = &run.report()["records"];
    let count = |name: &str| records[name].as_u64().unwrap() as usize;
    assert_eq!((count("kept"), count("kept") + count("dropped")), (rows.len(), in_warc));
}
