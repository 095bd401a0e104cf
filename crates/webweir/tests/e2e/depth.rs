//! How far a crawl goes: every page within `depth` links of a seed, whoever finds it first.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::Duration;

use weir_testsite::{Asked, FaultKind, HostSpec, Kind, Script, Spec, Web};

use crate::support::command::crawl;
use crate::support::outcome::why;
use crate::support::{wait_until, warc};

const WAITS_MS: [u64; 6] = [30, 0, 90, 5, 0, 50];

/// Hosts that lead to each other, some of them slow, and some pages that come at the second try only.
fn web() -> Web {
    let host = |wait_ms: &u64| {
        HostSpec::pages(40)
            .page_bytes(500..=1500)
            .links_per_page(4)
            .cross_links(1)
            .redirects(5)
            .dead_links(3)
            .latency(Duration::from_millis(*wait_ms))
            .fault(3, 1, FaultKind::Status(500))
            .fault(7, 1, FaultKind::Reset)
    };
    Web::start(Spec::new(WAITS_MS.iter().map(host).collect())).unwrap()
}

/// What is to be fetched, by shortest ways: a page of host N is at the most `most[N]` links from the seed, and so is every
/// page on the way to it.
fn within(web: &Web, seed: &str, most: &[u32]) -> BTreeSet<String> {
    let truth = web.truth();
    let mut steps: Vec<(String, String, u32)> =
        truth.links().map(|(from, to)| (from, to, 1)).collect();
    let redirects = truth.urls().filter(|url| url.kind == Kind::Redirect);
    steps.extend(redirects.map(|url| (url.url, url.location.unwrap(), 0)));
    let hosts: BTreeMap<String, u32> = web.seeds().into_iter().zip(most.iter().copied()).collect();
    let limit =
        |url: &str| *hosts.iter().find(|(home, _)| url.starts_with(home.as_str())).unwrap().1;
    let mut depths = BTreeMap::from([(seed.to_owned(), 0)]);
    loop {
        let before = depths.clone();
        for (from, to, step) in &steps {
            let Some(far) = depths.get(from).map(|near| near + step) else { continue };
            if far <= limit(to) && depths.get(to).is_none_or(|known| far < *known) {
                depths.insert(to.clone(), far);
            }
        }
        if depths == before {
            return depths.into_keys().collect();
        }
    }
}

fn kept(out: &Path) -> BTreeSet<String> {
    warc::pages(out).into_iter().map(|(url, _, _)| url).collect()
}

fn same(found: &BTreeSet<String>, wanted: &BTreeSet<String>) {
    let (missing, beyond) = (wanted - found, found - wanted);
    let words = format!("of {}, missing {missing:#?}, too deep {beyond:#?}", wanted.len());
    assert!(missing.is_empty() && beyond.is_empty(), "{words}");
}

const ANYWHERE: [&str; 6] = ["--scope", "any", "--traps", "ignore", "--per-host", "4"];

fn with(more: &[&'static str]) -> Vec<&'static str> {
    [&ANYWHERE[..], more].concat()
}

/// Three hosts: from a seed on `far` a chain of links leads to three pages, and so does a seed on `near`, which is slow, with
/// two links. When `near` answers, one of them is known to be beyond the depth by the chain, one has been fetched, and one
/// waits, since robots.txt of its host is late.
fn three_ways(asked: &Asked<'_>) -> Option<Script> {
    let port = asked.host.split_once(':')?.1;
    let [near, far, late] = [1, 2, 3].map(|host| format!("http://127.1.0.{host}:{port}"));
    let three = || vec![format!("{far}/beyond"), format!("{far}/fetched"), format!("{late}/waits")];
    let next = |path: &str| vec![format!("{}{path}", asked.home)];
    let links = match asked.path {
        "/robots.txt" if asked.home == late => {
            let none = b"HTTP/1.1 404 x\r\ncontent-length: 0\r\n\r\n";
            return Some(Script::default().pause(Duration::from_secs(5)).send(&none[..]));
        }
        "/robots.txt" => return None,
        "/" if asked.home == near => next("/near1"),
        "/near1" => three(),
        "/" => next("/far1"),
        "/far1" => next("/far2"),
        "/far2" => next("/far3"),
        "/far3" => next("/far4"),
        "/far4" => [next("/far5"), three().split_off(1)].concat(),
        "/far5" => three(),
        path @ ("/beyond" | "/fetched" | "/waits") => next(&format!("{path}/3")),
        path if path.ends_with("/3") => next(&path.replace('3', "4")),
        _ => Vec::new(),
    };
    let link = |url: &String| format!("<a href=\"{url}\">on</a>\n");
    Some(Script::html(links.iter().map(link).collect::<String>()))
}

#[test]
fn a_shorter_way_that_is_found_later_counts() {
    let host =
        |wait_ms| HostSpec::pages(1).with_play(three_ways).latency(Duration::from_millis(wait_ms));
    let web = Web::start(Spec::new([700, 0, 0].map(host).into())).unwrap();
    let (seeds, out) = (web.seeds(), tempfile::tempdir().unwrap());
    crawl(&seeds[..2], out.path(), &with(&["--depth", "5"])).wait().expect_code(0);
    let found = kept(out.path());
    for (host, first) in [(1, "beyond"), (1, "fetched"), (2, "waits")] {
        for (path, depth) in [("", 2), ("/3", 3), ("/4", 4)] {
            let url = format!("{}{first}{path}", seeds[host]);
            assert!(found.contains(&url), "{url} is none of {found:#?}");
            let said = why(out.path(), &url);
            assert!(said.contains(&format!("{depth} links from a seed")), "{said}");
        }
    }
}

#[test]
fn every_page_within_the_depth_is_fetched_and_no_other() {
    for (depth, more) in [(3, &["--depth", "3"][..]), (5, &["--depth", "5", "--downloaders", "2"])]
    {
        let (web, out) = (web(), tempfile::tempdir().unwrap());
        let seed = web.seeds().remove(0);
        let wanted = within(&web, &seed, &[depth; 6]);
        assert!(wanted.len() < web.truth().urls().count() - 20, "some pages are too deep");
        crawl(&[seed], out.path(), &with(more)).wait().expect_code(0);
        same(&kept(out.path()), &wanted);
        assert_eq!(warc::pages(out.path()).len(), wanted.len(), "each once");
    }
}

#[test]
fn a_crawl_that_was_killed_goes_as_far_as_another() {
    let (web, out) = (web(), tempfile::tempdir().unwrap());
    let seed = web.seeds().remove(0);
    let wanted = within(&web, &seed, &[4; 6]);
    for pages in [10, 30, 60, 90] {
        let killed = crawl(std::slice::from_ref(&seed), out.path(), &with(&["--depth", "4"]));
        wait_until("some pages", || web.counts().total().requests > pages);
        killed.kill();
    }
    crawl(&[seed], out.path(), &with(&["--depth", "4"])).wait().expect_code(0);
    same(&kept(out.path()), &wanted);
}

#[test]
fn a_site_may_have_a_depth_of_its_own() {
    let (web, out) = (web(), tempfile::tempdir().unwrap());
    let (seeds, folder) = (web.seeds(), tempfile::tempdir().unwrap());
    let file = folder.path().join("weir.toml");
    // The second run goes on where the first one stopped.
    for depths in [[3, 4, 3, 5, 2, 4], [4, 4, 5, 5, 2, 4]] {
        let site = |(seed, depth): (&String, u32)| {
            let name = seed.trim_start_matches("http://").trim_end_matches('/');
            format!("[[site]]\nname = \"{name}\"\ndepth = {depth}\n")
        };
        fs::write(&file, seeds.iter().zip(depths).map(site).collect::<String>()).unwrap();
        let more = [&ANYWHERE[..], &["--config", file.to_str().unwrap()]].concat();
        crawl(&seeds[..1], out.path(), &more).wait().expect_code(0);
        same(&kept(out.path()), &within(&web, &seeds[0], &depths));
    }
}
