//! Hosts that misbehave, and hosts that follow a script.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::HashSet;
use std::io::{ErrorKind, Read, Write};
use std::time::Duration;

use support::{connect, get, send};
use weir_testsite::{GOOD_PAGES, HostSpec, Hostile, Script, Spec, Web};

#[test]
fn every_way_to_misbehave_has_a_name_of_its_own() {
    let names: HashSet<&str> = Hostile::all().map(|hostile| hostile.name).collect();
    assert_eq!(names.len(), Hostile::all().count());
    assert!(names.len() >= 40, "{}", names.len());
}

#[test]
fn a_hostile_host_has_a_first_page_and_good_pages_unless_it_never_answers_at_all() {
    let never = ["always-silent", "accepts-and-closes", "always-busy", "resets-at-random"];
    let all: Vec<Hostile> = Hostile::all().filter(|it| !never.contains(&it.name)).collect();
    let web = Web::start(Spec::new(all.iter().copied().map(HostSpec::hostile).collect())).unwrap();
    for (hostile, seed) in all.iter().zip(web.seeds()) {
        let first = get(&seed).unwrap();
        let text = String::from_utf8(first.body).unwrap();
        for link in GOOD_PAGES.iter().chain(hostile.links) {
            assert!(text.contains(&format!("href=\"{link}\"")), "{hostile:?} {link}");
        }
        for path in GOOD_PAGES {
            let good = get(&format!("{}{}", seed, &path[1..])).unwrap();
            assert_eq!(good.status, 200, "{hostile:?}");
            assert!(String::from_utf8(good.body).unwrap().contains(path), "{hostile:?}");
        }
    }
    assert_eq!((web.truth().urls().count(), web.missing().count()), (0, 0));
}

#[test]
fn a_diary_tells_what_was_asked_when_and_on_which_connection() {
    let host = HostSpec::pages(3).latency(Duration::from_millis(30)).watched();
    let web = Web::start(Spec::new(vec![host, HostSpec::pages(3)])).unwrap();
    for seed in web.seeds() {
        get(&seed).unwrap();
        get(&format!("{seed}dir/1/")).unwrap();
    }
    let visits = web.visits(0);
    let told: Vec<_> =
        visits.iter().map(|it| (it.path.as_str(), it.host.as_str(), it.connection)).collect();
    assert_eq!(told, [("/", "x", 0), ("/dir/1/", "x", 1)]);
    assert!(visits.iter().all(|it| it.ended.unwrap() >= it.at + Duration::from_millis(30)));
    assert!(web.visits(1).is_empty(), "not watched");
}

#[test]
fn a_script_answers_in_place_of_pages_where_it_likes() {
    let host = HostSpec::pages(3).with_play(|asked| {
        (asked.path == "/" && asked.times == 0).then(|| Script::answer(429, "", "later"))
    });
    let web = Web::start(Spec::new(vec![host])).unwrap();
    let seed = web.seeds().remove(0);
    assert_eq!(get(&seed).unwrap().status, 429);
    assert_eq!(web.missing().count(), 3);
    assert_eq!(get(&seed).unwrap().status, 200);
    assert_eq!(web.missing().count(), 2);
    assert_eq!(web.counts().total().requests, 2);
}

#[test]
fn a_script_keeps_closes_resets_or_stalls_the_connection() {
    let host = HostSpec::scripted(|asked| {
        let bytes = Script::bytes(b"here".as_slice());
        Some(match asked.path {
            "/close" => bytes.close(),
            "/reset" => bytes.reset(),
            "/stall" => bytes.stall(),
            _ => bytes,
        })
    });
    let web = Web::start(Spec::new(vec![host])).unwrap();
    let seed = web.seeds().remove(0);
    let ask = |path: &str| format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").into_bytes();
    assert_eq!(send(&seed, &ask("/close")).unwrap(), b"here");
    let reset = send(&seed, &ask("/reset")).unwrap_err();
    assert_eq!(reset.kind(), ErrorKind::ConnectionReset);
    for (path, twice) in [("/keep", true), ("/stall", false)] {
        let mut stream = connect(&seed).unwrap();
        stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        stream.write_all(&[ask(path), ask(path)].concat()).unwrap();
        let mut all = [0; 8];
        let read = stream.read_exact(&mut all);
        assert_eq!(read.is_ok(), twice, "{path}");
    }
}
