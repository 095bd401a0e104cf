//! Killed in the middle, and started again.

use serde_json::Value;
use weir_testsite::HostSpec;

use crate::job::{Job, number};
use crate::support::wait_until;

fn history(job: &Job) -> Value {
    let path = job.out().join("history.json");
    std::fs::read(path).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).unwrap())
}

#[test]
fn a_kill_moves_no_deadline_and_forgets_no_prediction() {
    let site = || HostSpec::pages(100).page_bytes(9_900..=10_100);
    let sites = || vec![(site(), "within = \"1h\""), (site().sitemap(), "within = \"2h\"")];
    let job = Job::new("limit = \"150KB/s\"", sites());
    let weir = job.start("crawl", &["--per-host", "2"]);
    wait_until("half of a site", || {
        let history = history(&job);
        let pages = |at: usize| history["sites"][job.name(at)]["now"]["pages"].as_f64();
        job.out().join("plan.json").exists()
            && [0, 1].into_iter().filter_map(pages).any(|pages| pages > 50.0)
    });
    weir.kill();
    let (plan, before) = (job.plan(), history(&job));
    let (first, requests) = (job.report(), job.web.counts().total().requests);

    let weir = job.start("crawl", &["--per-host", "2"]);
    wait_until("the first words of the new run", || {
        let report = job.report();
        report["outcome"] == "running"
            && number(&report["elapsed_s"]) > number(&first["elapsed_s"]) + 1.0
    });
    for at in 0..2 {
        let (then, now) = (job.site(&first, at), job.site(&job.report(), at));
        assert_eq!(then["deadline"], now["deadline"], "the promise is kept");
        assert_eq!(then["at_start"], now["at_start"], "what was predicted is remembered");
        let known = number(&before["sites"][job.name(at)]["now"]["pages"]);
        let kept = number(&history(&job)["sites"][job.name(at)]["now"]["pages"]);
        assert!(kept >= known, "{kept} pages learnt from, and {known} before the kill");
    }
    assert_eq!(weir.wait_within(std::time::Duration::from_secs(120)).expect_code(0).code, Some(0));
    assert_eq!(job.plan(), plan, "the plan that was promised stays to be compared with");
    let report = job.report();
    assert_eq!((&report["pages"], &report["deadlines"]["met"]), (&200.into(), &2.into()));
    let again = job.web.counts().total().requests;
    // robots.txt twice, the sitemap once, and what was under way when it was killed.
    assert!(again <= 200 + 5 + 4 && again > requests, "{again}");
    let crawls = &history(&job)["sites"][job.name(0)]["crawls"];
    assert_eq!(crawls.as_array().unwrap().len(), 1, "{crawls}");
    assert_eq!(crawls[0]["pages"], 100.0);
}

#[test]
fn who_writes_another_deadline_gets_it() {
    let job = Job::new(
        "limit = \"100KB/s\"",
        vec![(HostSpec::pages(50).page_bytes(9_900..=10_100), "within = \"1h\"")],
    );
    let deadline = |job: &Job| job.site(&job.report(), 0)["deadline"].as_str().map(str::to_owned);
    let until_told = |lines: &str| {
        job.write("limit = \"100KB/s\"", &[lines]);
        let before = std::fs::read(job.out().join("report.json")).ok();
        let weir = job.start("crawl", &[]);
        wait_until("a report", || {
            std::fs::read(job.out().join("report.json")).ok() != before && deadline(&job).is_some()
        });
        weir.kill();
        deadline(&job).unwrap()
    };
    let first = until_told("within = \"1h\"");
    assert_eq!(until_told("within = \"1h\""), first, "no hour is added by a restart");
    let later = until_told("within = \"2h\"");
    let moment = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
    let longer = moment(&later).duration_since(moment(&first)).as_secs_f64();
    assert!((longer - 3600.0).abs() < 0.01, "{longer}");
}
