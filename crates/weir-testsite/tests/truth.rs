//! The truth is what a crawl over real sockets finds.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use sha1::{Digest, Sha1};
use support::{Found, crawl};
use weir_testsite::{HostSpec, Kind, RobotsSpec, Spec, TrueUrl, Web};

/// Some of everything.
fn mixed() -> HostSpec {
    HostSpec::pages(60)
        .page_bytes(2_000..=9_000)
        .links_per_page(12)
        .cross_links(2)
        .robots(RobotsSpec::Private)
        .redirects(9)
        .dead_links(7)
        .duplicates(5)
        .files(6)
}

fn check(web: &Web, found: &Found, truth: &[TrueUrl]) {
    let urls = |urls: &mut dyn Iterator<Item = String>| urls.collect::<Vec<_>>();
    let mut expected = urls(&mut truth.iter().map(|it| it.url.clone()));
    expected.sort();
    assert_eq!(urls(&mut found.answers.keys().cloned()), expected);
    for it in truth {
        let answer = &found.answers[&it.url];
        assert_eq!(answer.status, it.status, "{}", it.url);
        assert_eq!(answer.body.len(), it.bytes, "{}", it.url);
        let sha1: String = Sha1::digest(&answer.body).iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(sha1, it.sha1, "{}", it.url);
        assert_eq!(answer.headers["content-type"], it.content_type, "{}", it.url);
        assert_eq!(answer.headers.contains_key("location"), it.location.is_some(), "{}", it.url);
    }
    assert_eq!(by_page(found.links.clone()), by_page(web.truth().links()));
}

/// The links of each page in their order.
fn by_page(links: impl IntoIterator<Item = (String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut pages = BTreeMap::<String, Vec<String>>::new();
    links.into_iter().for_each(|(from, to)| pages.entry(from).or_default().push(to));
    pages
}

#[test]
fn the_truth_is_what_a_crawl_finds() {
    let spec = Spec::new(vec![mixed(), mixed().chunked(), mixed().compressed()]);
    let web = Web::start(spec).unwrap();
    let truth: Vec<_> = web.truth().urls().collect();
    check(&web, &crawl(&web.seeds(), "accept-encoding: gzip\r\n", "/nothing/"), &truth);
}

#[test]
fn the_truth_says_what_robots_txt_allows() {
    let web = Web::start(Spec::new(vec![mixed()])).unwrap();
    let allowed: Vec<_> = web.truth().urls().filter(|it| it.allowed).collect();
    let found = crawl(&web.seeds(), "", "/private/");
    let mut expected: Vec<_> = allowed.iter().map(|it| &it.url).collect();
    expected.sort();
    assert!(found.answers.keys().eq(expected));
    assert_eq!(web.counts().total().violations, 0);
}

#[test]
fn one_seed_reaches_every_host_over_cross_links() {
    let web = Web::start(Spec::many(12, 5).each(|host| host.cross_links(1))).unwrap();
    let found = crawl(&web.seeds()[..1], "", "/nothing/");
    assert_eq!(found.answers.len(), 60);
}

#[test]
fn a_redirect_leads_where_the_truth_says() {
    let web = Web::start(Spec::new(vec![mixed()])).unwrap();
    let redirects: Vec<_> = web.truth().urls().filter(|it| it.kind == Kind::Redirect).collect();
    assert_eq!(redirects.len(), 9);
    for it in redirects {
        let location = support::get(&it.url).unwrap().headers["location"].clone();
        let absolute = url::Url::parse(&it.url).unwrap().join(&location).unwrap();
        assert_eq!(Some(absolute.to_string()), it.location);
    }
}

#[test]
fn duplicates_have_the_body_of_a_page() {
    let web = Web::start(Spec::new(vec![mixed()])).unwrap();
    let pages: Vec<_> = web.truth().pages().map(|it| it.sha1).collect();
    let copies: Vec<_> = web.truth().urls().filter(|it| it.kind == Kind::Duplicate).collect();
    assert_eq!(copies.len(), 5);
    assert!(copies.iter().all(|copy| pages.contains(&copy.sha1)));
}

#[test]
fn two_webs_of_one_spec_are_equal_and_another_seed_gives_another() {
    let first = Web::start(Spec::new(vec![mixed()])).unwrap();
    let port = first.port();
    let urls: Vec<_> = first.truth().urls().collect();
    let links: Vec<_> = first.truth().links().collect();
    let found = crawl(&first.seeds(), "", "/nothing/");
    drop(first);
    let again = start_on(port, 1);
    assert!(again.truth().urls().eq(urls.iter().cloned()));
    assert!(again.truth().links().eq(links.iter().cloned()));
    check(&again, &found, &urls);
    drop(again);
    let other = start_on(port, 2);
    assert!(!other.truth().links().eq(links));
}

/// Another test may hold the port for a moment.
fn start_on(port: u16, seed: u64) -> Web {
    let start = |_| {
        let web = Web::start(Spec::new(vec![mixed()]).port(port).seed(seed));
        web.map_err(|_| thread::sleep(Duration::from_millis(50))).ok()
    };
    (0..100).find_map(start).unwrap()
}
