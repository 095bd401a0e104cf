//! Ended in the middle, under a low limit.

use std::time::Duration;

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

/// What only waits for its turn is not waited for, and gets no turn any more.
#[test]
#[ignore = "the shaper goes on letting start what waits"]
fn ctrl_c_ends_soon_though_hundreds_wait_for_their_turn() {
    for sites in [1, 10] {
        let pages = 400 / sites;
        let servers: Vec<Server> = (0..sites).map(|_| Server::of(pages, 30_000)).collect();
        let crawl = Crawl::of(&servers.iter().collect::<Vec<_>>());
        let per_host = pages.to_string();
        let flags = ["--limit", "150KB/s", "--per-host", &per_host, "--concurrency", "400"];
        let requests = || servers.iter().map(Server::requests).sum::<usize>();
        let mut weir = crawl.start(&flags);
        wait_until("some pages", || requests() > 10 + 2 * sites || weir.ended().is_some());
        weir.interrupt();
        std::thread::sleep(Duration::from_millis(500));
        let told = requests();
        weir.wait_within(BOUND).expect_code(4).says(&["go on"]);
        assert_eq!(requests(), told, "asked for after it was told to end, of {sites} sites");
        // What was under way has ended, so nothing is asked for again.
        crawl.run(&["--per-host", "8"]).expect_code(0);
        for server in &servers {
            assert_eq!(server.urls_and_repeats(), (pages + 1, 0));
        }
    }
}
