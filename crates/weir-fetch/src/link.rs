use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;

use crate::Limits;
use crate::connect::Stream;
use crate::wire::{Tap, Wire};

/// One connection that can carry exchanges: HTTP/1 one after the other, HTTP/2 many at once.
pub struct Link {
    kind: Kind,
    pub wire: Rc<Wire>,
    pub address: SocketAddr,
    /// Whether it has carried an exchange before, so that the server may have closed it.
    pub reused: bool,
}

enum Kind {
    Http1(Box<Http1>),
    Http2(http2::SendRequest<NoBody>),
}

/// The connection is driven by the exchange that uses it and not by a task of its own, which
/// saves waking one task from the other several times a page.
struct Http1 {
    sender: http1::SendRequest<NoBody>,
    connection: http1::Connection<TokioIo<Tap<Stream>>, NoBody>,
    done: bool,
}

type Answer = Pin<Box<dyn Future<Output = hyper::Result<Response<Incoming>>>>>;

impl Link {
    pub async fn http1(
        stream: Stream,
        wire: Rc<Wire>,
        address: SocketAddr,
        limits: &Limits,
    ) -> hyper::Result<Self> {
        let io = TokioIo::new(Tap::new(stream, wire.clone()));
        let (sender, connection) = http1::Builder::new()
            .max_headers(limits.headers)
            // Wrong, but clear and not rare; browsers take both.
            .allow_obsolete_multiline_headers_in_responses(true)
            .allow_spaces_after_header_name_in_responses(true)
            .max_buf_size(limits.header_bytes.max(SMALLEST_BUFFER))
            .handshake(io)
            .await?;
        let kind = Kind::Http1(Box::new(Http1 { sender, connection, done: false }));
        Ok(Link { kind, wire, address, reused: false })
    }

    pub async fn http2(
        stream: Stream,
        wire: Rc<Wire>,
        address: SocketAddr,
        limits: &Limits,
    ) -> hyper::Result<Self> {
        let io = TokioIo::new(Tap::new(stream, wire.clone()));
        let (sender, connection) = http2::Builder::new(LocalTasks)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
            .handshake(io)
            .await?;
        // It ends when the last sender is gone; what went wrong is told to each exchange.
        tokio::task::spawn_local(async move { drop(connection.await) });
        Ok(Link { kind: Kind::Http2(sender), wire, address, reused: false })
    }

    /// Another handle to the same connection, where exchanges can share it.
    pub fn share(&self) -> Option<Link> {
        let Kind::Http2(sender) = &self.kind else { return None };
        let kind = Kind::Http2(sender.clone());
        Some(Link { kind, wire: self.wire.clone(), address: self.address, reused: true })
    }

    pub fn is_http2(&self) -> bool {
        matches!(self.kind, Kind::Http2(_))
    }

    pub fn send(&mut self, request: Request<NoBody>) -> Answer {
        match &mut self.kind {
            Kind::Http1(link) => {
                self.wire.head.borrow_mut().begin();
                Box::pin(link.sender.send_request(request))
            }
            Kind::Http2(sender) => Box::pin(sender.send_request(request)),
        }
    }

    /// Polls `step`, a part of an exchange on this connection, and moves the connection on.
    pub fn drive<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut step: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let polled = step(cx);
        match &mut self.kind {
            Kind::Http1(link) if polled.is_pending() => {
                link.poll(cx);
                step(cx)
            }
            _ => polled,
        }
    }

    /// Whether another exchange can begin at once; notices what the server did meanwhile.
    pub fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        match &mut self.kind {
            Kind::Http1(link) => {
                link.poll(cx);
                !link.done && link.sender.is_ready()
            }
            Kind::Http2(sender) => sender.is_ready(),
        }
    }
}

impl Http1 {
    /// An error needs no look here: hyper hands it to the exchange.
    fn poll(&mut self, cx: &mut Context<'_>) {
        if !self.done {
            self.done = Pin::new(&mut self.connection).poll(cx).is_ready();
        }
    }
}

/// hyper's own lower bound.
const SMALLEST_BUFFER: usize = 8 * 1024;
/// Enough for a page without waiting for the window to open, and a bound on what is held.
const STREAM_WINDOW: u32 = 512 * 1024;
const CONNECTION_WINDOW: u32 = 2 * 1024 * 1024;

#[derive(Clone)]
struct LocalTasks;

impl<F> hyper::rt::Executor<F> for LocalTasks
where
    F: Future + 'static,
    F::Output: 'static,
{
    fn execute(&self, task: F) {
        tokio::task::spawn_local(task);
    }
}

/// A GET has no body.
pub struct NoBody;

impl Body for NoBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(None)
    }

    fn is_end_stream(&self) -> bool {
        true
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(0)
    }
}
