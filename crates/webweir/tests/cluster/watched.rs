//! What `weir status` shows of downloaders while they work.

use serde_json::Value;

use crate::run::{Cluster, SLOTS, sites};
use crate::support::wait_until;
use crate::team::Team;

#[test]
fn status_shows_each_downloader_while_it_works() {
    let cluster = Cluster::of(sites(8, 75), &["--per-host", "1", "--limit", "150KB/s"]);
    let mut team = Team::start(&cluster, &["first", "second"]);
    let (mut shown, mut json) = (String::new(), Value::Null);
    wait_until("both to be shown at work", || {
        assert!(team.scheduler().ended().is_none(), "it ended too early: {shown}");
        shown = cluster.status(&[]);
        json = serde_json::from_str(&cluster.status(&["--json"])).unwrap();
        let Some(all) = json["downloaders"].as_array() else { return false };
        let is_at_work = |it: &Value| {
            let has = |name: &str| it[name].as_f64().is_some_and(|value| value > 0.0);
            has("rate") && has("share") && has("pages")
        };
        all.len() == 2 && all.iter().all(is_at_work)
    });
    let all = json["downloaders"].as_array().unwrap();
    for name in ["first", "second"] {
        let one = all.iter().find(|it| it["name"] == name).unwrap();
        assert_eq!((&one["connected"], &one["slots"]), (&true.into(), &SLOTS.into()));
        assert!(one["share"].as_f64().unwrap() <= 150_000.0, "{one}");
        assert!(one["last_seen_s"].as_f64().unwrap() < 10.0, "{one}");
        let out = cluster.folder_of(name).display().to_string();
        assert_eq!(one["out"], out);
    }
    shown = cluster.status(&[]);
    let line = |name: &str| shown.lines().find(|line| line.contains(&format!("downloader {name}")));
    for name in ["first", "second"] {
        let line = line(name).unwrap_or_else(|| panic!("no line of {name}: {shown}"));
        for word in ["connected", "4 slots", "pages", "B/s of "] {
            assert!(line.contains(word), "no {word}: {line}");
        }
    }

    team.take("second").kill();
    wait_until("the loss to be shown", || {
        shown = cluster.status(&[]);
        shown.contains("gone, last seen")
            && shown.contains("connection to downloader second is lost")
    });
}
