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

/// What only waits for its turn is not waited for.
#[test]
fn ctrl_c_ends_soon_though_hundreds_wait_for_their_turn() {
    let waiting = Waiting::start();
    waiting.interrupt_and_wait();
    // All of them would have taken half a minute.
    let asked = waiting.requests();
    assert!(asked < 250, "{asked} of 410 were asked for");
    waiting.crawl.run(&["--per-host", "8"]).expect_code(0);
    assert_eq!(waiting.crawl.pages(), 410);
}

#[test]
fn after_ctrl_c_nothing_gets_its_turn_any_more() {
    let waiting = Waiting::start();
    let told = waiting.interrupt_and_wait();
    assert_eq!(waiting.requests(), told, "asked for after it was told to end");
    // What was under way has ended, so nothing is asked for again.
    waiting.crawl.run(&["--per-host", "8"]).expect_code(0);
    for server in &waiting.servers {
        assert_eq!(server.urls_and_repeats(), (41, 0));
    }
}

/// 400 pages of ten sites that all may be asked for at once, but for the limit.
struct Waiting {
    servers: Vec<Server>,
    crawl: Crawl,
}

impl Waiting {
    fn start() -> Waiting {
        let servers: Vec<Server> = (0..10).map(|_| Server::of(40, 10_000)).collect();
        let crawl = Crawl::of(&servers.iter().collect::<Vec<_>>());
        Waiting { servers, crawl }
    }

    fn requests(&self) -> usize {
        self.servers.iter().map(Server::requests).sum()
    }

    /// Returns how many requests had been made half a second after Ctrl-C.
    fn interrupt_and_wait(&self) -> usize {
        let flags = ["--limit", "150KB/s", "--per-host", "40", "--concurrency", "400"];
        let mut weir = self.crawl.start(&flags);
        wait_until("some pages", || self.requests() > 30 || weir.ended().is_some());
        weir.interrupt();
        std::thread::sleep(Duration::from_millis(500));
        let told = self.requests();
        weir.wait_within(BOUND).expect_code(4).says(&["go on"]);
        told
    }
}
