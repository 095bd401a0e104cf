//! How answers come: protocol, pace and faults.
#![allow(clippy::unwrap_used)]

mod support;

use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

use support::{ask, connect, get, response, send};
use weir_testsite::{FaultKind, HostSpec, Spec, Web};

fn one(host: HostSpec) -> (Web, String) {
    let web = Web::start(Spec::new(vec![host])).unwrap();
    let seed = web.seeds().remove(0);
    (web, seed)
}

#[test]
fn a_connection_carries_many_requests() {
    let (web, seed) = one(HostSpec::pages(4));
    let mut stream = connect(&seed).unwrap();
    for _ in 0..3 {
        stream.write_all(b"HEAD / HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        assert_eq!(response(&head).unwrap().status, 200);
    }
    assert_eq!((web.counts().total().connections, web.counts().total().requests), (1, 3));
}

#[test]
fn head_tells_the_length_and_sends_no_body() {
    let (web, seed) = one(HostSpec::pages(4));
    let head = ask(&seed, "HEAD", "").unwrap();
    assert!(head.body.is_empty());
    assert_eq!(head.headers["content-length"], get(&seed).unwrap().body.len().to_string());
    assert_eq!(web.counts().total().pages_complete, 1);
}

#[test]
fn what_is_no_request_is_refused_and_the_connection_closed() {
    let (web, seed) = one(HostSpec::pages(1));
    let answer = send(&seed, b"\x16\x03\x01 hello?\r\n\r\n").unwrap();
    assert_eq!(response(&answer).unwrap().status, 400);
    assert_eq!(web.counts().total().bad, 1);
}

#[test]
fn an_old_client_gets_no_chunks_and_a_closed_connection() {
    let (_web, seed) = one(HostSpec::pages(1).chunked());
    assert!(get(&seed).unwrap().headers.contains_key("transfer-encoding"));
    let answer = response(&send(&seed, b"GET / HTTP/1.0\r\n\r\n").unwrap()).unwrap();
    assert!(answer.headers.contains_key("content-length"));
}

#[test]
fn gzip_comes_only_to_who_accepts_it() {
    let (_web, seed) = one(HostSpec::pages(1).compressed());
    let plain = get(&seed).unwrap();
    let zipped = ask(&seed, "GET", "accept-encoding: br, gzip\r\n").unwrap();
    assert_eq!(plain.headers.get("content-encoding"), None);
    assert_eq!(zipped.headers["content-encoding"], "gzip");
    assert_eq!(plain.body, zipped.body);
}

#[test]
fn a_page_that_is_known_is_not_sent_again() {
    let (_web, seed) = one(HostSpec::pages(1));
    let first = get(&seed).unwrap().headers;
    for (header, name) in [("if-none-match", "etag"), ("if-modified-since", "last-modified")] {
        let again = ask(&seed, "GET", &format!("{header}: {}\r\n", first[name])).unwrap();
        assert_eq!((again.status, again.body.len()), (304, 0), "{header}");
    }
    assert_eq!(ask(&seed, "GET", "if-none-match: \"other\"\r\n").unwrap().status, 200);
    let (_web, seed) = one(HostSpec::pages(1).without_validators());
    assert!(!get(&seed).unwrap().headers.contains_key("etag"));
}

#[test]
fn a_fault_passes_after_its_times() {
    let spec = HostSpec::pages(9)
        .fault(0, 2, FaultKind::Status(503))
        .fault(4, 1, FaultKind::Reset)
        .fault(8, 1, FaultKind::Cut);
    let (web, seed) = one(spec);
    let statuses: Vec<_> = (0..3).map(|_| get(&seed).unwrap().status).collect();
    assert_eq!(statuses, [503, 503, 200]);
    let (reset, cut) = (format!("{seed}p/4.html"), format!("{seed}p/8.html"));
    assert_eq!(get(&reset).unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(get(&cut).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    assert_eq!(web.counts().total().pages_complete, 1);
    assert_eq!(get(&reset).unwrap().status, 200);
    assert_eq!(get(&cut).unwrap().status, 200);
    assert_eq!(web.counts().total().pages_complete, 3);
}

#[test]
fn a_stalled_answer_stops_in_the_middle_and_does_not_keep_the_web_from_stopping() {
    let (web, seed) = one(HostSpec::pages(1).fault(0, 1, FaultKind::Stall));
    let mut stream = connect(&seed).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    let mut got = Vec::new();
    let error = stream.read_to_end(&mut got).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    let whole = web.truth().pages().next().unwrap().bytes;
    assert!(got.len() > 100 && got.len() < whole, "{} of {whole}", got.len());
    drop(web);
    // The socket was closed with the web, so this ends.
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    assert!(matches!(stream.read(&mut [0; 16]), Ok(0) | Err(_)));
    assert!(connect(&seed).is_err());
}

/// The quickest of three, so that a busy machine does not decide.
fn quickest(url: &str) -> Duration {
    let time = |_| {
        let start = Instant::now();
        get(url).unwrap();
        start.elapsed()
    };
    (0..3).map(time).min().unwrap()
}

#[test]
fn latency_and_rate_make_answers_late() {
    let page = HostSpec::pages(1).page_bytes(40_000..=40_000);
    let ms = Duration::from_millis;
    let (_web, fast) = one(page.clone());
    let (_web2, late) = one(page.clone().latency(ms(200)));
    let (_web3, slow) = one(page.clone().rate(200_000));
    let (_web4, slower) = one(page.rate(100_000));
    let base = quickest(&fast);
    assert!(quickest(&late) >= ms(200).max(base));
    let (slow, slower) = (quickest(&slow), quickest(&slower));
    assert!(slow >= base + ms(100), "{slow:?} beside {base:?}");
    assert!(slower >= slow + ms(100), "{slower:?} beside {slow:?}");
}

#[test]
fn a_web_may_live_in_async_code_and_on_several_threads() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let web = Web::start(Spec::many(3, 10).threads(2)).unwrap();
        assert_eq!(support::crawl(&web.seeds(), "", "/nothing/").answers.len(), 30);
    });
}
