//! Ended in the middle, under a low limit.

use std::time::{Duration, Instant};

use crate::run::{BOUND, Crawl};
use crate::server::Server;
use crate::support::wait_until;
use crate::support::warc::response;

#[test]
fn a_cap_does_not_lose_or_fetch_twice() {
    let server = Server::of(60, 12_000);
    let crawl = Crawl::of(&[&server]);
    let flags = ["--limit", "250KB/s", "--per-host", "4", "--store", "warc"];
    for upto in [100_000, 250_000, 500_000] {
        let mut weir = crawl.start(&flags);
        wait_until("the moment to kill", || server.payload() > upto || weir.ended().is_some());
        weir.kill();
    }
    crawl.run(&flags).expect_code(0);
    let (urls, repeats) = server.urls_and_repeats();
    assert_eq!((urls, crawl.pages()), (61, 61));
    assert!(repeats <= 3 * 4, "{repeats} asked for again, and no more than 12 were under way");
    for number in 0..60 {
        let page = response(crawl.out(), &format!("{}p/{number}", server.seed())).unwrap();
        assert_eq!((page.body().len(), page.truncated()), (12_000, None), "{number}");
    }
}

/// What only waits for its turn is not waited for.
#[test]
fn ctrl_c_ends_soon_though_hundreds_wait_for_their_turn() {
    let server = Server::of(400, 30_000);
    let crawl = Crawl::of(&[&server]);
    let flags = ["--limit", "100KB/s", "--per-host", "400", "--concurrency", "400"];
    let weir = crawl.start(&flags);
    wait_until("some pages", || server.requests() > 10);
    weir.interrupt();
    let begun = Instant::now();
    weir.wait_within(BOUND).expect_code(4).says(&["go on"]);
    let (took, requests) = (begun.elapsed(), server.requests());
    println!("{took:?}, {requests} requests");
    // All of them would take 120 s.
    assert!(took < Duration::from_secs(30) && requests < 100, "{took:?}, {requests} requests");
    assert_eq!(server.urls_and_repeats().1, 0);
}
