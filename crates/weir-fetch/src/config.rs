use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use crate::{Override, Shaper};

/// How a [`crate::Fetcher`] presents itself, whom it may talk to, and where it stops.
#[derive(Clone, Debug)]
pub struct FetchConfig {
    pub user_agent: String,
    /// Whether private, loopback and link-local addresses may be connected to.
    pub accept_private: bool,
    /// Answers given before any name server is asked; the first that fits counts.
    pub resolve: Vec<Override>,
    pub limits: Limits,
    /// A PEM file of certificate authorities to trust beside those of the system.
    pub roots: Option<PathBuf>,
    /// The most connections kept open for later; the longest unused go first.
    pub idle_connections: usize,
    /// Memory for bodies on their way in, in bytes; see `room.rs`.
    pub body_memory: usize,
    /// Where long bodies wait while they come; in memory without it.
    pub spool: Option<PathBuf>,
    /// How long an unused connection is kept.
    pub idle_time: Duration,
    /// Counts what is received, of all fetchers that share it: failed exchanges and an estimate of packet headers
    /// included; DNS is not.
    pub received: Arc<AtomicU64>,
    /// Holds the bandwidth cap; whoever makes it has to run it.
    pub shaper: Option<Shaper>,
}

/// The bounds of one exchange: no server can make it last longer or grow larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the response head, interim (1xx) responses included.
    pub header_bytes: usize,
    /// Number of header fields.
    pub headers: usize,
    /// Bytes of the body as it comes; a longer one is cut.
    pub body_bytes: usize,
    /// The same for a body that does not tell its length: it may have no end.
    pub unsized_bytes: usize,
    /// What is kept of a body that says beforehand that it is longer than `body_bytes`.
    pub overlong_bytes: usize,
    /// Read from a connection at once, and kept for it as a buffer. 16 KB instead of 8 save about 4 us
    /// CPU on a 27 KB page, and cost each of thousands of open connections 13 KB of memory more.
    pub read_bytes: usize,
    /// For the name lookup; and again for connecting, TLS handshake included.
    pub connect: Duration,
    /// From sending the request to the first byte of the answer.
    pub first_byte: Duration,
    /// From sending the request to the end of the response's head.
    pub head: Duration,
    /// Between two arrivals of bytes.
    pub idle: Duration,
    /// Bytes a second that a body must come with, on average, once it has taken `idle`. A server
    /// that sends a byte now and then would hold a connection for `total` otherwise.
    pub least_rate: u64,
    /// From sending the request to the last byte.
    pub total: Duration,
}

impl Limits {
    pub const HEADER_BYTES: usize = 64 * 1024;
    pub const HEADERS: usize = 256;
    pub const BODY_BYTES: usize = 16 * 1024 * 1024;
    pub const UNSIZED_BYTES: usize = Limits::BODY_BYTES / 2;
    pub const OVERLONG_BYTES: usize = Limits::BODY_BYTES / 16;
    pub const READ_BYTES: usize = 8 * 1024;
    pub const CONNECT: Duration = Duration::from_secs(10);
    pub const FIRST_BYTE: Duration = Duration::from_secs(20);
    pub const HEAD: Duration = Duration::from_secs(30);
    pub const IDLE: Duration = Duration::from_secs(20);
    pub const LEAST_RATE: u64 = 100;
    pub const TOTAL: Duration = Duration::from_secs(300);
}

impl Limits {
    /// The same limits for bodies of at most `bytes`.
    pub fn with_body(self, bytes: usize) -> Limits {
        Limits { body_bytes: bytes, unsized_bytes: bytes / 2, overlong_bytes: bytes / 16, ..self }
    }

    /// For what is small by nature: nothing is cut before `bytes`, and all is then.
    pub fn with_small_body(self, bytes: usize) -> Limits {
        Limits { body_bytes: bytes, unsized_bytes: bytes, overlong_bytes: bytes, ..self }
    }

    /// Bytes that are taken of a body that says it has `declared`.
    pub fn most_of(&self, declared: Option<u64>) -> usize {
        let most = match declared {
            Some(length) if length > self.body_bytes as u64 => self.overlong_bytes,
            Some(_) => self.body_bytes,
            None => self.unsized_bytes,
        };
        most.min(self.body_bytes)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            header_bytes: Limits::HEADER_BYTES,
            headers: Limits::HEADERS,
            body_bytes: Limits::BODY_BYTES,
            unsized_bytes: Limits::UNSIZED_BYTES,
            overlong_bytes: Limits::OVERLONG_BYTES,
            read_bytes: Limits::READ_BYTES,
            connect: Limits::CONNECT,
            first_byte: Limits::FIRST_BYTE,
            head: Limits::HEAD,
            idle: Limits::IDLE,
            least_rate: Limits::LEAST_RATE,
            total: Limits::TOTAL,
        }
    }
}

impl FetchConfig {
    pub const IDLE_CONNECTIONS: usize = 1600;
    pub const BODY_MEMORY: usize = 16 * 1024 * 1024;
    pub const IDLE_TIME: Duration = Duration::from_secs(15);

    pub fn new(user_agent: impl Into<String>) -> Self {
        FetchConfig {
            user_agent: user_agent.into(),
            accept_private: false,
            resolve: Vec::new(),
            limits: Limits::default(),
            roots: None,
            idle_connections: FetchConfig::IDLE_CONNECTIONS,
            body_memory: FetchConfig::BODY_MEMORY,
            spool: None,
            idle_time: FetchConfig::IDLE_TIME,
            received: Arc::default(),
            shaper: None,
        }
    }
}
