use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::explain::explain_peer;
use super::{Connection, Report};

const HANDSHAKE: Duration = Duration::from_secs(5);
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 64 * 1024;
/// The first byte of a TLS connection; an HTTP/2 one begins with `P`.
const TLS_HANDSHAKE: u8 = 0x16;
/// What one gets who speaks no TLS to a scheduler that does: a fatal alert, "unexpected message", as
/// every server with TLS sends it.
const TLS_ONLY: &[u8] = &[0x15, 3, 1, 0, 2, 2, 10];
/// What one gets who speaks TLS to a scheduler that does not: anything that plainly is no TLS.
const NO_TLS: &[u8] = b"no TLS here\n";

/// Meets every new connection, before any call is made on it.
pub(super) struct Greeter {
    pub tls: Option<TlsAcceptor>,
    pub report: Report,
}

impl Greeter {
    /// The connection when it may be served; otherwise the reason went to the report.
    pub async fn greet(&self, stream: TcpStream, from: SocketAddr) -> Option<Connection> {
        let why = match timeout(HANDSHAKE, self.meet(stream)).await {
            Ok(Ok(connection)) => return connection,
            Ok(Err(why)) => why,
            Err(_) => format!("it did not finish the handshake within {} s", HANDSHAKE.as_secs()),
        };
        (self.report)(from, why);
        None
    }

    /// `None` for one that left without a word, as those do who only look whether a port is open.
    async fn meet(&self, stream: TcpStream) -> Result<Option<Connection>, String> {
        let cut = |error: io::Error| format!("the connection was cut: {error}");
        stream.set_nodelay(true).map_err(cut)?;
        let mut first = [0];
        if stream.peek(&mut first).await.map_err(cut)? == 0 {
            return Ok(None);
        }
        match (&self.tls, first[0] == TLS_HANDSHAKE) {
            (Some(tls), true) => encrypt(tls, stream).await.map(Some),
            (None, false) => Ok(Some(Connection::plain(stream))),
            (Some(_), false) => {
                turn_away(stream, TLS_ONLY).await;
                Err("it does not speak TLS: it must call https:// and have --keys DIR".to_owned())
            }
            (None, true) => {
                turn_away(stream, NO_TLS).await;
                Err("it speaks TLS, but this scheduler does not: start the scheduler with \
                     --keys DIR, or call it with http:// from this machine"
                    .to_owned())
            }
        }
    }
}

async fn encrypt(tls: &TlsAcceptor, stream: TcpStream) -> Result<Connection, String> {
    match tls.accept(stream).into_fallible().await {
        Ok(stream) => Ok(Connection::accepted(stream)),
        Err((error, stream)) => {
            linger(stream).await;
            Err(explain_peer(&error))
        }
    }
}

async fn turn_away(mut stream: TcpStream, answer: &[u8]) {
    // One who does not take the answer has left, and the report tells of it in any case.
    if stream.write_all(answer).await.is_ok() {
        linger(stream).await;
    }
}

/// Closes so that the peer can read our last words: what it still sends is read and thrown away
/// for a moment, since closing on unread bytes would reset the connection and drop the words.
async fn linger(mut stream: TcpStream) {
    if stream.shutdown().await.is_err() {
        return;
    }
    let drain = async {
        let mut buffer = [0; 4096];
        let mut left = LINGER_BYTES;
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            left = left.saturating_sub(read);
            if left == 0 {
                return;
            }
        }
    };
    // Ends when the peer closed, when it says too much, or after a second; all are fine.
    drop(timeout(LINGER, drain).await);
}
