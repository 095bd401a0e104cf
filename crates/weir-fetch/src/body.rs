use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body, Frame, Incoming};
use tokio::time::Instant;
use weir_types::Cut;

use crate::Limits;
use crate::link::Link;
use crate::timer::Timer;

/// Up to this size a body that came in one piece is copied, because keeping the piece would keep
/// the connection's whole read buffer.
const WORTH_KEEPING: usize = 4 * 1024;
/// A length the server only claims is not allocated at once beyond this.
const MOST_RESERVED: usize = 256 * 1024;

/// Collects the body, whole or cut. An error means that its framing is broken.
pub async fn collect(
    link: &mut Link,
    mut body: Incoming,
    timer: &mut Timer<'_>,
    limits: &Limits,
) -> Result<(Bytes, Option<Cut>), hyper::Error> {
    let mut collected = BytesMut::new();
    let begun = Instant::now();
    while !body.is_end_stream() {
        let expected = body.size_hint().exact().unwrap_or(0);
        let data = match next_frame(link, &mut body, timer).await {
            Next::Frame(frame) => match frame.into_data() {
                Ok(data) => data,
                Err(_trailers) => continue,
            },
            Next::End => break,
            Next::Late => return Ok((collected.freeze(), Some(Cut::Time))),
            Next::Failed(error) if is_disconnect(&error) => {
                return Ok((collected.freeze(), Some(Cut::Disconnect)));
            }
            Next::Failed(error) => return Err(error),
        };
        let now = Instant::now();
        timer.move_to(now + limits.idle);
        let room = limits.body_bytes - collected.len();
        if data.len() > room {
            collected.extend_from_slice(&data[..room]);
            return Ok((collected.freeze(), Some(Cut::Length)));
        }
        if collected.is_empty() {
            if data.len() > WORTH_KEEPING && body.is_end_stream() {
                return Ok((data, None));
            }
            collected.reserve((expected as usize).min(limits.body_bytes).min(MOST_RESERVED));
        }
        collected.extend_from_slice(&data);
        if is_trickle(now - begun, collected.len(), limits) {
            return Ok((collected.freeze(), Some(Cut::Time)));
        }
    }
    Ok((collected.freeze(), None))
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

async fn next_frame(link: &mut Link, body: &mut Incoming, timer: &mut Timer<'_>) -> Next {
    poll_fn(|cx| {
        let frame = link.drive(cx, |cx| Pin::new(&mut *body).poll_frame(cx));
        match frame {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Next::Frame(frame)),
            Poll::Ready(Some(Err(error))) => Poll::Ready(Next::Failed(error)),
            Poll::Ready(None) => Poll::Ready(Next::End),
            Poll::Pending if timer.poll_expired(cx) => Poll::Ready(Next::Late),
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
