//! Many names on one server are one server.

use std::time::Duration;

use weir_testsite::{HostSpec, Script, Spec, Visit, Web};

use crate::site::{SLACK, gaps, most_at_once, page};
use crate::support::command::crawl;

const NAMES: usize = 5;
const PAGES: [&str; 4] = ["/1", "/2", "/3", "/4"];

#[test]
fn five_names_on_one_address_are_asked_for_one_page_at_a_time() {
    let visits = crawl_names(&[]);
    assert_eq!(most_at_once(&visits), 1);
}

#[test]
fn per_ip_is_reached_and_never_passed() {
    let visits = crawl_names(&["--per-ip", "2"]);
    assert_eq!(most_at_once(&visits), 2);
}

#[test]
fn by_default_an_address_is_asked_as_much_as_a_host() {
    let visits = crawl_names(&["--per-host", "3"]);
    assert!(most_at_once(&visits) <= 3);
}

#[test]
fn delay_is_kept_between_any_two_requests_to_one_address() {
    let visits = crawl_names(&["--delay", "300ms"]);
    let gaps = gaps(&visits);
    let least = Duration::from_millis(300) - SLACK;
    assert!(gaps.iter().all(|gap| *gap >= least), "{gaps:?}");
}

/// Nobody waits for ever either: the names take turns.
#[test]
fn the_names_of_one_server_take_turns() {
    let visits = crawl_names(&[]);
    let done = |name: usize| {
        let mut of_it =
            visits.iter().enumerate().filter(|(_, it)| it.host.starts_with(&host(name)));
        of_it.next_back().unwrap().0
    };
    let first_done = (0..NAMES).map(done).min().unwrap();
    assert!(first_done > visits.len() / 2, "one name was done before the others had begun");
}

fn host(name: usize) -> String {
    format!("name{name}.test")
}

/// Crawls the same small site under each name, and returns what the server saw.
fn crawl_names(flags: &[&str]) -> Vec<Visit> {
    let site = HostSpec::scripted(|asked| {
        Some(match asked.path {
            "/robots.txt" => Script::answer(404, "", ""),
            _ => page(PAGES),
        })
    });
    let web = Web::start(Spec::new(vec![site.latency(Duration::from_millis(40))])).unwrap();
    let out = tempfile::tempdir().unwrap();
    let port = web.port();
    let seeds: Vec<String> = (0..NAMES).map(|n| format!("http://{}:{port}/", host(n))).collect();
    let address =
        web.seeds()[0].trim_start_matches("http://").split(':').next().unwrap().to_owned();
    let resolve: Vec<String> =
        (0..NAMES).map(|n| format!("{}:{port}:{address}", host(n))).collect();
    let resolve = resolve.iter().flat_map(|entry| ["--resolve", entry]);
    let flags: Vec<&str> = resolve.chain(flags.iter().copied()).collect();
    crawl(&seeds, out.path(), &flags).wait().expect_code(0);
    let visits = web.visits(0);
    for name in 0..NAMES {
        let of_it = visits.iter().filter(|visit| visit.host == format!("{}:{port}", host(name)));
        assert_eq!(of_it.count(), 1 + 1 + PAGES.len(), "robots.txt, the first page and the others");
    }
    visits
}
