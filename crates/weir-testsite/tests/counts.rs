//! The server's account is what was asked of it.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{Read, Write};
use std::time::Duration;

use support::{ask, crawl, get};
use weir_testsite::{HostSpec, RobotsSpec, Spec, Web};

#[test]
fn a_correct_crawl_asks_once_for_each_page_and_for_nothing_else() {
    let spec = HostSpec::pages(40).robots(RobotsSpec::Private).redirects(4).dead_links(3).files(2);
    let web = Web::start(Spec::new(vec![spec.clone(), spec])).unwrap();
    assert_eq!(web.missing().count(), 84);
    for seed in web.seeds() {
        get(&format!("{seed}robots.txt")).unwrap();
    }
    crawl(&web.seeds(), "", "/private/");
    let counts = web.counts();
    for host in &counts.hosts {
        let it = host.totals;
        assert_eq!((it.requests, it.robots, it.pages_complete), (50, 1, 40));
        assert_eq!(
            (it.violations, it.false_links, it.unknown, it.bad, it.repeated),
            (0, 0, 0, 0, 0)
        );
        assert_eq!((it.connections, it.peak_requests), (50, 1));
        assert_eq!(host.paths().count(), 49);
        assert!(host.paths().all(|(_, times)| times == 1));
    }
    assert_eq!(counts.total().requests, 100);
    assert_eq!(web.missing().count(), 0);
}

#[test]
fn mistakes_are_counted_apart() {
    let web = Web::start(Spec::new(vec![HostSpec::pages(5).robots(RobotsSpec::Private)])).unwrap();
    let seed = &web.seeds()[0];
    let paths =
        ["private/1.html", "false/comment", "false/script", "nowhere", "p/4.html", "p/4.html"];
    for path in paths {
        get(&format!("{seed}{path}")).unwrap();
    }
    assert_eq!(ask(seed, "POST", "").unwrap().status, 405);
    let counts = web.counts();
    let it = counts.total();
    assert_eq!((it.violations, it.false_links, it.unknown, it.bad, it.repeated), (1, 2, 1, 1, 1));
    assert_eq!((it.requests, it.pages_complete), (7, 1));
    let repeated: Vec<_> = counts.hosts[0].repeated().map(|it| (it.path, it.times)).collect();
    assert_eq!(repeated, [("/p/4.html".to_owned(), 2)]);
    assert_eq!(counts.hosts[0].asked("/p/4.html"), 2);
    assert_eq!(counts.hosts[0].asked("/"), 0);

    web.reset();
    assert_eq!(web.counts().total(), weir_testsite::Totals::default());
}

#[test]
fn a_robots_txt_that_fails_forbids_the_whole_host() {
    let spec = HostSpec::pages(2).robots(RobotsSpec::Status(503));
    let web = Web::start(Spec::new(vec![spec])).unwrap();
    assert_eq!(get(&format!("{}robots.txt", web.seeds()[0])).unwrap().status, 503);
    assert_eq!(web.counts().total().violations, 0);
    get(&web.seeds()[0]).unwrap();
    assert_eq!(web.counts().total().violations, 1);
}

#[test]
fn requests_at_the_same_time_are_seen_as_such() {
    let spec = HostSpec::pages(1).latency(Duration::from_millis(300));
    let web = Web::start(Spec::new(vec![spec.clone(), spec])).unwrap();
    let open = |host: usize| {
        let mut stream = support::connect(&web.seeds()[host]).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n").unwrap();
        stream
    };
    let streams = [open(0), open(0), open(1), open(0)];
    for mut stream in streams {
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    let counts = web.counts();
    // On a busy machine the first may be answered before the last is asked, but not before the
    // second.
    assert!((2..=3).contains(&counts.hosts[0].totals.peak_requests));
    assert_eq!(counts.hosts[0].totals.connections, 3);
    assert_eq!(counts.hosts[1].totals.peak_requests, 1);
}

#[test]
fn a_page_that_is_not_read_to_its_end_is_not_complete() {
    let spec = HostSpec::pages(1).page_bytes(50_000_000..=50_000_000);
    let web = Web::start(Spec::new(vec![spec])).unwrap();
    let mut stream = support::connect(&web.seeds()[0]).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    stream.peek(&mut [0]).unwrap();
    drop(stream);
    // The answer to a second request on the only thread comes after the first has failed.
    let gone = (0..100).any(|_| {
        ask(&web.seeds()[0], "HEAD", "").unwrap();
        web.counts().total().pages_complete == 0
    });
    assert!(gone);
}
