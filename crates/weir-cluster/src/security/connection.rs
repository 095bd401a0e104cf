use std::io::{self, IoSlice};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::{client, server};
use tonic::Extensions;
use tonic::transport::server::Connected;

/// A connection that is past its handshake, encrypted or not, on either side.
pub struct Connection {
    stream: Pin<Box<dyn Stream>>,
    caller: Caller,
}

/// Who is at the other end of the connection that a call came by.
#[derive(Clone, Debug)]
pub struct Caller {
    pub address: SocketAddr,
    hung_up: Arc<AtomicBool>,
}

trait Stream: AsyncRead + AsyncWrite + Send {}

impl<T: AsyncRead + AsyncWrite + Send> Stream for T {}

impl Caller {
    /// Of a request. One that came in no other way than by a [`Connection`] always has one.
    pub fn of(extensions: &Extensions) -> Caller {
        let nobody = || Caller::new(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)));
        extensions.get().cloned().unwrap_or_else(nobody)
    }

    fn new(address: SocketAddr) -> Caller {
        Caller { address, hung_up: Arc::default() }
    }

    /// The other end has closed the connection, rather than we.
    pub fn has_hung_up(&self) -> bool {
        self.hung_up.load(Ordering::Acquire)
    }
}

impl Connection {
    pub(super) fn plain(stream: TcpStream) -> Connection {
        let caller = at_the_other_end(&stream);
        Connection { stream: Box::pin(stream), caller }
    }

    pub(super) fn accepted(stream: server::TlsStream<TcpStream>) -> Connection {
        let caller = at_the_other_end(stream.get_ref().0);
        Connection { stream: Box::pin(stream), caller }
    }

    pub(super) fn called(stream: client::TlsStream<TcpStream>) -> Connection {
        let caller = at_the_other_end(stream.get_ref().0);
        Connection { stream: Box::pin(stream), caller }
    }
}

/// One that is gone already has no address.
fn at_the_other_end(stream: &TcpStream) -> Caller {
    Caller::new(stream.peer_addr().unwrap_or(SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))))
}

/// So that each request says who calls, by whatever kind of connection.
impl Connected for Connection {
    type ConnectInfo = Caller;

    fn connect_info(&self) -> Caller {
        self.caller.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let (before, is_room) = (buffer.filled().len(), buffer.remaining() > 0);
        let read = self.stream.as_mut().poll_read(cx, buffer);
        let is_over = match &read {
            Poll::Ready(Ok(())) => is_room && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_over {
            self.caller.hung_up.store(true, Ordering::Release);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}
