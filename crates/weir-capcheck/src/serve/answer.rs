use std::io;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{sleep, timeout};

use super::{Host, IDLE};

const LONGEST_REQUEST: usize = 16 << 10;

/// Answers requests one after the other until one side closes.
pub async fn answer(
    host: &Host,
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut input = Vec::with_capacity(2048);
    while let Some(page) = request(&mut stream, &mut input).await? {
        let (least, most) = host.site.delay_ms;
        if most > 0 {
            sleep(Duration::from_millis(fastrand::u64(least..=most))).await;
        }
        match page {
            Some(page) => send(host, &mut stream, page).await?,
            None => stream.write_all(NOT_FOUND).await?,
        }
        stream.flush().await?;
    }
    Ok(())
}

const NOT_FOUND: &[u8] = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";

/// The page that is asked for (none if there is no such page), or the end of all requests.
async fn request(
    stream: &mut (impl AsyncRead + Unpin),
    input: &mut Vec<u8>,
) -> io::Result<Option<Option<u64>>> {
    loop {
        if let Some(end) = input.windows(4).position(|four| four == b"\r\n\r\n") {
            let page = page_of(&input[..end]);
            input.drain(..end + 4);
            return Ok(Some(page));
        }
        if input.len() > LONGEST_REQUEST || timeout(IDLE, stream.read_buf(input)).await?? == 0 {
            return Ok(None);
        }
    }
}

/// 12 in `GET /12 HTTP/1.1`, and 0 for the first page.
fn page_of(head: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(head).ok()?.lines().next()?;
    let path = line.strip_prefix("GET /")?.split(' ').next()?;
    if path.is_empty() { Some(0) } else { path.parse().ok() }
}

async fn send(host: &Host, stream: &mut (impl AsyncWrite + Unpin), page: u64) -> io::Result<()> {
    let links = format!(
        "<!doctype html><title>{page}</title><a href=/{}>a</a><a href=/{}>b</a><p>",
        page.saturating_mul(2).saturating_add(1),
        page.saturating_mul(2).saturating_add(2),
    );
    let size = host.site.sizes.of(host.number, page).max(links.len());
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {size}\r\n\r\n"
    );
    let mut first = (head + &links).into_bytes();
    let mut left = size - links.len();
    // Head and the beginning of the body in one packet, as servers do.
    let beside = left.min(FILLER.len() - first.len());
    first.extend_from_slice(&FILLER[..beside]);
    left -= beside;
    send_all(host, stream, &first).await?;
    while left > 0 {
        let chunk = left.min(FILLER.len());
        send_all(host, stream, &FILLER[..chunk]).await?;
        left -= chunk;
    }
    Ok(())
}

async fn send_all(
    host: &Host,
    stream: &mut (impl AsyncWrite + Unpin),
    mut bytes: &[u8],
) -> io::Result<()> {
    while !bytes.is_empty() {
        let piece = host.pace.piece(bytes.len()).await;
        stream.write_all(&bytes[..piece]).await?;
        bytes = &bytes[piece..];
    }
    Ok(())
}

/// Words without a link.
static FILLER: [u8; 32 << 10] = {
    let words = b"water runs over the weir, and what is above it stands still. ";
    let mut text = [0; 32 << 10];
    let mut at = 0;
    while at < text.len() {
        text[at] = words[at % words.len()];
        at += 1;
    }
    text
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_known_by_its_number() {
        assert_eq!(page_of(b"GET / HTTP/1.1\r\nHost: x"), Some(0));
        assert_eq!(page_of(b"GET /12 HTTP/1.1"), Some(12));
        assert_eq!(page_of(b"GET /robots.txt HTTP/1.1"), None);
        assert_eq!(page_of(b"POST /12 HTTP/1.1"), None);
    }
}
