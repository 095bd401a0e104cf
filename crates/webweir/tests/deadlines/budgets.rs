//! As much of a site as was asked for.

use weir_testsite::HostSpec;

use crate::job::{Job, number};

#[test]
fn a_site_brings_no_more_pages_than_it_may_and_the_others_all() {
    let site = || HostSpec::pages(50);
    let job = Job::new("", vec![(site(), "max-pages = 7"), (site(), ""), (site(), "depth = 1")]);
    let ended = job.run("crawl", &["--per-host", "3"]);
    ended.expect_code(4);
    let report = job.report();
    assert_eq!(job.site(&report, 0)["pages"], 7);
    assert_eq!(job.site(&report, 1)["pages"], 50);
    let shallow = number(&job.site(&report, 2)["pages"]);
    assert!(shallow > 1.0 && shallow < 12.0, "links of one page: {shallow}");
    assert_eq!(report["outcome"], "limit");
    // With more it goes on where it stopped.
    job.write("", &["max-pages = 20", "", "depth = 1"]);
    job.run("crawl", &[]).expect_code(4);
    assert_eq!(job.site(&job.report(), 0)["pages"], 20);
    job.write("", &["", "", "depth = 1"]);
    job.run("crawl", &[]).expect_code(0);
    assert_eq!(job.site(&job.report(), 0)["pages"], 50);
}

#[test]
fn a_site_brings_no_more_bytes_than_it_may() {
    let site = HostSpec::pages(50).page_bytes(9_900..=10_100);
    let job = Job::new("", vec![(site, "max-bytes = \"100KB\"")]);
    job.run("crawl", &[]).expect_code(4);
    let bytes = number(&job.site(&job.report(), 0)["bytes_wire"]);
    assert!((100_000.0..112_000.0).contains(&bytes), "{bytes}");
}
