//! Spoiled headers of servers and spoiled notes of earlier runs, for what only this crate reads.
//! `cargo xtask fuzz` runs the same for longer.

use std::time::{Duration, SystemTime};

use http::{HeaderMap, HeaderName, HeaderValue};
use weir_fuzz::Fuzz;
use weir_types::{Page, Protocol};

use crate::directives::Directives;
use crate::policy::{LONGEST_REST, retry_after};
use crate::robots::HostNote;

fn page(name: &'static str, value: HeaderValue) -> Page {
    let mut headers = HeaderMap::new();
    headers.insert(HeaderName::from_static(name), value);
    Page {
        url: "http://a.test/".to_owned(),
        status: 503,
        protocol: Protocol::Http11,
        request_head: Vec::new(),
        response_head: Vec::new(),
        headers,
        body: Default::default(),
        cut: None,
        address: "127.0.0.1:80".parse().expect("an address"),
        fetched_at: SystemTime::UNIX_EPOCH,
        elapsed: Duration::ZERO,
        held: Duration::ZERO,
        first_byte: Duration::ZERO,
        bytes_wire: 0,
    }
}

fn seeds<const N: usize>(texts: [&str; N]) -> Vec<Vec<u8>> {
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

#[test]
fn any_retry_after_is_a_rest_within_bounds_or_none() {
    let seeds = seeds(["120", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"]);
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_000);
    Fuzz::new("retry-after", 20_000).words(&["GMT", "9999", ":", "-"]).run(&seeds, |value, _| {
        let Ok(value) = HeaderValue::from_bytes(value) else { return };
        let rest = retry_after(&page("retry-after", value), now);
        assert!(rest.is_none_or(|rest| rest <= LONGEST_REST), "{rest:?}");
    });
}

#[test]
fn any_robots_tag_is_read() {
    let seeds = seeds(["noindex, nofollow", "weir: none, otherbot: nofollow", "max-snippet: 5"]);
    Fuzz::new("x-robots-tag", 10_000).words(&["weir:", ",", "none"]).run(&seeds, |value, _| {
        let Ok(value) = HeaderValue::from_bytes(value) else { return };
        Directives::of(&page("x-robots-tag", value), &[], "weir");
    });
}

#[test]
fn any_note_of_a_host_is_read_and_written_back_the_same() {
    let both = HostNote { rest_until_ms: 7, ..HostNote::from_bytes(b"\x01\0\0\0\0\0\0\0\xc8\0x") };
    let seeds = [both.to_bytes(), b"\x01\0\0\0\0\0\0\0\xc8\0user-agent: *".to_vec(), Vec::new()];
    Fuzz::new("host note", 20_000).run(&seeds, |bytes, _| {
        let note = HostNote::from_bytes(bytes);
        assert_eq!(HostNote::from_bytes(&note.to_bytes()), note);
        if let Some(file) = note.robots {
            file.is_fresh(1);
            file.state("weir");
        }
    });
}
