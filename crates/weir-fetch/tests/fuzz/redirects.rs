use std::time::{Duration, SystemTime};

use http::header::LOCATION;
use http::{HeaderMap, HeaderValue};
use weir_fetch::redirect_target;
use weir_fuzz::Fuzz;
use weir_types::{Page, Protocol};

const WORDS: &[&str] = &[
    "http://",
    "https:",
    "//",
    "\\\\",
    "..",
    "@",
    ":80",
    "[::1]",
    "javascript:",
    "data:",
    "file:///",
    "%00",
    "#",
    "?",
    "\u{e9}",
    "0x7f.1",
    "xn--",
];

fn page(location: HeaderValue) -> Page {
    let mut headers = HeaderMap::new();
    headers.insert(LOCATION, location);
    Page {
        url: "http://a.test/dir/page?q".to_owned(),
        status: 302,
        protocol: Protocol::Http11,
        request_head: Vec::new(),
        response_head: Vec::new(),
        headers,
        body: bytes::Bytes::new(),
        cut: None,
        address: "127.0.0.1:80".parse().unwrap(),
        fetched_at: SystemTime::UNIX_EPOCH,
        elapsed: Duration::ZERO,
        held: Duration::ZERO,
        first_byte: Duration::ZERO,
        bytes_wire: 0,
    }
}

#[test]
fn any_location_leads_to_a_web_address_or_nowhere() {
    let seeds = ["http://b.test/x?y#z", "//b.test:8080/", "../up", "?q", "mailto:a@b.test"];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec());
    Fuzz::new("redirects", 50_000).words(WORDS).most_bytes(5000).run(&seeds, |location, _| {
        let Ok(value) = HeaderValue::from_bytes(location) else { return };
        if let Some(Ok(target)) = redirect_target(&page(value)) {
            assert!(matches!(target.scheme(), "http" | "https"), "{target}");
            assert!(target.host().is_some() && target.fragment().is_none(), "{target}");
            assert_eq!(url::Url::parse(target.as_str()).as_ref(), Ok(&target), "not stable");
        }
    });
}
