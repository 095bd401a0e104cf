use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use bytes::Bytes;

/// One HTTP exchange as it came over the wire, redirects and error statuses included.
#[derive(Clone, Debug)]
pub struct Page {
    /// The URL that was asked for, canonical.
    pub url: String,
    pub status: u16,
    pub protocol: Protocol,
    /// Our request line and headers, with the closing empty line.
    pub request_head: Vec<u8>,
    /// The status line and headers as the server wrote them, with the closing empty line
    /// (written out in HTTP/1.1 form where the protocol was HTTP/2).
    pub response_head: Vec<u8>,
    pub headers: http::HeaderMap,
    /// The body with its content coding as it came; only the transfer coding is undone.
    pub body: Bytes,
    /// Why the body is not whole, if it is not.
    pub cut: Option<Cut>,
    /// The address connected to.
    pub address: SocketAddr,
    pub fetched_at: SystemTime,
    /// From sending the request to the last byte.
    pub elapsed: Duration,
    /// The part of it in which we held the server back, to keep to a bandwidth cap.
    pub held: Duration,
    /// From sending the request to the first byte of the answer.
    pub first_byte: Duration,
    /// Bytes received for this exchange: headers and body as sent, TLS records included.
    pub bytes_wire: u64,
}

impl Page {
    /// The value of a header as text, if it is there and is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    Http10,
    Http11,
    Http2,
}

/// Why a body was cut; the words are those of the WARC standard's `WARC-Truncated`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It reached the limit on body size.
    Length,
    /// It reached the limit on total time.
    Time,
    /// The connection ended before the body did.
    Disconnect,
}

impl Cut {
    pub fn as_str(self) -> &'static str {
        match self {
            Cut::Length => "length",
            Cut::Time => "time",
            Cut::Disconnect => "disconnect",
        }
    }
}
