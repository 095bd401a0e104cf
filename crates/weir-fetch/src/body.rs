use std::future::poll_fn;
use std::path::Path;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming as HyperBody};
use tokio::time::Instant;
use weir_types::Cut;

use crate::Limits;
use crate::incoming::Incoming;
use crate::link::Link;
use crate::timer::Timer;

/// Up to this size a body that came in one piece is copied, because keeping the piece would keep
/// the connection's whole read buffer.
const WORTH_KEEPING: usize = 4 * 1024;

/// Collects the body, whole or cut. An error means that its framing is broken.
pub async fn collect(
    link: &mut Link,
    mut body: HyperBody,
    timer: &mut Timer<'_>,
    limits: &Limits,
    folder: Option<&Path>,
) -> Result<(Incoming, Option<Cut>), hyper::Error> {
    let mut collected = Incoming::new(folder);
    let most = limits.most_of(body.size_hint().exact());
    let begun = Instant::now();
    let held_before = link.wire.held();
    timer.move_to(begun + limits.idle, held_before);
    while !body.is_end_stream() {
        let expected = body.size_hint().exact().unwrap_or(0);
        let data = match next_frame(link, &mut body, timer).await {
            Next::Frame(frame) => match frame.into_data() {
                Ok(data) => data,
                Err(_trailers) => continue,
            },
            Next::End => break,
            Next::Late => return Ok((collected, Some(Cut::Time))),
            Next::Failed(error) if is_disconnect(&error) => {
                return Ok((collected, Some(Cut::Disconnect)));
            }
            Next::Failed(error) => return Err(error),
        };
        let room = most - collected.len();
        if data.len() > room {
            collected.push(&data[..room]);
            return Ok((collected, Some(Cut::Length)));
        }
        if collected.len() == 0 {
            if data.len() > WORTH_KEEPING && body.is_end_stream() {
                return Ok((Incoming::at_once(data), None));
            }
            collected.reserve(expected as usize);
        }
        let now = Instant::now();
        let held = link.wire.held();
        timer.move_to(now + limits.idle, held);
        collected.push(&data);
        if is_trickle((now - begun).saturating_sub(held - held_before), collected.len(), limits) {
            return Ok((collected, Some(Cut::Time)));
        }
    }
    Ok((collected, None))
}

fn is_trickle(elapsed: Duration, bytes: usize, limits: &Limits) -> bool {
    elapsed > limits.idle && (bytes as f64) < limits.least_rate as f64 * elapsed.as_secs_f64()
}

enum Next {
    Frame(Frame<Bytes>),
    End,
    Late,
    Failed(hyper::Error),
}

async fn next_frame(link: &mut Link, body: &mut HyperBody, timer: &mut Timer<'_>) -> Next {
    poll_fn(|cx| {
        let frame = link.drive(cx, |cx| Pin::new(&mut *body).poll_frame(cx));
        match frame {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Next::Frame(frame)),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Next::Failed(error)),
            Poll::Ready(None) => Poll::Ready(Next::End),
            Poll::Pending if timer.poll_expired(cx, || link.wire.held()) => Poll::Ready(Next::Late),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Whether the connection ended, rather than what came over it being wrong.
fn is_disconnect(error: &hyper::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput};
    match crate::exchange::io_error(error) {
        Some(io) => !matches!(io.kind(), InvalidInput | InvalidData),
        None => true,
    }
}
