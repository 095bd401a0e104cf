//! Getting an answer onto the wire, at the host's pace.

use std::io::{self, IoSlice};
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use crate::reply::Reply;

/// A paced answer goes out in this many pieces a second.
const PIECES: u64 = 20;

/// Sends all but the last piece of a paced answer and returns how much of its body is gone. Of
/// an answer without a pace it sends nothing: all of it is the last piece.
pub(crate) async fn lead(
    stream: &mut TcpStream,
    reply: &Reply,
    rate: Option<u64>,
) -> io::Result<Option<usize>> {
    let Some(rate) = rate else { return Ok(None) };
    let piece = (rate / PIECES).max(1) as usize;
    let start = Instant::now();
    stream.write_all(&reply.head).await?;
    let mut gone = 0;
    loop {
        let end = (gone + piece).min(reply.body.len());
        sleep_until(start + Duration::from_secs_f64(end as f64 / rate.max(1) as f64)).await;
        if end == reply.body.len() {
            return Ok(Some(gone));
        }
        stream.write_all(&reply.body[gone..end]).await?;
        gone = end;
    }
}

/// Sends what [`lead`] left.
pub(crate) async fn last(
    stream: &mut TcpStream,
    reply: &Reply,
    gone: Option<usize>,
) -> io::Result<()> {
    match gone {
        Some(gone) => stream.write_all(&reply.body[gone..]).await,
        None => write_both(stream, &reply.head, &reply.body).await,
    }
}

/// Head and body in one system call, as long as the socket takes them.
async fn write_both(stream: &mut TcpStream, head: &[u8], body: &[u8]) -> io::Result<()> {
    let written = stream.write_vectored(&[IoSlice::new(head), IoSlice::new(body)]).await?;
    if written < head.len() {
        stream.write_all(&head[written..]).await?;
    }
    let of_body = written.saturating_sub(head.len());
    stream.write_all(&body[of_body..]).await
}
