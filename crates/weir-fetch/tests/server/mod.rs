//! Raw servers on loopback that misbehave as told, and a fetcher for them.
#![allow(dead_code)]

use std::cell::Cell;
use std::future::Future;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;
use url::Url;
use weir_fetch::{FetchConfig, Fetcher, Limits};

/// Runs a test on a thread-bound runtime, as the crawl does. No test may hang.
pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let bounded = async { tokio::time::timeout(Duration::from_secs(60), test).await };
    LocalSet::new().block_on(&runtime, bounded).expect("the test ends in time");
}

pub fn config() -> FetchConfig {
    FetchConfig { accept_private: true, ..FetchConfig::new("weir-test/1") }
}

pub fn fetcher() -> Fetcher {
    Fetcher::new(config()).unwrap()
}

pub fn fetcher_with(limits: Limits) -> Fetcher {
    Fetcher::new(FetchConfig { limits, ..config() }).unwrap()
}

/// A listening server and how many connections it has taken.
#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    pub connections: Rc<Cell<usize>>,
}

impl Server {
    pub fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }
}

/// `handle` gets each connection and its number, from 0.
pub async fn serve<F>(handle: impl Fn(usize, TcpStream) -> F + 'static) -> Server
where
    F: Future<Output = ()> + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connections = Rc::new(Cell::new(0));
    let counted = connections.clone();
    tokio::task::spawn_local(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let number = counted.replace(counted.get() + 1);
            tokio::task::spawn_local(handle(number, socket));
        }
    });
    Server { address, connections }
}

/// Gives the same bytes to every request, on connections that stay open.
pub async fn serve_bytes(answer: impl Into<Vec<u8>>) -> Server {
    let answer: Rc<[u8]> = answer.into().into();
    serve(move |_, mut socket| {
        let answer = answer.clone();
        async move {
            while read_request(&mut socket).await.is_some() {
                if socket.write_all(&answer).await.is_err() {
                    return;
                }
            }
        }
    })
    .await
}

/// One request head, or nothing where the client has gone.
pub async fn read_request(socket: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(socket.read_u8().await.ok()?);
    }
    Some(head)
}

/// Closes with a reset and not in order.
pub fn reset(socket: TcpStream) {
    #[allow(deprecated)]
    socket.set_linger(Some(Duration::ZERO)).unwrap();
    drop(socket);
}

/// An answer with a length.
pub fn answer(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}
