use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::{client, server};
use tonic::transport::server::{Connected, TcpConnectInfo};

/// A connection that is past its handshake, encrypted or not, on either side.
pub struct Connection {
    stream: Pin<Box<dyn Stream>>,
    info: TcpConnectInfo,
}

trait Stream: AsyncRead + AsyncWrite + Send {}

impl<T: AsyncRead + AsyncWrite + Send> Stream for T {}

impl Connection {
    pub(super) fn plain(stream: TcpStream) -> Connection {
        let info = stream.connect_info();
        Connection { stream: Box::pin(stream), info }
    }

    pub(super) fn accepted(stream: server::TlsStream<TcpStream>) -> Connection {
        let info = stream.get_ref().0.connect_info();
        Connection { stream: Box::pin(stream), info }
    }

    pub(super) fn called(stream: client::TlsStream<TcpStream>) -> Connection {
        let info = stream.get_ref().0.connect_info();
        Connection { stream: Box::pin(stream), info }
    }
}

/// The same for both kinds, so that `Request::remote_addr` always knows who calls.
impl Connected for Connection {
    type ConnectInfo = TcpConnectInfo;

    fn connect_info(&self) -> TcpConnectInfo {
        self.info.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(cx, buffer)
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
