use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use thiserror::Error;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tonic::codegen::Service;

use super::Connection;

const CONNECT: Duration = Duration::from_secs(5);
/// The first byte of a TLS alert; an HTTP/2 server begins with the length of a short frame.
const TLS_ALERT: u8 = 0x15;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Connects to the scheduler, and waits until it says its first word.
///
/// In TLS 1.3 a scheduler looks at our certificate only when we think that all is done. Were the
/// first call on its way by then, tonic would often say no more than "connection closed"; so the
/// refusal has to fall while we still connect. The word comes unasked, since an HTTP/2 server
/// begins with its settings.
#[derive(Clone)]
pub(super) struct Connector {
    pub host: String,
    pub port: u16,
    pub tls: Option<(TlsConnector, ServerName<'static>)>,
}

/// A plain call reached a port where TLS is spoken.
#[derive(Debug, Error)]
#[error("the scheduler speaks only TLS: call https:// instead of http://, with --keys DIR")]
pub(super) struct TlsOnly;

impl Connector {
    async fn connect(self) -> io::Result<Connection> {
        timeout(CONNECT, self.meet()).await.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    async fn meet(&self) -> io::Result<Connection> {
        let stream = self.open().await?;
        let Some((tls, name)) = &self.tls else {
            // Asked on a connection of its own, as what was said on it cannot be taken back.
            ask(stream).await?;
            return Ok(Connection::plain(self.open().await?));
        };
        encrypted(tls, name, stream).await
    }

    async fn open(&self) -> io::Result<TcpStream> {
        let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

async fn encrypted(
    tls: &TlsConnector,
    name: &ServerName<'static>,
    stream: TcpStream,
) -> io::Result<Connection> {
    let mut stream = tls.connect(name.clone(), stream).await?;
    match stream.fill_buf().await? {
        [] => Err(io::ErrorKind::UnexpectedEof.into()),
        _ => Ok(Connection::called(stream)),
    }
}

/// Says what every plain client says first, and looks whether the answer is one of TLS.
async fn ask(mut stream: TcpStream) -> io::Result<()> {
    stream.write_all(PREFACE).await?;
    let mut first = [0];
    match stream.read(&mut first).await? {
        0 => Err(io::ErrorKind::UnexpectedEof.into()),
        _ if first[0] == TLS_ALERT => Err(io::Error::new(io::ErrorKind::InvalidData, TlsOnly)),
        _ => Ok(()),
    }
}

/// How tonic asks for a connection. It says where to, but that was decided long before.
impl Service<Uri> for Connector {
    type Response = TokioIo<Connection>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<TokioIo<Connection>>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.connect().await.map(TokioIo::new) })
    }
}
