use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::echo::{Scheduler, say};
use super::{keys, loopback};
use crate::security::{ClientSecurity, ServerSecurity};

const MARKER: &str = "a-marker-that-nobody-may-read";

/// What someone on the way between downloader and scheduler can read.
#[derive(Clone, Default)]
struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    fn has(&self, words: &[u8]) -> bool {
        let bytes = self.0.lock().unwrap();
        bytes.windows(words.len()).any(|window| window == words)
    }

    async fn copy(self, mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            self.0.lock().unwrap().extend(&buffer[..read]);
            if to.write_all(&buffer[..read]).await.is_err() {
                return;
            }
        }
    }
}

/// A proxy to `scheduler` that keeps what passes, both ways.
async fn tap(scheduler: SocketAddr) -> (SocketAddr, Captured) {
    let listener = TcpListener::bind(loopback()).await.unwrap();
    let address = listener.local_addr().unwrap();
    let captured = Captured::default();
    let kept = captured.clone();
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let (near_read, near_write) = near.into_split();
            let (far_read, far_write) = TcpStream::connect(scheduler).await.unwrap().into_split();
            tokio::spawn(kept.clone().copy(near_read, far_write));
            tokio::spawn(kept.clone().copy(far_read, near_write));
        }
    });
    (address, captured)
}

/// Sends the marker through the tap, and says whether marker and token could be read there.
async fn readable(plain: bool) -> (bool, bool) {
    let dir = keys();
    let security = ServerSecurity::choose(loopback(), Some(dir.path()), plain).unwrap();
    let scheduler = Scheduler::start(&security).await;
    let (address, captured) = tap(scheduler.address).await;
    let scheme = if plain { "http" } else { "https" };
    let client = ClientSecurity::choose(&format!("{scheme}://{address}"), Some(dir.path()));
    assert_eq!(say(&client.unwrap(), MARKER).await.unwrap(), MARKER);
    let token = std::fs::read_to_string(dir.path().join("token")).unwrap();
    let header = huffman(&format!("Bearer {}", token.trim()));
    (captured.has(MARKER.as_bytes()), captured.has(&header) || captured.has(token.as_bytes()))
}

/// The form in which HTTP/2 sends a header (RFC 7541, appendix B), for the letters of a token. It
/// hides nothing; anybody can turn it back.
fn huffman(text: &str) -> Vec<u8> {
    let code = |letter| match letter {
        '0' => "00000",
        '1' => "00001",
        '2' => "00010",
        'a' => "00011",
        'c' => "00100",
        'e' => "00101",
        ' ' => "010100",
        '3' => "011001",
        '4' => "011010",
        '5' => "011011",
        '6' => "011100",
        '7' => "011101",
        '8' => "011110",
        '9' => "011111",
        'b' => "100011",
        'd' => "100100",
        'f' => "100101",
        'r' => "101100",
        'B' => "1011101",
        other => panic!("{other} is not in a token"),
    };
    let bits: String = text.chars().map(code).collect();
    let byte = |bits: &[u8]| {
        let bits = String::from_utf8(bits.to_vec()).unwrap();
        u8::from_str_radix(&format!("{bits:1<8}"), 2).unwrap()
    };
    bits.as_bytes().chunks(8).map(byte).collect()
}

#[tokio::test]
async fn neither_token_nor_messages_can_be_read_on_the_way() {
    assert_eq!(readable(false).await, (false, false));
}

/// The check above would be worth nothing if it could not fail.
#[tokio::test]
async fn both_can_be_read_without_tls() {
    assert_eq!(readable(true).await, (true, true));
}
