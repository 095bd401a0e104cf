//! What we hold back ourselves is not the server's fault.

use crate::run::Crawl;
use crate::server::Server;
use crate::support::warc::response;

#[test]
fn a_page_that_we_hold_back_is_not_late() {
    let server = Server::of(2, 60_000);
    let crawl = Crawl::of(&[&server]);
    let flags = ["--limit", "30KB/s", "--timeout", "1s", "--per-host", "2", "--store", "warc"];
    crawl.run(&flags).expect_code(0);
    let report = crawl.report();
    assert_eq!((report["pages"].as_u64(), report["failed"].as_u64()), (Some(3), Some(0)));
    assert_eq!(server.urls_and_repeats(), (3, 0));
    for number in 0..2 {
        let page = response(crawl.out(), &format!("{}p/{number}", server.seed())).unwrap();
        assert_eq!((page.body().len(), page.truncated()), (60_000, None));
    }
}

/// Nor does it come too close to the next: a pause is kept however late a request could start.
#[test]
fn a_delay_is_kept_under_a_limit() {
    let server = Server::of(10, 4_000);
    let crawl = Crawl::of(&[&server]);
    crawl.run(&["--limit", "20KB/s", "--delay", "200ms", "--per-host", "4"]).expect_code(0);
    let asked = server.asked();
    let gaps: Vec<_> = asked.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    let least = std::time::Duration::from_millis(200 - 5);
    assert!(gaps.iter().all(|gap| *gap >= least), "{gaps:?}");
    assert_eq!(crawl.pages(), 11);
}
