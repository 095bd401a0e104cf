use std::error::Error;
use std::future::poll_fn;
use std::io;
use std::pin::pin;
use std::task::Poll;
use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, Response, Version, header};
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, sleep_until};
use weir_types::{Page, Protocol};

use crate::body::collect;
use crate::incoming::Incoming as Collected;
use crate::link::Link;
use crate::request::{Target, Template, write_line};
use crate::room::Room;
use crate::timer::Timer;
use crate::{Failure, Limits};

/// Far beyond what any body has.
const MOST_ANNOUNCED: u64 = 1 << 48;

/// One request and its answer on `link`: the page, its body apart. Tells whether the connection can be used again.
pub async fn exchange(
    link: &mut Link,
    target: &Target<'_>,
    template: &Template,
    extra: &HeaderMap,
    limits: &Limits,
    room: &Room,
) -> Result<(Page, Collected, bool), Broken> {
    let request = template.request(target, extra, link.is_http2()).map_err(Broken::for_good)?;
    let fetched_at = SystemTime::now();
    let start = Instant::now();
    let first_deadline = (start + limits.first_byte).min(start + limits.total);
    let sleep = pin!(sleep_until(first_deadline));
    let mut timer = Timer::new(sleep, first_deadline, start + limits.total);
    let received_before = link.wire.received();

    let answer = head(link, request, &mut timer, start + limits.head, limits).await;
    let response = answer.map_err(|why| {
        let nothing_came = link.is_http2() || link.wire.received() == received_before;
        let stale = link.reused && nothing_came && matches!(why, NoHead::Failed(_));
        Broken { failure: failure(link, target, why), stale }
    })?;
    let (parts, body) = response.into_parts();
    if let Some(coding) = unknown_transfer_coding(&parts.headers) {
        let why = format!("transfer coding {coding:?} is unknown");
        return Err(Broken::for_good(bad_response(link, target, why)));
    }
    let first_byte = link.wire.head.borrow().first_byte().unwrap_or_else(Instant::now);
    let response_head = response_head(link, &parts);
    let _room = room.take(body.size_hint().exact()).await;
    if let (Some(flow), Some(length), false) =
        (&link.wire.flow, body.size_hint().exact(), link.is_http2())
    {
        let head = link.wire.received() - received_before;
        // Servers may announce any number, and the sums below must hold it.
        let length = length.min(MOST_ANNOUNCED);
        let size = response_head.len() as u64 + length;
        flow.has_size(if target.https { size + size / 64 + 256 } else { size }.max(head));
    }
    let collected = collect(link, body, &mut timer, limits, room.folder()).await;
    let (body, cut) =
        collected.map_err(|error| Broken::for_good(bad_response(link, target, chain(&error))))?;
    let elapsed = start.elapsed();
    let usable = cut.is_none()
        && !contradicts_itself(&parts.headers)
        && poll_fn(|cx| Poll::Ready(link.is_usable(cx))).await;
    // Its body is read later: it may have to wait for others, and the connection must not wait with it.
    let page = Page {
        url: String::new(),
        status: parts.status.as_u16(),
        protocol: protocol(parts.version),
        request_head: template.head(target, extra),
        response_head,
        headers: parts.headers,
        body: Bytes::new(),
        cut,
        address: link.address,
        fetched_at,
        elapsed,
        held: link.wire.held(),
        first_byte: first_byte.saturating_duration_since(start),
        bytes_wire: link.wire.claim(),
    };
    Ok((page, body, usable))
}

/// An exchange that gave no page.
pub struct Broken {
    pub failure: Failure,
    /// The connection was kept from before, and ended before a byte of an answer came (in HTTP/2
    /// the bytes may be of other exchanges): the server may just have tired of it.
    pub stale: bool,
}

impl Broken {
    fn for_good(failure: Failure) -> Self {
        Broken { failure, stale: false }
    }
}

enum NoHead {
    Late,
    Failed(hyper::Error),
}

/// Sends the request and waits for the head of the final response.
async fn head(
    link: &mut Link,
    request: http::Request<crate::link::NoBody>,
    timer: &mut Timer<'_>,
    end: Instant,
    limits: &Limits,
) -> Result<Response<Incoming>, NoHead> {
    let mut answer = link.send(request);
    poll_fn(|cx| {
        match link.drive(cx, |cx| answer.as_mut().poll(cx)) {
            Poll::Ready(Ok(response)) => return Poll::Ready(Ok(response)),
            Poll::Ready(Err(error)) => return Poll::Ready(Err(NoHead::Failed(error))),
            Poll::Pending => {}
        }
        // A head that has begun may come slowly, as long as something comes, but not for ever.
        if let Some(last) = link.wire.head.borrow().last_byte() {
            timer.move_to((last + limits.idle).min(end), link.wire.held());
        }
        match timer.poll_expired(cx, || link.wire.held()) {
            true => Poll::Ready(Err(NoHead::Late)),
            false => Poll::Pending,
        }
    })
    .await
}

fn failure(link: &Link, target: &Target<'_>, why: NoHead) -> Failure {
    let host = target.host().to_owned();
    let address = link.address;
    let head = link.wire.head.borrow();
    match why {
        NoHead::Late if head.first_byte().is_some() => Failure::IdleTimeout { host, address },
        NoHead::Late => Failure::FirstByteTimeout { host, address },
        NoHead::Failed(error) if head.too_large() || is_too_large(&error) => {
            Failure::HeadersTooLarge { host, address }
        }
        NoHead::Failed(error) if error.is_parse() => bad_response(link, target, chain(&error)),
        NoHead::Failed(error) => match tls_error(&error) {
            Some(why) => Failure::Tls { host, why },
            None => Failure::Closed { host, address, why: chain(&error) },
        },
    }
}

fn bad_response(link: &Link, target: &Target<'_>, why: String) -> Failure {
    Failure::BadResponse { host: target.host().to_owned(), address: link.address, why }
}

/// hyper tells this apart in its text only (in the client).
fn is_too_large(error: &hyper::Error) -> bool {
    error.is_parse() && error.to_string().contains("too large")
}

/// The error and its causes, each once.
fn chain(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.ends_with(&inner_text) {
            text = format!("{text}: {inner_text}");
        }
        cause = inner.source();
    }
    text
}

fn tls_error(error: &hyper::Error) -> Option<String> {
    let inner = io_error(error)?.get_ref()?;
    inner.downcast_ref::<rustls::Error>().map(ToString::to_string)
}

/// The I/O error among the causes.
pub fn io_error(error: &hyper::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(found) = inner.downcast_ref() {
            return Some(found);
        }
        cause = inner.source();
    }
    None
}

fn response_head(link: &Link, parts: &http::response::Parts) -> Vec<u8> {
    if !link.is_http2() {
        return link.wire.head.borrow_mut().take();
    }
    let reason = parts.status.canonical_reason().unwrap_or_default();
    let mut text = format!("HTTP/1.1 {} {reason}\r\n", parts.status.as_str()).into_bytes();
    parts.headers.iter().for_each(|(name, value)| write_line(&mut text, name, value));
    text.extend_from_slice(b"\r\n");
    text
}

/// Both ways of saying how long the body is: one of them is wrong, and so may be where the next
/// response begins.
fn contradicts_itself(headers: &HeaderMap) -> bool {
    headers.contains_key(header::CONTENT_LENGTH) && headers.contains_key(header::TRANSFER_ENCODING)
}

/// Anything but `chunked`: we asked for no other, so that the body could not be understood.
fn unknown_transfer_coding(headers: &HeaderMap) -> Option<&http::HeaderValue> {
    let known = |value: &&http::HeaderValue| {
        let name = value.as_bytes().trim_ascii();
        name.eq_ignore_ascii_case(b"chunked") || name.eq_ignore_ascii_case(b"identity")
    };
    headers.get_all(header::TRANSFER_ENCODING).iter().find(|value| !known(value))
}

fn protocol(version: Version) -> Protocol {
    match version {
        Version::HTTP_2 => Protocol::Http2,
        Version::HTTP_10 => Protocol::Http10,
        _ => Protocol::Http11,
    }
}
