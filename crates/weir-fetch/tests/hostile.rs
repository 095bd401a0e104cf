//! Servers that are slow, endless, broken or gone: every fetch ends, within its bounds.
#![allow(clippy::unwrap_used)]

mod server;

use std::time::Duration;

use server::{
    Server, answer, config, fetcher, fetcher_with, read_request, reset, run, serve, serve_bytes,
};
use tokio::io::AsyncWriteExt;
use tokio::time::sleep;
use url::Url;
use weir_fetch::{Claim, Failure, FetchConfig, Fetcher, Limits, Part, Shaper};
use weir_types::Cut;

/// Time limits short enough for a test, long enough for a busy machine.
fn short() -> Limits {
    let limit = Duration::from_millis(300);
    Limits { first_byte: limit, idle: limit, total: 4 * limit, least_rate: 1, ..Limits::default() }
}

/// Sends `start` and then a byte now and then, for ever.
async fn dripping(start: &'static [u8]) -> Server {
    serve(move |_, mut socket| async move {
        read_request(&mut socket).await;
        socket.write_all(start).await.unwrap();
        while socket.write_all(b"x").await.is_ok() {
            sleep(Duration::from_millis(50)).await;
        }
    })
    .await
}

async fn wait_for_ever() {
    std::future::pending().await
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    run(async {
        let deaf = serve(|_, socket| async move {
            wait_for_ever().await;
            drop(socket);
        })
        .await;
        let silent = serve(|_, mut socket| async move {
            read_request(&mut socket).await;
            wait_for_ever().await;
        })
        .await;
        for server in [deaf, silent] {
            let failure = fetcher_with(short()).fetch(&server.url("/")).await.unwrap_err();
            assert!(matches!(failure, Failure::FirstByteTimeout { .. }), "{failure:?}");
            assert!(failure.to_string().contains("127.0.0.1"));
        }
    });
}

#[test]
fn a_head_that_stalls_is_given_up() {
    run(async {
        let server = serve(|_, mut socket| async move {
            read_request(&mut socket).await;
            socket.write_all(b"HTTP/1.1 200 OK\r\nContent-").await.unwrap();
            wait_for_ever().await;
        })
        .await;
        let failure = fetcher_with(short()).fetch(&server.url("/")).await.unwrap_err();
        assert!(matches!(failure, Failure::IdleTimeout { .. }), "{failure:?}");
    });
}

#[test]
fn a_head_in_drops_ends_with_the_total_time() {
    run(async {
        let server = dripping(b"HTTP/1.1 200 OK\r\nX: ").await;
        let failure = fetcher_with(short()).fetch(&server.url("/")).await.unwrap_err();
        assert!(matches!(failure, Failure::IdleTimeout { .. }), "{failure:?}");
    });
}

#[test]
fn a_body_in_drops_is_cut_by_time() {
    run(async {
        let server = dripping(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let page = fetcher_with(short()).fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.cut, Some(Cut::Time));
        assert!(page.body.starts_with(b"xx"));
        assert!(page.elapsed >= short().total);
    });
}

#[test]
fn a_head_in_drops_has_a_limit_of_its_own() {
    run(async {
        let server = dripping(b"HTTP/1.1 200 OK\r\nX: ").await;
        let hour = Duration::from_secs(3600);
        let limits = Limits { head: 2 * short().idle, total: hour, ..short() };
        let failure = fetcher_with(limits).fetch(&server.url("/")).await.unwrap_err();
        assert!(matches!(failure, Failure::IdleTimeout { .. }), "{failure:?}");
    });
}

#[test]
fn a_body_that_trickles_is_cut_long_before_the_total_time() {
    run(async {
        let server = dripping(b"HTTP/1.1 200 OK\r\n\r\n").await;
        let hour = Duration::from_secs(3600);
        let limits = Limits { least_rate: 100, total: hour, ..short() };
        let page = fetcher_with(limits).fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.cut, Some(Cut::Time));
        assert!(page.body.starts_with(b"xx") && page.elapsed >= limits.idle);
    });
}

#[test]
fn a_body_that_stalls_is_cut_by_time() {
    run(async {
        let server = serve(|_, mut socket| async move {
            read_request(&mut socket).await;
            socket.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf").await.unwrap();
            wait_for_ever().await;
        })
        .await;
        let fetcher = fetcher_with(short());
        let page = fetcher.fetch(&server.url("/")).await.unwrap();
        assert_eq!((&page.body[..], page.cut), (&b"half"[..], Some(Cut::Time)));
        assert!(page.elapsed < short().total, "the idle limit comes first");
        assert_eq!(fetcher.idle_connections(), 0);
    });
}

#[test]
fn an_endless_body_is_cut_at_the_limit_and_the_connection_closed() {
    run(async {
        let server = serve(|_, mut socket| async move {
            read_request(&mut socket).await;
            socket.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            while socket.write_all(&[b'x'; 10_000]).await.is_ok() {}
        })
        .await;
        let fetcher = fetcher_with(Limits { body_bytes: 100_000, ..Limits::default() });
        let page = fetcher.fetch(&server.url("/")).await.unwrap();
        assert_eq!((page.body.len(), page.cut), (100_000, Some(Cut::Length)));
        assert!(page.bytes_wire < 200_000, "{} came", page.bytes_wire);
        assert_eq!(fetcher.idle_connections(), 0);
    });
}

#[test]
fn a_declared_length_beyond_the_limit_is_cut_and_the_limit_itself_is_not() {
    run(async {
        let server = serve_bytes(answer(&"x".repeat(1000))).await;
        for (limit, cut) in [(999, Some(Cut::Length)), (1000, None), (1, Some(Cut::Length))] {
            let fetcher = fetcher_with(Limits { body_bytes: limit, ..Limits::default() });
            let page = fetcher.fetch(&server.url("/")).await.unwrap();
            assert_eq!((page.body.len(), page.cut), (limit, cut));
        }
        let liar =
            serve_bytes("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000\r\n\r\nx").await;
        let page = fetcher_with(short()).fetch(&liar.url("/")).await.unwrap();
        assert_eq!((&page.body[..], page.cut), (&b"x"[..], Some(Cut::Time)));
    });
}

#[test]
fn a_connection_lost_in_the_body_leaves_what_came() {
    run(async {
        for (head, with_reset) in [
            ("Content-Length: 9", false),
            ("Content-Length: 9", true),
            ("Transfer-Encoding: chunked", false),
            ("Transfer-Encoding: chunked", true),
        ] {
            let body = if head.starts_with('C') { "half" } else { "4\r\nhalf\r\n" };
            let server = serve(move |_, mut socket| async move {
                read_request(&mut socket).await;
                let bytes = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}");
                socket.write_all(bytes.as_bytes()).await.unwrap();
                if with_reset {
                    sleep(Duration::from_millis(100)).await; // a reset overtakes unread bytes
                    reset(socket);
                }
            })
            .await;
            let fetcher = fetcher();
            let page = fetcher.fetch(&server.url("/")).await.unwrap();
            assert_eq!((&page.body[..], page.cut), (&b"half"[..], Some(Cut::Disconnect)), "{head}");
            assert_eq!(fetcher.idle_connections(), 0);
        }
    });
}

#[test]
fn a_connection_lost_before_the_head_is_a_failure() {
    run(async {
        for bytes in ["", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nA: b\r\n"] {
            for with_reset in [false, true] {
                let server = serve(move |_, mut socket| async move {
                    read_request(&mut socket).await;
                    socket.write_all(bytes.as_bytes()).await.unwrap();
                    if with_reset {
                        reset(socket);
                    }
                })
                .await;
                let failure = fetcher().fetch(&server.url("/")).await.unwrap_err();
                assert!(matches!(failure, Failure::Closed { .. }), "{bytes:?}: {failure:?}");
                assert_eq!(server.connections.get(), 1, "a new connection is not tried twice");
            }
        }
    });
}

#[test]
fn heads_beyond_the_limits_are_refused() {
    run(async {
        let ok = "HTTP/1.1 200 OK\r\n";
        for head in [
            format!("{ok}X: {}\r\n\r\n", "y".repeat(100_000)),
            format!("{ok}{}\r\n", "X-Some: header\r\n".repeat(20_000)),
            format!("{ok}{}\r\n", "X: y\r\n".repeat(5_000)),
            format!("{ok}{}\r\n", "X: y\r\n".repeat(257)),
            "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000),
            format!("{ok}X: {}", "y".repeat(10_000_000)),
        ] {
            let server = serve_bytes(head.clone()).await;
            let failure = fetcher().fetch(&server.url("/")).await.unwrap_err();
            let start = &head[..40.min(head.len())];
            assert!(matches!(failure, Failure::HeadersTooLarge { .. }), "{start}: {failure:?}");
        }
        let fits = format!(
            "{ok}{}Content-Length: 0\r\nY: {}\r\n\r\n",
            "X: y\r\n".repeat(250),
            "y".repeat(60_000)
        );
        let server = serve_bytes(fits.clone()).await;
        let page = fetcher().fetch(&server.url("/")).await.unwrap();
        assert_eq!(page.response_head, fits.as_bytes());
    });
}

#[test]
fn what_is_not_http_is_a_bad_answer() {
    run(async {
        for bytes in [
            "<html>an answer of HTTP/0.9</html>\r\n\r\n",
            "SSH-2.0-OpenSSH_9\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nxx",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        ] {
            let server = serve_bytes(bytes).await;
            let fetcher = fetcher();
            let failure = fetcher.fetch(&server.url("/")).await.unwrap_err();
            assert!(matches!(failure, Failure::BadResponse { .. }), "{bytes}: {failure:?}");
            assert_eq!(fetcher.idle_connections(), 0);
        }
    });
}

#[test]
fn a_stale_connection_is_replaced_without_a_word() {
    run(async {
        // Each connection answers once and then hangs up: at once, when asked again, or by reset.
        for how in 0..3 {
            let server = serve(move |_, mut socket| async move {
                read_request(&mut socket).await;
                socket.write_all(answer("once").as_bytes()).await.unwrap();
                if how > 0 {
                    read_request(&mut socket).await;
                }
                if how > 1 {
                    reset(socket);
                }
            })
            .await;
            let fetcher = fetcher();
            for number in 1..=4 {
                let page = fetcher.fetch(&server.url("/")).await.unwrap();
                assert_eq!(&page.body[..], b"once");
                assert_eq!(server.connections.get(), number);
            }
        }
    });
}

#[test]
fn connection_close_is_obeyed() {
    run(async {
        let server =
            serve_bytes("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx").await;
        let fetcher = fetcher();
        for number in 1..=3 {
            fetcher.fetch(&server.url("/")).await.unwrap();
            assert_eq!((server.connections.get(), fetcher.idle_connections()), (number, 0));
        }
    });
}

#[test]
fn bytes_beyond_a_body_never_become_the_next_answer() {
    run(async {
        let lie = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong";
        for first in [
            format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok{lie}"),
            format!("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n{lie}"),
            format!("HTTP/1.1 204 No Content\r\nContent-Length: 46\r\n\r\n{lie}"),
            format!("HTTP/1.1 304 Not Modified\r\n\r\n{lie}"),
            format!(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n{lie}"
            ),
            "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n\
             2\r\nok\r\n0\r\n\r\n"
                .to_owned(),
        ] {
            let server = serve_bytes(first.clone()).await;
            let fetcher = fetcher();
            for number in 1..=3 {
                let page = fetcher.fetch(&server.url("/")).await.unwrap();
                assert!(page.body.is_empty() || page.body == "ok", "{first}");
                assert_eq!(server.connections.get(), number, "{first}");
            }
        }
    });
}

#[test]
fn connections_kept_are_bounded_in_number_and_time() {
    run(async {
        let servers = [
            serve_bytes(answer("x")).await,
            serve_bytes(answer("x")).await,
            serve_bytes(answer("x")).await,
        ];
        let idle_time = Duration::from_millis(200);
        let bounded = FetchConfig { idle_connections: 2, idle_time, ..config() };
        let fetcher = Fetcher::new(bounded).unwrap();
        for server in &servers {
            fetcher.fetch(&server.url("/")).await.unwrap();
            assert!(fetcher.idle_connections() <= 2);
        }
        fetcher.fetch(&servers[2].url("/")).await.unwrap();
        assert_eq!(servers[2].connections.get(), 1, "the last used is kept");
        fetcher.fetch(&servers[0].url("/")).await.unwrap();
        assert_eq!(servers[0].connections.get(), 2, "the first used had gone");
        while fetcher.idle_connections() > 0 {
            sleep(idle_time / 4).await;
        }
        let none = Fetcher::new(FetchConfig { idle_connections: 0, ..config() }).unwrap();
        none.fetch(&servers[0].url("/")).await.unwrap();
        assert_eq!(none.idle_connections(), 0);
    });
}

#[test]
fn a_refused_connection_says_so() {
    run(async {
        let address = {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            listener.local_addr().unwrap()
        };
        let url = Url::parse(&format!("http://{address}/")).unwrap();
        let failure = fetcher().fetch(&url).await.unwrap_err();
        assert!(matches!(failure, Failure::Refused { .. }), "{failure:?}");
    });
}

#[test]
fn private_addresses_are_refused_however_they_are_reached() {
    run(async {
        let resolve = vec!["inside.test:80:10.0.0.1".parse().unwrap()];
        let fetcher =
            Fetcher::new(FetchConfig { accept_private: false, resolve, ..config() }).unwrap();
        for url in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://inside.test/",
        ] {
            let failure = fetcher.fetch(&Url::parse(url).unwrap()).await.unwrap_err();
            assert!(matches!(failure, Failure::Private { .. }), "{url}: {failure:?}");
        }
    });
}

#[test]
fn an_override_sends_a_name_to_an_address_and_the_next_is_tried_if_it_is_dead() {
    run(async {
        let server = serve_bytes(answer("x")).await;
        let port = server.address.port();
        let resolve = vec![format!("a.test:{port}:[::1],127.0.0.1").parse().unwrap()];
        let fetcher = Fetcher::new(FetchConfig { resolve, ..config() }).unwrap();
        let url = Url::parse(&format!("http://a.test:{port}/")).unwrap();
        let page = fetcher.fetch(&url).await.unwrap();
        assert_eq!(page.address, server.address);
        assert!(page.request_head.ends_with(b"\r\n\r\n"));
        assert!(String::from_utf8_lossy(&page.request_head).contains(&format!("a.test:{port}")));
    });
}

#[test]
fn what_cannot_be_asked_for_is_refused_before_any_connection() {
    run(async {
        let long = format!("http://127.0.0.1/{}", "x".repeat(100_000));
        for url in ["ftp://a.test/", "data:,x", "http://127.0.0.1:0/", &long] {
            let failure = fetcher().fetch(&Url::parse(url).unwrap()).await.unwrap_err();
            assert!(matches!(failure, Failure::BadUrl { .. }), "{failure:?}");
            assert!(failure.to_string().len() < 1000);
        }
    });
}

/// It would make the size of what is still to come overflow, and what has no size is not held back.
#[test]
fn a_length_beyond_all_numbers_is_read_as_far_as_others() {
    run(async {
        let mut response =
            b"HTTP/1.1 200 OK\r\ncontent-length: 18446744073709551613\r\n\r\n".to_vec();
        response.resize(100_000, b'x');
        let server = serve_bytes(response).await;
        let shaper = Shaper::new(1e6);
        let running = shaper.clone();
        tokio::task::spawn_local(async move { running.run().await });
        let claim = Claim { share: shaper.add_share(Part::default()), speed: None };
        let limits = Limits { overlong_bytes: 20_000, ..Limits::default() };
        let config = FetchConfig { shaper: Some(shaper), limits, ..config() };
        let fetcher = Fetcher::new(config).unwrap();
        let (url, address, extra) = (server.url("/"), [server.address], Default::default());
        let page = fetcher.fetch_from(&url, &address, Some(claim), &extra).await.unwrap();
        assert_eq!((page.cut, page.body.len()), (Some(Cut::Length), 20_000));
    });
}
