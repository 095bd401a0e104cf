use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::LocalSet;
use weir_fetch::coding::decode;
use weir_fetch::{Limits, redirect_target};
use weir_fuzz::{Fuzz, Rng};

use crate::server::{fetcher_with, read_request, serve};

const SEEDS: [&str; 7] = [
    "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\n\r\n<p>a page</p>",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "HTTP/1.0 200 OK\r\nServer: old\r\n\r\nbody until the end",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n",
    "HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nConnection: close\r\nContent-Length: 4\r\n\r\nbusy",
    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nSet-Cookie: a=b\r\nContent-Length: 3\r\n\r\n\x1f\u{8b}",
];

const WORDS: &[&str] = &[
    "\r\n",
    "\n",
    "\r",
    "\r\n\r\n",
    "HTTP/1.1",
    "HTTP/1.1 200 OK\r\n",
    "HTTP/0.9",
    "HTTP/2.0",
    " 101 ",
    " 204 ",
    " 304 ",
    " 999 ",
    "Content-Length:",
    "Transfer-Encoding: chunked\r\n",
    "chunked, gzip",
    "Connection: keep-alive\r\n",
    "Upgrade: h2c\r\n",
    "Location:",
    "X: y\r\n",
    ":",
    "\0",
    "\u{e9}",
    "ffffffffffffffff",
    "0\r\n\r\n",
    "gzip",
    "br",
    "zstd",
];

fn seeds() -> Vec<Vec<u8>> {
    let mut seeds: Vec<Vec<u8>> = SEEDS.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/http/raw-responses.jsonl");
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        seeds.push(BASE64_STANDARD.decode(case["raw_b64"].as_str().unwrap()).unwrap());
    }
    seeds
}

/// What the server does next: the bytes, in how many parts, and whether it stays.
#[derive(Clone)]
struct Play {
    bytes: Rc<[u8]>,
    parts: usize,
    stays: bool,
}

impl Play {
    fn new(bytes: &[u8], random: &mut Rng) -> Play {
        let parts = if random.bool() { 1 } else { random.usize(1..6) };
        // Rarely, because then our side waits until its time is over.
        Play { bytes: bytes.into(), parts, stays: random.u8(..) < 8 }
    }
}

fn limits() -> Limits {
    let time = Duration::from_millis(100);
    let times = Limits { first_byte: time, idle: time, total: 3 * time, ..Limits::default() };
    Limits { header_bytes: 8 * 1024, headers: 64, body_bytes: 16 * 1024, ..times }
}

#[test]
fn any_answer_ends_within_bounds() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let local = LocalSet::new();
    let play: Rc<RefCell<Option<Play>>> = Rc::default();
    let next = play.clone();
    let server = local.block_on(&runtime, serve(move |_, socket| act(next.clone(), socket)));
    let fetcher = fetcher_with(limits());
    Fuzz::new("responses", 1500).words(WORDS).run(&seeds(), |answer, random| {
        *play.borrow_mut() = Some(Play::new(answer, random));
        // Twice, because what is left over of one answer must not spoil a kept connection.
        for path in ["/first", "/second"] {
            let fetch = async { fetcher.fetch(&server.url(path)).await };
            let bounded = async { tokio::time::timeout(Duration::from_secs(30), fetch).await };
            let answer = local.block_on(&runtime, bounded).expect("a fetch that does not end");
            let Ok(page) = answer else { continue };
            assert!(page.body.len() <= limits().body_bytes);
            assert!(page.response_head.len() <= limits().header_bytes);
            assert!(page.headers.len() <= limits().headers);
            assert!(page.bytes_wire >= page.body.len() as u64);
            assert!(page.url.ends_with(path));
            drop(redirect_target(&page));
            let decoded = decode(&page.body, page.header("content-encoding"), 1 << 16);
            assert!(decoded.bytes.len() <= 1 << 16);
        }
        assert!(fetcher.idle_connections() <= 1, "one at a time to one server");
    });
}

/// Answers each request on a connection with the play of the moment.
async fn act(play: Rc<RefCell<Option<Play>>>, mut socket: tokio::net::TcpStream) {
    while read_request(&mut socket).await.is_some() {
        let Some(Play { bytes, parts, stays }) = play.borrow().clone() else { return };
        for part in bytes.chunks(bytes.len().div_ceil(parts).max(1)) {
            if socket.write_all(part).await.is_err() {
                return;
            }
            tokio::task::yield_now().await;
        }
        if !stays {
            drop(socket.shutdown().await);
            // What is still unread would turn the end into a reset.
            while socket.read_u8().await.is_ok() {}
            return;
        }
    }
}
