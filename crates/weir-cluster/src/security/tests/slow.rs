use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::echo::{Scheduler, say};
use super::keys;
use crate::security::ClientSecurity;

#[tokio::test]
async fn slow_peers_hold_up_nobody_and_are_let_go() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let mut slow = Vec::new();
    for _ in 0..20 {
        let mut stream = TcpStream::connect(scheduler.address).await.unwrap();
        stream.write_all(&[0x16, 3, 1]).await.unwrap();
        slow.push(stream);
    }
    let client = ClientSecurity::choose(&scheduler.url("https"), Some(dir.path())).unwrap();
    let said = tokio::time::timeout(Duration::from_secs(4), say(&client, "hello")).await;
    assert_eq!(said.expect("a slow peer held it up").unwrap(), "hello");
    // From here on nothing happens but time-outs, so time may leap.
    tokio::time::pause();
    for _ in &slow {
        assert_eq!(scheduler.report().await, "it did not finish the handshake within 5 s");
    }
}

#[tokio::test]
async fn more_peers_than_are_greeted_at_once_are_all_let_in() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let client = ClientSecurity::choose(&scheduler.url("https"), Some(dir.path())).unwrap();
    let said = futures_util::future::join_all((0..100).map(|_| say(&client, "hello"))).await;
    assert!(said.iter().all(|said| said.as_deref() == Ok("hello")), "{said:?}");
    assert!(scheduler.is_quiet());
}

#[tokio::test]
async fn a_peer_that_only_looks_is_not_reported() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    drop(TcpStream::connect(scheduler.address).await.unwrap());
    let client = ClientSecurity::choose(&scheduler.url("https"), Some(dir.path())).unwrap();
    assert_eq!(say(&client, "hello").await.unwrap(), "hello");
    assert!(scheduler.is_quiet());
}

#[tokio::test]
async fn garbage_is_reported_and_harms_nobody() {
    let dir = keys();
    let mut scheduler = Scheduler::with_keys(dir.path()).await;
    let check = [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0x16, 3, 1, 0, 5, 9, 9, 9, 9, 9], &[0]];
    for bytes in check {
        let mut stream = TcpStream::connect(scheduler.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        drop(stream);
        assert_ne!(scheduler.report().await, "");
    }
    let client = ClientSecurity::choose(&scheduler.url("https"), Some(dir.path())).unwrap();
    assert_eq!(say(&client, "hello").await.unwrap(), "hello");
}
