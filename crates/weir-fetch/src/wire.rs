use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, ReadBuf, Take};
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::Limits;
use crate::head::HeadCopy;
use crate::shaper::{Flow, PACKET, SEGMENT};

/// What is observed on one connection: bytes received, below TLS; the head of the response, above.
pub struct Wire {
    received: Cell<u64>,
    claimed: Cell<u64>,
    /// Bytes received on all connections.
    total: Arc<AtomicU64>,
    pub head: RefCell<HeadCopy>,
    /// Its account, where there is a cap to hold.
    pub flow: Option<Flow>,
}

impl Wire {
    pub fn new(total: Arc<AtomicU64>, header_limit: usize, flow: Option<Flow>) -> Rc<Self> {
        Rc::new(Wire {
            received: Cell::new(0),
            claimed: Cell::new(0),
            total,
            head: RefCell::new(HeadCopy::new(header_limit)),
            flow,
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

    /// How long the exchange under way was held back for the sake of the cap.
    pub fn held(&self) -> Duration {
        self.flow.as_ref().map_or(Duration::ZERO, Flow::held)
    }

    fn count(&self, bytes: usize) {
        self.received.set(self.received.get() + bytes as u64);
        let packets = bytes.div_ceil(SEGMENT as usize) * PACKET as usize;
        self.total.fetch_add((bytes + packets) as u64, Ordering::Relaxed);
        if let Some(flow) = &self.flow {
            flow.was_read(bytes);
        }
    }
}

/// A socket that counts what it receives, and receives no more than may be.
pub struct Counted {
    socket: Take<TcpStream>,
    wire: Rc<Wire>,
}

impl Counted {
    pub fn new(socket: TcpStream, wire: Rc<Wire>) -> Self {
        Counted { socket: socket.take(u64::MAX), wire }
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let most = ready!(self.poll_credit(cx))?;
        self.socket.set_limit(most);
        ready!(Pin::new(&mut self.socket).poll_read(cx, buf))?;
        self.wire.count(buf.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}

impl Counted {
    /// How much may be read now.
    fn poll_credit(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<u64>> {
        let Some(flow) = &self.wire.flow else { return Poll::Ready(Ok(u64::MAX)) };
        if let Some(most) = flow.credit() {
            return Poll::Ready(Ok(most));
        }
        // A turn is asked for only if there is something to read: a byte, or the end.
        let mut byte = [0];
        ready!(self.socket.get_mut().poll_peek(cx, &mut ReadBuf::new(&mut byte)))?;
        flow.poll_credit(cx).map(Ok)
    }
}

impl Drop for Counted {
    /// The account is closed before the socket is, so that nobody looks at a descriptor that is
    /// another's by then.
    fn drop(&mut self) {
        if let Some(flow) = &self.wire.flow {
            flow.close();
        }
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(self.socket.get_mut()).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.socket.get_mut()).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.socket.get_mut()).poll_shutdown(cx)
    }
}

/// Where there is a cap, connections take turns, and larger reads would make the turns coarser: what docs/cap.md says was measured
/// with this.
const SHAPED_READ: usize = 32 << 10;

/// The stream that hyper reads, plain or deciphered; copies the head of each response.
pub struct Tap<S> {
    stream: Take<S>,
    wire: Rc<Wire>,
    read_most: u64,
}

impl<S: AsyncRead> Tap<S> {
    /// hyper doubles its buffer after a read that fills it, so what is read at once bounds the
    /// buffer too.
    pub fn new(stream: S, wire: Rc<Wire>, limits: &Limits) -> Self {
        let most = if wire.flow.is_some() { SHAPED_READ } else { usize::MAX };
        let read_most = limits.read_bytes.min(most) as u64 - 1;
        Tap { stream: stream.take(read_most), wire, read_most }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Tap<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read_most = self.read_most;
        self.stream.set_limit(read_most);
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
