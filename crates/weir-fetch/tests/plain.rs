//! HTTP/1 as it should be: heads, bodies, kept connections.
#![allow(clippy::unwrap_used)]

mod server;

use std::cell::RefCell;
use std::rc::Rc;

use server::{answer, fetcher, read_request, run, serve, serve_bytes};
use tokio::io::AsyncWriteExt;
use url::Url;
use weir_types::Protocol;

#[test]
fn a_page_holds_what_was_sent_and_what_came() {
    run(async {
        let head = "HTTP/1.1 200 Fine\r\nContent-type:  text/html \r\nX-Odd: \u{e9}\r\nContent-Length: 5\r\n\r\n";
        let sent = Rc::new(RefCell::new(Vec::new()));
        let seen = sent.clone();
        let server = serve(move |_, mut socket| {
            let seen = seen.clone();
            async move {
                *seen.borrow_mut() = read_request(&mut socket).await.unwrap();
                socket.write_all(format!("{head}hello").as_bytes()).await.unwrap();
            }
        })
        .await;
        let page = fetcher().fetch(&server.url("/a%20b?c=d#part")).await.unwrap();
        assert_eq!(page.request_head, *sent.borrow(), "our copy is what hyper writes");
        assert!(page.request_head.starts_with(b"GET /a%20b?c=d HTTP/1.1\r\nhost: 127.0.0.1:"));
        assert_eq!(page.response_head, head.as_bytes());
        assert_eq!((page.status, page.protocol), (200, Protocol::Http11));
        assert_eq!(page.header("content-type"), Some("text/html"));
        assert_eq!(&page.body[..], b"hello");
        assert_eq!(page.cut, None);
        assert_eq!(page.address, server.address);
        assert_eq!(page.bytes_wire, head.len() as u64 + 5);
        assert!(page.first_byte <= page.elapsed);
    });
}

#[test]
fn extra_headers_are_sent_and_recorded() {
    run(async {
        let sent = Rc::new(RefCell::new(Vec::new()));
        let seen = sent.clone();
        let server = serve(move |_, mut socket| {
            let seen = seen.clone();
            async move {
                *seen.borrow_mut() = read_request(&mut socket).await.unwrap();
                socket.write_all(b"HTTP/1.1 304 Not Modified\r\n\r\n").await.unwrap();
            }
        })
        .await;
        let mut extra = http::HeaderMap::new();
        extra.insert(http::header::IF_NONE_MATCH, "\"x\"".parse().unwrap());
        let (fetcher, url) = (fetcher(), server.url("/"));
        let addresses = fetcher.resolve(&url).await.unwrap();
        let page = fetcher.fetch_from(&url, &addresses, None, &extra).await.unwrap();
        assert_eq!(page.status, 304);
        assert_eq!(page.request_head, *sent.borrow());
        assert!(String::from_utf8_lossy(&page.request_head).contains("if-none-match: \"x\"\r\n"));
    });
}

#[test]
fn a_connection_serves_many_pages() {
    run(async {
        let server = serve_bytes(answer("page")).await;
        let fetcher = fetcher();
        for _ in 0..20 {
            assert_eq!(&fetcher.fetch(&server.url("/")).await.unwrap().body[..], b"page");
        }
        assert_eq!(server.connections.get(), 1);
        assert_eq!(fetcher.idle_connections(), 1);
    });
}

#[test]
fn bodies_of_any_framing_and_size_come_whole() {
    run(async {
        for size in [0, 1, 8191, 8192, 16_383, 16_384, 27_000, 100_000, 3_000_000] {
            let body: String = "0123456789abcdef".chars().cycle().take(size).collect();
            let chunked = format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{}0\r\n\r\n",
                body.as_bytes().chunks(5000).fold(String::new(), |all, part| {
                    format!("{all}{:x}\r\n{}\r\n", part.len(), std::str::from_utf8(part).unwrap())
                })
            );
            for whole in [answer(&body), chunked] {
                let server = serve_bytes(whole.clone()).await;
                let fetcher = fetcher();
                for _ in 0..3 {
                    let page = fetcher.fetch(&server.url("/")).await.unwrap();
                    assert!(page.body == body.as_bytes(), "{size}");
                    assert_eq!(page.cut, None);
                    assert_eq!(page.bytes_wire, whole.len() as u64);
                }
                assert_eq!(server.connections.get(), 1, "{size}");
            }
        }
    });
}

#[test]
fn http_1_0_ends_with_the_connection() {
    run(async {
        let server = serve(|_, mut socket| async move {
            read_request(&mut socket).await.unwrap();
            socket.write_all(b"HTTP/1.0 200 OK\r\nServer: old\r\n\r\nall of it").await.unwrap();
        })
        .await;
        let page = fetcher().fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.protocol, Protocol::Http10);
        assert_eq!(&page.body[..], b"all of it");
        assert_eq!(page.cut, None);
    });
}

#[test]
fn interim_responses_are_passed_over() {
    run(async {
        let server = serve_bytes(format!(
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n{}",
            answer("x")
        ))
        .await;
        let page = fetcher().fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.response_head, b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n");
        assert_eq!(&page.body[..], b"x");
    });
}

#[test]
fn headers_that_browsers_understand_are_understood() {
    run(async {
        let head = "HTTP/1.1 200 OK\r\nX-Long: one\r\n  two\r\nContent-Type : text/html\r\n\
                    Content-Length: 1\r\n\r\n";
        let server = serve_bytes(format!("{head}x")).await;
        let page = fetcher().fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.header("content-type"), Some("text/html"));
        assert!(page.header("x-long").is_some_and(|value| value.starts_with("one")));
        assert_eq!(page.response_head, head.as_bytes());
    });
}

#[test]
fn credentials_in_a_url_are_never_sent() {
    run(async {
        let server = serve_bytes(answer("x")).await;
        let fetcher = fetcher();
        let url = format!("http://user:secret@{}/", server.address);
        let page = fetcher.fetch(&Url::parse(&url).unwrap()).await.unwrap();
        let sent = String::from_utf8(page.request_head).unwrap();
        assert!(!sent.contains("secret") && !sent.contains("authorization"), "{sent}");
        fetcher.fetch(&server.url("/")).await.unwrap();
        assert_eq!(server.connections.get(), 1, "the connection is the origin's");
    });
}

#[test]
fn fetches_at_the_same_time_have_connections_of_their_own() {
    run(async {
        let server = serve_bytes(answer("x")).await;
        let fetcher = Rc::new(fetcher());
        let tasks: Vec<_> = (0..10)
            .map(|_| {
                let (fetcher, url) = (fetcher.clone(), server.url("/"));
                tokio::task::spawn_local(async move { fetcher.fetch(&url).await })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap().unwrap().status, 200);
        }
        assert_eq!(server.connections.get(), 10);
        assert_eq!(fetcher.idle_connections(), 10);
    });
}
