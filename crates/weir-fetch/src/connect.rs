use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use crate::Failure;
use crate::request::Target;
use crate::wire::{Counted, Wire};

/// More addresses of one name than this are not tried.
const MOST_ADDRESSES: usize = 4;

/// Connects to the first of `addresses` that answers, by sockets made ready by `prepare`. Each gets an equal share of the time left,
/// so that a dead one does not use up the time of the others.
pub async fn connect(
    target: &Target<'_>,
    addresses: &[SocketAddr],
    limit: Duration,
    prepare: impl Fn(&TcpSocket) -> io::Result<()>,
) -> Result<(TcpStream, SocketAddr), Failure> {
    let addresses = &addresses[..addresses.len().min(MOST_ADDRESSES)];
    let end = Instant::now() + limit;
    let mut last = Failure::NoAddress { host: target.host().to_owned() };
    for (tried, address) in addresses.iter().enumerate() {
        let now = Instant::now();
        let share = end.saturating_duration_since(now) / (addresses.len() - tried) as u32;
        match timeout_at(now + share, open(*address, &prepare)).await {
            Ok(Ok(socket)) => {
                // Requests are single small writes: waiting to join them would only delay them.
                if let Err(error) = socket.set_nodelay(true) {
                    last = unreachable(target, *address, &error);
                    continue;
                }
                return Ok((socket, *address));
            }
            Ok(Err(error)) => last = unreachable(target, *address, &error),
            Err(_) => {
                last =
                    Failure::ConnectTimeout { host: target.host().to_owned(), address: *address };
            }
        }
    }
    Err(last)
}

async fn open(
    address: SocketAddr,
    prepare: impl Fn(&TcpSocket) -> io::Result<()>,
) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    prepare(&socket)?;
    socket.connect(address).await
}

fn unreachable(target: &Target<'_>, address: SocketAddr, error: &io::Error) -> Failure {
    let host = target.host().to_owned();
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Failure::Refused { host, address },
        io::ErrorKind::TimedOut => Failure::ConnectTimeout { host, address },
        _ => Failure::Unreachable { host, address, why: error.to_string() },
    }
}

/// A connection below HTTP.
pub enum Stream {
    Plain(Counted),
    Tls(Box<TlsStream<Counted>>),
}

impl Stream {
    pub fn plain(socket: TcpStream, wire: Rc<Wire>) -> Self {
        Stream::Plain(Counted::new(socket, wire))
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Stream::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(cx, bytes),
            Stream::Tls(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Stream::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
