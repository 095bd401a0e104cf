//! TLS and HTTP/2 against servers with certificates made here.
#![allow(clippy::unwrap_used)]

mod server;

use std::cell::RefCell;
use std::convert::Infallible;
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use server::{Server, answer, config, run, serve};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use url::Url;
use weir_fetch::{Failure, FetchConfig, Fetcher};
use weir_types::Protocol;

/// An authority that only those trust who have its file.
struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: tempfile::NamedTempFile,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(issuer.pem().as_bytes()).unwrap();
        Authority { issuer, file }
    }

    fn acceptor(&self, params: CertificateParams, protocols: &[&str]) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        acceptor(certificate.der().clone(), &key, protocols)
    }

    fn config(&self, server: &Server) -> FetchConfig {
        let port = server.address.port();
        let resolve = ["good.test", "other.test"]
            .map(|host| format!("{host}:{port}:127.0.0.1").parse().unwrap());
        let roots = Some(self.file.path().to_owned());
        FetchConfig { resolve: resolve.into(), roots, ..config() }
    }
}

fn acceptor(
    certificate: rustls::pki_types::CertificateDer<'static>,
    key: &KeyPair,
    protocols: &[&str],
) -> TlsAcceptor {
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    TlsAcceptor::from(Arc::new(config))
}

fn names(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>()).unwrap()
}

fn url(server: &Server, host: &str) -> Url {
    Url::parse(&format!("https://{host}:{}/page", server.address.port())).unwrap()
}

/// Answers every request with the same page over HTTP/1.
async fn serve_http1(acceptor: TlsAcceptor) -> Server {
    serve(move |_, socket| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut stream) = acceptor.accept(socket).await else { return };
            while read_request(&mut stream).await.is_some() {
                stream.write_all(answer("secure").as_bytes()).await.unwrap();
            }
        }
    })
    .await
}

async fn read_request(stream: &mut TlsStream<TcpStream>) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(())
}

#[test]
fn a_checked_certificate_gives_a_page_and_a_kept_connection() {
    run(async {
        let authority = Authority::new();
        let params = names(&["good.test", "127.0.0.1"]);
        let server = serve_http1(authority.acceptor(params, &[])).await;
        let fetcher = Fetcher::new(authority.config(&server)).unwrap();
        let first = fetcher.fetch(&url(&server, "good.test")).await.unwrap();
        assert_eq!((&first.body[..], first.protocol), (&b"secure"[..], Protocol::Http11));
        let plain = (first.response_head.len() + first.body.len()) as u64;
        let second = fetcher.fetch(&url(&server, "good.test")).await.unwrap();
        assert!(second.bytes_wire > plain, "records cost something");
        assert!(first.bytes_wire > second.bytes_wire + 500, "the handshake is the first one's");
        assert_eq!(server.connections.get(), 1);
        let by_address = fetcher.fetch(&url(&server, "127.0.0.1")).await.unwrap();
        assert_eq!(&by_address.body[..], b"secure");
    });
}

#[test]
fn certificates_that_prove_nothing_are_refused() {
    run(async {
        let authority = Authority::new();
        let mut expired = names(&["good.test"]);
        expired.not_after = date_time_ymd(2020, 1, 1);
        let own_key = KeyPair::generate().unwrap();
        let own = names(&["good.test"]).self_signed(&own_key).unwrap();
        for (acceptor, host, part) in [
            (authority.acceptor(expired, &[]), "good.test", "xpired"),
            (authority.acceptor(names(&["good.test"]), &[]), "other.test", "name"),
            (authority.acceptor(names(&["good.test"]), &[]), "127.0.0.1", "name"),
            (Authority::new().acceptor(names(&["good.test"]), &[]), "good.test", "certificate"),
            (acceptor(own.der().clone(), &own_key, &[]), "good.test", "certificate"),
        ] {
            let server = serve_http1(acceptor).await;
            let fetcher = Fetcher::new(authority.config(&server)).unwrap();
            let failure = fetcher.fetch(&url(&server, host)).await.unwrap_err();
            assert!(matches!(failure, Failure::Tls { .. }), "{failure:?}");
            assert!(failure.to_string().contains(part), "{part}: {failure}");
        }
    });
}

#[test]
fn a_server_that_does_not_speak_tls_is_told_from_one_that_hangs_up() {
    run(async {
        let authority = Authority::new();
        let plain = server::serve_bytes(answer("x")).await;
        let talks = serve(|_, mut socket| async move {
            socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
            while socket.read_u8().await.is_ok() {}
        })
        .await;
        let fetcher = Fetcher::new(authority.config(&plain)).unwrap();
        let failure = fetcher.fetch(&url(&talks, "127.0.0.1")).await.unwrap_err();
        assert!(matches!(failure, Failure::Tls { .. }), "{failure:?}");
        let hangs_up = serve(|_, socket| async move { drop(socket) }).await;
        let failure = fetcher.fetch(&url(&hangs_up, "127.0.0.1")).await.unwrap_err();
        assert!(matches!(failure, Failure::Closed { .. }), "{failure:?}");
    });
}

#[test]
fn a_file_without_certificates_is_refused_at_the_start() {
    let empty = tempfile::NamedTempFile::new().unwrap();
    let roots = Some(empty.path().to_owned());
    let Err(error) = Fetcher::new(FetchConfig { roots, ..config() }) else { panic!("accepted") };
    assert!(error.to_string().contains("no certificate"), "{error}");
    assert!(Fetcher::new(FetchConfig { roots: Some("/no/such".into()), ..config() }).is_err());
    assert!(Fetcher::new(FetchConfig { user_agent: "a\nb".to_owned(), ..config() }).is_err());
}

/// Answers every request over HTTP/2 with `size` bytes, and notes what was asked.
async fn serve_http2(acceptor: TlsAcceptor, size: usize) -> (Server, Rc<RefCell<Vec<String>>>) {
    let asked = Rc::new(RefCell::new(Vec::new()));
    let notes = asked.clone();
    let server = serve(move |_, socket| {
        let (acceptor, notes) = (acceptor.clone(), notes.clone());
        async move {
            let Ok(stream) = acceptor.accept(socket).await else { return };
            let service = service_fn(move |request: http::Request<Incoming>| {
                notes.borrow_mut().push(format!("{} {:?}", request.uri(), request.headers()));
                let body = Whole(Some(Bytes::from(vec![b'x'; size])));
                let response = http::Response::builder().header("x-kind", "h2").body(body);
                std::future::ready(Ok::<_, Infallible>(response.unwrap()))
            });
            let serving = hyper::server::conn::http2::Builder::new(Local)
                .serve_connection(TokioIo::new(stream), service);
            drop(serving.await);
        }
    })
    .await;
    (server, asked)
}

#[derive(Clone)]
struct Local;

impl<F: Future<Output: 'static> + 'static> hyper::rt::Executor<F> for Local {
    fn execute(&self, task: F) {
        tokio::task::spawn_local(task);
    }
}

struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        std::task::Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }
}

#[test]
fn http_2_is_spoken_where_the_server_offers_it() {
    run(async {
        let authority = Authority::new();
        let params = names(&["good.test"]);
        let (server, asked) = serve_http2(authority.acceptor(params, &["h2"]), 1_000_000).await;
        let config = authority.config(&server);
        let received = config.received.clone();
        let fetcher = Rc::new(Fetcher::new(config).unwrap());
        let first = fetcher.fetch(&url(&server, "good.test")).await.unwrap();
        assert_eq!((first.status, first.protocol), (200, Protocol::Http2));
        assert_eq!(first.body.len(), 1_000_000);
        let head = String::from_utf8(first.response_head).unwrap();
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
        assert!(head.contains("x-kind: h2\r\n") && head.ends_with("\r\n\r\n"), "{head}");
        let asked_first = asked.borrow()[0].clone();
        assert!(asked_first.contains("https://good.test:"), "{asked_first}");
        assert!(!asked_first.contains("\"host\""), "{asked_first}");

        let tasks: Vec<_> = (0..5)
            .map(|_| {
                let (fetcher, url) = (fetcher.clone(), url(&server, "good.test"));
                tokio::task::spawn_local(async move { fetcher.fetch(&url).await })
            })
            .collect();
        let mut bytes = first.bytes_wire;
        for task in tasks {
            let page = task.await.unwrap().unwrap();
            assert_eq!(page.body.len(), 1_000_000);
            bytes += page.bytes_wire;
        }
        assert_eq!(server.connections.get(), 1, "all share one connection");
        let all = received.load(Ordering::Relaxed);
        assert!(bytes > 6_000_000 && bytes <= all, "no byte counts twice");
    });
}

#[test]
fn an_http_2_connection_that_goes_away_is_replaced() {
    run(async {
        let authority = Authority::new();
        let acceptor = authority.acceptor(names(&["good.test"]), &["h2"]);
        let server = serve(move |_, socket| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(stream) = acceptor.accept(socket).await else { return };
                let asked = Rc::new(tokio::sync::Notify::new());
                let notes = asked.clone();
                let service = service_fn(move |_| {
                    notes.notify_one();
                    let body = Whole(Some(Bytes::from_static(b"once")));
                    std::future::ready(Ok::<_, Infallible>(http::Response::new(body)))
                });
                let mut serving = std::pin::pin!(
                    hyper::server::conn::http2::Builder::new(Local)
                        .serve_connection(TokioIo::new(stream), service)
                );
                tokio::select! {
                    _ = &mut serving => return,
                    () = asked.notified() => serving.as_mut().graceful_shutdown(),
                }
                drop(serving.await);
            }
        })
        .await;
        let fetcher = Fetcher::new(authority.config(&server)).unwrap();
        for _ in 0..5 {
            let page = fetcher.fetch(&url(&server, "good.test")).await.unwrap();
            assert_eq!(&page.body[..], b"once");
        }
        assert!(server.connections.get() > 1);
    });
}
