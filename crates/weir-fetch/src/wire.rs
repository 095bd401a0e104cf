use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::head::HeadCopy;

/// What is observed on one connection: bytes received, below TLS; the head of the response, above.
pub struct Wire {
    received: Cell<u64>,
    claimed: Cell<u64>,
    /// Bytes received on all connections of the fetcher.
    total: Rc<Cell<u64>>,
    pub head: RefCell<HeadCopy>,
}

impl Wire {
    pub fn new(total: Rc<Cell<u64>>, header_limit: usize) -> Rc<Self> {
        Rc::new(Wire {
            received: Cell::new(0),
            claimed: Cell::new(0),
            total,
            head: RefCell::new(HeadCopy::new(header_limit)),
        })
    }

    pub fn received(&self) -> u64 {
        self.received.get()
    }

    /// The bytes received since the last claim. Each byte is claimed by one exchange only: those
    /// of the handshake by the first, and where exchanges share a connection (HTTP/2) by the one
    /// that ends next.
    pub fn claim(&self) -> u64 {
        let received = self.received.get();
        received - self.claimed.replace(received)
    }

    fn count(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
        self.total.set(self.total.get() + bytes as u64);
    }
}

/// A socket that counts what it receives.
pub struct Counted {
    socket: TcpStream,
    wire: Rc<Wire>,
}

impl Counted {
    pub fn new(socket: TcpStream, wire: Rc<Wire>) -> Self {
        Counted { socket, wire }
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        self.wire.count(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

/// The stream that hyper reads, plain or deciphered; copies the head of each response.
pub struct Tap<S> {
    stream: Take<S>,
    wire: Rc<Wire>,
}

/// The most that is read at once. One less than hyper's first buffer size because hyper doubles its
/// buffer after a read that fills it: this keeps 8 KB a connection, while heads up to the header
/// limit still fit. With 16 KB a 27 KB page costs about 4 us CPU less over few connections, but
/// each of thousands of open connections some 13 KB of memory more.
const READ_MOST: u64 = 8 * 1024 - 1;

impl<S: AsyncRead> Tap<S> {
    pub fn new(stream: S, wire: Rc<Wire>) -> Self {
        Tap { stream: stream.take(READ_MOST), wire }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Tap<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        self.stream.set_limit(READ_MOST);
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let mut head = self.wire.head.borrow_mut();
        if head.is_awaited() && buf.filled().len() > before {
            head.pass(&buf.filled()[before..], Instant::now());
            if head.too_large() {
                return Poll::Ready(Err(io::Error::other("head too large")));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Tap<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.stream.get_mut()).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(cx)
    }
}
